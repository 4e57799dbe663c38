import * as z from 'zod'

import { EVENT_NAMES } from '../events.js'
import { open, timestampSchema } from './shared.js'

/** §2.12 */
export const webhookSchema = z.object({
  object: open(['webhook']),
  id: z.string(),
  /** As the service stored it: host in lower case, trailing slash added. Compare with this one. */
  url: z.string(),
  events: z.array(open(EVENT_NAMES)),
  /** An inactive webhook keeps its settings and receives nothing. */
  active: z.boolean(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
})

/** §4.6 */
export const deletedWebhookSchema = z.object({
  object: open(['webhook']),
  id: z.string(),
  deleted: z.boolean(),
})

/** §4.6 */
export const eventNamesSchema = z.object({ events: z.array(open(EVENT_NAMES)) })
