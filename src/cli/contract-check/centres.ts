import { endpoints } from '../../contract/endpoints.js'
import { expect, type ReportPlace } from './check-response.js'
import type { ListRecords } from './lists.js'
import { type CheckContext, readPage } from './pages.js'

type Fields = Readonly<Record<string, unknown>>

const endpoint = endpoints.centres.list

/** A filter, and the rule that every centre of the filtered page must follow. */
interface FilterCase {
  readonly situation: string
  readonly query: Readonly<Record<string, string | number>>
  readonly path: string
  readonly expected: string
  readonly holds: (centre: Fields, index: number, page: readonly Fields[]) => boolean
}

/** Checks the filters of the list, and the rules of centres that their types do not show. */
export async function checkCentres(context: CheckContext, records: ListRecords): Promise<void> {
  const centres = records.get(endpoint.id) ?? []
  const place: ReportPlace = { report: context.report, endpoint: endpoint.id, situation: 'record' }
  for (const centre of centres) checkCentre(place, centre)
  const sample = centres.find(({ lat, lng }) => typeof lat === 'number' && typeof lng === 'number')
  if (sample === undefined) return
  for (const each of casesOf(sample)) {
    const { situation, query, path, expected, holds } = each
    const page = await readPage(context, endpoint, { situation, query: { count: 50, ...query } })
    if (page === undefined) continue
    const found = { ...place, situation }
    expect(found, page.items.length > 0, [endpoint.response.key, 'at least one centre', 'none'])
    expect(found, page.items.every(holds), [path, expected, 'another value'])
  }
}

function checkCentre(place: ReportPlace, centre: Fields): void {
  const key = `${endpoint.response.key}[]`
  const isListed = centre['status'] !== 'RETIRED'
  expect(place, isListed, [`${key}.status`, 'not RETIRED in a plain list', 'RETIRED'])
  const isPlain = centre['distanceKm'] === undefined
  expect(place, isPlain, [`${key}.distanceKm`, 'missing without a point', 'number'])
}

function casesOf(sample: Fields): readonly FilterCase[] {
  const [lat, lng] = [Number(sample['lat']), Number(sample['lng'])]
  const key = `${endpoint.response.key}[]`
  const same = (name: string, parameter: string): FilterCase => ({
    situation: `filter ${parameter}`,
    query: { [parameter]: String(sample[name]) },
    path: `${key}.${name}`,
    expected: 'the value of the filter',
    holds: (centre) => centre[name] === sample[name],
  })
  // The edges of the box are inclusive. Differences of coordinates would have rounding errors, so edges are compared.
  const box = { north: lat + 0.1, south: lat - 0.1, east: lng + 0.1, west: lng - 0.1 }
  const isBetween = (value: unknown, low: number, high: number): boolean =>
    Number(value) >= low && Number(value) <= high
  const distance = (centre: Fields | undefined): number => Number(centre?.['distanceKm'])
  return [
    same('state', 'states'),
    same('postcode', 'postcodes'),
    same('vendorId', 'vendors'),
    same('pathologyProviderId', 'pathologyProviders'),
    same('uuid', 'uuids'),
    {
      situation: 'point',
      query: { lat, lng },
      path: `${key}.distanceKm`,
      expected: 'number, nearest first',
      holds: (centre, index, page) =>
        typeof centre['distanceKm'] === 'number' &&
        (index === 0 || distance(page[index - 1]) <= distance(centre)),
    },
    {
      situation: 'radius',
      query: { lat, lng, radiusKm: 10 },
      path: `${key}.distanceKm`,
      expected: 'at most the radius',
      holds: (centre) => distance(centre) <= 10,
    },
    {
      situation: 'box',
      query: box,
      path: `${key}.lat`,
      expected: 'inside the box',
      holds: (centre) =>
        isBetween(centre['lat'], box.south, box.north) && isBetween(centre['lng'], box.west, box.east),
    },
  ]
}
