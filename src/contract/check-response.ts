import type { ResponseIssue } from './check.js'
import { CHECKS } from './generated/checks.js'
import type { ResponseSchemaName } from './schemas/index.js'

/**
 * Returns every place where a value differs from the contract. Additional fields and enum values are permitted. The value
 * is neither copied nor changed.
 */
export function responseIssues(name: ResponseSchemaName, value: unknown): readonly ResponseIssue[] {
  const check = CHECKS[name]
  if (check(value)) return NONE
  const issues: ResponseIssue[] = []
  check(value, { path: '', issues })
  return issues
}

const NONE: readonly ResponseIssue[] = []
