import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkRequest } from '../../src/contract/check-request.js'
import { isPlainQuery } from '../../src/contract/plain-query.js'
import { REQUEST_SCHEMAS, type RequestSchemaName } from '../../src/contract/schemas/index.js'

const UUID = '0b0e8f1c-1111-4222-8333-000000000001'
const NAMES = ['ListQuery', 'BundleListQuery', 'TestListQuery', 'CentreQuery'] as const

const FIELDS = [...new Set(NAMES.flatMap((name) => Object.keys(REQUEST_SCHEMAS[name].shape))), 'limit']
const VALUES = [
  ...[undefined, null, true, 0, 1, 20, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '', ' ', 'x'],
  ...['asc', 'desc', 'ASC', 'biomarkers', 'NSW', 'PATHOLOGY', '0810', UUID, '2026-03-02', '2026-02-30'],
  ...['2026-03-02T08:10:00+11:00', 'x'.repeat(100), 'x'.repeat(101), {}, []],
]
const value = fc.oneof(fc.constantFrom(...VALUES), fc.array(fc.constantFrom(...VALUES), { maxLength: 3 }))
const query = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 4 })

const isAccepted = (name: RequestSchemaName, given: object): boolean =>
  checkRequest(name, given, '1.1.0', true).length === 0

it.each(NAMES)('any query that needs no schema is one that %s accepts (§4.7, §4.5)', (name) => {
  fc.assert(
    fc.property(query, (given) => {
      fc.pre(isPlainQuery(name, given))
      expect(isAccepted(name, given)).toBe(true)
    }),
    { numRuns: 500, maxSkipsPerRun: 1_000 },
  )
})

it.each<readonly [RequestSchemaName, object]>([
  ['ListQuery', { count: 20, sort: 'desc', cursor: 'abc' }],
  ['BundleListQuery', { includeUnlisted: true, count: undefined }],
  ['TestListQuery', { include: ['biomarkers'] }],
  ['CentreQuery', { count: 10_000, changedSince: '2026-03-02T08:10:00+11:00', states: ['NSW'], search: '' }],
  ['CentreQuery', { uuids: [UUID], vendors: ['v'], pathologyProviders: ['p'], testingTypes: ['PATHOLOGY'] }],
])('a query of %s needs no schema: %j (§4.7, §4.5)', (name, given) => {
  expect(isPlainQuery(name, { ...given })).toBe(true)
})

it.each<readonly [RequestSchemaName, object]>([
  ['CentreQuery', { uuids: Array.from({ length: 101 }, () => UUID) }],
  ['CentreQuery', { lat: -33.8 }],
  ['ListQuery', JSON.parse('{"__proto__": 1}')],
  ['ListQuery', { constructor: 'x' }],
])('a query of %s needs its schema: %j', (name, given) => {
  expect(isPlainQuery(name, { ...given })).toBe(false)
})
