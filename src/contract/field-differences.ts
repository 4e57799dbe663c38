import * as z from 'zod'

import { isFields } from './check.js'
import { BUNDLE_VISIBILITIES, CANONICAL_STATUSES } from './enums.js'
import { EVENT_NAMES } from './events.js'
import { UUID_PATTERN } from './identifiers.js'
import { RESPONSE_SCHEMAS, type ResponseSchemaName } from './schemas/index.js'
import { timestampSchema } from './schemas/shared.js'
import { isCalendarDate, isInstant, isTimestamp } from './times.js'

/**
 * Kind of a difference.
 *
 * - `contract`: the value contradicts the specification.
 * - `reading`: the specification is silent or contradicts itself. The value differs from this package's interpretation.
 * - `addition`: the specification permits the service to add the value at any time, such as a new field.
 */
export type DifferenceLevel = 'contract' | 'reading' | 'addition'

/** One difference between a value and the contract. It never contains a value. */
export interface FieldDifference {
  readonly level: DifferenceLevel
  /** Path of the field without list positions: `biomarkers[].category.name`. Empty for the entire value. */
  readonly path: string
  /** Expected type or form. */
  readonly expected: string
  /** Type of the value; `missing` for an absent field, `another string` if only the form of a string differs. */
  readonly seen: string
}

type Schema = z.core.$ZodType

/** Returns every difference of a response value from its schema, including additions. */
export function responseDifferences(name: ResponseSchemaName, value: unknown): FieldDifference[] {
  return [...schemaDifferences(RESPONSE_SCHEMAS[name], value), ...otherReadings(name, value)]
}

export function schemaDifferences(schema: Schema, value: unknown, path = ''): FieldDifference[] {
  if (schema instanceof z.ZodOptional) {
    return value === undefined ? absence(schema, path) : schemaDifferences(schema.def.innerType, value, path)
  }
  if (schema instanceof z.ZodNullable) {
    if (value === undefined) return [difference(schema, value, path)]
    return value === null ? [] : schemaDifferences(schema.def.innerType, value, path)
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((entry: unknown) => schemaDifferences(schema.def.element, entry, `${path}[]`))
  }
  if (schema instanceof z.ZodObject && isFields(value))
    return objectDifferences(schema.def.shape, value, path)
  if (schema instanceof z.ZodUnion) return unionDifferences(schema.def.options, value, path)
  if (!z.safeParse(schema, value).success) return [difference(schema, value, path)]
  return typeof value === 'string' ? textDifferences(schema, value, path) : []
}

/** Returns the type of a value in words. */
export function typeName(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function objectDifferences(
  shape: Readonly<Record<string, Schema>>,
  value: Readonly<Record<string, unknown>>,
  path: string,
): FieldDifference[] {
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const known = Object.entries(shape).flatMap(([name, schema]) =>
    schemaDifferences(schema, ownValue(value, name), inside(name)),
  )
  const added = Object.keys(value).filter((name) => !Object.hasOwn(shape, name))
  return [
    ...known,
    ...added.map((name): FieldDifference => {
      const shown = FIELD_NAME.test(name) ? name : '(a name that is not shown)'
      return {
        level: 'addition',
        path: inside(shown),
        expected: 'no such field',
        seen: typeName(value[name]),
      }
    }),
  ]
}

/** Format of a field name that may be shown. Any other text could be a patient's name. */
const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/

/**
 * Compares a value with a union. A union permits an object and a list of such objects, or it permits several simple
 * types.
 */
function unionDifferences(options: readonly Schema[], value: unknown, path: string): FieldDifference[] {
  const list = options.find((option) => option instanceof z.ZodArray)
  const one = options.find((option) => option instanceof z.ZodObject)
  const chosen = Array.isArray(value) ? list : one
  if (chosen !== undefined) return schemaDifferences(chosen, value, path)
  if (options.some((option) => z.safeParse(option, value).success)) return []
  const expected = options.map((option) => words(option)).join(' or ')
  return [{ level: 'contract', path, expected, seen: typeName(value) }]
}

/**
 * Fields that the specification permits a response to omit. The client also accepts the absence of some other fields,
 * for which the specification documents `null`: their absence is a difference. `medicare` is in this set only because
 * {@link otherReadings} reports its absence.
 */
const MAY_BE_ABSENT = new Set([
  'bundleId',
  'addressLine2',
  'postCode',
  'additionalRanges',
  'biomarkers',
  'distanceKm',
  'medicare',
  'bulkBilled',
])

function absence(schema: Schema, path: string): FieldDifference[] {
  const name = path.slice(path.lastIndexOf('.') + 1)
  return MAY_BE_ABSENT.has(name) ? [] : [difference(schema, undefined, path)]
}

function difference(schema: Schema, value: unknown, path: string): FieldDifference {
  return { level: 'contract', path, expected: words(schema), seen: typeName(value) }
}

function words(schema: Schema): string {
  if (schema instanceof z.ZodOptional) return words(schema.def.innerType)
  if (schema instanceof z.ZodNullable) return `${words(schema.def.innerType)} or null`
  if (schema instanceof z.ZodUnion) return schema.def.options.map(words).join(' or ')
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'integer' : 'number'
  if (schema instanceof z.ZodLiteral) return schema.def.values.map(String).join(' or ')
  if (schema instanceof z.ZodRecord) return 'object'
  return schema._zod.def.type
}

type Format = readonly [expected: string, holds: (text: string) => boolean]

const UUID: Format = ['UUID', (text) => UUID_PATTERN.test(text)]
const TIME: Format = ['time HH:MM', (text) => /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(text)]
const LINK: Format = ['URL', (text) => URL.canParse(text)]
const DATE: Format = ['date YYYY-MM-DD', (text) => text === '' || isCalendarDate(text)]

/** Formats of strings, by the name of their field. */
const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['uuid', UUID],
  ['referralUuid', UUID],
  ['resultsUuid', UUID],
  ['opens', TIME],
  ['closes', TIME],
  ['referralAttachment', LINK],
  ['resultAttachment', LINK],
  ['dob', DATE],
])

