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
  it('§2.13 lists the tests with their prices, and their sum', async () => {
    const [one, two] = await catalogue()
    const calculated = await calculate({ tests: [one?.id, two?.id] })
    expect(calculated.tests).toEqual([
      { name: one?.name, price: one?.priceCents },
      { name: two?.name, price: two?.priceCents },
    ])
    expect(calculated.testsTotal).toBe((one?.priceCents ?? 0) + (two?.priceCents ?? 0))
  })

  it('§4.3 accepts only a bundle: its tests', async () => {
    const bundle = (await api.ask('/v1/bundles', bundles)).bundles[0]
    const calculated = await calculate({ bundleId: bundle?.id })
    expect(calculated.tests.map((test) => test.name)).toEqual(bundle?.tests.map((test) => test.name))
  })

  it('§4.1 rule 2 a bundle and tests: both, each test once', async () => {
    const bundle = (await api.ask('/v1/bundles', bundles)).bundles[0]
    const inside = bundle?.tests[0]?.id
    const extra = (await catalogue()).find(({ id }) => !bundle?.tests.some((test) => test.id === id))?.id
    const calculated = await calculate({ bundleId: bundle?.id, tests: [inside, extra, extra] })
    expect(calculated.tests).toHaveLength((bundle?.tests.length ?? 0) + 1)
  })

  it('§4.3 accepts a PRIVATE bundle', async () => {
    expect((await calculate({ bundleId: 'executive-check' })).tests.length).toBeGreaterThan(5)
  })

  it('§2.13 amounts agree with each other for any choice of tests', async () => {
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

  it('§2.13 GST is a tenth, on the discounted and on the undiscounted total', async () => {
    const it = await calculate({ bundleId: 'executive-check' })
    expect(it.tax).toEqual([{ amount: Math.round(it.grandTotal / 10), reason: 'GST' }])
    expect(it.grandTotalIncTaxWithoutBulkDiscounts).toBe(
      it.grandTotalWithoutBulkDiscounts + Math.round(it.grandTotalWithoutBulkDiscounts / 10),
    )
  })

  it('§2.13 few tests get no discount, many do', async () => {
    const ids = (await catalogue()).map(({ id }) => id)
    const [four, five, ten] = await Promise.all(
      [4, 5, 10].map((count) => calculate({ tests: ids.slice(0, count) })),
    )
    expect(four?.discounts).toEqual([])
    expect(four?.grandTotalWithoutBulkDiscounts).toBe(four?.grandTotal)
    expect(five?.discounts[0]?.amount).toBe(Math.round((five?.testsTotal ?? 0) * 0.05))
    expect(ten?.discounts[0]?.amount).toBe(Math.round((ten?.testsTotal ?? 0) * 0.1))
  })

  it('§4.3 changes nothing: the same request has the same response', async () => {
    const body = { tests: ['hba1c', 'ferritin'] }
    expect(await calculate(body)).toEqual(await calculate(body))
  })

  it('§7 a test that does not exist: INVALID_PAYLOAD that names its place', async () => {
    const { status, code, errorList } = await rejection({ tests: ['hba1c', 'phrenology'] })
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_PAYLOAD' })
    expect(errorList).toEqual([expect.stringMatching(/\[field: tests\[1\]\]$/)])
  })

  it.each(['no-such-bundle', 'elsewhere-essentials'])(
    '§7 a bundle that does not belong to the organisation: INVALID_BUNDLE_ID (%s)',
    async (bundleId) => {
      expect(await rejection({ bundleId })).toMatchObject({ status: 400, code: 'INVALID_BUNDLE_ID' })
      expect(await rejection({ bundleId, tests: ['hba1c'] })).toMatchObject({ code: 'INVALID_BUNDLE_ID' })
    },
  )

  it('§7 an unknown bundle together with an unknown test: INVALID_PAYLOAD that names both', async () => {
    const { code, errorList } = await rejection({ bundleId: 'nowhere', tests: ['phrenology'] })
    expect(code).toBe('INVALID_PAYLOAD')
    expect(errorList).toHaveLength(2)
  })

  it.each([
    [{}],
    [{ tests: [] }],
    [{ tests: 'hba1c' }],
    [{ tests: [7] }],
    [{ tests: [''] }],
    [{ bundleId: 12 }],
    [{ bundleId: '' }],
    [{ tests: ['hba1c'], coupon: 'x' }],
    [[]],
    ['hba1c'],
  ])('§4.3 rejects %j with INVALID_PAYLOAD', async (body) => {
    const { status, code, errorList } = await rejection(body)
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_PAYLOAD' })
    expect(errorList.length).toBeGreaterThan(0)
  })

  it('§7 rejects a query parameter', async () => {
    const ask = { method: 'POST', body: { tests: ['hba1c'] } } as const
    expect(await api.rejection('/v1/calculate?dry=1', ask)).toMatchObject({ code: 'INVALID_PARAMETER' })
  })
})
