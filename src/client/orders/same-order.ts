import { isRecord } from '../../common/known-options.js'
import type { Order, Referral } from '../../contract/types.js'
import { InvalidRequestError } from '../errors/errors.js'

/**
 * Returns a difference by which a referral certainly belongs to another order; `undefined` if there is none. It ignores the patient's details and the
 * metadata, because an update or a transfer can change them.
 */
export function differenceFrom(order: Order, referral: Referral): string | undefined {
  const { referenceNumber, tests, bundleId } = referral
  if (referenceNumber && !isSameReference(referenceNumber, order.referenceNumber))
    return 'another referenceNumber'
  if (!Array.isArray(tests)) return undefined
  const isMedicare = referral.medicare ?? referral.bulkBilled
  const isOtherBundle = order.bundleId && bundleId && bundleId !== order.bundleId
  return (isMedicare !== false && hasOrderedTests(tests, order.medicareTests)) ||
    (isMedicare !== true && !isOtherBundle && hasOrderedTests(tests, order.tests, order.bundleId))
    ? undefined
    : 'other tests'
}

/** Whether the tests are exactly the ordered ones. With a bundle, there may be more. */
function hasOrderedTests(
  found: readonly string[],
  ordered: readonly string[] = [],
  bundleId?: string,
): boolean {
  return (
    ordered.every((id) => found.includes(id)) &&
    (bundleId !== undefined || found.every((id) => ordered.includes(id)))
  )
}

/** Returns `true` when the referrals of two orders without a key may be confused. */
export function isAlike(one: Order, other: Order): boolean {
  return (
    isSameReference(one.referenceNumber, other.referenceNumber) &&
    (['firstName', 'lastName', 'dob'] as const).every((field) => one[field] === other[field])
  )
}

/** Compares a reference number with the service's value, which may lack surrounding white space. */
export function isSameReference(shown: unknown, own: string): boolean {
  return (typeof shown === 'string' || typeof shown === 'number') && String(shown).trim() === own.trim()
}

/** Returns the same text for equal orders, whatever the sequence of their fields and tests. */
export function fingerprintOf(order: Order): string {
  const { tests, medicareTests } = order
  return canonical({ ...order, tests: inOrder(tests), medicareTests: inOrder(medicareTests) })
}

function inOrder(tests: readonly string[] | undefined): readonly string[] | undefined {
  return tests && [...tests].sort()
}

/** Writes JSON with sorted fields. `JSON.stringify` with a function takes three times as long. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  let text = ''
  for (const name of Object.keys(value).sort()) {
    const field: unknown = Reflect.get(value, name)
    if (field !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonical(field)}`
  }
  return `{${text}}`
}

/** Creates the error of a key that belongs to another order. It repeats no value of the orders. */
export function keyInUse(difference: string): InvalidRequestError {
  const message = `orderKey belongs to an order with ${difference}; use a new key for a new order`
  return new InvalidRequestError('referrals.create', [{ message, field: 'orderKey' }], 'ORDER_KEY_IN_USE')
}
