import { afterAll, describe, expect, it } from 'vitest'
import { shareOf } from '../support/sample.js'
import { ask, byName, centrePath, found, text, uuids } from './support/centres.js'
import { expectError } from './support/check.js'
import { first, type JsonObject, str, strings } from './support/json.js'
import { absentUuid } from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const { centres: all } = await ask(service, 'count=10000')
const same = (list: readonly JsonObject[], wanted: readonly JsonObject[]): void =>
  expect(uuids(list).sort()).toEqual(uuids(wanted).sort())
const values = (name: string): string[] => [...new Set(all.map((entry) => str(entry[name])))]
const states = ['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'NT', 'ACT']
const vendors = values('vendorId')
const brands = values('pathologyProviderId')
const postcodes = values('postcode')

/** All centres that the query finds, compared with a filter over the copy, in order of name. */
const expectFilter = async (
  query: Readonly<Record<string, string | readonly string[]>>,
  keep: (entry: JsonObject) => boolean,
): Promise<void> => {
  const { centres, total } = await ask(service, { ...query, count: '10000' })
  same(centres, all.filter(keep))
  expect(total).toBe(centres.length)
  expect(byName(centres)).toBe(true)
}
const isIn =
  (name: string, wanted: readonly string[]) =>
  (entry: JsonObject): boolean =>
    wanted.includes(str(entry[name]))

describe('§4.5 one filter, one value', () => {
  it.each(states)('states=%s', (state) => expectFilter({ states: state }, isIn('state', [state])))
  it.each(vendors)('vendors=%s', (vendor) => expectFilter({ vendors: vendor }, isIn('vendorId', [vendor])))
  it.each(shareOf(brands, 0, 4))('pathologyProviders=%s', (brand) =>
    expectFilter({ pathologyProviders: brand }, isIn('pathologyProviderId', [brand])),
  )
  it.each(
    shareOf(brands, 0, 4)
      .filter((brand) => brand.includes('-'))
      .map((brand) => [brand.replaceAll('-', '_'), brand]),
  )('pathologyProviders=%s, spelt with underscores', (spelt, brand) =>
    expectFilter({ pathologyProviders: spelt }, isIn('pathologyProviderId', [brand])),
  )
  it('testingTypes=PATHOLOGY', () => expectFilter({ testingTypes: 'PATHOLOGY' }, () => true))
  it('testingTypes=IMAGING', () => expectFilter({ testingTypes: 'IMAGING' }, () => false))
  it.each([...postcodes.slice(0, 3), ...postcodes.filter((one) => one.startsWith('0')).slice(0, 1)])(
    'postcodes=%s',
    (postcode) => expectFilter({ postcodes: postcode }, isIn('postcode', [postcode])),
  )
  it('postcodes that no centre has', () => expectFilter({ postcodes: '9999' }, isIn('postcode', ['9999'])))
})

const some = first(all)
const lists: readonly (readonly [string, string, readonly string[]])[] = [
  ['states', 'state', ['NT', 'ACT']],
  ['states', 'state', states],
  ['states', 'state', ['TAS', 'TAS']],
  ['vendors', 'vendorId', vendors.slice(0, 2)],
  ['vendors', 'vendorId', vendors],
  ['pathologyProviders', 'pathologyProviderId', brands.slice(0, 5)],
  ['pathologyProviders', 'pathologyProviderId', brands],
  ['postcodes', 'postcode', postcodes.slice(3, 9)],
  ['uuids', 'uuid', uuids(all).slice(0, 2)],
  ['uuids', 'uuid', uuids(all).slice(50, 150)],
]
describe('§4.5 one filter, several values', () => {
  it.each(shareOf(lists, 0, 3))('%s of %s by commas: %j', (name, field, wanted) =>
    expectFilter({ [name]: wanted.join(',') }, isIn(field, wanted)),
  )
  it.each(shareOf(lists, 1, 3))('%s of %s by a repeated key: %j', (name, field, wanted) =>
    expectFilter({ [name]: wanted }, isIn(field, wanted)),
  )
  it.each(shareOf(lists, 2, 3))('%s of %s by commas and a repeated key: %j', (name, field, wanted) =>
    expectFilter(
      { [name]: [wanted.slice(0, 1).join(','), wanted.slice(1).join(',')].filter((one) => one !== '') },
      isIn(field, wanted),
    ),
  )
  it('testingTypes of both kinds', () => expectFilter({ testingTypes: 'IMAGING,PATHOLOGY' }, () => true))
  it('a hyphenated and an underscored provider', () =>
    expectFilter(
      { pathologyProviders: [brands[0] ?? '', (brands[1] ?? '').replaceAll('-', '_')] },
      isIn('pathologyProviderId', brands.slice(0, 2)),
    ))
  it('unknown uuids next to known ones are ignored', () =>
    expectFilter({ uuids: [absentUuid, str(some['uuid'])] }, isIn('uuid', [str(some['uuid'])])))
  it('only unknown uuids', () => expectFilter({ uuids: absentUuid }, () => false))
  it('uuids in capitals', async () => {
    const answer = await service.call('GET', centrePath, {
      query: { uuids: str(some['uuid']).toUpperCase() },
    })
    expect([200, 400]).toContain(answer.status)
  })
})

const brandOf = (vendor: string): string =>
  str(first(all.filter(isIn('vendorId', [vendor])))['pathologyProviderId'])
const [big = '', other = ''] = [...vendors].sort(
  (a, b) => all.filter(isIn('vendorId', [b])).length - all.filter(isIn('vendorId', [a])).length,
)
const pairs: readonly (readonly [
  string,
  Readonly<Record<string, string>>,
  (entry: JsonObject) => boolean,
])[] = [
  [
    'vendor and its provider',
    { vendors: big, pathologyProviders: brandOf(big) },
    isIn('pathologyProviderId', [brandOf(big)]),
  ],
  ['vendor and a provider of another', { vendors: big, pathologyProviders: brandOf(other) }, () => false],
  [
    'two vendors and one provider',
    { vendors: `${big},${other}`, pathologyProviders: brandOf(other) },
    isIn('pathologyProviderId', [brandOf(other)]),
  ],
  [
    'state and vendor',
    { states: 'TAS', vendors: big },
    (entry) => entry['state'] === 'TAS' && entry['vendorId'] === big,
  ],
  ['state and postcode elsewhere', { states: 'TAS', postcodes: '0810' }, () => false],
  ['state and postcode', { states: 'NT', postcodes: '0810,0800' }, isIn('postcode', ['0810', '0800'])],
  ['state and type', { states: 'ACT', testingTypes: 'PATHOLOGY' }, isIn('state', ['ACT'])],
  ['state and no type', { states: 'ACT', testingTypes: 'IMAGING' }, () => false],
  ['uuid and its state', { uuids: str(some['uuid']), states: str(some['state']) }, (entry) => entry === some],
  [
    'uuid and another state',
    { uuids: str(some['uuid']), states: first(states.filter((one) => one !== some['state'])) },
    () => false,
  ],
  [
    'search and state',
    { search: 'street', states: 'SA' },
    (entry) => found(entry, 'street') && entry['state'] === 'SA',
  ],
  [
    'search, state, vendor, provider',
    { search: 'a', states: 'NSW,QLD', vendors: big, pathologyProviders: brandOf(big) },
    (entry) =>
      found(entry, 'a') &&
      ['NSW', 'QLD'].includes(str(entry['state'])) &&
      entry['pathologyProviderId'] === brandOf(big),
  ],
]
describe('§4.5 filters combine with AND', () => {
  it.each(pairs)('%s', (_name, query, keep) => expectFilter(query, keep))
})

const middle = (words: string): string => words.slice(1, Math.max(3, words.length - 1))
const terms = [some, ...all.filter((_entry, index) => index % 700 === 350)].flatMap((entry) =>
  ['name', 'venueName', 'address', 'city']
    .map((name) => text(entry, name))
    .filter((words) => words.length > 3),
)
const oddTerms = [
  '%',
  '_',
  '.',
  '.*',
  '(',
  "'",
  '&',
  '-',
  '\\',
  '1',
  'zzzzqqqq',
  'St',
  'a b',
  '+',
  'é',
  '"',
  '[',
  '$',
]
/** Words that occur in records, but in no searched field. */
const unsearched = (words: readonly string[]): string =>
  words.find((one) => one !== '' && !all.some((entry) => found(entry, one))) ?? ''
describe('§4.5 search', () => {
  it.each(shareOf(terms, 0, 4))('the complete value of %s', (search) =>
    expectFilter({ search }, (entry) => found(entry, search)),
  )
  it.each(shareOf(terms, 1, 4))('a part of %s', (search) =>
    expectFilter(
      { search: middle(search) },
      (entry) => found(entry, middle(search)) || found(entry, middle(search).trim()),
    ),
  )
  it.each(shareOf(terms, 2, 12))('%s in capitals', (search) =>
    expectFilter({ search: search.toUpperCase() }, (entry) => found(entry, search)),
  )
  it.each(shareOf(terms, 3, 12))('%s in small letters', (search) =>
    expectFilter({ search: search.toLowerCase() }, (entry) => found(entry, search)),
  )
  it.each(oddTerms)('%s is text, not a pattern', (search) =>
    expectFilter({ search }, (entry) => found(entry, search)),
  )
  it.each(['phone', 'vendorName', 'pathologyProviderName', 'uuid'])('%s is not searched', async (name) => {
    const search = unsearched(all.map((entry) => text(entry, name)))
    await expectFilter({ search }, () => false)
  })
  it('services and notes are not searched', async () => {
    const search = unsearched(all.flatMap((entry) => strings(entry['services'])))
    await expectFilter({ search }, () => false)
  })
  it('a search of 100 characters is accepted', () => expectFilter({ search: 'x'.repeat(100) }, () => false))
})

describe('§4.5 spellings that the interface does not mention', () => {
  it.each([
    'states=nsw',
    'states=',
    'search=',
    'vendors=',
    'states=NSW,,VIC',
    'states=NSW,%20VIC',
    'postcodes=%200810',
  ])('%s is accepted or rejected, and never causes a crash', async (query) => {
    const answer = await service.call('GET', centrePath, { query })
    if (answer.status !== 200) expectError(answer, 400, 'INVALID_PARAMETER')
  })
})
