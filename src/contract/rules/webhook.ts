import type { IssueDraft } from '../issues.js'

// §4.6
/** The rule of a webhook's URL, for error messages. */
export const WEBHOOK_URL_RULE = 'must be a public https URL without credentials'

// §4.6
/** The rules of a webhook update. */
export function webhookUpdateRules(patch: Readonly<Record<string, unknown>>): IssueDraft[] {
  const given = ['url', 'events', 'active'].some((name) => patch[name] !== undefined)
  return given ? [] : [{ message: 'at least one of url, events and active is required', field: undefined }]
}
