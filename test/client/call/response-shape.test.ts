import { expect, it } from 'vitest'
import { type ListPage, unwrap } from '../../../src/client/call/response.js'
import type { Endpoint } from '../../../src/contract/endpoint.js'
import { ENDPOINTS, endpoints } from '../../../src/contract/endpoints.js'

/** Result for a body: the unwrapped value, or the reason why there is none. */
function read({ response }: Endpoint, body: unknown): unknown {
  try {
    return unwrap(response, body)
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

const one = (body: unknown) => read(endpoints.referrals.retrieve, body)
const placed = (body: unknown) => read(endpoints.referrals.create, body)
const under = (body: unknown) => read(endpoints.prices.calculate, body)
const open = (body: unknown) => read(endpoints.results.list, body)
const documented = (body: unknown) => read(endpoints.referrals.list, body)

const [a, b] = [{ uuid: 'a' }, { uuid: 'b' }]
const pageOf = (items: readonly unknown[], rest: Partial<ListPage> = {}): ListPage => ({
  items,
  pageInfo: undefined,
  count: undefined,
  resultCount: undefined,
  totalResults: undefined,
  ...rest,
})

it('a response with one object is that object itself (§4)', () => {
  expect(one(a)).toBe(a)
})

it.each([[null], [[]], [[a]], ['text'], [7], [undefined]])('%j is not an object', (body) => {
  expect(one(body)).toBe('shape')
})

it.each([[a], [[a]], [[a, b]]])('the response %j to an order is accepted (§4.1)', (body) => {
  expect(placed(body)).toBe(body)
})

const UNPLACED: readonly unknown[] = [
  {},
  { uuid: 7 },
  { uuid: '' },
  [],
  [null],
  ['a'],
  [a, {}],
  null,
  'text',
  { data: [a] },
]

it.each(UNPLACED.map((body) => ({ body })))(
  'the response $body to an order does not name a referral, and is rejected',
  ({ body }) => {
    expect(placed(body)).toBe('shape')
  },
)

it('a price is the value under its key, or the body itself without the key (§4.3)', () => {
  const price = { grandTotal: 1 }
  expect(under({ calculatePrice: price, other: {} })).toBe(price)
  expect(under(price)).toBe(price)
})

it.each([[{ calculatePrice: null }], [{ calculatePrice: [] }], [{ calculatePrice: 7 }], [null], [[]]])(
  '%j is not a price',
  (body) => {
    expect(under(body)).toBe('shape')
  },
)

const names = (body: unknown) => read(endpoints.webhooks.eventNames, body)

it.each([[{ events: [] }], [{ events: ['referral.issued', 'new.event'], more: 1 }]])(
  'the event names %j are accepted (§4.6)',
  (body) => {
    expect(names(body)).toBe(body)
  },
)

const UNNAMED: readonly unknown[] = [
  {},
  { events: null },
  { events: {} },
  { events: 'x' },
  { events: [null] },
  ['x'],
  null,
]

it.each(UNNAMED.map((body) => ({ body })))('$body has no event names', ({ body }) => {
  expect(names(body)).toBe('shape')
})

it.each([
  ['under its name', { referrals: [a, b] }, [a, b]],
  ['next to other lists', { data: [{}], referrals: [a, b], warnings: ['x'] }, [a, b]],
  ['next to new fields', { object: 'list', meta: { errors: [] }, error: null, referrals: [a, b] }, [a, b]],
  ['that is empty and has no cursor', { referrals: [] }, []],
])('a list with a documented name is read %s (§4.7)', (_, body, items) => {
  expect(documented(body)).toEqual(pageOf(items))
})

const LISTS = ENDPOINTS.flatMap(({ id, response }) =>
  response.kind === 'list' ? [{ id, response, row: { response } as Endpoint }] : [],
)

it.each(LISTS.filter(({ response }) => response.documented))(
  '$id is read only under its documented name',
  ({ row, response }) => {
    const { key } = response
    const misnamed = [null, {}, { [key]: [] }, 'text', 7, true].map((value) => ({ [key]: value, data: [] }))
    const others = [null, 'text', 7, true, [], [a], {}, { data: [] }, { data: { [key]: [] } }, { items: [a] }]
    for (const body of [...others, ...misnamed]) expect([body, read(row, body)]).toEqual([body, 'shape'])
  },
)

it.each([
  ['bare', [a, b]],
  ['under its name', { results: [a, b] }],
  ['under its name, next to another list', { data: [{}], results: [a, b] }],
  ['under data', { data: [a, b] }],
  ['under another name, the only list there', { object: 'list', things: [a, b] }],
  ['under another name, next to a list of errors', { items: [a, b], errors: [{ uuid: 'e' }] }],
])('a list whose name is not documented is read %s (§4.2, §4.3)', (_, body) => {
  expect(open(body)).toEqual(pageOf([a, b]))
})

const result = { ...a, object: 'result' }

it.each([
  ['by object', { labs: [{ ...b, object: 'lab', provenance: 'x' }], items: [result] }],
  ['by fields', { links: [b], items: [{ ...a, provenance: 'ORDERED' }] }],
  ['by object or fields', { links: [], items: [result, { ...b, biomarkers: [] }] }],
])('of several lists, the one with the results is read: %s', (_, body) => {
  expect(open(body)).toEqual(pageOf(body.items))
})

it.each([
  ['tests.list', { id: 'fbc', object: 'test' }, { id: 'hb', object: 'biomarker' }],
  ['tests.list', { id: 'fbc', priceCents: 100 }, { id: 'hb', valueType: 'numeric' }],
  ['biomarkers.list', { id: 'hb', object: 'biomarker' }, { id: 'fbc', object: 'test' }],
  ['biomarkers.list', { id: 'hb', valueType: 'numeric' }, { id: 'fbc', priceCents: 100 }],
])('%s reads the one of several lists with its records', (id, own, other) => {
  const row = ENDPOINTS.find((each) => each.id === id) as Endpoint
  expect(read(row, { others: [other], items: [own] })).toMatchObject({ items: [own] })
  expect(read(row, { others: [own], items: [own] })).toBe('shape')
})

it.each([[[]], [{ results: [] }], [{ data: [] }], [{ data: [], links: [] }]])(
  '%j is an empty page',
  (body) => {
    expect(open(body)).toEqual(pageOf([]))
  },
)

const lab = { ...b, object: 'lab' }

const NO_PAGES: readonly unknown[] = [
  ...[null, 'text', 7, {}, { message: 'no list' }, { one: [a], other: [b] }],
  ...[
    { one: [result], other: [result] },
    { one: [result, lab], other: [] },
    { one: [lab], other: [] },
  ],
  ...[{ results: 'text', data: [a] }, { results: null }, { results: {} }, { data: {} }],
  ...[{ data: { results: [a] } }, { message: 'no', errorList: [] }, { errors: [] }],
]

it.each(NO_PAGES.map((body) => ({ body })))('$body is not a page of results', ({ body }) => {
  expect(open(body)).toBe('shape')
})

it.each(LISTS)('$id has only objects, each with its identifier (§2)', ({ row, response }) => {
  const { key, identity } = response
  const good = { [identity]: 'x' }
  expect(read(row, { [key]: [good, good] })).toMatchObject({ items: [good, good] })
  const unnamed = [null, 7, '', {}, ['x']].map((id) => ({ [identity]: id }))
  for (const record of [null, {}, [], [good], 'x', 7, true, ...unnamed]) {
    for (const records of [[record], [good, record], [record, good]])
      expect([records, read(row, { [key]: records })]).toEqual([records, 'shape'])
  }
})

const marks = { code: 'INTERNAL', message: 'm', errorList: [] }

it.each(ENDPOINTS)('$id recognises an error envelope with a success status (§7)', (row) => {
  for (const body of [
    { error: true, ...marks },
    { error: true, code: 'X' },
    { error: true, code: 500 },
    { error: true, errorList: ['x'] },
    { error: true },
    { error: 'true', ...marks },
    { error: 1, code: 'X' },
    { error: 'failed', code: 'X' },
    marks,
    { data: { error: true, ...marks } },
    { error: true, ...marks, uuid: 'a', referrals: [a], results: [a], events: [], calculatePrice: {} },
  ])
    expect([body, read(row, body)]).toEqual([body, 'error-envelope'])
})

it('an error envelope is recognised under the key of a price, and next to a list', () => {
  expect(under({ calculatePrice: { error: true, ...marks } })).toBe('error-envelope')
  expect(documented({ error: 'part of it failed', referrals: [a] })).toBe('error-envelope')
  expect(documented({ error: { any: 1 }, referrals: [] })).toBe('error-envelope')
})

it.each([
  [{ uuid: 'a', error: false }],
  [{ uuid: 'a', error: null, errorList: [] }],
  [{ uuid: 'a', code: 'x' }],
  [{ uuid: 'a', metadata: { error: true, code: 'x', errorList: [] } }],
])('%j is not an error envelope', (body) => {
  expect(one(body)).toBe(body)
})

it.each([
  ['bare text', 'c-1', 2, 2],
  ['no numbers', { cursor: 'c-1' }, 2, 2],
  ['halves and text for numbers', { cursor: 'c-1', count: 1.5, resultCount: '1' }, 2, 2],
  ['a count alone', { cursor: 'c-1', count: 20 }, 20, 2],
  ['a number of records alone', { cursor: 'c-1', resultCount: 1 }, 2, 1],
])('a cursor with %s gets the count of a full page (§2.14)', (_, given, count, resultCount) => {
  const expected = { pageInfo: { cursor: 'c-1', count, resultCount } }
  expect(documented({ referrals: [a, b], cursor: given })).toMatchObject(expected)
})

it.each([[null], [''], [7], [{}], [{ cursor: '' }], [{ cursor: 7 }], [['c-1']]])(
  '%j is not a cursor',
  (given) => {
    expect(documented({ referrals: [a], cursor: given })).toEqual(pageOf([a]))
  },
)

it('count and resultCount are read even if the cursor is missing', () => {
  const given = { cursor: null, count: 1, resultCount: 3 }
  expect(documented({ referrals: [a], cursor: given })).toEqual(pageOf([a], { count: 1, resultCount: 3 }))
})

it('the number of records on all pages is read if it is a number (§4.5)', () => {
  expect(documented({ referrals: [a], totalResults: 9 })).toEqual(pageOf([a], { totalResults: 9 }))
  expect(documented({ referrals: [a], totalResults: '9' })).toEqual(pageOf([a]))
})

it.each([
  [endpoints.referrals.create, {}, 'it contains no referral'],
  [endpoints.referrals.retrieve, [], 'it is not a JSON object'],
  [endpoints.prices.calculate, { calculatePrice: 7 }, 'it is not a JSON object'],
  [endpoints.webhooks.eventNames, { events: 7 }, 'events is not a list of names'],
  [endpoints.referrals.list, {}, 'it has no list named referrals'],
  [endpoints.referrals.list, { referrals: [{}] }, 'referrals[] must contain objects, each with its uuid'],
  [endpoints.referrals.list, { referrals: [], error: 'yes' }, undefined],
  [endpoints.referrals.list, { error: true, code: 'REFERRAL_NOT_FOUND' }, 'REFERRAL_NOT_FOUND'],
  [endpoints.referrals.list, { error: true, code: 'Jane Citizen' }, undefined],
  [endpoints.referrals.list, { error: true, code: 7 }, undefined],
])('the outcome after $1 is unknown, and the detail is $2', ({ response }, body, detail) => {
  let thrown: unknown
  try {
    unwrap(response, body)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ kind: 'ambiguous', detail })
})
