import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { isRecord } from '../../common/known-options.js'
import type { Order, Referral } from '../../contract/types.js'
import { ConfigurationError, InvalidRequestError } from '../errors/errors.js'
import type { OrderFingerprint } from './order-ledger.js'

/**
 * Returns a difference by which a referral certainly belongs to another order; `undefined` if there is none. Ignores
 * the patient's details and the metadata, because an update or a transfer can change them.
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

/** Returns `true` when the tests are exactly the ordered ones. With a bundle, there may be more. */
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

/** Creates the error of a key that belongs to another order. The error repeats no value of the orders. */
export function keyInUse(difference: string): InvalidRequestError {
  const message = `orderKey belongs to an order with ${difference}; use a new key for a new order`
  return new InvalidRequestError('referrals.create', [{ message, field: 'orderKey' }], 'ORDER_KEY_IN_USE')
}

/** Key of the fingerprints in an order ledger. */
export interface OrderFingerprintKey {
  /** Name of this key. The ledger stores the name with each fingerprint, so a new key needs a new name. */
  readonly id: string
  /** Random key of at least 32 bytes, raw or as text (`openssl rand -base64 32`). */
  readonly key: Uint8Array | string
}

const MIN_KEY_BYTES = 32

const PURPOSE = 'pathology-sdk order fingerprint'

/** Makes the fingerprints of orders for an order ledger. */
export interface OrderFingerprints {
  /** Returns the same fingerprint for equal orders, whatever the sequence of their fields and tests. */
  of(order: Order): OrderFingerprint
}

/** Fingerprints for a ledger in the memory of one client: they never leave the process, so they need no key. */
export const PRIVATE_FINGERPRINTS: OrderFingerprints = {
  of: (order) => ({
    keyId: 'none',
    hash: createHash('sha256').update(textOf(order)).digest('base64url'),
  }),
}

/** Makes fingerprints with a key: nobody can guess an order from a ledger that several processes share. */
export class KeyedFingerprints implements OrderFingerprints {
  readonly #given: OrderFingerprintKey | undefined
  readonly #secret: string
  #key: { readonly id: string; readonly key: KeyObject } | undefined

  /** @param secret - Secret from which the key is derived when `given` is `undefined`. */
  constructor(given: OrderFingerprintKey | undefined, secret: string) {
    this.#given = given && checkedKey(given)
    this.#secret = secret
  }

  of(order: Order): OrderFingerprint {
    this.#key ??= this.#load()
    const { id, key } = this.#key
    return { keyId: id, hash: createHmac('sha256', key).update(textOf(order)).digest('base64url') }
  }

  #load(): { readonly id: string; readonly key: KeyObject } {
    if (this.#given !== undefined) {
      const { id, key } = this.#given
      return { id, key: createSecretKey(typeof key === 'string' ? Buffer.from(key) : key) }
    }
    const bytes = new Uint8Array(hkdfSync('sha256', this.#secret, '', PURPOSE, MIN_KEY_BYTES))
    const id = createHash('sha256').update(PURPOSE).update(bytes).digest('base64url').slice(0, 16)
    return { id: `derived-${id}`, key: createSecretKey(bytes) }
  }
}

/** Checks the option and returns a copy, because the caller may overwrite its key. */
function checkedKey(given: unknown): OrderFingerprintKey {
  const id: unknown = isRecord(given) ? Reflect.get(given, 'id') : undefined
  const key: unknown = isRecord(given) ? Reflect.get(given, 'key') : undefined
  if (typeof id !== 'string' || id.trim() === '' || id.length > 100)
    throw new ConfigurationError('orderFingerprintKey.id must be a string of 1 to 100 characters')
  const isLong = (bytes: string | Uint8Array): boolean => Buffer.byteLength(bytes) >= MIN_KEY_BYTES
  if (typeof key === 'string' && isLong(key)) return { id, key }
  if (key instanceof Uint8Array && isLong(key)) return { id, key: Uint8Array.from(key) }
  throw new ConfigurationError(
    `orderFingerprintKey.key must have at least ${MIN_KEY_BYTES} bytes (openssl rand -base64 32)`,
  )
}

/** Returns the same text for equal orders, whatever the sequence of their fields and tests. */
function textOf(order: Order): string {
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
