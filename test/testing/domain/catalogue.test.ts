import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'

import { Directory } from './directory-support.js'
import { catalogueBiomarker, testWithBiomarkers, testWithoutBiomarkers } from './shapes.js'

const tests = z.strictObject({ tests: z.array(testWithoutBiomarkers) })
const included = z.strictObject({ tests: z.array(testWithBiomarkers) })
const biomarkers = z.strictObject({ biomarkers: z.array(catalogueBiomarker) })

let api: Directory
beforeAll(async () => {
  api = await Directory.start()
})
afterAll(() => api.stop())

const NOT_BLOOD = ['urine-microscopy', 'cervical-screening', 'calprotectin', 'helicobacter-breath']

describe('GET /v1/tests', () => {
  it('§2.7 lists about sixty blood tests and some others, with unique ids', async () => {
    const list = (await api.ask('/v1/tests', tests)).tests
    expect(list.length).toBeGreaterThanOrEqual(60)
    expect(new Set(list.map((test) => test.id)).size).toBe(list.length)
  })

  it('§2.7 gives the price in dollars, and the same price in priceCents as an integer number of cents', async () => {
    const { tests: list } = await api.ask('/v1/tests', tests)
    for (const test of list) expect(Math.round(test.price * 100)).toBe(test.priceCents)
    expect(new Set(list.map((test) => test.priceCents)).size).toBeGreaterThan(10)
  })

  it('§2.7 turn-around times are strings of days, the minimum before the maximum', async () => {
    const { tests: list } = await api.ask('/v1/tests', tests)
    for (const { turnAroundTimes, turnAroundTimeAverage } of list) {
      expect(turnAroundTimes.length).toBeGreaterThan(0)
      for (const time of [...turnAroundTimes, turnAroundTimeAverage]) {
        expect(Number(time.minimumDays)).toBeLessThanOrEqual(Number(time.maximumDays))
      }
    }
  })

  it('§2.7 some tests are listed by Medicare and some are not', async () => {
    const { tests: list } = await api.ask('/v1/tests', tests)
    expect(new Set(list.map((test) => test.medicareListed))).toEqual(new Set([true, false]))
    for (const test of list.filter(({ id }) => NOT_BLOOD.includes(id)))
      expect(test.medicareListed).toBe(false)
  })

  it('§2.7 include=biomarkers adds the biomarkers, an empty list for a test with none', async () => {
    const { tests: list } = await api.ask('/v1/tests?include=biomarkers', included)
    expect(list.some((test) => test.biomarkers.length > 5)).toBe(true)
    expect(list.some((test) => test.biomarkers.length === 0)).toBe(true)
  })

  it('§2.7 biomarkers of a test have the shape and content of the biomarker list', async () => {
    const { tests: list } = await api.ask('/v1/tests?include=biomarkers', included)
    const catalogue = new Map((await api.ask('/v1/biomarkers', biomarkers)).biomarkers.map((b) => [b.id, b]))
    for (const biomarker of list.flatMap((test) => test.biomarkers)) {
      expect(biomarker).toEqual(catalogue.get(biomarker.id))
    }
  })

  it.each(['include=prices', 'include=biomarkers,prices', 'include=', 'include=Biomarkers'])(
    '§4.3 rejects %s with INVALID_PARAMETER',
    async (query) => {
      const rejection = await api.rejection(`/v1/tests?${query}`)
      expect(rejection).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' })
      expect(rejection.errorList.join()).toContain('include')
    },
  )

  it('§7 names every unknown parameter', async () => {
    const { code, errorList } = await api.rejection('/v1/tests?page=2&include=x&size=3')
    expect(code).toBe('INVALID_PARAMETER')
    expect(errorList).toHaveLength(3)
  })

  it('§9 both versions list every test, also those that 1.0.0 cannot order', async () => {
    const ids = async (version: '1.0.0' | '1.1.0') =>
      (await api.ask('/v1/tests', tests, { version })).tests.map((test) => test.id)
    const [first, second] = [await ids('1.0.0'), await ids('1.1.0')]
    expect(first).toEqual(second)
    expect(first).toEqual(expect.arrayContaining(NOT_BLOOD))
  })

  it('§9 priceCents and medicareListed are present in both versions', async () => {
    const { tests: list } = await api.ask('/v1/tests', tests, { version: '1.0.0' })
    expect(list.every((test) => test.priceCents > 0)).toBe(true)
  })
})

describe('GET /v1/biomarkers', () => {
  it('§2.8 lists the catalogue: more than a hundred entries in several categories, numeric and text', async () => {
    const { biomarkers: list } = await api.ask('/v1/biomarkers', biomarkers)
    expect(list.length).toBeGreaterThanOrEqual(100)
    expect(new Set(list.map((biomarker) => biomarker.id)).size).toBe(list.length)
    expect(new Set(list.map((biomarker) => biomarker.category.id)).size).toBeGreaterThan(10)
    expect(new Set(list.map((biomarker) => biomarker.valueType)).size).toBe(2)
  })

  it('§2.6 mostCommonUnit can differ from the canonical unit', async () => {
    const { biomarkers: list } = await api.ask('/v1/biomarkers', biomarkers)
    expect(list.some(({ canonicalUnit, mostCommonUnit }) => canonicalUnit !== mostCommonUnit)).toBe(true)
  })

  it('§7 rejects a parameter', async () => {
    expect(await api.rejection('/v1/biomarkers?count=5')).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
    })
  })
})

describe('other readings of the catalogue', () => {
  it('§9 firstVersionTests: blood-only hides the other tests under 1.0.0', async () => {
    const other = await Directory.start({ firstVersionTests: 'blood-only' })
    const { tests: list } = await other.ask('/v1/tests', tests, { version: '1.0.0' })
    expect(list.map((test) => test.id)).not.toEqual(expect.arrayContaining([NOT_BLOOD[0]]))
    expect(list.length).toBeGreaterThan(50)
    await other.stop()
  })

  it.each([
    ['array', z.array(z.unknown())],
    ['data', z.strictObject({ data: z.array(z.unknown()) })],
  ] as const)('§4.3 listWrapper: %s wraps tests and biomarkers in that form', async (listWrapper, shape) => {
    const other = await Directory.start({ listWrapper })
    await other.ask('/v1/tests', shape)
    await other.ask('/v1/biomarkers', shape)
    await other.stop()
  })

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
