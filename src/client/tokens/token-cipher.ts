const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' } as const
const DECRYPTION = {
  keyManagementAlgorithms: [ENCRYPTION.alg],
  contentEncryptionAlgorithms: [ENCRYPTION.enc],
  maxDecompressedLength: 0,
}

interface NamedKey {
  readonly kid: string
  readonly key: Uint8Array
}

/** Encrypts with the first key, decrypts with the one that the entry names. */
export class EntryCipher {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]]
  #named: Promise<readonly NamedKey[]> | undefined

  constructor(keys: readonly [Uint8Array, ...Uint8Array[]]) {
    this.#keys = keys
  }

  async encrypt(name: string, value: string): Promise<string> {
    const [key] = this.#keys
    const { CompactEncrypt } = await import('jose/jwe/compact/encrypt')
    return new CompactEncrypt(new TextEncoder().encode(JSON.stringify([name, value])))
      .setProtectedHeader({ ...ENCRYPTION, kid: await keyId(key) })
      .encrypt(key)
  }

  /** `undefined` when it is no entry of this name, or of none of the keys. */
  async decrypt(name: string, entry: unknown): Promise<string | undefined> {
    if (typeof entry !== 'string') return undefined
    const { compactDecrypt } = await import('jose/jwe/compact/decrypt')
    this.#named ??= Promise.all(this.#keys.map(async (key) => ({ kid: await keyId(key), key })))
    const named = await this.#named
    try {
      const { plaintext } = await compactDecrypt(
        entry,
        (header: { kid?: string }) => keyOf(named, header.kid),
        DECRYPTION,
      )
      const content: unknown = JSON.parse(new TextDecoder().decode(plaintext))
      if (!Array.isArray(content) || content[0] !== name || typeof content[1] !== 'string') return undefined
      return content[1]
    } catch {
      return undefined
    }
  }
}

/** RFC 7638: a hash of the key, of which nothing can be told from it, since the key is random. */
async function keyId(key: Uint8Array): Promise<string> {
  const { calculateJwkThumbprint } = await import('jose/jwk/thumbprint')
  const k = btoa(String.fromCharCode(...key))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
  return calculateJwkThumbprint({ kty: 'oct', k })
}

function keyOf(named: readonly NamedKey[], kid: string | undefined): Uint8Array {
  const found = named.find((candidate) => candidate.kid === kid)
  if (found === undefined) throw new Error('no key of that name')
  return found.key
}
