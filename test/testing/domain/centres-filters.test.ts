import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { Directory } from './directory-support.js'
import { type Centre, centrePage } from './shapes.js'

let api: Directory
let centres: Centre[]
beforeAll(async () => {
  api = await Directory.start({ centreCount: 800 })
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
  it('without parameters the list has every centre, by name (§4.5)', async () => {
    const names = centres.map(({ name }) => name)
    expect(names).toEqual([...names].sort())
    expect((await list('')).totalResults).toBe(centres.length)
  })

  it('states takes one state, several separated by commas, and a repeated key (§4.5)', async () => {
    const both = expected(({ state }) => state === 'NT' || state === 'TAS')
    expect(await found('states=NT')).toEqual(expected(({ state }) => state === 'NT'))
    expect(await found('states=NT,TAS')).toEqual(both)
    expect(await found('states=TAS&states=NT')).toEqual(both)
    expect(await found('states=NT,NT&states=TAS')).toEqual(both)
    expect(both.length).toBeGreaterThan(20)
  })

  it('postcodes are exact, leading zeros included (§4.5)', async () => {
    expect(await found('postcodes=0800')).toEqual(expected(({ postcode }) => postcode === '0800'))
    expect(await found('postcodes=0800,7000')).toEqual(
      expected(({ postcode }) => ['0800', '7000'].includes(postcode)),
    )
    expect((await found('postcodes=0800')).length).toBeGreaterThan(0)
    expect(await list('postcodes=9999')).toEqual({ collectionCentres: [], totalResults: 0 })
  })

  it('pathologyProviders finds the centres of a brand, also with underscores in its id (§4.5)', async () => {
    const both = expected(({ pathologyProviderId: id }) => id === KARRI || id === TOP_END)
    expect(await found(`pathologyProviders=${KARRI},${TOP_END}`)).toEqual(both)
    expect(await found(`pathologyProviders=karri_pathology,${TOP_END}`)).toEqual(both)
    expect(both.length).toBeGreaterThan(10)
  })

  it('testingTypes finds every centre as PATHOLOGY, none as IMAGING (§4.5)', async () => {
    expect((await list('testingTypes=PATHOLOGY')).totalResults).toBe(centres.length)
    expect((await list('testingTypes=PATHOLOGY,IMAGING')).totalResults).toBe(centres.length)
    expect((await list('testingTypes=IMAGING')).totalResults).toBe(0)
  })
})

function matches({ name, venueName, address, city }: Centre, part: string): boolean {
  return [name, venueName ?? '', address, city].some((text) =>
    text.toLowerCase().includes(part.toLowerCase()),
  )
}

describe('search', () => {
  it.each(['WAGGA', 'Superclinic', 'Sturt Street', 'bLaCk', '7'])(
    'search finds %s in name, venue name, street address or suburb, whatever the case (§4.5)',
    async (part) => {
      const wanted = expected((entry) => matches(entry, part))
      expect(await found(`search=${encodeURIComponent(part)}`)).toEqual(wanted)
    },
  )

  it.each(['karri-pathology', '5550', 'ACTIVE'])(
    'search looks into no other field: %s finds nothing (§4.5)',
    async (part) => {
      expect((await list(`search=${encodeURIComponent(part)}`)).totalResults).toBe(0)
    },
  )

  it('search takes text that looks like a pattern as plain text (§4.5)', async () => {
    for (const part of ['.*', '%25', '[a-z]', '(', '\\']) {
      expect((await list(`search=${encodeURIComponent(part)}`)).totalResults).toBe(0)
    }
  })

  it('search accepts 100 characters (§8)', async () => {
    expect((await list(`search=${'x'.repeat(100)}`)).totalResults).toBe(0)
  })
})

describe('uuids', () => {
  it('uuids returns only these centres, by name, each once (§4.5)', async () => {
    const some = [centres[40], centres[3], centres[700], centres[3]].map((entry) => entry?.uuid)
    expect(await found(`uuids=${some}`)).toEqual(
      [centres[3], centres[40], centres[700]].map((entry) => entry?.uuid),
    )
    expect(await found(some.map((uuid) => `uuids=${uuid}`).join('&'))).toHaveLength(3)
    expect(await found(`uuids=${some[0]?.toUpperCase()}`)).toEqual([some[0]])
  })

  it('a uuid that is not a centre is not found, without an error (§4.5)', async () => {
    const unknown = '5d3c2c2e-0d5b-4f4e-9a1e-1f2f3a4b5c6d'
    expect(await found(`uuids=${unknown},${centres[0]?.uuid}`)).toEqual([centres[0]?.uuid])
  })

  it('uuids accepts 100 values (§8)', async () => {
    const uuids = centres.slice(0, 100).map(({ uuid }) => uuid)
    expect(await found(`uuids=${uuids}`)).toHaveLength(100)
  })
})

describe('invalid centre queries', () => {
  it.each([
    ['states=', 'states'],
    ['states=NSW,', 'states[1]'],
    ['uuids=', 'uuids'],
    ['changedSince=', 'changedSince'],
    ['count=', 'count'],
    ['count=5&count=6', 'count'],
    ['lat=-33&lat=-34&lng=151', 'lat'],
    ['search=a&search=b', 'search'],
    ['cursor=', 'cursor'],
  ])('a query with %s is rejected and names %s (§4.5)', async (query, field) => {
    const { status, code, errorList } = await rejection(query)
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_PARAMETER' })
    expect(errorList).toHaveLength(1)
    expect(errorList[0]).toContain(`[field: ${field}`)
  })

  it('an unknown parameter of the centre list is never ignored, also with unknownQueryParameters: ignore (§4.5)', async () => {
    const lax = await Directory.start({ unknownQueryParameters: 'ignore', centreCount: 5 })
    expect(await lax.rejection('/v1/collection-centres?limit=2')).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
    })
    await lax.stop()
  })
})
