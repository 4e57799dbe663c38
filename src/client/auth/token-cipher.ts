const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' } as const
const DECRYPTION = {
  keyManagementAlgorithms: [ENCRYPTION.alg],
  contentEncryptionAlgorithms: [ENCRYPTION.enc],
  maxDecompressedLength: 0,
}

type Keys<K> = readonly [K, ...K[]]

/** The keys of a store: the first encrypts. */
export type EntryKeys = Keys<Uint8Array>

interface NamedKey {
  readonly kid: string
  readonly key: Uint8Array
}

/** The parts of jose that it takes. */
interface Jose {
  readonly CompactEncrypt: typeof import('jose/jwe/compact/encrypt').CompactEncrypt
  readonly compactDecrypt: typeof import('jose/jwe/compact/decrypt').compactDecrypt
}

/** Its cipher, with all of jose that it takes, so that nothing is missing later. */
export async function cipherOf([first, ...others]: EntryKeys): Promise<EntryCipher> {
  const [{ CompactEncrypt }, { compactDecrypt }, { calculateJwkThumbprint }] = await Promise.all([
    import('jose/jwe/compact/encrypt'),
    import('jose/jwe/compact/decrypt'),
    import('jose/jwk/thumbprint'),
  ])
  const named = async (key: Uint8Array): Promise<NamedKey> => ({
    // RFC 7638: a hash of the key, of which nothing can be told from it, since the key is random.
    kid: await calculateJwkThumbprint({ kty: 'oct', k: base64url(key) }),
    key,
  })
  const keys = [await named(first), ...(await Promise.all(others.map(named)))] as const
  return new EntryCipher(keys, { CompactEncrypt, compactDecrypt })
}

/** Encrypts with the first key, decrypts with the one that the entry names. */
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

  /** `undefined` when it is no entry of this name, or of none of the keys. */
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