/** Sets of values that the specification documents as extensible: an unknown value is an addition. */
const OPEN_SETS: readonly string[] = [BUNDLE_VISIBILITIES, EVENT_NAMES].map((values) => values.join(', '))

/** Sets of values that the specification documents in part: an unknown value is not a difference. */
const PARTIAL_SETS: readonly string[] = [CANONICAL_STATUSES, ['numeric']].map((values) => values.join(', '))

function textDifferences(schema: Schema, text: string, path: string): FieldDifference[] {
  const issue = (expected: string, level: DifferenceLevel = 'contract'): FieldDifference[] => [
    { level, path, expected, seen: 'another string' },
  ]
  if (schema === timestampSchema) return isInstant(text) ? [] : [timestampDifference(text, path)]
  const known = knownValues(schema)
  if (known !== undefined && !known.includes(text)) {
    const list = known.join(', ')
    if (PARTIAL_SETS.includes(list)) return []
    return issue(
      known.length === 1 ? list : `one of ${list}`,
      OPEN_SETS.includes(list) ? 'addition' : 'contract',
    )
  }
  // §2.5: a laboratory's record of the patient is shown exactly as the laboratory wrote it, in any format.
  if (path.startsWith('labPatient.')) return []
  const [expected, holds] = FORMATS.get(path.slice(path.lastIndexOf('.') + 1)) ?? []
  return expected === undefined || holds?.(text) === true ? [] : issue(expected)
}

/** A timestamp has a time and an offset: programs read a time without one in their own zone. */
function timestampDifference(text: string, path: string): FieldDifference {
  const seen = isTimestamp(text) ? 'a time without a zone' : 'another string'
  return {
    level: 'contract',
    path,
    expected: 'ISO 8601 timestamp',
    seen: isCalendarDate(text) ? 'a date' : seen,
  }
}

function knownValues(schema: Schema): readonly string[] | undefined {
  const known = z.globalRegistry.get(schema)?.['x-known-values']
  return Array.isArray(known) ? known.map(String) : undefined
}

// §2.4: `bulkBilled` is the older name of `medicare`. §2.10: `title`, `phone` and `email` of a provider are strings.
/** Returns the differences that the schemas cannot show. The schemas permit every value that the client accepts. */
function otherReadings(name: ResponseSchemaName, value: unknown): FieldDifference[] {
  if (!isFields(value)) return []
  if (name === 'PlacedReferrals') return otherReadings('Referral', value)
  if (name === 'Referral' && value['medicare'] === undefined) {
    const isOlder = typeof value['bulkBilled'] === 'boolean'
    return [
      isOlder
        ? {
            level: 'reading',
            path: 'medicare',
            expected: 'boolean',
            seen: 'missing, with bulkBilled instead',
          }
        : { level: 'contract', path: 'medicare', expected: 'boolean', seen: 'missing' },
    ]
  }
  if (name !== 'Provider') return []
  return ['title', 'phone', 'email'].flatMap((field): FieldDifference[] =>
    value[field] === null ? [{ level: 'reading', path: field, expected: 'string', seen: 'null' }] : [],
  )
}

function ownValue(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}
