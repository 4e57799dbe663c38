import { afterAll, describe, expect, it } from 'vitest'
import { shareOf } from '../support/sample.js'
import { ask, byName, centrePath, found, inside, kilometres, uuids } from './support/centres.js'
import { first, type JsonObject, num, str } from './support/json.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const { centres: all } = await ask(service, 'count=10000')
const someCentre = first(all.filter((entry) => entry['state'] === 'WA'))
const places: readonly (readonly [string, number, number])[] = [
  ['Sydney', -33.8688, 151.2093],
  ['Darwin', -12.4634, 130.8456],
  ['the desert', -25, 134],
  ['the sea', -30, 100],
  ['a centre', num(someCentre['lat']), num(someCentre['lng'])],
]
const distances = (list: readonly JsonObject[]): number[] => list.map((entry) => num(entry['distanceKm']))
const rising = (list: readonly number[]): boolean =>
  list.every((one, index) => index === 0 || (list[index - 1] ?? 0) <= one)
const close = (got: number, wanted: number): boolean =>
  Math.abs(got - wanted) <= Math.max(0.06, wanted * 0.002)
const sorted = (list: readonly JsonObject[]): string[] => uuids(list).sort()

/** Radii around a place: all places together use each of them. */
const radiiOf = (place: string): readonly number[] =>
  shareOf(
    [0.5, 5, 25, 100, 750.5],
    places.findIndex(([name]) => name === place),
    places.length,
  )

describe.each(places)('§4.5 around %s', async (name, lat, lng) => {
  const { centres, total } = await ask(service, { lat, lng, count: 10000 })
  it('every centre of the listing is returned', () => {
    expect(sorted(centres)).toEqual(sorted(all))
    expect(total).toBe(all.length)
  })
  it('the nearest centre is first', () => expect(rising(distances(centres))).toBe(true))
  it("the nearest centre is first, also by the test's own calculation", () => {
    const own = centres.map((entry) => kilometres(lat, lng, entry))
    expect(own.findIndex((one, index) => one > (own[index + 1] ?? one) * 1.004 + 0.12)).toBe(-1)
  })
  it('distanceKm is the distance in a straight line', () => {
    const wrong = centres.filter((entry) => !close(num(entry['distanceKm']), kilometres(lat, lng, entry)))
    expect(wrong.slice(0, 3)).toEqual([])
  })
  it('the largest radius is 5000', async () => {
    const { total: within } = await ask(service, { lat, lng, radiusKm: 5000, count: 1 })
    const sure = all.filter((entry) => kilometres(lat, lng, entry) < 4980).length
    expect(within).toBeGreaterThanOrEqual(sure)
  })
  it('the default page is 50', async () => {
    const page = await ask(service, { lat, lng })
    expect(page.centres).toEqual(centres.slice(0, 50))
  })
  it.each(radiiOf(name))('radiusKm=%d includes exactly the centres within it', async (radiusKm) => {
    const near = await ask(service, { lat, lng, radiusKm, count: 10000 })
    expect(Math.max(0, ...distances(near.centres))).toBeLessThanOrEqual(radiusKm + 0.051)
    const sure = all.filter((entry) => kilometres(lat, lng, entry) < radiusKm * 0.996 - 0.1)
    const possible = new Set(
      uuids(all.filter((entry) => kilometres(lat, lng, entry) < radiusKm * 1.004 + 0.1)),
    )
    const got = new Set(uuids(near.centres))
    expect(sure.filter((entry) => !got.has(str(entry['uuid']))).length).toBe(0)
    expect([...got].filter((uuid) => !possible.has(uuid)).length).toBe(0)
    expect(near.total).toBe(near.centres.length)
    expect(rising(distances(near.centres))).toBe(true)
    expect(uuids(near.centres)).toEqual(uuids(centres).slice(0, near.centres.length))
  })
})

type Box = Readonly<Record<'north' | 'south' | 'east' | 'west', number>>
const point = { lat: num(someCentre['lat']), lng: num(someCentre['lng']) }
const boxes: readonly (readonly [string, Box])[] = [
  ['Tasmania', { north: -39.5, south: -44, east: 149, west: 143 }],
  ['Perth', { north: -31.5, south: -32.5, east: 116.5, west: 115.5 }],
  ['the whole country', { north: 0, south: -60, east: 180, west: 90 }],
  ['the sea', { north: -20, south: -25, east: 100, west: 95 }],
  ['one point, a centre on it', { north: point.lat, south: point.lat, east: point.lng, west: point.lng }],
  [
    'a centre on its north edge',
    { north: point.lat, south: point.lat - 1, east: point.lng + 1, west: point.lng - 1 },
  ],
  [
    'a centre on its south edge',
    { north: point.lat + 1, south: point.lat, east: point.lng + 1, west: point.lng - 1 },
  ],
  [
    'a centre on its east edge',
    { north: point.lat + 1, south: point.lat - 1, east: point.lng, west: point.lng - 1 },
  ],
  [
    'a centre on its west edge',
    { north: point.lat + 1, south: point.lat - 1, east: point.lng + 1, west: point.lng },
  ],
  [
    'a centre just outside',
    { north: point.lat - 0.00001, south: point.lat - 1, east: point.lng + 1, west: point.lng - 1 },
  ],
]
describe.each(boxes)('§4.5 in a box: %s', (_name, box) => {
  it('returns exactly the centres inside, by name, without distance', async () => {
    const { centres, total } = await ask(service, { ...box, count: 10000 })
    expect(sorted(centres)).toEqual(sorted(all.filter((entry) => inside(entry, box))))
    expect(total).toBe(centres.length)
    expect(byName(centres)).toBe(true)
    expect(centres.filter((entry) => 'distanceKm' in entry).length).toBe(0)
  })
  it('with a point: the centres inside, nearest first', async () => {
    const { centres } = await ask(service, { ...box, lat: -37.8, lng: 144.9, count: 10000 })
    expect(sorted(centres)).toEqual(sorted(all.filter((entry) => inside(entry, box))))
    expect(rising(distances(centres))).toBe(true)
  })
  it('with a point, a radius and other filters', async () => {
    const { centres } = await ask(service, {
      ...box,
      lat: -42,
      lng: 147,
      radiusKm: 150,
      search: 'street',
      states: ['TAS', 'WA'],
      count: 10000,
    })
    for (const entry of centres)
      expect(
        inside(entry, box) &&
          found(entry, 'street') &&
          ['TAS', 'WA'].includes(str(entry['state'])) &&
          num(entry['distanceKm']) <= 150.06,
      ).toBe(true)
    const sure = all.filter(
      (entry) =>
        inside(entry, box) &&
        found(entry, 'street') &&
        ['TAS', 'WA'].includes(str(entry['state'])) &&
        kilometres(-42, 147, entry) < 149,
    )
    const got = new Set(uuids(centres))
    expect(sure.filter((entry) => !got.has(str(entry['uuid']))).length).toBe(0)
  })
})

const edges = { north: '-30', south: '-35', east: '152', west: '148' }
describe('§4.5 a radius of 0, and a point with a box', () => {
  it('radius 0 is accepted or rejected', async () => {
    const answer = await service.call('GET', centrePath, { query: { ...point, radiusKm: 0 } })
    expect([200, 400]).toContain(answer.status)
  })
  it('with a point, either all four edges of a box or none are accepted', async () => {
    expect((await ask(service, { ...point, ...edges })).answer.status).toBe(200)
  })
})
