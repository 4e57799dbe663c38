import fc from 'fast-check'
import { ORDER_KEY_FIELD } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, fetchOf } from '../support/clients.js'
import { order, referral, webhook } from '../support/samples.js'
import { API } from './list-world.js'

const KEY = 'job-7'
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Orders in which a service can return a list that was requested newest first. */
const SORTS = {
  'newest first': (one: number, other: number) => other - one,
  'oldest first': (one: number, other: number) => one - other,
} as const

const created = fc.oneof(
  fc.integer({ min: 0, max: 90 * DAY }),
  fc.constantFrom<unknown>(undefined, null, 'yesterday', 7),
)

/** Pages of a list. Records whose time is not a number keep their position. */
function pagesOf(key: string, records: readonly unknown[], size: number, posted = Response.json(referral())) {
  let posts = 0
  const fetch = fetchOf(({ searchParams }, { method }) => {
    if (method === 'POST') posts += 1
    if (method === 'POST') return posted
    const start = Number(searchParams.get('cursor') ?? 0)
    const items = records.slice(start, start + size)
    const cursor = { cursor: String(start + size), count: size, resultCount: items.length }
    return items.length === 0 ? { [key]: items } : { [key]: items, cursor }
  })
  return { client: clientOf(API, { fetch, orderRecoveryTimeout: 0 }), posts: () => posts }
}

const worlds = fc.record({
  sort: fc.constantFrom<keyof typeof SORTS>('newest first', 'oldest first'),
  ages: fc.array(created, { maxLength: 40 }),
  own: fc.integer({ min: 0, max: 12 * 60 * MINUTE }),
  size: fc.integer({ min: 1, max: 20 }),
  /** Records that were created within half a minute are in another order. */
  jitter: fc.infiniteStream(fc.integer({ min: -15_000, max: 15_000 })),
})

it('an order that was placed is found in a list of any order, and is not placed again (§4.1, property)', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async ({ sort, ages, own, size, jitter }) => {
      const now = Date.now()
      const all = [...ages.map((age) => ({ age, isOwn: false })), { age: own, isOwn: true }].map((each) => ({
        ...each,
        place: typeof each.age === 'number' ? now - each.age + (jitter.next().value ?? 0) : now,
      }))
      const records = all
        .sort((one, other) => SORTS[sort](one.place, other.place))
        .map(({ age, isOwn }) => ({
          ...referral({ metadata: isOwn ? { [ORDER_KEY_FIELD]: KEY } : null }),
          createdAt: typeof age === 'number' ? new Date(now - age).toISOString() : age,
        }))
      const { client, posts } = pagesOf('referrals', records, size)
      const placed = await client.referrals.create(order(), { orderKey: KEY })
      expect(placed.recovered).toBe(true)
      expect(posts()).toBe(0)
    }),
    { numRuns: 80 },
  )
}, 30_000)

it.each(Object.keys(SORTS) as (keyof typeof SORTS)[])(
  'findByReferenceNumber finds all records since a time in a list that is %s, with any page size (property)',
  async (sort) => {
    const ages = fc.uniqueArray(fc.integer({ min: 0, max: 90 * 24 }), { minLength: 2, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(ages, fc.integer({ min: 2, max: 20 }), async (hours, size) => {
        const now = Date.now()
        const times = hours.map((each) => now - each * 60 * MINUTE - each * 7_000).sort(SORTS[sort])
        const records = times.map((time) => referral({ createdAt: new Date(time).toISOString() }))
        const { client } = pagesOf('referrals', records, size)
        const since = new Date(now - 30 * DAY)
        const found = await client.referrals.findByReferenceNumber('ref-77', { since }).toArray()
        expect(found).toEqual(records.filter(({ createdAt }) => new Date(createdAt) >= since))
      }),
      { numRuns: 30 },
    )
  },
  30_000,
)

it('a lost webhook is found in a list that is oldest first (§4.6)', async () => {
  const events = ['referral.issued']
  const old = (nth: number) =>
    webhook({
      id: `wh_${nth}`,
      url: `https://${nth}.example.com/`,
      createdAt: new Date(nth * DAY).toISOString(),
    })
  const made = webhook({
    id: 'wh_new',
    url: 'https://new.example.com/',
    events,
    createdAt: new Date().toISOString(),
  })
  const lost = new Response('', { status: 502 })
  const { client, posts } = pagesOf('webhooks', [old(1), old(2), old(3), made], 2, lost)
  const subscribed = await client.webhooks.create({ url: 'https://new.example.com/', events })
  expect(subscribed.id).toBe('wh_new')
  expect(posts()).toBe(1)
})
