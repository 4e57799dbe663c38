import type { ResponseIssue } from './check.js'
import { CHECKS } from './checks.js'
import type { ResponseSchemaName } from './schemas/index.js'

/**
 * Where a value differs from the contract; empty when it does not, or differs only by what the service may add (fields,
 * enum values). Nothing is copied or changed.
 */
export function responseIssues(name: ResponseSchemaName, value: unknown): ResponseIssue[] {
  const issues: ResponseIssue[] = []
  if (!CHECKS[name](value)) CHECKS[name](value, { path: '', issues })
  return issues
}
