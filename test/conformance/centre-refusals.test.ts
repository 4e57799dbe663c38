import { afterAll, describe, test } from 'vitest'
import { ask, centrePath, uuids } from './support/centres.js'
import { expectError } from './support/check.js'
import { str } from './support/json.js'
import { absentUuid } from './support/samples.js'
import { type Query, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const { centres: all } = await ask(service, 'count=200')
const vendors = [...new Set(all.map((entry) => str(entry['vendorId'])))]
const brands = [...new Set(all.map((entry) => str(entry['pathologyProviderId'])))]

const bad: readonly (readonly [Query, string | RegExp])[] = [
  ...['XX', 'nsw1', 'NSW,XX', 'New South Wales', 'NZ', '2000'].map(
    (one) => [{ states: one }, 'states'] as const,
  ),
  ...['nobody', `${vendors[0]},nobody`, '1', '*'].map((one) => [{ vendors: one }, 'vendors'] as const),
  ...['nobody', `${brands[0]},nobody`, '1', '_'].map(
    (one) => [{ pathologyProviders: one }, 'pathologyProviders'] as const,
  ),
  ...['XRAY', 'PATHOLOGY,XRAY', 'BLOOD', 'ALL'].map(
    (one) => [{ testingTypes: one }, 'testingTypes'] as const,
  ),
  ...['810', '08100', 'abcd', '08 10', '2000,810', '-810', '81.0', '０８１０'].map(
    (one) => [{ postcodes: one }, 'postcodes'] as const,
  ),
  ...['nonsense', '1', `${absentUuid},x`, absentUuid.slice(1), `${absentUuid}0`].map(
    (one) => [{ uuids: one }, 'uuids'] as const,
  ),
  [{ uuids: uuids(all).slice(0, 101).join(',') }, 'uuids'],
  [{ uuids: uuids(all).slice(0, 101) }, 'uuids'],
  [{ search: 'x'.repeat(101) }, 'search'],
  [{ search: 'x'.repeat(5000) }, 'search'],
  ...[
    'nonsense',
    'yesterday',
    '2024-13-01',
    '2024-02-30T00:00:00Z',
    '01/02/2024',
    'NaN',
    '2024-01-01T25:00:00Z',
  ].map((one) => [{ changedSince: one }, 'changedSince'] as const),
  ...['0', '-1', '1.5', 'abc', '-10000', '1e', 'Infinity', 'NaN', '0.5'].map(
    (one) => [{ count: one }, 'count'] as const,
  ),
  ...[
    'nonsense',
    'Count',
    'State',
    'state',
    'sort',
    'page',
    'limit',
    'offset',
    'uuid',
    'postcode',
    'vendor',
    'name',
    'q',
    'radius',
    'status',
    'latitude',
  ].map((name) => [{ [name]: 'NSW' }, name] as const),
  [{ sort: 'asc' }, 'sort'],
]
describe('§4.5 rejected with INVALID_PARAMETER, and the error names the parameter', () => {
  test.each(bad.map(([query, mention]) => [JSON.stringify(query).slice(0, 80), query, mention] as const))(
    '%s',
    async (_name, query, mention) => {
      expectError(await service.call('GET', centrePath, { query }), 400, 'INVALID_PARAMETER', mention)
    },
  )
  test('every problem is in errorList', async () => {
    const query =
      'states=XX&vendors=nobody&pathologyProviders=nobody&testingTypes=XRAY&postcodes=1&uuids=x&count=0&changedSince=x&lat=1&radiusKm=9999&north=1&nonsense=1&cursor=x'
    const mentions = [
      'states',
      'vendors',
      'pathologyProviders',
      'testingTypes',
      'postcodes',
      'uuids',
      'count',
      'changedSince',
      'lng',
      'radiusKm',
      'south',
      'nonsense',
    ]
    expectError(await service.call('GET', centrePath, { query }), 400, 'INVALID_PARAMETER', ...mentions)
  })
  test('several invalid values of one list are all named', async () => {
    expectError(
      await service.call('GET', centrePath, { query: 'states=XX,NSW,YY' }),
      400,
      'INVALID_PARAMETER',
      /states/,
    )
  })
  test.each([
    'states=nsw',
    'states=',
    'search=',
    'testingTypes=pathology',
    'vendors=',
    'states=NSW,',
    'states=NSW,,VIC',
    'states=NSW, VIC',
    'postcodes= 0810',
  ])('%s is accepted or rejected, and never causes a crash', async (query) => {
    const answer = await service.call('GET', centrePath, { query: query.replaceAll(' ', '%20') })
    if (answer.status !== 200) expectError(answer, 400, 'INVALID_PARAMETER')
  })
})
