import { isRecord } from '../../common/known-options.js'
import type { Order, Referral } from '../../contract/types.js'
import { InvalidRequestError } from '../errors/errors.js'

/**
 * In what a referral certainly differs from an order; `undefined` when it may be the order's. An update changes the
 * patient's details and the metadata, and a transfer the patient (§3.1, §4.1): none of these tells anything.
 */
export function differenceFrom(order: Order, referral: Referral): string | undefined {
  const { referenceNumber, tests, bundleId } = referral
  if (referenceNumber && !isSameReference(referenceNumber, order.referenceNumber))
    return 'another referenceNumber'
  if (!Array.isArray(tests)) return undefined
  const isMedicare = referral.medicare ?? referral.bulkBilled
  const isOtherBundle = order.bundleId && bundleId && bundleId !== order.bundleId
  return (isMedicare !== false && fits(tests, order.medicareTests)) ||
    (isMedicare !== true && !isOtherBundle && fits(tests, order.tests, order.bundleId))
    ? undefined
    : 'other tests'
}

/** Exactly the tests that were ordered, or a bundle's tests besides (§4.1 rule 2). */
function fits(found: readonly string[], ordered: readonly string[] = [], bundleId?: string): boolean {
  return (
    ordered.every((id) => found.includes(id)) &&
    (bundleId !== undefined || found.every((id) => ordered.includes(id)))
  )
}

/** Whether the referrals of two orders without a key could be taken for one another. */
export function isAlike(one: Order, other: Order): boolean {
  return (
    isSameReference(one.referenceNumber, other.referenceNumber) &&
    (['firstName', 'lastName', 'dob'] as const).every((field) => one[field] === other[field])
  )
}

/** Whether what the service shows is a reference number of ours. It may have taken white space off its ends. */
export function isSameReference(shown: unknown, own: string): boolean {
  return (typeof shown === 'string' || typeof shown === 'number') && String(shown).trim() === own.trim()
}

/** The same for two orders that ask for the same, whatever the order of their fields and tests. */
export function fingerprintOf(order: Order): string {
  const { tests, medicareTests } = order
  return JSON.stringify({ ...order, tests: inOrder(tests), medicareTests: inOrder(medicareTests) }, sorted)
}

function inOrder(tests: readonly string[] | undefined): readonly string[] | undefined {
  return tests && [...tests].sort()
}

/** For `JSON.stringify`: objects with their fields by name, however deep. */
function sorted(_name: string, value: unknown): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Nothing was ordered, because the key is another order's. No value of either order is repeated. */
export function keyInUse(difference: string): InvalidRequestError {
  const message = `orderKey belongs to an order with ${difference}`
  return new InvalidRequestError('referrals.create', [{ message, field: 'orderKey' }], 'ORDER_KEY_IN_USE')
}
