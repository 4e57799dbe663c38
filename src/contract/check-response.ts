import type * as z from 'zod'
import { CHECKS } from './checks.js'
import { RESPONSE_SCHEMAS, type ResponseSchemaName } from './schemas/index.js'

/** One place where an answer is not what the contract says. It never holds a value. */
export interface ResponseIssue {
  /** Where, with list positions left out: `person.dob`, `biomarkers[].unit`. */
  readonly path: string
  /** What was expected there. */
  readonly expected: string
}

/**
 * Where a value differs from the contract; empty when it does not, or differs only by what the service may add (fields,
 * enum values). Nothing is copied or changed.
 */
export function responseIssues(name: ResponseSchemaName, value: unknown): ResponseIssue[] {
  if (CHECKS[name](value)) return []
  const outcome = RESPONSE_SCHEMAS[name].safeParse(value)
  return outcome.success ? [] : outcome.error.issues.flatMap((issue) => nearest(issue)).map(toResponseIssue)
}

/** Where there is more than one shape, what is wrong by the one that was meant: it differs inside, not as a whole. */
function nearest(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const meant = issue.errors.find((issues) => issues.every(({ path }) => path.length > 0))
  if (meant === undefined) return [issue]
  return meant.flatMap((inside) => nearest({ ...inside, path: [...issue.path, ...inside.path] }))
}

function toResponseIssue(issue: z.core.$ZodIssue): ResponseIssue {
  const path = issue.path.map((key) => (typeof key === 'number' ? '[]' : `.${String(key)}`)).join('')
  return {
    path: path.replace(/^\./, '') || '(whole answer)',
    expected: issue.code === 'invalid_type' ? issue.expected : issue.code,
  }
}
