import fc from 'fast-check'
import type { Page } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { type Row, rowsAt } from '../support/paged-service.js'
import { applied, clientWith, listOf, placesOf, range, runs, serviceFor, shape } from './list-world.js'

it('a list has each record once with any page sizes, maximum sizes, wrappers and last pages', async () => {
  await fc.assert(
    fc.asyncProperty(shape, async ({ count, prefetch, ...options }) => {
      const service = serviceFor(options)
      const list = listOf(clientWith(service.fetch), options.name, { count, prefetch })
      expect(placesOf(await list.toArray())).toEqual(range(options.size))
      expect(service.asked).toHaveLength(Math.floor(options.size / applied(options.cap, count)) + 1)
    }),
    runs,
  )
})

it('every page is requested with the same filters, and the cursor of the page before', async () => {
  const service = serviceFor({ name: 'centres', size: 7, cap: 3 })
  const client = clientWith(service.fetch)
  await client.centres.list({ states: ['TAS', 'VIC'], search: 'bay & co', count: 3 }).toArray()
  expect(service.asked).toHaveLength(3)
  for (const [nth, query] of service.asked.entries()) {
    expect(query.get('states')).toBe('TAS,VIC')
    expect(query.get('search')).toBe('bay & co')
    expect(query.get('count')).toBe('3')
    expect(query.has('cursor')).toBe(nth > 0)
  }
})

it('a list whose records grow between pages returns the earlier records once, in order (§4.7, property)', async () => {
  const inserted = fc.array(fc.record({ page: fc.integer({ min: 2, max: 6 }), place: fc.nat(700) }), {
    maxLength: 20,
  })
  await fc.assert(
    fc.asyncProperty(shape, inserted, async ({ count, prefetch, ...options }, rows) => {
      const service = serviceFor(options)
      const between = rows.map(({ page, place }) => ({ page, place: place / 10 + 0.05 }))
      service.beforePage = (nth) => {
        service.rows.push(...rowsAt(between.filter(({ page }) => page === nth).map(({ place }) => place)))
      }
      const list = listOf(clientWith(service.fetch), options.name, { count, prefetch })
      const seen = placesOf(await list.toArray())
      expect(seen.filter((place) => Number.isInteger(place))).toEqual(range(options.size))
      expect(seen).toEqual([...seen].sort((a, b) => a - b))
      const uuids = new Set(seen)
      const twice = between.length - new Set(between.map(({ place }) => place)).size
      expect(seen.length - uuids.size).toBeLessThanOrEqual(twice)
    }),
    runs,
  )
})

it('a list resumes from the cursor of any page (§4.7, property)', async () => {
  await fc.assert(
    fc.asyncProperty(shape, fc.nat(8), async ({ count, prefetch, ...options }, stopAfter) => {
      const client = clientWith(serviceFor(options).fetch)
      const before: Row[] = []
      let cursor: string | undefined
      let pages = 0
      for await (const page of listOf(client, options.name, { count, prefetch }).pages()) {
        before.push(...page.items)
        cursor = page.cursor
        pages += 1
        if (pages > stopAfter) break
      }
      const after =
        cursor === undefined ? [] : await listOf(client, options.name, { count, prefetch, cursor }).toArray()
      expect(placesOf([...before, ...after])).toEqual(range(options.size))
    }),
    runs,
  )
})

it('a list resumes from the cursor of an error, without a gap and without a repeat (§4.7, property)', async () => {
  await fc.assert(
    fc.asyncProperty(
      shape,
      fc.integer({ min: 1, max: 6 }),
      async ({ count, prefetch, ...options }, failing) => {
        const service = serviceFor(options)
        service.failing.add(failing)
        const client = clientWith(service.fetch)
        const seen: Row[] = []
        const walk = async (cursor: string | undefined): Promise<void> => {
          for await (const row of listOf(client, options.name, { count, prefetch, cursor })) seen.push(row)
        }
        try {
          await walk(undefined)
        } catch (error) {
          expect(error).toMatchObject({ name: 'ServerError' })
          await walk((error as { cursor?: string }).cursor)
        }
        expect(placesOf(seen)).toEqual(range(options.size))
      },
    ),
    runs,
  )
})

it('a list with a limit returns that many records, and requests no unnecessary page (§4.7, property)', async () => {
  await fc.assert(
    fc.asyncProperty(shape, fc.nat(40), async ({ count, prefetch: _, ...options }, limit) => {
      const service = serviceFor(options)
      const rows = await listOf(clientWith(service.fetch), options.name, { count }).toArray({ limit })
      expect(placesOf(rows)).toEqual(range(Math.min(limit, options.size)))
      const size = applied(options.cap, count)
      const whole = Math.floor(options.size / size) + 1
      expect(service.asked.length).toBe(limit === 0 ? 0 : Math.min(whole, Math.ceil(limit / size)))
    }),
    runs,
  )
})

it('an iteration of a list that ends early sends no further request, with prefetch at most one (property)', async () => {
  await fc.assert(
    fc.asyncProperty(
      shape,
      fc.integer({ min: 1, max: 40 }),
      async ({ count, prefetch, ...options }, stopAfter) => {
        const service = serviceFor(options)
        let seen = 0
        for await (const _ of listOf(clientWith(service.fetch), options.name, { count, prefetch })) {
          seen += 1
          if (seen === stopAfter) break
        }
        const asked = service.asked.length
        await new Promise((resolve) => setImmediate(resolve))
        expect(service.asked.length).toBe(asked)
        const needed = Math.ceil(Math.min(stopAfter, options.size + 1) / applied(options.cap, count))
        expect(asked).toBeLessThanOrEqual(Math.max(1, needed) + (prefetch ? 1 : 0))
      },
    ),
    runs,
  )
})

it.each([
  [true, 2],
  [false, 1],
])(
  'with prefetch %s, during work on the first page of a list, %i were requested',
  async (prefetch, expected) => {
    const service = serviceFor({ name: 'referrals', size: 9, cap: 3 })
    const pages = listOf(clientWith(service.fetch), 'referrals', { prefetch }).pages()
    await pages.next()
    await expect.poll(() => service.asked.length).toBe(expected)
    await new Promise((resolve) => setImmediate(resolve))
    expect(service.asked).toHaveLength(expected)
    await pages.return()
  },
)

it('two iterations of one list, one after the other or concurrent, are both complete', async () => {
  await fc.assert(
    fc.asyncProperty(shape, fc.boolean(), async ({ count, prefetch, ...options }, atOnce) => {
      const list = listOf(clientWith(serviceFor(options).fetch), options.name, { count, prefetch })
      const walks = atOnce
        ? await Promise.all([list.toArray(), list.toArray()])
        : [await list.toArray(), await list.toArray()]
      for (const rows of walks) expect(placesOf(rows)).toEqual(range(options.size))
    }),
    runs,
  )
})

it("firstPage of a list is one request, and its pages have the service's page information (§4.7)", async () => {
  const service = serviceFor({ name: 'referrals', size: 5, cap: 3 })
  const list = listOf(clientWith(service.fetch), 'referrals', { count: 50 })
  const first = await list.firstPage()
  expect(service.asked).toHaveLength(1)
  expect(first.pageInfo).toMatchObject({ count: 3, resultCount: 3 })
  expect(first.cursor).toBe(first.pageInfo?.cursor)
  const pages: Page<Row>[] = []
  for await (const page of list.pages()) pages.push(page)
  expect(pages.map(({ items }) => items.length)).toEqual([3, 2])
  expect(pages.map(({ cursor }) => cursor === undefined)).toEqual([false, true])
})
