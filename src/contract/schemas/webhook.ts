import * as z from 'zod'

import { EVENT_NAMES } from '../events.js'
import { open, timestampSchema } from './shared.js'

/** §2.12 */
export const webhookSchema = z.object({
  /** Always `webhook`. */
  object: open(['webhook']),
  /** The webhook's id, which the service gave it. */
  id: z.string(),
  /**
   * Where deliveries go, as the service stored it: host in lower case, trailing slash added. Compare with this
   * one.
   */
  url: z.string(),
  /** Names of the events it receives (§6). */
  events: z.array(open(EVENT_NAMES)),
  /** Whether it receives events. An inactive webhook keeps its settings and receives nothing. */
  active: z.boolean(),
  /** When the webhook was made, ISO 8601. */
  createdAt: timestampSchema,
  /** When the webhook last changed, ISO 8601. */
  updatedAt: timestampSchema,
})

/** §4.6 */
export const deletedWebhookSchema = z.object({
  /** Always `webhook`. */
  object: open(['webhook']),
  /** The id of the webhook that was deleted. */
  id: z.string(),
  /** `true`: the webhook is gone, though deliveries already queued still come. */
  deleted: z.boolean(),
})

/** §4.6 */
export const eventNamesSchema = z.object({
  /** Names of the events that a webhook can subscribe to; the list grows. */
  events: z.array(open(EVENT_NAMES)),
})
