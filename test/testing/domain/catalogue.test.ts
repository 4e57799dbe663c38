import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'

import { Directory } from './directory-support.js'
import { bundle, catalogueBiomarker, testWithBiomarkers, testWithoutBiomarkers } from './shapes.js'

const tests = z.strictObject({ tests: z.array(testWithoutBiomarkers) })
const included = z.strictObject({ tests: z.array(testWithBiomarkers) })
const biomarkers = z.strictObject({ biomarkers: z.array(catalogueBiomarker) })
const bundles = z.object({ bundles: z.array(bundle) })

let api: Directory
beforeAll(async () => {
  api = await Directory.start()
})
afterAll(() => api.stop())

const NOT_BLOOD = ['urine-microscopy', 'cervical-screening', 'calprotectin', 'helicobacter-breath']

describe('GET /v1/tests', () => {
  it('the catalogue has about sixty tests with unique ids (§2.7)', async () => {
    const list = (await api.ask('/v1/tests', tests)).tests
    expect(list.length).toBeGreaterThanOrEqual(60)
    expect(new Set(list.map((test) => test.id)).size).toBe(list.length)
  })

  it('a test has its price in dollars, and the same price as an integer number of cents (§2.7)', async () => {
    const { tests: list } = await api.ask('/v1/tests', tests)
    for (const test of list) expect(Math.round(test.price * 100)).toBe(test.priceCents)
    expect(new Set(list.map((test) => test.priceCents)).size).toBeGreaterThan(10)
  })

  it('turnaround times are strings of days, the minimum before the maximum, of hyphenated laboratories (§2.7)', async () => {
    const { tests: list } = await api.ask('/v1/tests', tests)
    for (const { turnAroundTimes, turnAroundTimeAverage } of list) {
      expect(turnAroundTimes.length).toBeGreaterThan(0)
      for (const time of [...turnAroundTimes, turnAroundTimeAverage]) {
        expect(Number(time.minimumDays)).toBeLessThanOrEqual(Number(time.maximumDays))
      }
      for (const { providerId } of turnAroundTimes) expect(providerId).toMatch(/^[a-z]+(-[a-z]+)*$/)
    }
  })

  it('some tests are listed by Medicare, and none of them needs another sample than blood (§2.7)', async () => {
    const { tests: list } = await api.ask('/v1/tests', tests)
    expect(new Set(list.map((test) => test.medicareListed))).toEqual(new Set([true, false]))
    for (const test of list.filter(({ id }) => NOT_BLOOD.includes(id)))
      expect(test.medicareListed).toBe(false)
  })

  it('include=biomarkers adds the entries of the biomarker list to each test, and changes nothing else (§2.7)', async () => {
    const { tests: list } = await api.ask('/v1/tests?include=biomarkers', included)
    const catalogue = new Map((await api.ask('/v1/biomarkers', biomarkers)).biomarkers.map((b) => [b.id, b]))
    for (const biomarker of list.flatMap((test) => test.biomarkers)) {
      expect(biomarker).toEqual(catalogue.get(biomarker.id))
    }
    expect(list.some((test) => test.biomarkers.length > 5)).toBe(true)
    expect(list.some((test) => test.biomarkers.length === 0)).toBe(true)
    expect(list.map(({ biomarkers: _, ...rest }) => rest)).toEqual((await api.ask('/v1/tests', tests)).tests)
  })

  it('both versions list every test with the same fields, also tests that 1.0.0 cannot order (§9)', async () => {
    const list = async (version: '1.0.0' | '1.1.0') => (await api.ask('/v1/tests', tests, { version })).tests
    const first = await list('1.0.0')
    expect(first).toEqual(await list('1.1.0'))
    expect(first.map((test) => test.id)).toEqual(expect.arrayContaining(NOT_BLOOD))
  })
})

describe('GET /v1/biomarkers', () => {
  it('the catalogue has more than a hundred biomarkers in several categories, numeric and text (§2.8)', async () => {
    const { biomarkers: list } = await api.ask('/v1/biomarkers', biomarkers)
    expect(list.length).toBeGreaterThanOrEqual(100)
    expect(new Set(list.map((biomarker) => biomarker.id)).size).toBe(list.length)
    expect(new Set(list.map((biomarker) => biomarker.category.id)).size).toBeGreaterThan(10)
    expect(new Set(list.map((biomarker) => biomarker.valueType)).size).toBe(2)
  })

  it('the unit that laboratories send most often can differ from the canonical unit (§2.6)', async () => {
    const { biomarkers: list } = await api.ask('/v1/biomarkers', biomarkers)
    expect(list.some(({ canonicalUnit, mostCommonUnit }) => canonicalUnit !== mostCommonUnit)).toBe(true)
  })
})

