import { firstText, type WebhookHeaders } from '../headers.js'
import { tooLarge } from '../raw-body.js'

/** Refuses a body that says it is too large before any of it is read; one that lies is caught on the way. */
export function checkContentLength(headers: WebhookHeaders, maxBytes: number): void {
  const declared = firstText(headers, 'content-length')
  if (declared !== undefined && Number(declared) > maxBytes) throw tooLarge(maxBytes)
}
