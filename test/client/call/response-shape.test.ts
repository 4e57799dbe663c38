import { describe, expect, it } from 'vitest'
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
const cursor = { cursor: 'c-1', count: 20, resultCount: 1 }

describe('§4 a response with one object', () => {
  it('is that object itself, unchanged', () => {
    expect(one(a)).toBe(a)
  })

  it.each([[null], [[]], [[a]], ['text'], [7], [undefined]])('%j is not an object', (body) => {
    expect(one(body)).toBe('shape')
  })
})

describe('§4.1 the response to an order, in both shapes', () => {
  it.each([[a], [[a]], [[a, b]]])('%j is accepted', (body) => {
    expect(placed(body)).toBe(body)
  })

  it.each([
    [{}],
    [{ uuid: 7 }],
    [{ uuid: '' }],
    [[]],
    [[null]],
    [['a']],
    [[a, {}]],
    [null],
    ['text'],
    [{ data: [a] }],
  ])('%j does not name a referral, and is rejected', (body) => {
    expect(placed(body)).toBe('shape')
  })
})

describe('§4.3 a response under a key', () => {
  it('is the value under the key, or the body itself without the key', () => {
    const price = { grandTotal: 1 }
    expect(under({ calculatePrice: price, other: {} })).toBe(price)
    expect(under(price)).toBe(price)
  })

  it.each([[{ calculatePrice: null }], [{ calculatePrice: [] }], [{ calculatePrice: 7 }], [null], [[]]])(
    '%j is rejected',
    (body) => {
      expect(under(body)).toBe('shape')
    },
  )
})

describe('§4.6 the event names', () => {
  const names = (body: unknown) => read(endpoints.webhooks.eventNames, body)

  it.each([[{ events: [] }], [{ events: ['referral.issued', 'new.event'], more: 1 }]])(
    '%j are accepted',
    (body) => {
      expect(names(body)).toBe(body)
    },
  )

  it.each([
    [{}],
    [{ events: null }],
    [{ events: {} }],
    [{ events: 'x' }],
    [{ events: [null] }],
    [['x']],
    [null],
  ])('%j are rejected', (body) => {
    expect(names(body)).toBe('shape')
  })
})

describe('§4.7 a page of a list whose wrapper is documented', () => {
  it.each([
    ['under its name', { referrals: [a, b] }],
    ['next to other lists', { data: [{}], referrals: [a, b], warnings: ['x'] }],
    ['next to new fields', { object: 'list', meta: { errors: [] }, error: null, referrals: [a, b] }],
  ])('%s', (_, body) => {
    expect(documented(body)).toEqual(pageOf([a, b]))
  })

  it('an empty list without a cursor is a page', () => {
    expect(documented({ referrals: [] })).toEqual(pageOf([]))
  })

  const lists = ENDPOINTS.filter(({ response }) => response.kind === 'list' && response.documented)
  const bodies = [
    null,
    'text',
    7,
    true,
    [],
    [a],
    {},
    { data: [] },
    { data: { referrals: [] } },
    { items: [a] },
  ]

  it.each(lists.map((row) => [row.id, row] as const))('%s: only the documented key is accepted', (_, row) => {
    const key = row.response.kind === 'list' ? row.response.key : ''
    const misnamed = [null, {}, { [key]: [] }, 'text', 7, true].map((value) => ({ [key]: value, data: [] }))
    for (const body of [...bodies, ...misnamed]) {
      expect([body, read(row, body)]).toEqual([body, 'shape'])
    }
  })
})

describe('§4.2, §4.3 a page of a list whose wrapper is not documented', () => {
  it.each([
    ['bare', [a, b]],
    ['under its name', { results: [a, b] }],
    ['under its name, next to another list', { data: [{}], results: [a, b] }],
    ['under data', { data: [a, b] }],
    ['under another name, the only list there', { object: 'list', things: [a, b] }],
    ['under another name, next to a list of errors', { items: [a, b], errors: [{ uuid: 'e' }] }],
  ])('%s', (_, body) => {
    expect(open(body)).toEqual(pageOf([a, b]))
  })

  it.each([
    [
      'by object',
      { labs: [{ uuid: 'x', object: 'lab', provenance: 'x' }], items: [{ ...a, object: 'result' }] },
    ],
    ['by fields', { links: [{ uuid: 'x' }], items: [{ ...a, provenance: 'ORDERED' }] }],
    [
      'by object or fields',
      {
        links: [],
        items: [
          { ...a, object: 'result' },
          { ...b, biomarkers: [] },
        ],
      },
    ],
  ])('of several lists, the one with the results: %s', (_, body) => {
    expect(open(body)).toEqual(pageOf(body.items))
  })

  it.each([
    ['tests.list', { id: 'fbc', object: 'test' }, { id: 'hb', object: 'biomarker' }],
    ['tests.list', { id: 'fbc', priceCents: 100 }, { id: 'hb', valueType: 'numeric' }],
    ['biomarkers.list', { id: 'hb', object: 'biomarker' }, { id: 'fbc', object: 'test' }],
    ['biomarkers.list', { id: 'hb', valueType: 'numeric' }, { id: 'fbc', priceCents: 100 }],
  ])('%s: of several lists, the one with its records', (id, own, other) => {
    const row = ENDPOINTS.find((each) => each.id === id) as (typeof ENDPOINTS)[number]
    expect(read(row, { others: [other], items: [own] })).toMatchObject({ items: [own] })
    expect(read(row, { others: [own], items: [own] })).toBe('shape')
  })

  it.each([[[]], [{ results: [] }], [{ data: [] }], [{ data: [], links: [] }]])(
    '%j is an empty page',
    (body) => {
      expect(open(body)).toEqual(pageOf([]))
    },
  )

  it.each([
    [null],
    ['text'],
    [7],
    [{}],
    [{ message: 'no list' }],
    [{ one: [a], other: [b] }],
    [{ one: [{ ...a, object: 'result' }], other: [{ ...b, object: 'result' }] }],
    [
      {
        one: [
          { ...a, object: 'result' },
          { ...b, object: 'lab' },
        ],
        other: [],
      },
    ],
    [{ one: [{ ...a, object: 'lab' }], other: [] }],
    [{ results: 'text', data: [a] }],
    [{ results: null }],
    [{ results: {} }],
    [{ data: {} }],
    [{ data: { results: [a] } }],
    [{ message: 'no', errorList: [] }],
    [{ errors: [] }],
  ])('%j is rejected', (body) => {
    expect(open(body)).toBe('shape')
  })
})