describe('GET /v1/bundles', () => {
  const list = async (query: string, from = api) =>
    (await from.ask(`/v1/bundles?count=20&${query}`, bundles)).bundles

  it('a bundle has its tests as the test list has them (§2.9)', async () => {
    const catalogue = new Map((await api.ask('/v1/tests', tests)).tests.map((test) => [test.id, test]))
    for (const test of (await list('')).flatMap((one) => one.tests))
      expect(test).toEqual(catalogue.get(test.id))
  })

  it('without includeUnlisted, and with false, only PUBLIC bundles are listed (§4.3)', async () => {
    const newest = await list('sort=desc')
    expect(new Set(newest.map(({ visibility }) => visibility))).toEqual(new Set(['PUBLIC']))
    expect(await list('sort=desc&includeUnlisted=false')).toEqual(newest)
  })

  it('includeUnlisted=true adds the PRIVATE bundles in order of their creation (§4.3)', async () => {
    const unlisted = await list('sort=desc&includeUnlisted=true')
    expect(unlisted.filter(({ visibility }) => visibility === 'PRIVATE').length).toBeGreaterThan(1)
    const times = unlisted.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted().reverse())
  })

  it("another organisation's bundle is never listed (§1)", async () => {
    const ids = [...(await list('includeUnlisted=true')), ...(await list('includeUnlisted=true&sort=desc'))]
    expect(ids.map(({ id }) => id)).not.toContain('elsewhere-essentials')
  })

  it('with bundleSortDefault: desc a list without sort is newest first (§4.3)', async () => {
    const other = await Directory.start({ bundleSortDefault: 'desc' })
    expect(await list('', other)).toEqual(await list('sort=desc', other))
    await other.stop()
  })
})

describe('other readings of the catalogue', () => {
  it('with firstVersionTests: blood-only version 1.0.0 does not list the other tests (§9)', async () => {
    const other = await Directory.start({ firstVersionTests: 'blood-only' })
    const { tests: list } = await other.ask('/v1/tests', tests, { version: '1.0.0' })
    expect(list.map((test) => test.id)).not.toEqual(expect.arrayContaining([NOT_BLOOD[0]]))
    expect(list.length).toBeGreaterThan(50)
    await other.stop()
  })

  it.each([
    ['array', z.array(z.unknown())],
    ['data', z.strictObject({ data: z.array(z.unknown()) })],
  ] as const)(
    'listWrapper: %s wraps tests and biomarkers in that form (§4.3)',
    async (listWrapper, shape) => {
      const other = await Directory.start({ listWrapper })
      await other.ask('/v1/tests', shape)
      await other.ask('/v1/biomarkers', shape)
      expect(Object.keys(Object((await other.send('/v1/vendors')).content))).toEqual(['vendors'])
      await other.stop()
    },
  )

  it('your own test and bundle join the catalogue; invalid ones are rejected', async () => {
    const other = await Directory.start()
    const { catalogue } = other.fake
    const mine = { id: 'my-test', name: 'My test', priceCents: 1_234, biomarkerIds: ['ferritin'] }
    expect(catalogue.addTest(mine)).toMatchObject({
      shortName: 'My test',
      medicareListed: false,
      price: 12.34,
    })
    catalogue.addBundle({ id: 'my-bundle', name: 'My bundle', testIds: ['my-test', 'hba1c', 'my-test'] })
    const { content } = await other.send('/v1/calculate', { method: 'POST', body: { bundleId: 'my-bundle' } })
    expect(content).toMatchObject({ calculatePrice: { testsTotal: 1_234 + 3_000 } })
    expect(() => catalogue.addTest({ id: 'hba1c', name: 'Twice', priceCents: 1 })).toThrow(RangeError)
    expect(() => catalogue.addTest({ id: 'half', name: 'Half a cent', priceCents: 0.5 })).toThrow(
      'priceCents must be an integer',
    )
    const urine = { id: 'u', name: 'U', priceCents: 1, sample: 'urine', medicareListed: true }
    expect(() => catalogue.addTest(urine)).toThrow('only blood tests')
    expect(() => catalogue.addTest({ id: 'b', name: 'B', priceCents: 1, biomarkerIds: ['no'] })).toThrow('no')
    expect(() => catalogue.addTest({ id: ' ', name: 'B', priceCents: 1 })).toThrow('id must be a string')
    expect(() => catalogue.addBundle({ id: 'x', name: 'X', testIds: ['nowhere'] })).toThrow('nowhere')
    expect(() => catalogue.addBundle({ id: 'x', name: 'X', testIds: [] })).toThrow('at least one test')
    expect(() => catalogue.addBundle({ id: 'my-bundle', name: 'X', testIds: ['hba1c'] })).toThrow('already')
    await other.stop()
  })
})
