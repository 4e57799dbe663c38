import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { Directory } from './directory-support.js'
import { type Centre, centrePage } from './shapes.js'

let api: Directory
let centres: Centre[]
beforeAll(async () => {
  api = await Directory.start({ centreCount: 1_500 })
  centres = (await api.ask('/v1/collection-centres?count=10000', centrePage)).collectionCentres
})
afterAll(() => api.stop())

const list = (query: string) => api.ask(`/v1/collection-centres?count=10000&${query}`, centrePage)
const found = async (query: string) => (await list(query)).collectionCentres.map(({ uuid }) => uuid)
const expected = (holds: (entry: Centre) => boolean) => centres.filter(holds).map(({ uuid }) => uuid)
const rejection = (query: string) => api.rejection(`/v1/collection-centres?${query}`)

const KARRI = 'karri-pathology'
const TOP_END = 'top-end-pathology'

describe('filters of GET /v1/collection-centres', () => {
  it('§4.5 without parameters: every centre, by name', async () => {
    const names = centres.map(({ name }) => name)
    expect(names).toEqual([...names].sort())
    expect((await list('')).totalResults).toBe(centres.length)
  })

  it('§4.5 states: one, several separated by commas, a repeated key', async () => {
    const both = expected(({ state }) => state === 'NT' || state === 'TAS')
    expect(await found('states=NT')).toEqual(expected(({ state }) => state === 'NT'))
    expect(await found('states=NT,TAS')).toEqual(both)
    expect(await found('states=TAS&states=NT')).toEqual(both)
    expect(await found('states=NT,NT&states=TAS')).toEqual(both)
    expect(both.length).toBeGreaterThan(100)
  })

  it('§4.5 postcodes are exact, leading zeros included', async () => {
    expect(await found('postcodes=0810')).toEqual(expected(({ postcode }) => postcode === '0810'))
    expect(await found('postcodes=0800,7000')).toEqual(
      expected(({ postcode }) => ['0800', '7000'].includes(postcode)),
    )
    expect((await found('postcodes=0810')).length).toBeGreaterThan(0)
    expect(await list('postcodes=9999')).toEqual({ collectionCentres: [], totalResults: 0 })
  })

  it('§4.5 pathologyProviders, also with underscores', async () => {
    const both = expected(({ pathologyProviderId: id }) => id === KARRI || id === TOP_END)
    expect(await found(`pathologyProviders=${KARRI},${TOP_END}`)).toEqual(both)
    expect(await found(`pathologyProviders=karri_pathology,${TOP_END}`)).toEqual(both)
    expect(both.length).toBeGreaterThan(50)
  })

  it('§4.5 ids in responses are hyphenated, in whatever form the request had them', async () => {
    const { collectionCentres } = await list('pathologyProviders=top_end_pathology')
    expect(new Set(collectionCentres.map(({ pathologyProviderId }) => pathologyProviderId))).toEqual(
      new Set([TOP_END]),
    )
  })

  it('§4.5 vendors', async () => {
    expect(await found('vendors=currawong-health')).toEqual(
      expected(({ vendorId }) => vendorId === 'currawong-health'),
    )
    expect(await found('vendors=currawong-health&vendors=meridian-south')).toEqual(
      expected(({ vendorId }) => vendorId !== 'lowanna-pathology' && vendorId !== 'tallowwood-diagnostics'),
    )
  })

  it('§4.5 a vendor and a provider: only centres that match both', async () => {
    expect(await found(`vendors=tallowwood-diagnostics&pathologyProviders=${KARRI}`)).toEqual(
      expected(({ pathologyProviderId }) => pathologyProviderId === KARRI),
    )
    expect(await found(`vendors=lowanna-pathology&pathologyProviders=${KARRI}`)).toEqual([])
  })

  it('§4.5 testingTypes: every centre is PATHOLOGY, none IMAGING', async () => {
    expect((await list('testingTypes=PATHOLOGY')).totalResults).toBe(centres.length)
    expect((await list('testingTypes=PATHOLOGY,IMAGING')).totalResults).toBe(centres.length)
    expect((await list('testingTypes=IMAGING')).totalResults).toBe(0)
  })

  it('§4.5 different filters combine with AND, values of one filter with OR', async () => {
    const query = `states=SA,WA&vendors=meridian-south&search=centre&pathologyProviders=meridian-south,${KARRI}`
    const holds = (entry: Centre) =>
      ['SA', 'WA'].includes(entry.state) && entry.vendorId === 'meridian-south' && matches(entry, 'centre')
    expect(await found(query)).toEqual(expected(holds))
    expect(expected(holds).length).toBeGreaterThan(10)
  })

  it('§3.4 MISSING centres are listed with the others', async () => {
    const { collectionCentres } = await list('states=NSW,VIC,QLD')
    expect(new Set(collectionCentres.map(({ status }) => status))).toEqual(new Set(['ACTIVE', 'MISSING']))
  })
})

