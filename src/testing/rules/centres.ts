import { endpoints } from '../../contract/endpoints.js'
import { identifierRefusals } from './identifiers.js'
import {
  type Refusal,
  type Samples,
  type ServiceRule,
  UNKNOWN_UUID,
  type WrongQuery,
  wrongQueries,
} from './rule.js'

/** §3.4, §4.5. */
export const CENTRES_RULES: readonly ServiceRule[] = [
  {
    section: '3.4',
    text: 'A centre that is missing from a listing becomes MISSING. It becomes ACTIVE when it is listed again, and RETIRED when three listings in a row omit it.',
    fake: '`centres.weeklyRefresh()` reads a listing with the given changes. Without its field `retired`, it retires centres automatically, after the number of listings in the option `retireAfterMissingWeeks`.',
    open: "`centreRefresh: 'weekly'` reads a listing each week on the fake's clock.",
    tests: ['testing/domain/centres-refresh'],
  },
  {
    section: '4.5',
    text: "`GET /v1/collection-centres` has filters. A centre must match all filters. It matches a filter if it has one of the filter's values.",
    fake: 'A filter with several values takes them separated by commas or in repeated keys. Ids in `pathologyProviders` may have underscores instead of hyphens. Tests compare the results with a simple filter over all centres.',
    tests: ['testing/domain/centres-filters', 'testing/domain/centres-paging'],
    refusals: wrongFilters,
  },
  {
    section: '4.5',
    text: 'Around a point, the nearest centres come first, with their distance. With a radius, no centre is further away.',
    fake: 'Great-circle distance in kilometres. Without a point, centres are sorted by name.',
    open: 'The rounding of distances is not documented.',
    tests: ['testing/domain/centres-geography'],
    refusals: wrongPoints,
  },
  {
    section: '4.5',
    text: 'A box has four inclusive edges. An incomplete box, an incomplete point and swapped edges are rejected.',
    fake: 'INVALID_PARAMETER with the missing parameters.',
    tests: ['testing/domain/centres-geography', 'testing/domain/centres-filters'],
    refusals: wrongBoxes,
  },
  {
    section: '4.5',
    text: '`search` searches the name, venue, street and suburb, and ignores upper and lower case.',
    fake: 'Other fields are not searched. Wildcard characters are plain text.',
    tests: ['testing/domain/centres-filters'],
    refusals: wrongSearches,
  },
  {
    section: '4.5',
    text: 'Lists omit RETIRED centres and centres without usable coordinates. With `uuids`, a list contains both. With `changedSince`, a list contains RETIRED centres.',
    fake: 'This applies together with every other filter too.',
    tests: ['testing/domain/centres-data', 'testing/domain/centres-refresh'],
  },
  {
    section: '4.5',
    text: '`GET /v1/collection-centres/{uuid}` returns a centre of any status.',
    fake: 'COLLECTION_CENTRE_NOT_FOUND for an unknown UUID.',
    tests: ['testing/domain/centres-data'],
    refusals: () => identifierRefusals(endpoints.centres.retrieve, 'COLLECTION_CENTRE_NOT_FOUND'),
  },
]

const list = endpoints.centres.list

/** Requests with one parameter that has each of the values. */
const values = (name: string, ...wrong: readonly (string | number)[]): WrongQuery[] =>
  wrong.map((value) => [`${name}=${value}`, { [name]: value }, name])

function wrongFilters({ vendors: [vendor = ''], centres }: Samples): Refusal[] {
  return wrongQueries(list, [
    ...values('states', 'XX', 'NSW,XX', 'New South Wales', 2000),
    ...values('vendors', 'nobody', `${vendor},nobody`, '*'),
    ...values('pathologyProviders', 'nobody', '_'),
    ...values('testingTypes', 'XRAY', 'PATHOLOGY,XRAY'),
    ...values('postcodes', '810', '08100', 'abcd', '2000,810', '81.0'),
    ...values('uuids', 'nonsense', `${UNKNOWN_UUID},x`, `${UNKNOWN_UUID}0`),
    ...values('changedSince', 'yesterday', '2024-13-01', '2024-02-30T00:00:00Z', '01/02/2024'),
    ...values('count', 0, -1, 1.5, 'abc', '1e', 'Infinity'),
    ...values('cursor', 'not-a-cursor', 'e30='),
    ...values('colour', 'red'),
    ...values('sort', 'asc'),
    ...values('State', 'NSW'),
    [
      'more than 100 uuids',
      { uuids: Array.from({ length: 101 }, () => centres[0] ?? UNKNOWN_UUID).join(',') },
    ],
    [
      'several invalid parameters',
      'states=XX&vendors=nobody&testingTypes=XRAY&postcodes=1&uuids=x&count=0&changedSince=x&lat=1&north=1&colour=red',
      ...['states', 'vendors', 'testingTypes', 'postcodes', 'uuids', 'count', 'changedSince', 'colour'],
      ...['lng', 'south', 'east', 'west'],
    ],
  ])
}

function wrongPoints(): Refusal[] {
  const point = { lat: -33, lng: 151 }
  return wrongQueries(list, [
    ['lat without lng', { lat: -33 }, 'lng'],
    ['lng without lat', { lng: 151 }, 'lat'],
    ['radius without a point', { radiusKm: 5 }, 'radiusKm'],
    ...['abc', '', -91, 'NaN'].map((lat): WrongQuery => [`lat=${lat}`, { ...point, lat }, 'lat']),
    ...['abc', 181].map((lng): WrongQuery => [`lng=${lng}`, { ...point, lng }, 'lng']),
    ...[5000.1, 5001, -1, 'abc', ''].map((radiusKm): WrongQuery => {
      return [`radiusKm=${radiusKm}`, { ...point, radiusKm }, 'radiusKm']
    }),
  ])
}

function wrongBoxes(): Refusal[] {
  const box = { north: -30, south: -35, east: 152, west: 148 }
  const edges = ['north', 'south', 'east', 'west'] as const
  return wrongQueries(list, [
    ...edges.map((edge): WrongQuery => {
      const incomplete = Object.fromEntries(Object.entries(box).filter(([name]) => name !== edge))
      return [`box without ${edge}`, incomplete, edge]
    }),
    ['north below south', { ...box, north: -35, south: -30 }, 'north'],
    ['east before west', { ...box, east: 148, west: 152 }, 'east'],
    ['box across the antimeridian', { ...box, east: -170, west: 170 }, 'east'],
    ['north=abc', { ...box, north: 'abc' }, 'north'],
    ['south=-91', { ...box, south: -91 }, 'south'],
    ['east=181', { ...box, east: 181 }, 'east'],
  ])
}

function wrongSearches(): Refusal[] {
  return wrongQueries(list, [['search of 101 characters', { search: 'x'.repeat(101) }, 'search']])
}
