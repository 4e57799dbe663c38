import { ConfigurationError } from '../../common/errors.js'
import { isRecord } from '../../common/known-options.js'
import { isBytes } from '../../contract/realms.js'
import type { OrderFingerprintKey } from './order-ledger.js'

/** Options of each ledger of this package. */
export interface LedgerNames {
  /**
   * Namespace of the client's keys, not only white space. Set it when one organisation uses several client IDs.
   * @defaultValue the origin of `baseUrl`, a space, and `clientId`; a new secret does not change this default
   */
  readonly namespace?: string | undefined
  /**
   * Key of the hashes in the ledger. The client compares the hashes to detect a different order under the same
   * `orderKey`. After a change of the key's `id`, an order is compared with the service's referrals instead.
   * @defaultValue derived from `clientSecret`
   */
  readonly fingerprintKey?: OrderFingerprintKey | undefined
}

/** Base of the ledgers of this package. The key is not printed with a ledger. */
export abstract class NamedLedger {
  readonly #names: LedgerNames

  constructor(owner: string, names: LedgerNames) {
    this.#names = checkedNames(owner, names)
  }

  get namespace(): string | undefined {
    return this.#names.namespace
  }

  get fingerprintKey(): OrderFingerprintKey | undefined {
    return this.#names.fingerprintKey
  }
}

/** @throws {@link ConfigurationError} for a blank namespace or a key that is too short. */
export function checkedNames(owner: string, { namespace, fingerprintKey }: LedgerNames): LedgerNames {
  if (namespace !== undefined && (typeof namespace !== 'string' || namespace.trim() === ''))
    throw new ConfigurationError(`${owner}: namespace must be a string that is not blank`)
  // A key that failed to load, such as `null`, must not be replaced by the derived key.
  return {
    namespace,
    fingerprintKey: fingerprintKey === undefined ? undefined : checkedKey(owner, fingerprintKey),
  }
}

export const MIN_KEY_BYTES = 32

/** Returns a copy of a checked key, because the caller may overwrite its bytes. */
function checkedKey(owner: string, given: unknown): OrderFingerprintKey {
  const id: unknown = isRecord(given) ? Reflect.get(given, 'id') : undefined
  const key: unknown = isRecord(given) ? Reflect.get(given, 'key') : undefined
  if (typeof id !== 'string' || id.trim() === '' || id.length > 100)
    throw new ConfigurationError(
      `${owner}: fingerprintKey.id must be a string of 1 to 100 characters, and not only white space`,
    )
  const isLong = (bytes: string | Uint8Array): boolean => Buffer.byteLength(bytes) >= MIN_KEY_BYTES
  if (typeof key === 'string' && isLong(key)) return { id, key }
  if (isBytes(key) && isLong(key)) return { id, key: Uint8Array.from(key) }
  throw new ConfigurationError(
    `${owner}: fingerprintKey.key must have at least ${MIN_KEY_BYTES} bytes (openssl rand -base64 32)`,
  )
}
