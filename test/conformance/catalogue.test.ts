import { afterAll, describe, expect, it } from 'vitest'
import { expectField, expectOk, expectShape, faults, integer } from './support/check.js'
import { at, first, type JsonObject, obj, objects, str } from './support/json.js'
import { bundle, catalogueBiomarker, test as testShape, vendor } from './support/objects.js'
import { recordsOf, wholeList } from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const get = async (path: string): Promise<JsonObject[]> =>
  recordsOf(expectOk(await service.call('GET', path)))
const tests = await get('/v1/tests')
const included = await get('/v1/tests?include=biomarkers')
const biomarkers = await get('/v1/biomarkers')
const bundles = await wholeList(service, '/v1/bundles')
const all = await wholeList(service, '/v1/bundles', { includeUnlisted: 'true' })
const ids = tests.map((entry) => str(entry['id']))

describe('§2.7, §4.3 tests', () => {
  it('ids are unique', () => expect(new Set(ids).size).toBe(ids.length))
  it('include changes nothing else', () => {
    expect(included.map(({ biomarkers: _, ...rest }) => rest)).toEqual(tests)
  })
  it('some tests have none, some have several', () => {
    const counts = included.map((entry) => objects(entry['biomarkers']).length)
    expect(Math.min(...counts)).toBe(0)
    expect(Math.max(...counts)).toBeGreaterThan(1)
  })
  it('each field of each included biomarker has its type', () => {
    expectShape(
      included.flatMap((entry) => objects(entry['biomarkers'])),
      catalogueBiomarker,
    )
  })
  it('each included biomarker is the entry of the biomarker list', () => {
    const byId = new Map(biomarkers.map((entry) => [entry['id'], entry]))
    for (const entry of included.flatMap((one) => objects(one['biomarkers'])))
      expect(entry).toEqual(byId.get(entry['id'] ?? ''))
  })
  it('minimum and maximum days are in order', () => {
    for (const entry of tests)
      for (const time of [obj(entry['turnAroundTimeAverage']), ...objects(entry['turnAroundTimes'])])
        expect(Number(time['minimumDays'])).toBeLessThanOrEqual(Number(time['maximumDays']))
  })
  it('medicareListed is true for some and false for some', () => {
    expect(new Set(tests.map((entry) => entry['medicareListed']))).toEqual(new Set([true, false]))
  })
  it.each(['1.0.0', '1.1.0'])('v%s has priceCents and medicareListed', async (version) => {
    const found = recordsOf(expectOk(await service.call('GET', '/v1/tests', { version })))
    for (const entry of found)
      expect(integer(entry['priceCents']) && typeof entry['medicareListed'] === 'boolean').toBe(true)
  })
  it('the provider ids of turnaround times are hyphenated', () => {
    for (const time of tests.flatMap((entry) => objects(entry['turnAroundTimes'])))
      expect(str(time['providerId'])).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  })
})

describe('§2.8 biomarkers', () => {
  it('each field has its type', () => expectShape(biomarkers, catalogueBiomarker))
  it('ids are unique', () =>
    expect(new Set(biomarkers.map((entry) => entry['id'])).size).toBe(biomarkers.length))
})

describe('§2.9, §4.3 bundles', () => {
  it('each field has its type', () => expectShape(all, bundle))
  it('lists only PUBLIC bundles by default', () =>
    expectField(bundles, 'visibility', (value) => value === 'PUBLIC'))
  it('includeUnlisted=true lists PRIVATE bundles too', () => {
    expect(new Set(all.map((entry) => entry['visibility']))).toEqual(new Set(['PUBLIC', 'PRIVATE']))
    for (const entry of bundles) expect(all.map((one) => one['id'])).toContain(entry['id'])
  })
  it('includeUnlisted=false is the default', async () => {
    expect(await wholeList(service, '/v1/bundles', { includeUnlisted: 'false' })).toEqual(bundles)
  })
  it('the tests of a bundle are entries of the test list', () => {
    for (const entry of all.flatMap((one) => objects(one['tests']))) expect(ids).toContain(entry['id'])
  })
})

