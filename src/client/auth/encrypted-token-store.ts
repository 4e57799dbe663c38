import { ownOptions } from '../../common/known-options.js'
import { Lazy } from '../../common/lazy-import.js'
import { callQuietly } from '../../common/logger.js'
import { isBytes } from '../../contract/realms.js'
import { ConfigurationError } from '../errors/errors.js'
import type { TokenStore } from './token-store.js'

/** Key for {@link encryptedTokenStore}: 32 random bytes, raw or in base64 (`openssl rand -base64 32`). */
export type TokenStoreKey = Uint8Array | string

/** Options of {@link encryptedTokenStore}. */
export interface EncryptedTokenStoreOptions {
  /**
   * Called each time an entry that was read cannot be decrypted. Possible causes: this process does not have the
   * entry's key, or the entry was changed, moved to another name, or never encrypted. Errors of this function are
   * ignored.
   */
  readonly onUnreadable?: (() => void) | undefined
}

const KEY_BYTES = 32

/**
 * Encrypts the entries of a token store (JWE, direct encryption with AES-256-GCM). Each entry is bound to its
 * name, so it is not valid under another name.
 *
 * The first key encrypts, and all keys decrypt. To rotate, add the new key as the second key in every process.
 * Then make it the first key in every process. Then remove the old key. An entry that cannot be decrypted is ignored,
 * and the client requests new tokens.
 *
 * ```ts
 * const keys = (process.env.TOKEN_STORE_KEYS ?? '').split(',') // each: openssl rand -base64 32
 * new PathologyClient({ tokenStore: encryptedTokenStore(redisTokenStore(redis), keys) })
 * ```
 *
 * @param store - Store of the encrypted entries. Its errors are passed on.
 * @param keys - One key or several keys. The first key encrypts; all keys decrypt.
 * @throws {@link ConfigurationError} without a key, for a key that is not 32 bytes, or for an invalid option. The
 * message does not contain a key.
 */
export function encryptedTokenStore(
  store: TokenStore,
  keys: TokenStoreKey | readonly TokenStoreKey[],
  options: EncryptedTokenStoreOptions = {},
): TokenStore {
  const [given, ...others] = [keys].flat()
  if (given === undefined) throw new ConfigurationError('encryptedTokenStore: a key is required')
  const [first, more] = [readKey(given), others.map(readKey)]
  const { onUnreadable } = ownOptions('encryptedTokenStore', options, new Set(['onUnreadable']))
  if (onUnreadable !== undefined && typeof onUnreadable !== 'function')
    throw new ConfigurationError('encryptedTokenStore: onUnreadable must be a function')
  const cipher = new Lazy(() => cipherOf(first, more))
  return {
    async get(name) {
      const entry = await store.get(name)
      if (entry === undefined || entry === null) return undefined
      const value = await (await cipher.load()).decrypt(name, entry)
      if (value === undefined && onUnreadable !== undefined) callQuietly(onUnreadable)
      return value
    },
    async set(name, value, ttl) {
      return store.set(name, await (await cipher.load()).encrypt(name, value), ttl)
    },
    delete: (name) => store.delete(name),
  }
}

/** Checks and copies a key. The caller may overwrite its bytes later. */
function readKey(key: unknown): Uint8Array {
  // Base64 or base64url of 32 bytes. Unlike `from`, `alloc` keeps the key out of the memory that small buffers share.
  const isText = typeof key === 'string' && /^[\w+/-]{43}=?$/.test(key)
  const bytes = isText ? Buffer.alloc(KEY_BYTES, key, 'base64') : key
  if (isBytes(bytes) && bytes.length === KEY_BYTES) return Uint8Array.from(bytes)
  throw new ConfigurationError(
    `encryptedTokenStore: a key must be ${KEY_BYTES} random bytes, as a Uint8Array or in base64; ` +
      'a passphrase is not a key. Create one with "openssl rand -base64 32"',
  )
}

const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' } as const
const DECRYPTION = {
  keyManagementAlgorithms: [ENCRYPTION.alg],
  contentEncryptionAlgorithms: [ENCRYPTION.enc],
  maxDecompressedLength: 0,
}

/**
 * Creates the functions that encrypt with the first key, and decrypt with the key that the entry names. Loads all parts
 * of jose that they need.
 */
async function cipherOf(first: Uint8Array, more: readonly Uint8Array[]) {
  const [{ CompactEncrypt }, { compactDecrypt }, { calculateJwkThumbprint }] = await Promise.all([
    import('jose/jwe/compact/encrypt'),
    import('jose/jwe/compact/decrypt'),
    import('jose/jwk/thumbprint'),
  ])
  // RFC 7638 thumbprint: a hash of a random key reveals nothing about it.
  const kidOf = (key: Uint8Array): Promise<string> =>
    calculateJwkThumbprint({ kty: 'oct', k: Buffer.from(key.buffer).toString('base64url') })
  const kid = await kidOf(first)
  const keys = new Map([[kid, first]])
  for (const key of more) keys.set(await kidOf(key), key)
  const keyOf = (header: { kid?: string }): Uint8Array => {
    const key = keys.get(header.kid ?? '')
    if (key === undefined) throw new Error('no key of that name')
    return key
  }
  return {
    encrypt: (name: string, value: string): Promise<string> =>
      // Copied, because the bytes of TextEncoder are of another realm in some test runners, and jose refuses those.
      new CompactEncrypt(Uint8Array.from(new TextEncoder().encode(JSON.stringify([name, value]))))
        .setProtectedHeader({ ...ENCRYPTION, kid })
        .encrypt(first),
    /** Returns `undefined` when the entry cannot be decrypted, or was encrypted under another name. */
    decrypt: async (name: string, entry: unknown): Promise<string | undefined> => {
      if (typeof entry !== 'string') return undefined
      try {
        const { plaintext } = await compactDecrypt(entry, keyOf, DECRYPTION)
        const content: unknown = JSON.parse(new TextDecoder().decode(plaintext))
        if (!Array.isArray(content) || content[0] !== name || typeof content[1] !== 'string') return undefined
        return content[1]
      } catch {
        return undefined
      }
    },
  }
}
