import fc from 'fast-check'
import { type FetchLike, isPathologyError, type ResponseValidation } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf } from '../support/clients.js'
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
  const fetch: FetchLike = async (input, init) => {
    const url = new URL(input)
    if (url.pathname === '/oauth/token')
      return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3_600 })
    if (init?.method === 'POST') posts += 1
    if (init?.method === 'POST') return Response.json(referral())
    const start = Number(url.searchParams.get('cursor') ?? 0)
    const referrals = records.slice(start, start + SIZE)
    const cursor = { cursor: String(start + SIZE), count: SIZE, resultCount: referrals.length }
    if (start === broken * SIZE) return Response.json(breakPage({ referrals, cursor }))
    return Response.json(referrals.length === 0 ? { referrals } : { referrals, cursor })
  }
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

describe('§4.1 an order that was placed is never placed again because a page of the lookup was broken', () => {
  it.each(Object.entries(BREAKS))(
    '%s: found, or an error with nothing sent (property)',
    async (_, breakPage) => {
      await fc.assert(
        fc.asyncProperty(cases, async ({ size, place, broken, mode }) => {
          const { fetch, posts } = service(place, size, broken, breakPage)
          const client = clientOf(API, {
            fetch,
            responseValidation: mode,
            orderRecoveryTimeout: 0,
            maxRetries: 0,
          })
          const outcome: unknown = await client.referrals
            .create(order({ tests: ['fbc'] }), { orderKey: KEY })
            .then(
              ({ recovered }) => recovered,
              (error: unknown) => isPathologyError(error),
            )
          expect(outcome).toBe(true)
          expect(posts()).toBe(0)
          const found: unknown = await client.referrals.findByOrderKey(KEY).then(
            (placed) => placed?.recovered,
            (error: unknown) => isPathologyError(error),
          )
          expect(found).toBe(true)
        }),
        { numRuns: 12 },
      )
    },
  )

  it('with complete pages it is found', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ size, place, mode }) => {
        const { fetch, posts } = service(place, size, 0, (page) => page)
        const client = clientOf(API, {
          fetch,
          responseValidation: mode,
          orderRecoveryTimeout: 0,
          maxRetries: 0,
        })
        const placed = await client.referrals.create(order({ tests: ['fbc'] }), { orderKey: KEY })
        expect([placed.recovered, posts()]).toEqual([true, 0])
      }),
      { numRuns: 12 },
    )
  })
})
