import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { isRecord } from '../../common/known-options.js'
import type { Order } from '../../contract/types.js'
import { ConfigurationError } from '../errors/errors.js'
import type { OrderFingerprint } from './order-ledger.js'
import { fingerprintOf } from './same-order.js'

/** Key of the fingerprints in an order ledger. */
export interface OrderFingerprintKey {
  /** Name of the key in the entries. Give each key its own. */
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
    hash: createHash('sha256').update(fingerprintOf(order)).digest('base64url'),
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
    return { keyId: id, hash: createHmac('sha256', key).update(fingerprintOf(order)).digest('base64url') }
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