function matches({ name, venueName, address, city }: Centre, part: string): boolean {
  return [name, venueName ?? '', address, city].some((text) =>
    text.toLowerCase().includes(part.toLowerCase()),
  )
}

describe('search', () => {
  it.each(['wagga', 'WAGGA', 'Superclinic', 'hunter', 'Sturt Street', 'shop 4', 'bLaCk', '7', 'o'])(
    '§4.5 finds %s in name, venue name, street address or suburb, whatever the case',
    async (part) => {
      const wanted = expected((entry) => matches(entry, part))
      expect(await found(`search=${encodeURIComponent(part)}`)).toEqual(wanted)
    },
  )

  it.each<[string, (entry: Centre) => string | null]>([
    ['the name', ({ name }) => name],
    ['the venue name', ({ venueName }) => venueName],
    ['the street address', ({ address }) => address],
    ['the suburb', ({ city }) => city],
  ])('§4.5 searches %s', async (_, part) => {
    const entry = centres.findLast((candidate) => part(candidate) !== null)
    const text = (part(entry ?? centres[0] ?? fail()) ?? '').toUpperCase()
    expect(await found(`search=${encodeURIComponent(text)}`)).toContain(entry?.uuid)
  })

  it.each(['karri-pathology', '5550', 'Closed on public', 'ACTIVE', 'bookings.'])(
    '§4.5 does not search other fields: %s finds nothing',
    async (part) => {
      expect((await list(`search=${encodeURIComponent(part)}`)).totalResults).toBe(0)
    },
  )

  it('§4.5 text that looks like a pattern is plain text', async () => {
    for (const part of ['.*', '%25', '[a-z]', '(', '\\']) {
      expect((await list(`search=${encodeURIComponent(part)}`)).totalResults).toBe(0)
    }
  })

  it('§8 accepts 100 characters and rejects 101', async () => {
    expect((await list(`search=${'x'.repeat(100)}`)).totalResults).toBe(0)
    expect(await rejection(`search=${'x'.repeat(101)}`)).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
    })
  })
})

function fail(): never {
  throw new Error('no centre')
}

describe('uuids', () => {
  it('§4.5 returns only these centres, by name, each once', async () => {
    const some = [centres[40], centres[3], centres[900], centres[3]].map((entry) => entry?.uuid)
    expect(await found(`uuids=${some}`)).toEqual(
      [centres[3], centres[40], centres[900]].map((entry) => entry?.uuid),
    )
    expect(await found(some.map((uuid) => `uuids=${uuid}`).join('&'))).toHaveLength(3)
    expect(await found(`uuids=${some[0]?.toUpperCase()}`)).toEqual([some[0]])
  })

  it('§4.5 a uuid that is not a centre is not found, without an error', async () => {
    const unknown = '5d3c2c2e-0d5b-4f4e-9a1e-1f2f3a4b5c6d'
    expect(await found(`uuids=${unknown},${centres[0]?.uuid}`)).toEqual([centres[0]?.uuid])
  })

  it('§4.5 combines with other filters', async () => {
    const tasmanian = centres.find(({ state }) => state === 'TAS')
    const two = `uuids=${tasmanian?.uuid},${centres.find(({ state }) => state === 'WA')?.uuid}`
    expect(await found(`${two}&states=TAS`)).toEqual([tasmanian?.uuid])
  })

  it('§8 accepts 100 and rejects 101', async () => {
    const uuids = centres.slice(0, 101).map(({ uuid }) => uuid)
    expect(await found(`uuids=${uuids.slice(0, 100)}`)).toHaveLength(100)
    const { status, code, errorList } = await rejection(`uuids=${uuids}`)
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_PARAMETER' })
    expect(errorList.join()).toContain('100')
  })
})

