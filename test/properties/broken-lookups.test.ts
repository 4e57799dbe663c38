import fc from 'fast-check'
import { isPathologyError, type ResponseValidation } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, fetchOf } from '../support/clients.js'
import { order, referral } from '../support/samples.js'
import { API } from './list-world.js'

const KEY = 'job-7'
const SIZE = 20

interface Cursor {
  readonly cursor: string
  readonly count: number
  readonly resultCount: number
}
interface Page {
  readonly referrals: readonly object[]
  readonly cursor: Cursor
}

/** Responses in place of a full page by a proxy, a cache or a failing service. None contains the complete page. */
const BREAKS: Readonly<Record<string, (page: Page) => unknown>> = {
  nothing: () => ({}),
  null: () => null,
  'a bare list': ({ referrals }) => referrals,
  'an empty bare list': () => [],
  'a list in data': (page) => ({ data: page }),
  'an empty list in data': () => ({ data: [] }),
  'another name': ({ referrals, cursor }) => ({ items: referrals, cursor }),
  'null for the list': (page) => ({ ...page, referrals: null }),
  'an object for the list': (page) => ({ ...page, referrals: {} }),
  'text for the list': (page) => ({ ...page, referrals: '[]' }),
  'null for the records': (page) => ({ ...page, referrals: page.referrals.map(() => null) }),
  'one empty record': (page) => ({ ...page, referrals: page.referrals.with(7, {}) }),
  'empty records': (page) => ({ ...page, referrals: page.referrals.map(() => ({})) }),
  'lists for records': (page) => ({ ...page, referrals: page.referrals.map((record) => [record]) }),
  'uuids of another type': (page) => ({
    ...page,
    referrals: page.referrals.map((record) => ({ ...record, uuid: 7 })),
  }),
  'no cursor': ({ referrals }) => ({ referrals }),
  'null for the cursor': ({ referrals }) => ({ referrals, cursor: null }),
  'no text in the cursor': ({ referrals, cursor }) => ({ referrals, cursor: { ...cursor, cursor: null } }),
  'a number for the cursor': ({ referrals, cursor }) => ({ referrals, cursor: { ...cursor, cursor: 7 } }),
  'a page size that no page has': ({ referrals, cursor }) => ({
    referrals,
    cursor: { ...cursor, count: 10_000 },
  }),
  'records that are left out': ({ cursor }) => ({ referrals: [], cursor }),
  'half of the records': ({ referrals, cursor }) => ({ referrals: referrals.slice(10), cursor }),
  'an error envelope': () => ({ error: true, code: 'X', message: 'm', errorList: [] }),
  'an error next to an empty list': () => ({ error: true, code: 'X', referrals: [] }),
  'an error text next to an empty list': () => ({ error: 'a shard did not answer', referrals: [] }),
  'a total that was not reached': () => ({ referrals: [], totalResults: 41 }),
}

/** Referrals of today, newest first, one of which has the key; one page is broken. */
function service(place: number, size: number, broken: number, breakPage: (page: Page) => unknown) {
  const createdAt = new Date().toISOString()
  const records = Array.from({ length: size }, (_, index) =>
    referral({ createdAt, metadata: index === place ? { pathologySdkOrderKey: KEY } : null }),
  )
  let posts = 0
  const fetch = fetchOf(({ searchParams }, { method }) => {
    if (method === 'POST') posts += 1
    if (method === 'POST') return referral()
    const start = Number(searchParams.get('cursor') ?? 0)
    const referrals = records.slice(start, start + SIZE)
    const cursor = { cursor: String(start + SIZE), count: SIZE, resultCount: referrals.length }
    if (start === broken * SIZE) return breakPage({ referrals, cursor })
    return referrals.length === 0 ? { referrals } : { referrals, cursor }
  })
  return { fetch, posts: () => posts }
}

const cases = fc
  .record({
    size: fc.integer({ min: 61, max: 80 }),
    mode: fc.constantFrom<ResponseValidation>('strict', 'warn', 'off'),
    place: fc.integer({ min: 0, max: 59 }),
  })
  .chain((given) =>
    fc
      .record({ broken: fc.integer({ min: 0, max: Math.floor(given.place / SIZE) }) })
      .map((more) => ({ ...given, ...more })),
  )

const options = { orderRecoveryTimeout: 0, maxRetries: 0 }

it.each(Object.entries(BREAKS))(
  'an order that was placed is not placed again because of a page with %s in the lookup (§4.1, property)',
  async (_, breakPage) => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ size, place, broken, mode }) => {
        const { fetch, posts } = service(place, size, broken, breakPage)
        const { referrals } = clientOf(API, { fetch, responseValidation: mode, ...options })
        const foundOrFailed = (
          call: Promise<{ readonly recovered: boolean } | undefined>,
        ): Promise<unknown> => call.then((placed) => placed?.recovered, isPathologyError)
        expect(await foundOrFailed(referrals.create(order({ tests: ['fbc'] }), { orderKey: KEY }))).toBe(true)
        expect(posts()).toBe(0)
        expect(await foundOrFailed(referrals.findByOrderKey(KEY))).toBe(true)
      }),
      { numRuns: 12 },
    )
  },
)

it('an order that was placed is found with complete pages (property)', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ size, place, mode }) => {
      const { fetch, posts } = service(place, size, 0, (page) => page)
      const client = clientOf(API, { fetch, responseValidation: mode, ...options })
      const placed = await client.referrals.create(order({ tests: ['fbc'] }), { orderKey: KEY })
      expect([placed.recovered, posts()]).toEqual([true, 0])
    }),
    { numRuns: 12 },
  )
})
