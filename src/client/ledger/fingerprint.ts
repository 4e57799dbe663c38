import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { isRecord } from '../../common/known-options.js'
import type { Order } from '../../contract/types.js'
import { MIN_KEY_BYTES } from './ledger-names.js'
import type { OrderFingerprint, OrderFingerprintKey } from './order-ledger.js'

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
  let own = given
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
