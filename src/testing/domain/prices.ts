import type { Fields } from '../../contract/check.js'
import { checkRequest } from '../../contract/check-request.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import type { Price } from '../../contract/types.js'
import { rejection } from '../server/api-error.js'
import { bodyFields } from '../server/call-input.js'
import type { FakeCall, HandlerTable } from '../server/context.js'
import { type CatalogueState, findBundle, findTest, type TestRecord } from '../state/catalogue.js'
import type { FakeContext } from '../state/context.js'

/** Handler of `POST /v1/calculate` (§4.3). */
export const handlers: HandlerTable<FakeContext> = { 'prices.calculate': calculate }

/** Bulk discounts on the total of the tests. The first row whose number of tests is reached applies. */
const BULK_DISCOUNTS = [
  { tests: 10, percent: 10 },
  { tests: 5, percent: 5 },
] as const

/** Fee on every order, in cents. */
const ORDER_FEE = { amount: 950, reason: 'Order fee' } as const

const GST_PERCENT = 10

function calculate(context: FakeContext, call: FakeCall): unknown {
  const body = bodyFields(call)
  const issues = checkRequest('PriceRequest', body, call.version)
  const { catalogue } = context.state
  const tests = issues.length > 0 ? [] : resolveTests(catalogue, body, issues)
  if (issues.length > 0) throw rejection(issues, ['INVALID_BUNDLE_ID'])
  return { calculatePrice: priceOf(tests) }
}

/** Returns the bundle's tests and the single tests, each once (§4.1 rule 2). Adds an issue for each unknown id. */
function resolveTests(state: CatalogueState, body: Fields, issues: IssueDraft[]): TestRecord[] {
  const ids = new Set(bundleTests(state, body['bundleId'], issues))
  const single = Array.isArray(body['tests']) ? body['tests'] : []
  for (const [place, id] of single.entries()) {
    if (findTest(state, String(id)) === undefined) {
      issues.push(fieldIssue(['tests', place], 'is not the id of a test'))
    } else ids.add(String(id))
  }
  return [...ids].flatMap((id) => findTest(state, id) ?? [])
}

function bundleTests(state: CatalogueState, bundleId: unknown, issues: IssueDraft[]): readonly string[] {
  if (typeof bundleId !== 'string') return []
  const bundle = findBundle(state, bundleId)
  if (bundle !== undefined) return bundle.testIds
  issues.push(fieldIssue(['bundleId'], 'is not the id of a bundle', 'INVALID_BUNDLE_ID'))
  return []
}

/**
 * Returns the price of some tests, every amount in cents (§2.13). The specification does not define the calculation. In
 * the fake, `subTotal` and `totalWithoutMarkup` are `testsTotal` minus discounts, `grandTotal` adds the fees, and
 * `grandTotalIncTax` adds 10 % GST. The two `…WithoutBulkDiscounts` are `grandTotal` and `grandTotalIncTax` without
 * discounts.
 */
export function priceOf(tests: readonly TestRecord[]): Price {
  const testsTotal = tests.reduce((sum, test) => sum + test.priceCents, 0)
  const discounts = discountsOn(testsTotal, tests.length)
  const subTotal = testsTotal - discounts.reduce((sum, discount) => sum + discount.amount, 0)
  const grandTotal = subTotal + ORDER_FEE.amount
  const undiscounted = testsTotal + ORDER_FEE.amount
  const tax = { amount: gstOn(grandTotal), reason: 'GST' }
  return {
    testsTotal,
    tests: tests.map((test) => ({ name: test.name, price: test.priceCents })),
    discounts,
    fees: [{ ...ORDER_FEE }],
    tax: [tax],
    subTotal,
    totalWithoutMarkup: subTotal,
    grandTotal,
    grandTotalIncTax: grandTotal + tax.amount,
    grandTotalIncTaxWithoutBulkDiscounts: undiscounted + gstOn(undiscounted),
    grandTotalWithoutBulkDiscounts: undiscounted,
  }
}

function discountsOn(testsTotal: number, count: number): { amount: number; reason: string }[] {
  const discount = BULK_DISCOUNTS.find((row) => count >= row.tests)
  if (discount === undefined) return []
  const amount = Math.round((testsTotal * discount.percent) / 100)
  return [{ amount, reason: `Bulk discount: ${discount.tests} tests or more, ${discount.percent} %` }]
}

function gstOn(amount: number): number {
  return Math.round((amount * GST_PERCENT) / 100)
}
