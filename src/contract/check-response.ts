import type { ResponseIssue } from './check.js'
import { CHECKS } from './generated/checks.js'
import type { ResponseSchemaName } from './schemas/index.js'

/**
 * Where a value differs from the contract; empty when it does not, or differs only by what the service may add (fields,
 * enum values). Nothing is copied or changed.
 */
export function responseIssues(name: ResponseSchemaName, value: unknown): readonly ResponseIssue[] {
  const check = CHECKS[name]
  if (check(value)) return NONE
  const issues: ResponseIssue[] = []
  check(value, { path: '', issues })
  return issues
}

const NONE: readonly ResponseIssue[] = []