describe('§2 the records of a list', () => {
  const lists = ENDPOINTS.filter(({ response }) => response.kind === 'list')

  it.each(lists.map((row) => [row.id, row] as const))('%s: objects, each with its identifier', (_, row) => {
    if (row.response.kind !== 'list') throw new Error('not a list')
    const { key, identity } = row.response
    const good = { [identity]: 'x' }
    expect(read(row, { [key]: [good, good] })).toMatchObject({ items: [good, good] })
    const odd = [
      null,
      {},
      [],
      [good],
      'x',
      7,
      true,
      ...[null, 7, '', {}, ['x']].map((id) => ({ [identity]: id })),
    ]
    for (const record of odd) {
      for (const records of [[record], [good, record], [record, good]]) {
        expect([records, read(row, { [key]: records })]).toEqual([records, 'shape'])
      }
    }
  })
})

describe('§7 an error envelope with a success status', () => {
  const marks = { code: 'INTERNAL', message: 'm', errorList: [] }
  const envelopes = [
    { error: true, ...marks },
    { error: true, code: 'X' },
    { error: true, code: 500 },
    { error: true, errorList: ['x'] },
    { error: true },
    { error: 'true', ...marks },
    { error: 1, code: 'X' },
    { error: 'failed', code: 'X' },
    { error: true, code: '110', type: 'InvalidClientId', message: 'm' },
    marks,
    { data: { error: true, ...marks } },
    { error: true, ...marks, uuid: 'a', referrals: [a], results: [a], events: [], calculatePrice: {} },
  ]

  it.each(ENDPOINTS.map((row) => [row.id, row] as const))('%s: is recognised', (_, row) => {
    for (const body of envelopes) expect([body, read(row, body)]).toEqual([body, 'error-envelope'])
  })

  it('under the key of a price, and next to a list', () => {
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
})

describe('§2.14 the cursor of a page', () => {
  it.each([
    ['bare text', 'c-1', 2, 2],
    ['no numbers', { cursor: 'c-1' }, 2, 2],
    ['halves and text for numbers', { cursor: 'c-1', count: 1.5, resultCount: '1' }, 2, 2],
    ['a count alone', { cursor: 'c-1', count: 20 }, 20, 2],
    ['a number of records alone', { cursor: 'c-1', resultCount: 1 }, 2, 1],
  ])(
    '%s: the count of a full page is used when the response has no count',
    (_, given, count, resultCount) => {
      const expected = { pageInfo: { cursor: 'c-1', count, resultCount } }
      expect(documented({ referrals: [a, b], cursor: given })).toMatchObject(expected)
    },
  )

  it.each([[null], [''], [7], [{}], [{ cursor: '' }], [{ cursor: 7 }], [['c-1']]])(
    '%j is not a cursor',
    (given) => {
      expect(documented({ referrals: [a], cursor: given })).toEqual(pageOf([a]))
    },
  )

  it('count and resultCount are read even if the cursor is missing', () => {
    const given = { cursor: null, count: 1, resultCount: 3 }
    expect(documented({ referrals: [a], cursor: given })).toEqual(pageOf([a], { count: 1, resultCount: 3 }))
    expect(documented({ referrals: [a], cursor })).toEqual(
      pageOf([a], { pageInfo: cursor, count: 20, resultCount: 1 }),
    )
  })

  it('returns the number of records on all pages, if it is a number (§4.5)', () => {
    expect(documented({ referrals: [a], totalResults: 9 })).toEqual(pageOf([a], { totalResults: 9 }))
    expect(documented({ referrals: [a], totalResults: '9' })).toEqual(pageOf([a]))
  })
})

describe('a response that is not usable', () => {
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
    [endpoints.referrals.list, { error: true }, undefined],
  ])('$1: the outcome is unknown, and the detail is $2', ({ response }, body, detail) => {
    let thrown: unknown
    try {
      unwrap(response, body)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ kind: 'ambiguous', detail })
  })
})
