const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' } as const
const DECRYPTION = {
  keyManagementAlgorithms: [ENCRYPTION.alg],
  contentEncryptionAlgorithms: [ENCRYPTION.enc],
  maxDecompressedLength: 0,
}

type Keys<K> = readonly [K, ...K[]]

/** Keys of a store. The first encrypts. */
export type EntryKeys = Keys<Uint8Array>

interface NamedKey {
  readonly kid: string
  readonly key: Uint8Array
}

/** Functions of jose that are used. */
interface Jose {
  readonly CompactEncrypt: typeof import('jose/jwe/compact/encrypt').CompactEncrypt
  readonly compactDecrypt: typeof import('jose/jwe/compact/decrypt').compactDecrypt
}

/** Creates the cipher and loads all parts of jose that it needs. */
export async function cipherOf([first, ...others]: EntryKeys): Promise<EntryCipher> {
  const [{ CompactEncrypt }, { compactDecrypt }, { calculateJwkThumbprint }] = await Promise.all([
    import('jose/jwe/compact/encrypt'),
    import('jose/jwe/compact/decrypt'),
    import('jose/jwk/thumbprint'),
  ])
  const named = async (key: Uint8Array): Promise<NamedKey> => ({
    // RFC 7638 thumbprint: a hash of a random key reveals nothing about it.
    kid: await calculateJwkThumbprint({ kty: 'oct', k: base64url(key) }),
    key,
  })
  const keys = [await named(first), ...(await Promise.all(others.map(named)))] as const
  return new EntryCipher(keys, { CompactEncrypt, compactDecrypt })
}

/** Encrypts with the first key, and decrypts with the key that the entry names. */
export class EntryCipher {
  readonly #keys: Keys<NamedKey>
  readonly #jose: Jose

  constructor(keys: Keys<NamedKey>, jose: Jose) {
    this.#keys = keys
    this.#jose = jose
  }

  encrypt(name: string, value: string): Promise<string> {
    const [{ kid, key }] = this.#keys
    return new this.#jose.CompactEncrypt(new TextEncoder().encode(JSON.stringify([name, value])))
      .setProtectedHeader({ ...ENCRYPTION, kid })
      .encrypt(key)
  }

  /** Returns `undefined` when the entry has another name or no key decrypts it. */
  async decrypt(name: string, entry: unknown): Promise<string | undefined> {
    if (typeof entry !== 'string') return undefined
    try {
      const { plaintext } = await this.#jose.compactDecrypt(
        entry,
        (header: { kid?: string }) => this.#keyOf(header.kid),
        DECRYPTION,
      )
      const content: unknown = JSON.parse(new TextDecoder().decode(plaintext))
      if (!Array.isArray(content) || content[0] !== name || typeof content[1] !== 'string') return undefined
      return content[1]
    } catch {
      return undefined
    }
  }

  #keyOf(kid: string | undefined): Uint8Array {
    const found = this.#keys.find((candidate) => candidate.kid === kid)
    if (found === undefined) throw new Error('no key of that name')
    return found.key
  }
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
