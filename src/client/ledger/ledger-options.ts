import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { isRecord } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import type { Order } from '../../contract/types.js'
import type { ResolvedOptions } from '../call/request-options.js'
import { hasMethods, milliseconds } from '../core/caller-input.js'
import { ConfigurationError } from '../errors/errors.js'
import { memoryOrderLedger } from './memory-order-ledger.js'
import type { OrderFingerprint, OrderLedger } from './order-ledger.js'

export interface LedgerOptions {
  readonly orderLedger?: OrderLedger | undefined
  readonly orderNamespace?: string | undefined
  readonly orderFingerprintKey?: OrderFingerprintKey | undefined
  readonly resendAfter?: number | undefined
}

export interface ResolvedLedgerOptions {
  readonly ledger: OrderLedger
  /** `true` for the ledger in the memory of this client. */
  readonly isPrivate: boolean
  readonly namespace: string
  readonly fingerprintOf: FingerprintOf
  /**
   * Time since the last request with the order, in milliseconds. After this time, a repeated call sends the order again
   * if the service does not list it. Infinite for never.
   */
  readonly resendAfterMs: number
}

const METHODS = ['claim', 'mark', 'unmark', 'renew', 'record', 'resolve', 'prune'] as const

/** Time for which the service may still place an order after the order's time limit, in milliseconds. */
export const RESEND_MARGIN_MS = 60_000

export function resolveLedgerOptions(given: LedgerOptions, options: ResolvedOptions): ResolvedLedgerOptions {
  const { orderLedger, orderNamespace, orderFingerprintKey, resendAfter } = given
  const { base, clientId, clientSecret, clock, timeoutMs } = options
  if (orderLedger !== undefined && !hasMethods(orderLedger, METHODS))
    throw new ConfigurationError(
      `orderLedger must be an object with ${METHODS.join('(), ')}(), such as postgresOrderLedger(pool)`,
    )
  if (orderNamespace !== undefined && (typeof orderNamespace !== 'string' || orderNamespace.trim() === ''))
    throw new ConfigurationError('orderNamespace must be a string that is not blank')
  return {
    ledger: orderLedger ?? memoryOrderLedger({ clock }),
    isPrivate: orderLedger === undefined,
    // The default does not contain the secret: otherwise no key would be found after a change of the secret.
    namespace: orderNamespace ?? `${base.origin} ${clientId}`,
    fingerprintOf: fingerprintWith(orderFingerprintKey, clientSecret),
    resendAfterMs: checkedResend(resendAfter, timeoutMs),
  }
}

function checkedResend(
  given: number = Number.POSITIVE_INFINITY,
  timeoutMs: number = endpoints.referrals.create.timeoutMs,
): number {
  const resendAfter = milliseconds('resendAfter', given)
  const least = timeoutMs + RESEND_MARGIN_MS
  if (resendAfter >= least) return resendAfter
  throw new ConfigurationError(
    `resendAfter must be at least ${least} ms, which is timeout plus ${RESEND_MARGIN_MS} ms: before that, an order that was sent may still be placed`,
  )
}

/** Key of the fingerprints in an order ledger. */
export interface OrderFingerprintKey {
  /**
   * Name of this key: 1 to 100 characters, not only white space. The ledger stores this name with each fingerprint, so
   * a new key needs a new name.
   */
  readonly id: string
  /**
   * Random key of at least 32 bytes: a `Uint8Array`, or a text such as the output of `openssl rand -base64 32`. Base64
   * is not decoded: the bytes of the text are the key.
   */
  readonly key: Uint8Array | string
}

const MIN_KEY_BYTES = 32

const PURPOSE = 'pathology-sdk order fingerprint'

/** Returns the fingerprint of an order: the same for equal orders, whatever the sequence of their fields and tests. */
export type FingerprintOf = (order: Order) => OrderFingerprint

/**
 * Returns the function that makes fingerprints with a key. Without the key, nobody can guess an order from the hashes
 * in a ledger that several processes share.
 *
 * @param secret - Secret from which the key is derived when `given` is `undefined`.
 */
export function fingerprintWith(given: OrderFingerprintKey | undefined, secret: string): FingerprintOf {
  // A key that failed to load, such as `null`, must not be replaced by the derived key.
  let own = given === undefined ? undefined : checkedKey(given)
  return (order) => {
    own ??= derivedKey(secret)
    const hash = createHmac('sha256', own.key).update(textOf(order)).digest('base64url')
    return { keyId: own.id, hash }
  }
}

function derivedKey(secret: string): OrderFingerprintKey {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', PURPOSE, MIN_KEY_BYTES))
  const id = createHash('sha256').update(PURPOSE).update(key).digest('base64url').slice(0, 16)
  return { id: `derived-${id}`, key }
}

/** Checks the option and returns a copy, because the caller may overwrite its key. */
function checkedKey(given: unknown): OrderFingerprintKey {
  const id: unknown = isRecord(given) ? Reflect.get(given, 'id') : undefined
  const key: unknown = isRecord(given) ? Reflect.get(given, 'key') : undefined
  if (typeof id !== 'string' || id.trim() === '' || id.length > 100)
    throw new ConfigurationError(
      'orderFingerprintKey.id must be a string of 1 to 100 characters, and not only white space',
    )
  const isLong = (bytes: string | Uint8Array): boolean => Buffer.byteLength(bytes) >= MIN_KEY_BYTES
  if (typeof key === 'string' && isLong(key)) return { id, key }
  if (key instanceof Uint8Array && isLong(key)) return { id, key: Uint8Array.from(key) }
  throw new ConfigurationError(
    `orderFingerprintKey.key must have at least ${MIN_KEY_BYTES} bytes (openssl rand -base64 32)`,
  )
}

function textOf(order: Order): string {
  const { tests, medicareTests } = order
  return canonical({ ...order, tests: inOrder(tests), medicareTests: inOrder(medicareTests) })
}

function inOrder(tests: readonly string[] | undefined): readonly string[] | undefined {
  return tests && [...tests].sort()
}

/** Writes JSON with sorted fields. `JSON.stringify` with a function as second argument takes three times as long. */
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
