import { endpoints } from '../../contract/endpoints.js'
import type { ListRecords } from './lists.js'
import { type CheckContext, readPage } from './pages.js'

type Fields = Readonly<Record<string, unknown>>

const endpoint = endpoints.centres.list

/** A filter, and the rule that every centre of the filtered page must follow. */
type FilterCase = readonly [
  situation: string,
  query: Readonly<Record<string, string | number>>,
  field: string,
  expected: string,
  holds: (centre: Fields, index: number, page: readonly Fields[]) => boolean,
]

const { id, response } = endpoint
const key = `${response.key}[]`

/** Checks the filters of the list, and the rules of centres that their types do not show. */
export async function checkCentres(context: CheckContext, records: ListRecords): Promise<void> {
  const centres = records.get(id) ?? []
  const plain = context.report.at(id, 'record')
  for (const { status, distanceKm } of centres) {
    plain.expect(status !== 'RETIRED', `${key}.status`, 'not RETIRED in a plain list', 'RETIRED')
    plain.expect(distanceKm === undefined, `${key}.distanceKm`, 'missing without a point', 'number')
  }
  const sample = centres.find(({ lat, lng }) => typeof lat === 'number' && typeof lng === 'number')
  if (sample === undefined) return
  for (const [situation, query, field, expected, holds] of casesOf(sample)) {
    const page = await readPage(context, endpoint, situation, { query: { count: 50, ...query } })
    if (page === undefined) continue
    const place = context.report.at(id, situation)
    place.expect(page.items.length > 0, response.key, 'at least one centre', 'none')
    place.expect(page.items.every(holds), `${key}.${field}`, expected, 'another value')
  }
}

function casesOf(sample: Fields): readonly FilterCase[] {
  const [lat, lng] = [Number(sample['lat']), Number(sample['lng'])]
  const same = (field: string, parameter: string): FilterCase => [
    `filter ${parameter}`,
    { [parameter]: String(sample[field]) },
    field,
    'the value of the filter',
    (centre) => centre[field] === sample[field],
  ]
  // The edges of the box are inclusive. Differences of coordinates would have rounding errors, so edges are compared.
  const box = { north: lat + 0.1, south: lat - 0.1, east: lng + 0.1, west: lng - 0.1 }
  const isBetween = (value: unknown, low: number, high: number): boolean =>
    Number(value) >= low && Number(value) <= high
  const isInside = (centre: Fields): boolean =>
    isBetween(centre['lat'], box.south, box.north) && isBetween(centre['lng'], box.west, box.east)
  const distance = (centre: Fields | undefined): number => Number(centre?.['distanceKm'])
  const isSorted: FilterCase[4] = (centre, index, page) =>
    typeof centre['distanceKm'] === 'number' && (index === 0 || distance(page[index - 1]) <= distance(centre))
  const isNear = (centre: Fields): boolean => distance(centre) <= 10
  return [
    same('state', 'states'),
    same('postcode', 'postcodes'),
    same('vendorId', 'vendors'),
    same('pathologyProviderId', 'pathologyProviders'),
    same('uuid', 'uuids'),
    ['point', { lat, lng }, 'distanceKm', 'number, nearest first', isSorted],
    ['radius', { lat, lng, radiusKm: 10 }, 'distanceKm', 'at most the radius', isNear],
    ['box', box, 'lat', 'inside the box', isInside],
  ]
}