describe('invalid centre queries', () => {
  it.each([
    ['limit=5', 'limit'],
    ['sort=asc', 'sort'],
    ['status=ACTIVE', 'status'],
    ['States=NSW', 'States'],
    ['states=nsw', 'states'],
    ['states=NSW,XYZ', 'states[1]'],
    ['states=', 'states'],
    ['states=NSW,', 'states[1]'],
    ['testingTypes=pathology', 'testingTypes'],
    ['testingTypes=GENETIC', 'testingTypes'],
    ['pathologyProviders=acme', 'pathologyProviders'],
    ['pathologyProviders=Karri-Pathology', 'pathologyProviders'],
    ['vendors=acme', 'vendors'],
    ['vendors=currawong_health', 'vendors'],
    ['postcodes=810', 'postcodes'],
    ['postcodes=08100', 'postcodes'],
    ['postcodes=08a0', 'postcodes'],
    ['postcodes=2000,x', 'postcodes[1]'],
    ['uuids=1', 'uuids'],
    ['uuids=', 'uuids'],
    ['changedSince=yesterday', 'changedSince'],
    ['changedSince=2025-13-01', 'changedSince'],
    ['changedSince=2025-02-30T00:00:00Z', 'changedSince'],
    ['changedSince=1741572000000', 'changedSince'],
    ['changedSince=', 'changedSince'],
    ['lat=-33', 'lng'],
    ['lng=151', 'lat'],
    ['lat=-33&lng=x', 'lng'],
    ['lat=91&lng=0', 'lat'],
    ['lat=0&lng=-181', 'lng'],
    ['lat=&lng=151', 'lat'],
    ['lat=NaN&lng=151', 'lat'],
    ['lat=Infinity&lng=151', 'lat'],
    ['lat=0x10&lng=151', 'lat'],
    ['radiusKm=5', 'radiusKm'],
    ['lat=-33&lng=151&radiusKm=5001', 'radiusKm'],
    ['lat=-33&lng=151&radiusKm=-1', 'radiusKm'],
    ['lat=-33&lng=151&radiusKm=far', 'radiusKm'],
    ['north=-30&south=-40&east=150', 'west'],
    ['north=-40&south=-30&east=150&west=140', 'north'],
    ['north=-30&south=-40&east=140&west=150', 'east'],
    ['north=-30&south=-91&east=150&west=140', 'south'],
    ['count=0', 'count'],
    ['count=-5', 'count'],
    ['count=2.5', 'count'],
    ['count=10000.5', 'count'],
    ['count=many', 'count'],
    ['count=', 'count'],
    ['count=5&count=6', 'count'],
    ['lat=-33&lat=-34&lng=151', 'lat'],
    ['search=a&search=b', 'search'],
    ['cursor=nonsense', 'cursor'],
    ['cursor=', 'cursor'],
  ])('§4.5 rejects %s and names %s', async (query, field) => {
    const { status, code, errorList } = await rejection(query)
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_PARAMETER' })
    expect(errorList).toHaveLength(1)
    expect(errorList[0]).toContain(`[field: ${field}`)
  })

  it('§4.5 names every problem at once', async () => {
    const { errorList } = await rejection(
      'limit=5&states=nsw,NT,XYZ&postcodes=1&vendors=acme&lat=-33&north=1&count=0&changedSince=now&cursor=x',
    )
    const fields = errorList.map((entry) => /\[field: (.*)\]$/.exec(entry)?.[1])
    expect(fields.toSorted()).toEqual(
      [
        'limit',
        'states[0]',
        'states[2]',
        'postcodes[0]',
        'vendors[0]',
        'lng',
        'south',
        'east',
        'west',
        'count',
        'changedSince',
        'cursor',
      ].toSorted(),
    )
  })

  it('§4.5 half a box: the error names each missing edge', async () => {
    expect((await rejection('north=-30')).errorList).toHaveLength(3)
  })

  it('§4.5 an unknown parameter is never ignored, also with unknownQueryParameters: ignore', async () => {
    const lax = await Directory.start({ unknownQueryParameters: 'ignore', centreCount: 5 })
    expect(await lax.rejection('/v1/collection-centres?limit=2')).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
    })
    await lax.stop()
  })
})
