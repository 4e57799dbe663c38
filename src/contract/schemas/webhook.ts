import * as z from 'zod'

import { EVENT_NAMES } from '../events.js'
import { open, timestampSchema } from './shared.js'

// §2.12
export const webhookSchema = z.object({
  /** Always `webhook`. */
  object: open(['webhook']),
  /** The webhook's id, assigned by the service. */
  id: z.string(),
  /**
   * URL of your endpoint in the service's form: `https://Example.com` becomes `https://example.com/`. To find a webhook
   * by its URL, compare with this form.
   */
  url: z.string(),
  /** Names of the events that the webhook receives. */
  events: z.array(open(EVENT_NAMES)),
  /** `true` when the webhook receives events. An inactive webhook keeps its settings and receives nothing. */
  active: z.boolean(),
  /** Creation time, ISO 8601. */
  createdAt: timestampSchema,
  /** Time of the last change, ISO 8601. */
  updatedAt: timestampSchema,
})

// §4.6
export const deletedWebhookSchema = z.object({
  /** Always `webhook`. */
  object: open(['webhook']),
  /** Id of the deleted webhook. */
  id: z.string(),
  /** `true`: the webhook is deleted. Deliveries that were already queued still arrive. */
  deleted: z.boolean(),
})

// §4.6
export const eventNamesSchema = z.object({
  /** Names of all events that a webhook can subscribe to. The service may add names. */
  events: z.array(open(EVENT_NAMES)),
})
