import type { RequestIssue } from '../issues.js'

/** What a webhook's URL must be, in words (§4.6). */
export const WEBHOOK_URL_RULE = 'must be a public https URL without credentials'

/** The rules of a webhook update (§4.6). */
export function webhookUpdateRules(patch: Readonly<Record<string, unknown>>): RequestIssue[] {
  const given = ['url', 'events', 'active'].some((name) => patch[name] !== undefined)
  return given ? [] : [{ message: 'at least one of url, events and active is required', field: undefined }]
}
