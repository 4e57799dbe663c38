import * as z from 'zod'

import { RESPONSE_SCHEMAS, type ResponseSchemaName } from './schemas/index.js'

/** One place where an answer is not what the contract says. It never holds a value. */
export interface ResponseIssue {
  /** Where, with list positions left out: `person.dob`, `biomarkers[].unit`. */
  readonly path: string
  /** What was expected there. */
  readonly expected: string
}

/** See {@link createResponseCheck}. */
export type ResponseCheck = (name: ResponseSchemaName, value: unknown) => ResponseIssue[]

/**
 * Makes a check that tells where a value differs from the contract: an empty list when it does not, or differs
 * only by what the service may add (fields, enum values). Nothing is copied or changed. Each schema is compiled
 * the first time it is asked for, and kept.
 */
export function createResponseCheck(): ResponseCheck {
  const compiled = new Map<ResponseSchemaName, z.ZodType>()
  return (name, value) => {
    const schema = compiled.get(name) ?? compileSchema(name)
    compiled.set(name, schema)
    if (z.validate(schema, value)) return []
    const outcome = RESPONSE_SCHEMAS[name].safeParse(value)
    return outcome.success ? [] : outcome.error.issues.flatMap((issue) => nearest(issue)).map(toResponseIssue)
  }
}

function compileSchema(name: ResponseSchemaName): z.ZodType {
  return z.compile<z.ZodType>(RESPONSE_SCHEMAS[name])
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
