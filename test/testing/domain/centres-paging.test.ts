import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { Directory } from './directory-support.js'
import { type Centre, type CentrePage, centrePage } from './shapes.js'

const CENTRES = 800

let api: Directory
beforeAll(async () => {
  api = await Directory.start({ centreCount: CENTRES })
})
afterAll(() => api.stop())

const list = (query: string, from = api): Promise<CentrePage> =>
  from.ask(`/v1/collection-centres?${query}`, centrePage)

/** All centres of a list, read page by page as §4.7 describes. */
async function pagesOf(
  query: string,
  between = async (_page: number): Promise<void> => undefined,
  from = api,
) {
  const pages: CentrePage[] = []
  let next = ''
  for (let page = 0; page < 400; page += 1) {
    const response = await list(`${query}${next}`, from)
    pages.push(response)
    const at = response.cursor
    if (at === undefined || at.resultCount < at.count) return pages
    next = `&cursor=${encodeURIComponent(at.cursor)}`
    await between(page)
  }
  throw new Error('the list does not end')
}

const uuidsOf = (pages: readonly CentrePage[]): string[] =>
  pages.flatMap(({ collectionCentres }) => collectionCentres.map(({ uuid }) => uuid))

describe('pages of GET /v1/collection-centres', () => {
  it('a page has fifty centres by default (§8)', async () => {
    const { collectionCentres, cursor } = await list('')
    expect(collectionCentres).toHaveLength(50)
    expect(cursor).toMatchObject({ count: 50, resultCount: 50 })
  })

  it.each(['10001', '9'.repeat(400)])(
    'a count of %s is reduced to 10000, and the cursor shows it (§4.5)',
    async (count) => {
      expect((await list(`count=${count}`)).cursor).toMatchObject({ count: 10_000, resultCount: CENTRES })
    },
  )

  it.each(['count=400&lat=-33.87&lng=151.2'])(
    'pages of %s list each centre once, in the order of one large page (§4.7)',
    async (query) => {
      const large = uuidsOf([await list(query.replace(/count=\d+/, 'count=10000'))])
      expect(uuidsOf(await pagesOf(query))).toEqual(large)
    },
  )

  it('a full last page of centres is followed by an empty one without a cursor (§4.7)', async () => {
    const { totalResults } = await list('postcodes=0800')
    const pages = await pagesOf(`postcodes=0800&count=${totalResults}`)
    expect(pages.map(({ collectionCentres }) => collectionCentres.length)).toEqual([totalResults, 0])
    expect(pages[1]).toEqual({ collectionCentres: [], totalResults })
  })

  it('a cursor works only with its own filters (§4.7)', async () => {
    const cursor = (await list('count=5&states=NSW,VIC&lat=-33&lng=151')).cursor?.cursor
    const rejected = {
      status: 400,
      code: 'INVALID_PARAMETER',
      errorList: [expect.stringContaining('cursor')],
    }
    for (const other of [
      'states=NSW&lat=-33&lng=151',
      'states=NSW,VIC',
      'states=NSW,VIC&lat=-33&lng=151.1',
      'states=NSW,VIC&lat=-33&lng=151&radiusKm=5000',
      'states=NSW,VIC&lat=-33&lng=151&search=a',
      '',
    ]) {
      expect(await api.rejection(`/v1/collection-centres?count=5&${other}&cursor=${cursor}`)).toEqual(
        rejected,
      )
    }
  })

  it('a cursor works with the same filters in another spelling (§4.7)', async () => {
    const cursor = (await list('count=5&states=NSW,VIC&pathologyProviders=meridian_south')).cursor?.cursor
    const spelt = `count=5&pathologyProviders=meridian-south&states=VIC&states=NSW&cursor=${cursor}`
    expect((await list(spelt)).collectionCentres).toHaveLength(5)
  })
})

describe('pages while the directory changes', () => {
  let own: Directory
  beforeEach(async () => {
    own = await Directory.start({ centreCount: 400 })
    return () => own.stop()
  })

  it('centres that are added between two pages are each returned once (§4.7)', async () => {
    const before = uuidsOf([await list('count=10000', own)])
    const refresh = async (): Promise<void> => {
      own.fake.centres.weeklyRefresh({ created: 25 })
    }
    const seen = uuidsOf(await pagesOf('count=60', refresh, own))
    expect(new Set(seen).size).toBe(seen.length)
    expect(before.filter((uuid) => !seen.includes(uuid) && isListed(own, uuid))).toEqual([])
  })

  it('centres that are removed between two pages move no page (§4.7)', async () => {
    const before = uuidsOf([await list('count=10000', own)])
    const retire = async (): Promise<void> => {
      own.fake.centres.weeklyRefresh({ missing: 20 })
      own.fake.centres.weeklyRefresh({ retired: 'all' })
    }
    const seen = uuidsOf(await pagesOf('count=60&lat=-27&lng=153', retire, own))
    expect(new Set(seen).size).toBe(seen.length)
    expect(before.filter((uuid) => !seen.includes(uuid) && isListed(own, uuid))).toEqual([])
  })
})

function isListed(from: Directory, uuid: string): boolean {
  return from.fake.centres.retrieve(uuid).status !== 'RETIRED'
}

describe('any search', () => {
  const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1, maxLength: 4 })
  const filters = fc.record(
    {
      states: some(['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'NT', 'ACT']),
      vendors: some(['lowanna-pathology', 'meridian-south', 'currawong-health', 'tallowwood-diagnostics']),
      postcodes: some(['0800', '2000', '3000', '4000', '5000', '6000', '7000', '2601']),
      search: fc.constantFrom('street', 'Medical', 'shop', 'e', 'Mount', 'zz'),
      uuids: fc.array(fc.nat(CENTRES - 1), { minLength: 1, maxLength: 40 }),
    },
    { requiredKeys: [] },
  )

  it('any search finds exactly the centres that match, page by page (§4.5)', async () => {
    const all = (await list('count=10000')).collectionCentres
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 60, max: 400 }), async (chosen, count) => {
        const uuids = chosen.uuids?.map((place) => all[place]?.uuid ?? '')
        const query = new URLSearchParams({ count: `${count}` })
        for (const [name, value] of Object.entries({ ...chosen, uuids })) {
          if (value !== undefined) query.set(name, `${value}`)
        }
        const holds = (entry: Centre): boolean =>
          (chosen.states?.includes(entry.state) ?? true) &&
          (chosen.vendors?.includes(entry.vendorId) ?? true) &&
          (chosen.postcodes?.includes(entry.postcode) ?? true) &&
          (uuids?.includes(entry.uuid) ?? true) &&
          [entry.name, entry.venueName ?? '', entry.address, entry.city].some((text) =>
            text.toLowerCase().includes((chosen.search ?? '').toLowerCase()),
          )
        expect(uuidsOf(await pagesOf(query.toString()))).toEqual(all.filter(holds).map(({ uuid }) => uuid))
      }),
      { numRuns: 15 },
    )
  })
})
