import { expect } from 'vitest'
import type * as z from 'zod'
import { recordDifferences } from '../../../src/cli/contract-check/record-rules.js'
import { schemaDifferences } from '../../../src/contract/field-differences.js'
import type { ResponseSchemaName } from '../../../src/contract/schemas/index.js'
import { arr, isObject, type Json, type JsonObject, obj } from './json.js'
import type { Answer } from './service.js'

export type OneOrMore<T> = T | readonly T[]
const listed = <T extends string | number>(wanted: OneOrMore<T>): readonly T[] =>
  typeof wanted === 'object' ? wanted : [wanted]

export const expectJson = (answer: Answer): void => {
  expect(String(answer.headers['content-type'])).toMatch(/json/)
}

/** §7: {error: true, code, message, errorList}, as JSON, with one of the expected codes and statuses. */
export const expectError = (
  answer: Answer,
  status: OneOrMore<number>,
  code: OneOrMore<string>,
  ...mentions: readonly (string | RegExp)[]
): void => {
  expectJson(answer)
  const body = obj(answer.body)
  expect(listed(code), answer.text).toContain(body['code'])
  expect(listed(status), answer.text).toContain(answer.status)
  expect(body['error']).toBe(true)
  expect(body['message']).toEqual(expect.stringMatching(/\S/))
  const list = arr(body['errorList'])
  for (const entry of list) expect(entry).toEqual(expect.stringMatching(/\S/))
  for (const mention of mentions) expect(list.join('\n')).toMatch(mention)
  if (body['code'] === 'INVALID_PARAMETER' || body['code'] === 'INVALID_PAYLOAD')
    expect(list.length, 'problems go into errorList').toBeGreaterThan(0)
}

export const expectOk = (answer: Answer): Json => {
  expect(answer.status, answer.text).toBe(200)
  expectJson(answer)
  return answer.body
}

export type Test = (value: Json | undefined) => boolean

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/

export const string: Test = (value) => typeof value === 'string'
export const filled: Test = (value) => typeof value === 'string' && value !== ''
export const number: Test = (value) => typeof value === 'number' && Number.isFinite(value)
export const integer: Test = (value) => Number.isInteger(value)
export const boolean: Test = (value) => typeof value === 'boolean'
export const nothing: Test = (value) => value === null
export const uuid: Test = (value) => typeof value === 'string' && UUID.test(value)
export const timestamp: Test = (value) =>
  typeof value === 'string' && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value))
export const object: Test = (value) => isObject(value)
export const is =
  (...wanted: readonly Json[]): Test =>
  (value) =>
    wanted.some((one) => one === value)
export const matches =
  (pattern: RegExp): Test =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
export const either =
  (...tests: readonly Test[]): Test =>
  (value) =>
    tests.some((test) => test(value))
export const nullable = (test: Test): Test => either(nothing, test)

export type Shape = Readonly<Record<string, Test>>

/** A kind of records: its schema, and the rules of the table for records with this name. */
export interface Kind {
  readonly name?: ResponseSchemaName
  readonly schema: z.core.$ZodType
}

const isKind = (shape: Shape | Kind): shape is Kind => 'schema' in shape && typeof shape.schema === 'object'

/** Problems of a value, one line for each field. */
export const faults = (value: Json | undefined, shape: Shape | Kind): string[] => {
  if (isKind(shape)) {
    const { name, schema } = shape
    const found = name === undefined ? schemaDifferences(schema, value) : recordDifferences(name, value)
    return found.map(({ path, expected, seen }) => `${path}: ${expected}, not ${seen}`)
  }
  if (!isObject(value)) return [`not an object: ${JSON.stringify(value)}`]
  return Object.entries(shape)
    .filter(([name, test]) => !test(value[name]))
    .map(([name]) => `${name}: ${JSON.stringify(value[name])?.slice(0, 200)}`)
}

/** Every record has every field of a table, with its type. */
export const expectShape = (records: readonly (Json | undefined)[], shape: Shape | Kind): void => {
  expect(records.length).toBeGreaterThan(0)
  expect(records.flatMap((record) => faults(record, shape)).slice(0, 10)).toEqual([])
}

export const expectField = (records: readonly JsonObject[], name: string, test: Test): void => {
  expect(records.length).toBeGreaterThan(0)
  const wrong = records.filter((record) => !test(record[name])).map((record) => record[name])
  expect(wrong.slice(0, 5)).toEqual([])
}
