import type { RequestIssue } from '../contract/issues.js'
import { fieldOf } from '../contract/read.js'

/**
 * Groups the issues of an error of the client by their fields, for a form. The key is the field's path, such as
 * `address.city` or `tests[2]`; issues without a field have the key `''`.
 *
 * @param error - Any thrown value, also as JSON from your own API. An error without issues gives an empty object.
 */
export function issuesByField(error: unknown): Readonly<Record<string, readonly RequestIssue[]>> {
  const fields: Record<string, RequestIssue[]> = {}
  const issues = fieldOf(error, 'issues')
  for (const issue of Array.isArray(issues) ? issues.filter(isRequestIssue) : []) {
    const field = issue.field ?? ''
    fields[field] = [...(fields[field] ?? []), issue]
  }
  return fields
}

function isRequestIssue(value: unknown): value is RequestIssue {
  const field = fieldOf(value, 'field')
  return (
    typeof fieldOf(value, 'userMessage') === 'string' && (field === undefined || typeof field === 'string')
  )
}
