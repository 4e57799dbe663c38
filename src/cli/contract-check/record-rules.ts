import { isFields } from '../../contract/check.js'
import { type FieldDifference, responseDifferences, typeName } from '../../contract/field-differences.js'
import type { ResponseSchemaName } from '../../contract/schemas/index.js'
import { SERVICE_RULES } from '../../testing/rules/index.js'

const RECORD_RULES = SERVICE_RULES.flatMap(({ records }) => records ?? [])

/** Compares a record with its schema and its rules. */
export function recordDifferences(name: ResponseSchemaName, record: unknown): FieldDifference[] {
  const found = responseDifferences(name, record)
  if (!isFields(record)) return found
  const differing = new Set(found.filter(({ level }) => level === 'contract').map(({ path }) => path))
  const broken = RECORD_RULES.filter(
    ({ schema, path, holds }) => schema === name && !differing.has(path) && !holds(record),
  )
  return [
    ...found,
    ...broken.map(({ path, expected }): FieldDifference => {
      const type = typeName(record[path])
      return { level: 'contract', path, expected, seen: type === 'string' ? 'another string' : type }
    }),
  ]
}

/** Returns a difference if a record has a routing message. Only the response to an order may have one. */
export function routingMessageDifferences(record: unknown): FieldDifference[] {
  const { routingMessage } = isFields(record) ? record : {}
  if (routingMessage === null || routingMessage === undefined) return []
  return [{ level: 'contract', path: 'routingMessage', expected: 'null', seen: typeName(routingMessage) }]
}
