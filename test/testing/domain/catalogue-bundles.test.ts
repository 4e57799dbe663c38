import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'

import { Directory } from './directory-support.js'
import { bundle, cursor } from './shapes.js'

const page = z.strictObject({ bundles: z.array(bundle), cursor: cursor.optional() })
type Bundle = z.infer<typeof bundle>

let api: Directory
beforeAll(async () => {
  api = await Directory.start()
})
afterAll(() => api.stop())

/** All bundles of a list, read page by page as §4.7 describes. */
async function all(query: string): Promise<Bundle[]> {
  const found: Bundle[] = []
  let next = ''
  for (let requests = 0; requests < 50; requests += 1) {
    const { bundles, cursor: at } = await api.ask(`/v1/bundles?${query}${next}`, page)
    found.push(...bundles)
    if (at === undefined || at.resultCount < at.count) return found
    next = `&cursor=${encodeURIComponent(at.cursor)}`
  }
  throw new Error('the list does not end')
}

describe('GET /v1/bundles', () => {
  it('§4.7 returns pages of twenty, with a cursor that has the applied values', async () => {
    const first = await api.ask('/v1/bundles', page)
    expect(first.bundles).toHaveLength(20)
    expect(first.cursor).toMatchObject({ count: 20, resultCount: 20 })
  })

  it('§8 a count above the maximum is reduced, not rejected', async () => {
    const { cursor: at } = await api.ask('/v1/bundles?count=500', page)
    expect(at?.count).toBe(20)
  })

  it('§4.7 small pages list every bundle once, in the same order as large ones', async () => {
    const small = await all('count=3')
    expect(new Set(small.map(({ id }) => id)).size).toBe(small.length)
    expect(small).toEqual(await all('count=20'))
    expect(small.length).toBeGreaterThan(20)
  })

  it('§4.7 a page without records has no cursor', async () => {
    const total = (await all('')).length
    let at = (await api.ask(`/v1/bundles?count=1`, page)).cursor
    for (let seen = 1; seen < total; seen += 1) {
      at = (await api.ask(`/v1/bundles?count=1&cursor=${at?.cursor}`, page)).cursor
    }
    expect(await api.ask(`/v1/bundles?count=1&cursor=${at?.cursor}`, page)).toEqual({ bundles: [] })
  })

  it('§4.3 sort is by time of creation, in both directions', async () => {
    const ascending = await all('sort=asc')
    const times = ascending.map(({ createdAt }) => createdAt)
    expect(times).toEqual([...times].sort())
    expect(await all('sort=desc')).toEqual([...ascending].reverse())
  })

  it('§4.3 without includeUnlisted, and with false, only PUBLIC ones are listed', async () => {
    const plain = await all('')
    expect(new Set(plain.map(({ visibility }) => visibility))).toEqual(new Set(['PUBLIC']))
    expect(await all('includeUnlisted=false')).toEqual(plain)
  })

  it('§4.3 includeUnlisted=true adds the PRIVATE ones', async () => {
    const unlisted = await all('includeUnlisted=true')
    const ids = unlisted.map(({ id }) => id)
    expect(unlisted.filter(({ visibility }) => visibility === 'PRIVATE').length).toBeGreaterThan(1)
    expect(ids).toEqual(expect.arrayContaining((await all('')).map(({ id }) => id)))
  })

  it('§1 never shows a bundle of another organisation', async () => {
    const ids = (await all('includeUnlisted=true')).map(({ id }) => id)
    expect(ids).not.toContain('elsewhere-essentials')
  })

  it.each([
    'includeUnlisted=yes',
    'includeUnlisted=1',
    'includeUnlisted=',
    'includeUnlisted=true&includeUnlisted=false',
    'count=0',
    'count=-1',
    'count=2.5',
    'count=ten',
    'sort=up',
    'sort=ASC',
    'cursor=garbage',
    'page=2',
  ])('§4.3, §4.7 rejects %s', async (query) => {
    const { status, code, errorList } = await api.rejection(`/v1/bundles?${query}`)
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_PARAMETER' })
    expect(errorList).toHaveLength(1)
    expect(errorList[0]).toContain(query.split('=')[0])
  })

  it('§7 names every problem', async () => {
    const { errorList } = await api.rejection('/v1/bundles?count=-1&sort=up&includeUnlisted=no&x=1&cursor=y')
    expect(errorList).toHaveLength(5)
  })

  it('§4.7 a cursor works only with its own sort and filters, and only on its own list', async () => {
    const at = (await api.ask('/v1/bundles?count=5&sort=asc', page)).cursor
    const rejected = { status: 400, code: 'INVALID_PARAMETER' }
    const with_ = (query: string) => api.rejection(`/v1/bundles?count=5&${query}&cursor=${at?.cursor}`)
    expect(await with_('sort=desc')).toMatchObject(rejected)
    expect(await with_('sort=asc&includeUnlisted=true')).toMatchObject(rejected)
    expect(await api.rejection(`/v1/providers?sort=asc&cursor=${at?.cursor}`)).toMatchObject(rejected)
  })

  it('§4.7 a new bundle between two pages moves no page', async () => {
    const other = await Directory.start()
    const before = await other.ask('/v1/bundles?count=20&sort=desc', page)
    other.fake.catalogue.addBundle({ id: 'newest', name: 'Newest', testIds: ['hba1c'] })
    const after = await other.ask(`/v1/bundles?count=20&sort=desc&cursor=${before.cursor?.cursor}`, page)
    const ids = [...before.bundles, ...after.bundles].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect((await other.ask('/v1/bundles?sort=desc&count=1', page)).bundles[0]?.id).toBe('newest')
    await other.stop()
  })

  it('§4.3 bundleSortDefault: desc lists newest first when the request has no sort', async () => {
    const other = await Directory.start({ bundleSortDefault: 'desc' })
    const newest = (await other.ask('/v1/bundles?sort=desc&count=1', page)).bundles
    expect((await other.ask('/v1/bundles?count=1', page)).bundles).toEqual(newest)
    await other.stop()
  })
})
