import { afterAll, describe, expect, it } from 'vitest'
import { ask, byName, centrePath, periods, text, uuids } from './support/centres.js'
import { expectError, expectField, expectOk, faults } from './support/check.js'
import { at, first, type JsonObject, num, obj, objects, str } from './support/json.js'
import { centre } from './support/objects.js'
import { recordsOf } from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const { centres: all, total } = await ask(service, 'count=10000')
const everything = objects(
  await service.control('GET', '/centres').then((body) => (Array.isArray(body) ? body : recordsOf(body))),
)
const retired = everything.filter((entry) => entry['status'] === 'RETIRED')
const listedIds = new Set(uuids(all))
const unmappable = everything.filter(
  (entry) => entry['status'] !== 'RETIRED' && !listedIds.has(str(entry['uuid'])),
)
/** One assertion over the list of invalid records is faster than one for each of thousands. */
const expectAll = <T>(list: readonly T[], suits: (value: T) => boolean): void =>
  expect(list.filter((value) => !suits(value)).slice(0, 3)).toEqual([])
const vendors = recordsOf((await service.call('GET', '/v1/vendors')).body)

describe('§2.11 every centre of the listing', () => {
  it('there are about 5,900', () => {
    expect(total).toBeGreaterThan(5500)
    expect(total).toBeLessThan(6300)
    expect(all.length).toBe(total)
  })
  it('uuids are unique', () => expect(listedIds.size).toBe(all.length))
  it('none is RETIRED, and some are MISSING', () => {
    expect(new Set(all.map((entry) => entry['status']))).toEqual(new Set(['ACTIVE', 'MISSING']))
  })
  it('all have PATHOLOGY, none IMAGING', () =>
    expectField(all, 'testingTypes', (types) => JSON.stringify(types) === '["PATHOLOGY"]'))
  it('centres are in order of name', () => expect(byName(all)).toBe(true))
  it('coordinates are in Australia', () => {
    expectAll(all, (entry) => num(entry['lat']) > -45 && num(entry['lat']) < -9)
    expectAll(all, (entry) => num(entry['lng']) > 96 && num(entry['lng']) < 168.1)
  })
  it('each state has some', () => {
    const states = new Set(all.map((entry) => entry['state']))
    expect(states).toEqual(new Set(['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'NT', 'ACT']))
  })
  it('postcodes of the Northern Territory keep their leading zero', () => {
    expect(all.filter((entry) => text(entry, 'postcode').startsWith('0')).length).toBeGreaterThan(0)
  })
  it('two centres may have the same name', () =>
    expect(new Set(all.map((entry) => entry['name'])).size).toBeLessThan(all.length))
  it.each(['venueName', 'phone', 'notes', 'bookingUrl', 'openingHours'])(
    '%s is null for some and given for some',
    (name) => {
      expect(all.some((entry) => entry[name] === null)).toBe(true)
      expect(all.some((entry) => entry[name] !== null)).toBe(true)
    },
  )
})

describe('§4.5 vendors and their brands', () => {
  const brands = new Map<string, Set<string>>()
  for (const entry of all) {
    const set = brands.get(str(entry['vendorId'])) ?? new Set()
    brands.set(str(entry['vendorId']), set.add(str(entry['pathologyProviderId'])))
  }
  it('four vendors with 1, 1, 6 and 10 brands', () => {
    expect([...brands.values()].map((set) => set.size).sort((a, b) => a - b)).toEqual([1, 1, 6, 10])
  })
  it('a brand belongs to one vendor', () => {
    expect(new Set([...brands.values()].flatMap((set) => [...set])).size).toBe(18)
  })
  it('the vendors are those of GET /v1/vendors, by id and name', () => {
    const names = new Map(vendors.map((entry) => [entry['id'], entry['name']]))
    expectAll(all, (entry) => entry['vendorName'] === names.get(entry['vendorId'] ?? ''))
  })
  it('a brand has one name', () => {
    const names = new Map<string, unknown>()
    for (const entry of all) {
      const id = str(entry['pathologyProviderId'])
      expect(names.get(id) ?? entry['pathologyProviderName']).toBe(entry['pathologyProviderName'])
      names.set(id, entry['pathologyProviderName'])
    }
  })
})

describe('§2.11 opening hours of all centres', () => {
  const weeks = everything
    .filter((entry) => entry['openingHours'] !== null)
    .map((entry) => objects(entry['openingHours']))
  const entries = weeks.flat()
  it.each(['OPEN', 'CLOSED', 'UNKNOWN'])('at least one day is %s', (status) =>
    expect(entries.some((day) => day['status'] === status)).toBe(true),
  )
  it('at least one day has a break, and one closes at 24:00', () => {
    expect(entries.some((day) => periods(day).length > 1)).toBe(true)
    expect(entries.some((day) => periods(day).some(([, closes]) => closes === '24:00'))).toBe(true)
  })
  it('text is a sentence or null', () => {
    expectAll(entries, (day) => day['text'] === null || typeof day['text'] === 'string')
  })
})

const one = async (entry: JsonObject): Promise<JsonObject> =>
  obj(expectOk(await service.call('GET', `${centrePath}/${str(entry['uuid'])}`)))

describe('§4.5 GET /v1/collection-centres/{uuid}', () => {
  it.each(
    all.filter((_entry, index) => index % 1000 === 0).map((entry) => [str(entry['name']), entry] as const),
  )('%s is the entry of the list', async (_name, entry) => {
    expect(await one(entry)).toEqual(entry)
  })
  it.each([
    ['RETIRED', first(retired)],
    ['MISSING', first(all.filter((entry) => entry['status'] === 'MISSING'))],
    ['unmappable', first(unmappable)],
  ] as const)('a %s centre is returned too', async (_kind, entry) => {
    const found = await one(entry)
    expect(found['uuid']).toBe(entry['uuid'])
    expect(faults(found, centre)).toEqual([])
    expect(found).not.toHaveProperty('distanceKm')
  })
  it('with a query parameter is INVALID_PARAMETER', async () => {
    const path = `${centrePath}/${str(first(all)['uuid'])}`
    expectError(await service.call('GET', path, { query: 'count=1' }), 400, 'INVALID_PARAMETER', /count/)
  })
})

describe('§4.5 centres that lists omit and that uuids finds', () => {
  it('there are RETIRED centres and centres without coordinates', () => {
    expect(retired.length).toBeGreaterThan(0)
    expect(unmappable.length).toBeGreaterThan(0)
  })
  it('the list has all other centres', () => {
    expect(all.length + retired.length + unmappable.length).toBe(everything.length)
  })
  it.each([
    ['RETIRED', retired],
    ['unmappable', unmappable],
  ] as const)('uuids finds %s ones', async (_kind, list) => {
    const wanted = uuids(list).slice(0, 50)
    const { centres } = await ask(service, { uuids: wanted.join(','), count: 100 })
    expect(uuids(centres).sort()).toEqual([...wanted].sort())
  })
  it('changedSince finds RETIRED ones', async () => {
    const { centres } = await ask(service, { changedSince: '2000-01-01T00:00:00Z', count: 10000 })
    const ids = new Set(uuids(centres))
    expectAll([...retired, ...all], (entry) => ids.has(str(entry['uuid'])))
  })
  it.each([
    ['by state', 'states=NSW,VIC,QLD,SA,WA,TAS,NT,ACT'],
    ['by type', 'testingTypes=PATHOLOGY'],
    ['by vendor', `vendors=${vendors.map((entry) => str(entry['id'])).join(',')}`],
    ['in a box', 'north=-5&south=-50&east=170&west=90'],
    ['around a point', 'lat=-25&lng=134'],
    ['within 5000 km', 'lat=-25&lng=134&radiusKm=5000'],
  ])('no filter %s brings them into a listing', async (_name, query) => {
    const { centres } = await ask(service, `${query}&count=10000`)
    expect(uuids(centres).sort()).toEqual(uuids(all).sort())
  })
  it('a search for a RETIRED centre finds only others', async () => {
    const { centres } = await ask(service, { search: text(first(retired), 'address'), count: 10000 })
    expect(uuids(centres)).not.toContain(first(retired)['uuid'])
  })
  it('totalResults and cursor of an empty response', async () => {
    const { answer, centres, total: none } = await ask(service, 'testingTypes=IMAGING')
    expect([centres, none]).toEqual([[], 0])
    expect(at(answer.body, 'cursor') ?? null).toBeNull()
  })
})
