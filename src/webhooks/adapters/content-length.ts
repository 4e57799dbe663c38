import { firstText, type WebhookHeaders } from '../headers.js'
import { tooLarge } from '../raw-body.js'

/**
 * Returns the declared length of a body, if it declares one. Refuses a body that declares too much before any of it is
 * read; one that declares too little is refused while it is read.
 */
export function declaredLength(headers: WebhookHeaders, maxBytes: number): number | undefined {
  const text = firstText(headers, 'content-length')
  if (text === undefined) return undefined
  if (Number(text) > maxBytes) throw tooLarge(maxBytes)
  return Number(text)
}
