import { AUSTRALIAN_STATES, SORT_ORDERS, TEST_INCLUDES, TESTING_TYPES } from './enums.js'
import { isUuid } from './identifiers.js'
import { MAX_CENTRE_UUIDS, MAX_SEARCH_LENGTH } from './limits.js'
import type { RequestSchemaName } from './schemas/index.js'
import { isTimestamp } from './times.js'

// This module does not import zod, so that a list can be read without it.

type Rule = (value: unknown) => boolean

const isFilled: Rule = (value) => typeof value === 'string' && value.trim() !== ''
const isOneOf = (known: readonly string[]): Rule => {
  return (value) => typeof value === 'string' && known.includes(value)
}
const listOf = (rule: Rule, most = Number.POSITIVE_INFINITY): Rule => {
  return (value) => Array.isArray(value) && value.length > 0 && value.length <= most && value.every(rule)
}

// §4.7
const PAGING = {
  count: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1,
  cursor: isFilled,
}
const SORTED = { ...PAGING, sort: isOneOf(SORT_ORDERS) }

/** Rules of the fields that need no other field. A query with any other field is left to its schema. */
const RULES: { readonly [Name in RequestSchemaName]?: Readonly<Record<string, Rule>> } = {
  ListQuery: SORTED,
  // §4.3
  BundleListQuery: { ...SORTED, includeUnlisted: (value) => typeof value === 'boolean' },
  TestListQuery: { include: listOf(isOneOf(TEST_INCLUDES)) },
  // §4.5
  CentreQuery: {
    ...PAGING,
    uuids: listOf(isUuid, MAX_CENTRE_UUIDS),
    pathologyProviders: listOf(isFilled),
    vendors: listOf(isFilled),
    testingTypes: listOf(isOneOf(TESTING_TYPES)),
    states: listOf(isOneOf(AUSTRALIAN_STATES)),
    search: (value) => typeof value === 'string' && value.length <= MAX_SEARCH_LENGTH,
    changedSince: (value) => typeof value === 'string' && isTimestamp(value),
  },
}

/**
 * Returns `true` for a query that its schema and the rules for several fields would accept: the common queries are
 * checked without loading the schemas. `false` decides nothing.
 */
export function isPlainQuery(name: RequestSchemaName, query: Readonly<Record<string, unknown>>): boolean {
  const rules = RULES[name] ?? {}
  return Object.entries(query).every(([field, value]) => {
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined
    return rule !== undefined && (value === undefined || rule(value))
  })
}
