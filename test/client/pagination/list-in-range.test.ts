import fc from 'fast-check'
import type { Referral } from 'pathology-sdk'
import { expect, it, vi } from 'vitest'
import { clientOf, fetchOf, rejection } from '../../support/clients.js'
import { referral } from '../../support/samples.js'

const API = 'https://api.example'
const START = Date.parse('2026-03-01T00:00:00.000Z')
const HOUR = 3_600_000
const at = (hour: number): string => new Date(START + hour * HOUR).toISOString()
const record = (hour: number): Referral => referral({ createdAt: at(hour) })

/** A service whose list has records of these hours, in this order. It counts the requests for pages. */
function worldOf(hours: readonly number[], size = 2, first: Partial<Referral> = {}) {
  const pages: number[] = []
  const records = hours.map((hour, nth) => ({ ...record(hour), ...(nth === 0 ? first : {}) }))
  const warn = vi.fn()
  const fetch = fetchOf(({ pathname, searchParams }) => {
    expect([searchParams.get('since'), searchParams.get('until')]).toEqual([null, null])
    const start = Number(searchParams.get('cursor') ?? 0)
    pages.push(start)
    const items = records.slice(start, start + size)
    const cursor = { cursor: String(start + size), count: size, resultCount: items.length }
    const key = pathname.endsWith('results') ? 'results' : 'referrals'
    return items.length === 0 ? { [key]: items } : { [key]: items, cursor }
  })
  const client = clientOf(API, { fetch, logger: { warn }, responseValidation: 'off' })
  return { client, pages, warn }
}

const hoursOf = (records: readonly { readonly createdAt: string }[]): number[] =>
  records.map(({ createdAt }) => (Date.parse(createdAt) - START) / HOUR)

it.each(['referrals', 'results'] as const)(
  '%s newest first end after a page whose records are all before since (§4.7)',
  async (name) => {
    const { client, pages, warn } = worldOf([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    const records = await client[name].list({ sort: 'desc', since: at(6) }).toArray()
    expect(hoursOf(records)).toEqual([9, 8, 7, 6])
    expect(pages).toEqual([0, 2, 4])
    expect(warn).not.toHaveBeenCalled()
  },
)

it('a page whose records are only partly outside the range is not the last', async () => {
  const { client, pages } = worldOf([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  const list = client.referrals.list({ sort: 'desc', since: new Date(at(7)), until: at(9) })
  expect(hoursOf(await list.toArray())).toEqual([8, 7])
  expect(pages).toEqual([0, 2, 4])
})

it.each([
  ['certainly not sorted by change, ends after a page whose records are all after until', at(4), [0, 2, 4]],
  ['that may be sorted by change, is read to its end', at(0), [0, 2, 4, 6, 8, 10]],
])('a list in a range, oldest first, %s', async (_, updatedAt, expected) => {
  const { client, pages } = worldOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 2, { updatedAt })
  const list = client.referrals.list({ since: at(1), until: at(3) })
  expect(hoursOf(await list.toArray())).toEqual([1, 2])
  expect(pages).toEqual(expected)
})

it.each([
  ['newest first', 'desc' as const, [9, 3, 8, 2, 7, 1, 0, 6], [9, 8, 7, 6]],
  ['newest first but sorted oldest first', 'desc' as const, [0, 1, 2, 3, 6, 7, 8, 9], [6, 7, 8, 9]],
])(
  'a list in a range, %s, is out of order, so it is read to its end with one warning',
  async (_, sort, hours, expected) => {
    const { client, pages, warn } = worldOf(hours)
    expect(hoursOf(await client.referrals.list({ sort, since: at(6) }).toArray())).toEqual(expected)
    expect(pages).toEqual([0, 2, 4, 6, 8])
    expect(warn.mock.calls).toEqual([[expect.stringContaining('is not in the order of createdAt')]])
  },
)

it('a list in a range has every record of it, whatever the order within a minute and the page size (property)', async () => {
  const minutes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 })
  const world = fc.record({
    minutes,
    size: fc.integer({ min: 1, max: 6 }),
    sort: fc.constantFrom('asc' as const, 'desc' as const),
    bounds: fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 })),
    isShuffled: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(world, async ({ minutes: given, size, sort, bounds, isShuffled }) => {
      const sign = sort === 'asc' ? 1 : -1
      const hours = (isShuffled ? given : [...given].sort((one, other) => sign * (one - other))).map(
        (n) => n / 60,
      )
      const [from, to] = [Math.min(...bounds) / 60, Math.max(...bounds) / 60]
      const { client } = worldOf(hours, size)
      const list = client.referrals.list({ sort, since: at(from), until: at(to) })
      const times = (await list.toArray()).map(({ createdAt }) => createdAt)
      const expected = hours.filter((hour) => at(hour) >= at(from) && at(hour) < at(to)).map(at)
      // Only the records that were read can show that a list is out of order.
      if (isShuffled) expect(expected).toEqual(expect.arrayContaining(times))
      else expect(times).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

it('the query of a list is copied: a date that the caller moves afterwards has no effect', async () => {
  const { client } = worldOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  const [since, until] = [new Date(at(3)), new Date(at(5))]
  const query = { since, until, sort: 'asc' as 'asc' | 'desc' }
  const list = client.referrals.list(query)
  since.setTime(START)
  until.setTime(START)
  query.sort = 'desc'
  expect(hoursOf(await list.toArray())).toEqual([3, 4])
})

it('firstPage returns its HTTP response with withResponse(), also for a later page (§4.7)', async () => {
  const { client } = worldOf([9, 8, 7])
  const { data, response } = await client.referrals.list().firstPage().withResponse()
  expect(hoursOf(data.items)).toEqual([9, 8])
  expect(response).toMatchObject({
    status: 200,
    attempts: 1,
    headers: { 'content-type': 'application/json' },
  })
  const next = client.referrals.list({ cursor: data.cursor }).firstPage()
  expect((await next.withResponse()).response.status).toBe(200)
  expect(hoursOf((await next).items)).toEqual([7])
})

it('a list with only until has the records before it', async () => {
  const { client } = worldOf([0, 1, 2, 3])
  expect(hoursOf(await client.referrals.list({ until: at(2) }).toArray())).toEqual([0, 1])
})

it.each<[string, object, string]>([
  ['since', { since: 'yesterday' }, 'since must'],
  ['until', { until: 'tomorrow' }, 'until must'],
  ['cursor', { cursor: '' }, 'cursor must be the cursor of a page or of an error'],
  ['cursor', { cursor: 5 }, 'cursor must be the cursor of a page or of an error'],
  ['limit', { limit: 5 }, 'limit is an option of toArray'],
])(
  'a list names the field %s of the query %o that it cannot use, before any request',
  async (field, query, message) => {
    const { client, pages } = worldOf([0])
    const read = async () => client.referrals.list(query).toArray()
    const expected = { field, message: expect.stringContaining(message) }
    expect(await rejection(read())).toMatchObject({ code: 'INVALID_PARAMETER', issues: [expected] })
    expect(pages).toEqual([])
  },
)

it('a list that ends with its range is not incomplete, although it has fewer records than its total', async () => {
  const referrals = [9, 8, 7].map((hour) => record(hour))
  const cursor = { cursor: 'next', count: 3, resultCount: 3 }
  const fetch = fetchOf(() => ({ referrals, cursor, totalResults: 30 }))
  const strict = clientOf(API, { fetch, responseValidation: 'strict' })
  const list = strict.referrals.list({ sort: 'desc', since: at(12) })
  expect(await list.toArray()).toEqual([])
})
