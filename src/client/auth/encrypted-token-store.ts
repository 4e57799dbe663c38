import { ownOptions } from '../../common/known-options.js'
import { loaded } from '../core/lazy-import.js'
import { ConfigurationError } from '../errors/errors.js'
import type { EntryCipher, EntryKeys } from './token-cipher.js'
import type { TokenStore } from './token-store.js'

/** A key for {@link encryptedTokenStore}: 32 random bytes, as they are or in base64 (`openssl rand -base64 32`). */
export type TokenStoreKey = Uint8Array | string

/** Options of {@link encryptedTokenStore}. */
export interface EncryptedTokenStoreOptions {
  /** Called for each entry that none of the keys opens: a key that is missing here, or an entry that was tampered with. */
  readonly onUnreadable?: (() => void) | undefined
}

const KEY_BYTES = 32

/**
 * A store whose entries only the holders of a key can read: JWE, direct encryption with AES-256-GCM. An entry belongs
 * to its name, so that one put in another's place is not taken for it.
 *
 * The first key encrypts, all of them decrypt. To rotate, give every process the new key as the second; when all have
 * it, make it the first; later drop the old one. An entry that cannot be decrypted counts as none, and the client gets
 * new tokens.
 *
 * ```ts
 * const keys = process.env.TOKEN_STORE_KEYS.split(',') // each: openssl rand -base64 32
 * new PathologyClient({ tokenStore: encryptedTokenStore(new Keyv(), keys) })
 * ```
 *
 * @param store - Where the entries are kept. What it throws is passed on.
 * @param keys - One key, or several: the one that encrypts first, then older or newer ones that still decrypt.
 * @throws {@link ConfigurationError} when a key is not 32 bytes. The message holds nothing of it.
 */
export function encryptedTokenStore(
  store: TokenStore,
  keys: TokenStoreKey | readonly TokenStoreKey[],
  options: EncryptedTokenStoreOptions = {},
): TokenStore {
  const checked = readKeys(keys)
  const { onUnreadable } = ownOptions('encryptedTokenStore', options)
  let cipher: Promise<EntryCipher> | undefined
  const load = (): Promise<EntryCipher> => {
    cipher ??= loaded(loadCipher(checked)).catch((error: unknown) => {
      cipher = undefined
      throw error
    })
    return cipher
  }
  return {
    async get(name) {
      const entry = await store.get(name)
      if (entry === undefined || entry === null) return undefined
      const value = await (await load()).decrypt(name, entry)
      if (value === undefined) onUnreadable?.()
      return value
    },
    async set(name, value, ttl) {
      return store.set(name, await (await load()).encrypt(name, value), ttl)
    },
    delete: (name) => store.delete(name),
  }
}

async function loadCipher(keys: EntryKeys): Promise<EntryCipher> {
  return (await import('./token-cipher.js')).cipherOf(keys)
}

function readKeys(keys: TokenStoreKey | readonly TokenStoreKey[]): EntryKeys {
  const [first, ...others] = isList(keys) ? keys : [keys]
  if (first === undefined) throw new ConfigurationError('encryptedTokenStore: a key is required')
  return [readKey(first), ...others.map(readKey)]
}

function isList(keys: TokenStoreKey | readonly TokenStoreKey[]): keys is readonly TokenStoreKey[] {
  return Array.isArray(keys)
}

/** A copy, so that a caller who wipes or reuses the bytes changes nothing here. */
function readKey(key: unknown): Uint8Array {
  const bytes = typeof key === 'string' ? fromBase64(key) : key
  if (bytes instanceof Uint8Array && bytes.length === KEY_BYTES) return Uint8Array.from(bytes)
  throw new ConfigurationError(
    `encryptedTokenStore: a key must be ${KEY_BYTES} random bytes, as a Uint8Array or in base64; ` +
      'a passphrase is not a key. "openssl rand -base64 32" makes one',
  )
}

/** Either alphabet of base64, of exactly so many characters as 32 bytes take. */
function fromBase64(text: string): Uint8Array | undefined {
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined
  const binary = atob(text.replace('=', '').replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
