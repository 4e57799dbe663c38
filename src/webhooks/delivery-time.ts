import { DELIVERY_TIME_HEADER } from '../contract/events.js'
import { firstText, type WebhookHeaders } from './headers.js'

const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/
const UNIX_TIME = /^\d{10}(\d{3})?$/

/**
 * When the service says it sent this delivery, by `x-svc-delivery-time` (§6).
 *
 * Advice only: the signature covers the body and not this header, so whoever replays a delivery can put any
 * time here. It serves to measure delays, never to refuse replays; for those, de-duplicate by `eventUuid`.
 *
 * @param headers - The request's headers in any shape {@link verifyWebhook} takes.
 * @returns The time, from ISO 8601 or from Unix seconds or milliseconds; `undefined` when absent or anything else.
 */
export function deliveryTime(headers: WebhookHeaders): Date | undefined {
  const text = firstText(headers, DELIVERY_TIME_HEADER)
  if (text === undefined) return undefined
  const date = readTime(text)
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date
}

function readTime(text: string): Date | undefined {
  if (ISO_8601.test(text)) return new Date(text)
  if (UNIX_TIME.test(text)) return new Date(Number(text) * (text.length === 10 ? 1000 : 1))
  return undefined
}
