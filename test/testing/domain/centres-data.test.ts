import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'

import { Directory } from './directory-support.js'
import { type Centre, centre, centrePage, vendor } from './shapes.js'

let api: Directory
let centres: Centre[]
let everyUuid: string[]
beforeAll(async () => {
  api = await Directory.start()
  centres = (await api.ask('/v1/collection-centres?count=10000', centrePage)).collectionCentres
  everyUuid = api.fake.centres.all().map(({ uuid }) => uuid)
})
afterAll(() => api.stop())

/** Centres that listings leave out, fetched by uuid. */
async function hidden(): Promise<Centre[]> {
  const shown = new Set(centres.map(({ uuid }) => uuid))
  const left = everyUuid.filter((uuid) => !shown.has(uuid))
  const pages = Array.from({ length: Math.ceil(left.length / 100) }, (_, page) =>
    api.ask(`/v1/collection-centres?count=100&uuids=${left.slice(page * 100, page * 100 + 100)}`, centrePage),
  )
  return (await Promise.all(pages)).flatMap(({ collectionCentres }) => collectionCentres)
}

describe('the collection centre directory', () => {
  it('the directory has about 5,900 centres across Australia, in every state and territory (§1)', () => {
    expect(centres).toHaveLength(5_900)
    expect(new Set(centres.map(({ state }) => state)).size).toBe(8)
    expect(new Set(centres.map(({ city }) => city)).size).toBeGreaterThan(200)
    expect(new Set(centres.map(({ country }) => country)).size).toBe(1)
  })

  it('the uuids of centres are unique, and their names are not, even within a town (§2.11)', () => {
    expect(new Set(centres.map(({ uuid }) => uuid)).size).toBe(centres.length)
    const names = centres.map(({ name, city }) => `${name}, ${city}`)
    expect(new Set(names).size).toBeLessThan(names.length)
  })

  it.each([
    ['Darwin', 'NT', '0800', -12.46, 130.84],
    ['Hobart', 'TAS', '7000', -42.88, 147.33],
    ['Perth', 'WA', '6000', -31.95, 115.86],
    ['Cairns', 'QLD', '4870', -16.92, 145.77],
    ['Broken Hill', 'NSW', '2880', -31.96, 141.46],
  ])('the centre in %s, %s %s has its real position (§2.11)', (city, state, postcode, lat, lng) => {
    const there = centres.filter((entry) => entry.city === city)
    expect(there.length).toBeGreaterThan(0)
    for (const entry of there) {
      expect(entry).toMatchObject({ state, postcode })
      expect(Math.abs(entry.lat - lat)).toBeLessThan(0.1)
      expect(Math.abs(entry.lng - lng)).toBeLessThan(0.1)
    }
  })

  it('four vendors have one, one, six and ten brands, with hyphenated ids (§4.5)', async () => {
    const brands = new Map<string, Set<string>>()
    for (const { vendorId, pathologyProviderId } of centres) {
      brands.set(vendorId, (brands.get(vendorId) ?? new Set()).add(pathologyProviderId))
    }
    const sizes = [...brands.values()].map((ids) => ids.size).sort((one, other) => one - other)
    expect(sizes).toEqual([1, 1, 6, 10])
    const list = await api.ask('/v1/vendors', z.object({ vendors: z.array(vendor) }))
    expect(new Set(brands.keys())).toEqual(new Set(list.vendors.map(({ id }) => id)))
    for (const entry of centres) {
      expect(entry.vendorName).toBe(list.vendors.find(({ id }) => id === entry.vendorId)?.name)
      expect(entry.pathologyProviderName).toMatch(/^[A-Z]/)
    }
    const ids = [...brands.values()].flatMap((set) => [...set])
    for (const id of ids) expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(ids.filter((id) => /-(nsw|vic|qld|sa|wa|tas|nt|act)$/.test(id))).toHaveLength(2)
  })

  it.each<[string, (entry: Centre) => boolean]>([
    ['without opening hours', ({ openingHours }) => openingHours === null],
    ['with a break', ({ openingHours }) => openingHours?.some(({ periods }) => periods.length > 1) ?? false],
    [
      'open until midnight',
      ({ openingHours }) => openingHours?.some(({ periods }) => periods.at(-1)?.closes === '24:00') ?? false,
    ],
    [
      'with a day that is UNKNOWN',
      ({ openingHours }) => openingHours?.some(({ status }) => status === 'UNKNOWN') ?? false,
    ],
    [
      'with a day that is CLOSED',
      ({ openingHours }) => openingHours?.some(({ status }) => status === 'CLOSED') ?? false,
    ],
    [
      "with the laboratory's wording",
      ({ openingHours }) => openingHours?.some(({ text }) => text !== null) ?? false,
    ],
    ['without venue name', ({ venueName }) => venueName === null],
    ['with venue name', ({ venueName }) => venueName !== null],
    ['without phone', ({ phone }) => phone === null],
    ['with notes', ({ notes }) => notes !== null],
    ['with a booking URL', ({ bookingUrl }) => bookingUrl !== null],
    ['with several services', ({ services }) => services.length > 2],
    ['with a leading zero in the postcode', ({ postcode }) => postcode.startsWith('0')],
    ['that are MISSING', ({ status }) => status === 'MISSING'],
  ])('the directory has centres %s (§2.11)', (_, holds) => {
    const share = centres.filter(holds).length / centres.length
    expect(share).toBeGreaterThan(0)
    expect(share).toBeLessThan(1)
  })

  it('lists omit RETIRED centres and those with unusable coordinates; uuids finds them (§4.5)', async () => {
    expect(centres.some(({ status }) => status === 'RETIRED')).toBe(false)
    const rest = await hidden()
    expect(rest.length).toBe(everyUuid.length - centres.length)
    expect(rest.filter(({ status }) => status === 'RETIRED').length).toBeGreaterThan(50)
    const unmappable = rest.filter(({ status }) => status !== 'RETIRED')
    expect(unmappable.length).toBeGreaterThan(20)
    for (const { lat, lng } of unmappable) expect(lat < -8 && lat > -56 && lng > 95 && lng < 170).toBe(false)
  })

  it.each([
    'states=NSW,VIC,QLD,SA,WA,TAS,NT,ACT',
    'testingTypes=PATHOLOGY',
    'vendors=lowanna-pathology,meridian-south,currawong-health,tallowwood-diagnostics',
    'north=-5&south=-50&east=170&west=90',
    'lat=-25&lng=134&radiusKm=5000',
  ])('%s does not bring a RETIRED or unmappable centre into a list (§4.5)', async (query) => {
    const { totalResults } = await api.ask(`/v1/collection-centres?count=1&${query}`, centrePage)
    expect(totalResults).toBe(centres.length)
  })

  it('an ACTIVE centre was in the latest listing, and a MISSING centre only in an earlier one (§2.11)', () => {
    const times = (status: string) =>
      new Set(centres.filter((entry) => entry.status === status).map(({ lastSeenAt }) => lastSeenAt))
    const [latest, ...others] = times('ACTIVE')
    expect(others).toEqual([])
    for (const time of times('MISSING')) expect(time < (latest ?? '')).toBe(true)
  })

  it('the same seed gives the same directory, another seed a different one (§4.5)', async () => {
    const [again, other] = await Promise.all([Directory.start(), Directory.start({ seed: 2 })])
    const first = (directory: Directory) =>
      directory.ask('/v1/collection-centres?count=300', centrePage).then((page) => page.collectionCentres)
    expect(await first(again)).toEqual(centres.slice(0, 300))
    expect((await first(other)).map(({ uuid }) => uuid)).not.toContain(centres[0]?.uuid)
    await Promise.all([again.stop(), other.stop()])
  })

  it('centreCount gives a directory of any size', async () => {
    for (const centreCount of [0, 1, 25]) {
      const small = await Directory.start({ centreCount })
      const { totalResults } = await small.ask('/v1/collection-centres', centrePage)
      expect(totalResults).toBe(centreCount)
      await small.stop()
    }
  })
})

describe('GET /v1/collection-centres/{uuid}', () => {
  const retrieve = (uuid: string) => api.ask(`/v1/collection-centres/${uuid}`, centre)

  it('a read of one centre returns the entry of the list (§4.5)', async () => {
    for (const entry of [centres[0], centres[2_950], centres[5_899]]) {
      expect(await retrieve(entry?.uuid ?? '')).toEqual(entry)
    }
  })

  it('a read of one centre accepts a uuid in capitals (§4.5)', async () => {
    expect((await retrieve(centres[7]?.uuid.toUpperCase() ?? '')).uuid).toBe(centres[7]?.uuid)
  })

  it('a read returns MISSING, RETIRED and unmappable centres too (§4.5)', async () => {
    const missing = centres.find(({ status }) => status === 'MISSING')
    const rest = await hidden()
    const retired = rest.find(({ status }) => status === 'RETIRED')
    const unmappable = rest.find(({ status }) => status === 'ACTIVE')
    for (const entry of [missing, retired, unmappable])
      expect(await retrieve(entry?.uuid ?? '')).toEqual(entry)
  })
})
