import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'

import { Directory } from './directory-support.js'
import { price } from './shapes.js'

const response = z.strictObject({ calculatePrice: price })
const tests = z.object({
  tests: z.array(z.object({ id: z.string(), name: z.string(), priceCents: z.int() })),
})
const bundles = z.object({ bundles: z.array(z.object({ id: z.string(), tests: tests.shape.tests })) })

let api: Directory
beforeAll(async () => {
  api = await Directory.start()
})
afterAll(() => api.stop())

const calculate = async (body: unknown) =>
  (await api.ask('/v1/calculate', response, { method: 'POST', body })).calculatePrice
const rejection = (body: unknown) => api.rejection('/v1/calculate', { method: 'POST', body })

async function catalogue() {
  return (await api.ask('/v1/tests', tests)).tests
}

describe('POST /v1/calculate', () => {
  it('a price lists the tests with their prices, and their sum, in both versions (§2.13)', async () => {
    const [one, two] = await catalogue()
    const calculated = await calculate({ tests: [one?.id, two?.id] })
    expect(calculated.tests).toEqual([
      { name: one?.name, price: one?.priceCents },
      { name: two?.name, price: two?.priceCents },
    ])
    expect(calculated.testsTotal).toBe((one?.priceCents ?? 0) + (two?.priceCents ?? 0))
    const ask = { method: 'POST', body: { tests: [one?.id, two?.id] }, version: '1.0.0' } as const
    expect(await api.ask('/v1/calculate', response, ask)).toEqual({ calculatePrice: calculated })
  })

  it('the price of a bundle is that of its tests (§4.3)', async () => {
    const bundle = (await api.ask('/v1/bundles', bundles)).bundles[0]
    const calculated = await calculate({ bundleId: bundle?.id })
    expect(calculated.tests.map((test) => test.name)).toEqual(bundle?.tests.map((test) => test.name))
  })

  it('the price of a bundle and tests counts each test once (§4.1)', async () => {
    const bundle = (await api.ask('/v1/bundles', bundles)).bundles[0]
    const inside = bundle?.tests[0]?.id
    const extra = (await catalogue()).find(({ id }) => !bundle?.tests.some((test) => test.id === id))?.id
    const calculated = await calculate({ bundleId: bundle?.id, tests: [inside, extra, extra] })
    expect(calculated.tests).toHaveLength((bundle?.tests.length ?? 0) + 1)
  })

  it('a PRIVATE bundle has a price too (§4.3)', async () => {
    expect((await calculate({ bundleId: 'executive-check' })).tests.length).toBeGreaterThan(5)
  })

  it('the amounts of a price agree with each other for any choice of tests (§2.13)', async () => {
    const ids = (await catalogue()).map(({ id }) => id)
    const choice = fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(choice, async (chosen) => {
        const sum = (list: readonly { amount: number }[]) =>
          list.reduce((total, { amount }) => total + amount, 0)
        const it = await calculate({ tests: chosen })
        expect(it.tests).toHaveLength(chosen.length)
        expect(it.testsTotal).toBe(it.tests.reduce((total, test) => total + test.price, 0))
        expect(it.subTotal).toBe(it.testsTotal - sum(it.discounts))
        expect(it.grandTotal).toBe(it.subTotal + sum(it.fees))
        expect(it.grandTotalIncTax).toBe(it.grandTotal + sum(it.tax))
        expect(it.grandTotalWithoutBulkDiscounts).toBe(it.grandTotal + sum(it.discounts))
        expect(it.grandTotalIncTaxWithoutBulkDiscounts).toBeGreaterThanOrEqual(it.grandTotalIncTax)
        expect(it.totalWithoutMarkup).toBeLessThanOrEqual(it.grandTotal)
      }),
      { numRuns: 30 },
    )
  })

  it('GST is a tenth, on the discounted and on the undiscounted total (§2.13)', async () => {
    const it = await calculate({ bundleId: 'executive-check' })
    expect(it.tax).toEqual([{ amount: Math.round(it.grandTotal / 10), reason: 'GST' }])
    expect(it.grandTotalIncTaxWithoutBulkDiscounts).toBe(
      it.grandTotalWithoutBulkDiscounts + Math.round(it.grandTotalWithoutBulkDiscounts / 10),
    )
  })

  it('five tests get a discount of 5 %, ten one of 10 %, and four none (§2.13)', async () => {
    const ids = (await catalogue()).map(({ id }) => id)
    const [four, five, ten] = await Promise.all(
      [4, 5, 10].map((count) => calculate({ tests: ids.slice(0, count) })),
    )
    expect(four?.discounts).toEqual([])
    expect(four?.grandTotalWithoutBulkDiscounts).toBe(four?.grandTotal)
    expect(five?.discounts[0]?.amount).toBe(Math.round((five?.testsTotal ?? 0) * 0.05))
    expect(ten?.discounts[0]?.amount).toBe(Math.round((ten?.testsTotal ?? 0) * 0.1))
  })

  it('a test that does not exist gives INVALID_PAYLOAD with its place in the list (§7)', async () => {
    const { status, code, errorList } = await rejection({ tests: ['hba1c', 'phrenology'] })
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_PAYLOAD' })
    expect(errorList).toEqual([expect.stringMatching(/\[field: tests\[1\]\]$/)])
  })

  it.each(['no-such-bundle', 'elsewhere-essentials'])(
    'the bundle %s does not belong to the organisation, so its price gives INVALID_BUNDLE_ID (§7)',
    async (bundleId) => {
      expect(await rejection({ bundleId })).toMatchObject({ status: 400, code: 'INVALID_BUNDLE_ID' })
      expect(await rejection({ bundleId, tests: ['hba1c'] })).toMatchObject({ code: 'INVALID_BUNDLE_ID' })
    },
  )

  it('an unknown bundle together with an unknown test gives INVALID_PAYLOAD that names both (§7)', async () => {
    const { code, errorList } = await rejection({ bundleId: 'nowhere', tests: ['phrenology'] })
    expect(code).toBe('INVALID_PAYLOAD')
    expect(errorList).toHaveLength(2)
  })
})