describe('§2.10 vendors', async () => {
  const answer = await service.call('GET', '/v1/vendors')
  const vendors = objects(at(expectOk(answer), 'vendors'))
  it('each field has its type', () => expectShape(vendors, vendor))
  it('there are at most four, with different ids', () => {
    expect(vendors.length).toBeGreaterThan(0)
    expect(vendors.length).toBeLessThanOrEqual(4)
    expect(new Set(vendors.map((entry) => entry['id'])).size).toBe(vendors.length)
  })
  it('an unreachable laboratory is not listed', async () => {
    const id = str(first(vendors)['id'])
    await service.control('PUT', `/vendors/${id}`, { enabled: false })
    const now = objects(at((await service.call('GET', '/v1/vendors')).body, 'vendors'))
    await service.control('PUT', `/vendors/${id}`, { enabled: true })
    expect(now.map((entry) => entry['id'])).not.toContain(id)
  })
})

const calculate = async (body: unknown): Promise<JsonObject> =>
  obj(at(expectOk(await service.call('POST', '/v1/calculate', { body, version: '1.1.0' })), 'calculatePrice'))
const amounts = [
  'testsTotal',
  'subTotal',
  'totalWithoutMarkup',
  'grandTotal',
  'grandTotalIncTax',
  'grandTotalIncTaxWithoutBulkDiscounts',
  'grandTotalWithoutBulkDiscounts',
]
const somebundle = first(bundles)
const bundleTests = objects(somebundle['tests']).map((entry) => str(entry['id']))
const outside = first(ids.filter((id) => !bundleTests.includes(id)))
const bodies: [string, unknown, readonly string[]][] = [
  ['one test', { tests: [ids[0]] }, ids.slice(0, 1)],
  ['five tests', { tests: ids.slice(0, 5) }, ids.slice(0, 5)],
  ['every test', { tests: ids }, ids],
  ['a bundle', { bundleId: somebundle['id'] }, bundleTests],
  ['a bundle and a test', { bundleId: somebundle['id'], tests: [outside] }, [...bundleTests, outside]],
  ['a bundle and a test of it', { bundleId: somebundle['id'], tests: bundleTests.slice(0, 1) }, bundleTests],
  ['one test twice', { tests: [ids[0], ids[0]] }, ids.slice(0, 1)],
]
const priceOf = (id: string): number => Number(tests.find((entry) => entry['id'] === id)?.['priceCents'])

describe.each(bodies)('§2.13 the price of %s', async (_name, body, bought) => {
  const price = await calculate(body)
  it('amounts are integer numbers of cents, and not negative', () => {
    for (const name of amounts) {
      expect(integer(price[name]), name).toBe(true)
      expect(Number(price[name]), name).toBeGreaterThanOrEqual(0)
    }
  })
  it('each test has its name and price', () => {
    const entries = objects(price['tests'])
    expect(entries.length).toBe(bought.length)
    for (const entry of entries)
      expect(typeof entry['name'] === 'string' && integer(entry['price'])).toBe(true)
    const names = bought.map((id) => tests.find((one) => one['id'] === id)?.['name'])
    expect(entries.map((entry) => entry['name']).sort()).toEqual(names.sort())
  })
  it('testsTotal is the sum of the prices', () => {
    expect(objects(price['tests']).reduce((sum, entry) => sum + Number(entry['price']), 0)).toBe(
      price['testsTotal'],
    )
  })
  it('their prices are those of the catalogue', () => {
    expect(price['testsTotal']).toBe(bought.reduce((sum, id) => sum + priceOf(id), 0))
  })
  it('discounts, fees and tax are lists', () => {
    expect(Array.isArray(price['discounts'])).toBe(true)
    for (const name of ['fees', 'tax'])
      for (const entry of objects(price[name]))
        expect(integer(entry['amount']) && typeof entry['reason'] === 'string').toBe(true)
  })
  it('tax is the difference of the grand totals', () => {
    const tax = objects(price['tax']).reduce((sum, entry) => sum + Number(entry['amount']), 0)
    expect(Number(price['grandTotalIncTax']) - Number(price['grandTotal'])).toBe(tax)
  })
})

describe('§4.3 bundles and prices', () => {
  it('each test of a bundle has the shape of §2.7 too', () => {
    for (const entry of all.flatMap((one) => objects(one['tests'])))
      expect(faults(entry, testShape)).toEqual([])
  })
  it('calculate works on v1.0.0 with tests', async () => {
    expectOk(await service.call('POST', '/v1/calculate', { body: { tests: [ids[0]] } }))
  })
})
