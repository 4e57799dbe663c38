import fc from 'fast-check'
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

interface Point {
  readonly lat: number
  readonly lng: number
}

/** By the spherical law of cosines on vectors, to check the fake's haversine with another formula. */
function kilometres(one: Point, other: Point): number {
  const vector = ({ lat, lng }: Point) => {
    const [phi, lambda] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180]
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)] as const
  }
  const [a, b] = [vector(one), vector(other)]
  return 6_371 * 2 * Math.asin(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / 2)
}

const MELBOURNE = { lat: -37.8136, lng: 144.9631 }
const AT_MELBOURNE = `lat=${MELBOURNE.lat}&lng=${MELBOURNE.lng}`

const australia = fc.record({
  lat: fc.double({ min: -44, max: -10, noNaN: true }),
  lng: fc.double({ min: 112, max: 154, noNaN: true }),
})

describe('searching around a point', () => {
  it('a search around a point lists every centre, nearest first, with its distance (§4.5)', async () => {
    const { collectionCentres, totalResults } = await list(AT_MELBOURNE)
    expect(totalResults).toBe(centres.length)
    const distances = collectionCentres.map(({ distanceKm }) => distanceKm ?? Number.NaN)
    expect(distances).toEqual(distances.toSorted((one, other) => one - other))
    for (const entry of collectionCentres) {
      expect(Math.abs((entry.distanceKm ?? Number.NaN) - kilometres(MELBOURNE, entry))).toBeLessThan(0.001)
    }
    expect(collectionCentres[0]?.state).toBe('VIC')
  })

  it('distanceKm is present only around a point (§2.11)', async () => {
    expect(centres.some((entry) => 'distanceKm' in entry)).toBe(false)
    const box = await list('north=-10&south=-44&east=154&west=112')
    expect(box.collectionCentres.some((entry) => 'distanceKm' in entry)).toBe(false)
  })

  it('the radius is applied exactly, for any point (§4.5)', async () => {
    await fc.assert(
      fc.asyncProperty(australia, fc.double({ min: 0, max: 900, noNaN: true }), async (point, radiusKm) => {
        const { collectionCentres } = await list(`lat=${point.lat}&lng=${point.lng}&radiusKm=${radiusKm}`)
        const within = centres.filter((entry) => kilometres(point, entry) <= radiusKm)
        expect(collectionCentres.map(({ uuid }) => uuid).toSorted()).toEqual(
          within.map(({ uuid }) => uuid).toSorted(),
        )
      }),
      { numRuns: 15 },
    )
  })

  it('a radius is inclusive: the exact distance of a centre finds that centre (§4.5)', async () => {
    const fifth = (await list(AT_MELBOURNE)).collectionCentres[4]
    const { collectionCentres } = await list(`${AT_MELBOURNE}&radiusKm=${fifth?.distanceKm}`)
    expect(collectionCentres.at(-1)?.uuid).toBe(fifth?.uuid)
    expect(collectionCentres).toHaveLength(5)
  })

  it('a radius of 5000 km is accepted (§8)', async () => {
    expect((await list(`${AT_MELBOURNE}&radiusKm=5000`)).totalResults).toBe(centres.length)
  })

  it('a centre without usable coordinates has no distance, and comes last (§4.5)', async () => {
    const shown = new Set(centres.map(({ uuid }) => uuid))
    const lost = api.fake.centres.all().find(({ uuid, status }) => status === 'ACTIVE' && !shown.has(uuid))
    const query = `uuids=${lost?.uuid},${centres[0]?.uuid}&${AT_MELBOURNE}`
    const { collectionCentres } = await list(query)
    expect(collectionCentres.map(({ uuid }) => uuid)).toEqual([centres[0]?.uuid, lost?.uuid])
    expect(collectionCentres.map((entry) => 'distanceKm' in entry)).toEqual([true, false])
    expect((await list(`${query}&radiusKm=5000`)).totalResults).toBe(1)
  })

  it('0 is a valid coordinate (§4.5)', async () => {
    expect((await list('lat=0&lng=0')).totalResults).toBe(centres.length)
  })
})

describe('searching in a box', () => {
  it('a box finds the centres inside, by name, for any box (§4.5)', async () => {
    await fc.assert(
      fc.asyncProperty(australia, australia, async (one, other) => {
        const box = {
          north: Math.max(one.lat, other.lat),
          south: Math.min(one.lat, other.lat),
          east: Math.max(one.lng, other.lng),
          west: Math.min(one.lng, other.lng),
        }
        const query = Object.entries(box).map(([edge, degrees]) => `${edge}=${degrees}`)
        const { collectionCentres } = await list(query.join('&'))
        const inside = centres.filter(
          ({ lat, lng }) => lat <= box.north && lat >= box.south && lng <= box.east && lng >= box.west,
        )
        expect(collectionCentres.map(({ uuid }) => uuid)).toEqual(inside.map(({ uuid }) => uuid))
      }),
      { numRuns: 15 },
    )
  })

  it('the edges of a box are inclusive: a box as small as a point finds the centre on it (§4.5)', async () => {
    for (const { lat, lng, uuid } of [centres[0], centres[634], centres[700]].flatMap(
      (entry) => entry ?? [],
    )) {
      const { collectionCentres } = await list(`north=${lat}&south=${lat}&east=${lng}&west=${lng}`)
      expect(collectionCentres.map((entry) => entry.uuid)).toContain(uuid)
    }
  })

  it('a box with a point and a radius finds the centres inside both (§4.5)', async () => {
    const box = { north: -37, south: -38.5, east: 146, west: 144 }
    const { collectionCentres } = await list(
      `north=${box.north}&south=${box.south}&east=${box.east}&west=${box.west}&${AT_MELBOURNE}&radiusKm=20`,
    )
    const both = centres.filter(
      (entry) =>
        entry.lat <= box.north &&
        entry.lat >= box.south &&
        entry.lng <= box.east &&
        entry.lng >= box.west &&
        kilometres(MELBOURNE, entry) <= 20,
    )
    expect(collectionCentres).toHaveLength(both.length)
    expect(both.length).toBeGreaterThan(20)
  })

  it('centres with unusable coordinates are in no box (§4.5)', async () => {
    const world = await list('north=90&south=-90&east=180&west=-180')
    expect(world.totalResults).toBe(centres.length)
  })
})
