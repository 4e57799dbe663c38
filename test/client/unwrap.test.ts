import { describe, expect, it } from 'vitest'
import { type RawPage, unwrap } from '../../src/client/lists/unwrap.js'
import { endpoints } from '../../src/contract/endpoints.js'

const one = (body: unknown) => unwrap(endpoints.referrals.retrieve.response, body)
const placed = (body: unknown) => unwrap(endpoints.referrals.create.response, body)
const under = (body: unknown) => unwrap(endpoints.prices.calculate.response, body)
const list = (body: unknown) => unwrap(endpoints.tests.list.response, body)

const pageOf = (items: readonly unknown[], rest: Partial<RawPage> = {}): RawPage => ({
  items,
  cursor: undefined,
  totalResults: undefined,
  ...rest,
})
const cursor = { cursor: 'c-1', count: 20, resultCount: 1 }

describe('§4 an answer with one object', () => {
  it('is that object, as it is', () => {
    const body = { uuid: 'a' }
    expect(one(body)).toBe(body)
  })

  it.each([[null], [[]], [[{ uuid: 'a' }]], ['text'], [7], [undefined]])('%j is none', (body) => {
    expect(one(body)).toBeUndefined()
  })
})

describe('§4.1 the answer to an order, in both shapes', () => {
  it.each([[{ uuid: 'a' }], [[{ uuid: 'a' }]], [[{ uuid: 'a' }, { uuid: 'b' }]]])('%j is one', (body) => {
    expect(placed(body)).toBe(body)
  })

  it.each([[{}], [{ uuid: 7 }], [[]], [[null]], [['a']], [[{ uuid: 'a' }, {}]], [null], ['text']])(
    '%j names no referral, and is none',
    (body) => {
      expect(placed(body)).toBeUndefined()
    },
  )
})

describe('§4.3 an answer under a key', () => {
  it('is what is there, or the body itself without the key', () => {
    const price = { grandTotal: 1 }
    expect(under({ calculatePrice: price, other: {} })).toBe(price)
    expect(under(price)).toBe(price)
  })

  it.each([[{ calculatePrice: null }], [{ calculatePrice: [] }], [{ calculatePrice: 7 }], [null], [[]]])(
    '%j is none',
    (body) => {
      expect(under(body)).toBeUndefined()
    },
  )
})

describe('§4.7 a page of a list, whichever wrapper it comes in', () => {
  it.each([
    ['bare', [1, 2]],
    ['under its key', { tests: [1, 2] }],
    ['under data', { data: [1, 2] }],
    ['under items', { items: [1, 2] }],
    ['under results', { results: [1, 2] }],
    ['under records', { records: [1, 2] }],
    ['under another name, the only list there', { object: 'list', things: [1, 2] }],
    ['under its key, beside another list', { data: [3], tests: [1, 2] }],
    ['under its key in data', { data: { tests: [1, 2] } }],
    ['under its key in its key', { tests: { tests: [1, 2] } }],
  ])('%s', (_, body) => {
    expect(list(body)).toEqual(pageOf([1, 2]))
  })

  it('may leave its list out when it is empty', () => {
    expect(list({})).toEqual(pageOf([]))
    expect(list({ data: {} })).toEqual(pageOf([]))
  })

  it.each([
    [null],
    ['text'],
    [7],
    [{ message: 'no list' }],
    [{ one: [1], other: [2] }],
    [{ tests: 'text' }],
    [{ tests: null }],
    [{ data: { data: { tests: [1] } } }],
    [{ data: { message: 'no list' } }],
  ])('%j is none', (body) => {
    expect(list(body)).toBeUndefined()
  })

  it.each([
    ['beside the list', { tests: [1], cursor }],
    ['in data', { data: { tests: [1], cursor } }],
    ['beside data', { data: { tests: [1] }, cursor }],
    ['in data, rather than beside it', { data: { tests: [1], cursor }, cursor: { ...cursor, cursor: 'x' } }],
  ])('its cursor %s', (_, body) => {
    expect(list(body)).toEqual(pageOf([1], { cursor }))
  })

  it.each([
    ['bare text', 'c-1', 2, 2],
    ['no numbers', { cursor: 'c-1' }, 2, 2],
    ['halves and text for numbers', { cursor: 'c-1', count: 1.5, resultCount: '1' }, 2, 2],
    ['a count alone', { cursor: 'c-1', count: 20 }, 20, 2],
    ['a number of records alone', { cursor: 'c-1', resultCount: 1 }, 2, 1],
  ])('a cursor with %s counts as one of a full page where it is silent', (_, given, count, resultCount) => {
    const read = { cursor: 'c-1', count, resultCount }
    expect(list({ tests: [1, 2], cursor: given })).toEqual(pageOf([1, 2], { cursor: read }))
    expect(list({ data: { tests: [1, 2] }, cursor: given })).toEqual(pageOf([1, 2], { cursor: read }))
  })

  it.each([[null], [''], [7], [{}], [{ cursor: '' }], [{ cursor: 7 }], [['c-1']]])(
    'cursor %j is none',
    (given) => {
      expect(list({ tests: [1], cursor: given })).toEqual(pageOf([1]))
    },
  )

  it('tells how many records there are on all pages, where that is a number (§4.5)', () => {
    expect(list({ tests: [1], totalResults: 9 })).toEqual(pageOf([1], { totalResults: 9 }))
    expect(list({ data: { tests: [1], totalResults: 0 } })).toEqual(pageOf([1], { totalResults: 0 }))
    expect(list({ tests: [1], totalResults: '9' })).toEqual(pageOf([1]))
  })
})
