import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { CompactEncrypt } from 'jose'
import Keyv from 'keyv'
import { ConfigurationError, encryptedTokenStore, type TokenStore } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { call, SharedClients } from '../../support/shared-clients.js'

const VALUE = JSON.stringify({ accessToken: 'canary-access', refreshToken: 'canary-refresh' })

/** Reads with each key alone, to find out which keys decrypt the entry. */
async function readableBy(store: TokenStore, keys: readonly (string | Uint8Array)[]): Promise<boolean[]> {
  const values = await Promise.all(keys.map((key) => encryptedTokenStore(store, key).get('name')))
  return values.map((value) => value === VALUE)
}

/** Changes one character of one part of an entry. */
function tampered(entry: string, part: number): string {
  const parts = entry.split('.')
  const text = parts[part] ?? ''
  const middle = Math.floor(text.length / 2)
  parts[part] = text.slice(0, middle) + (text[middle] === 'A' ? 'B' : 'A') + text.slice(middle + 1)
  return parts.join('.')
}

it('encryptedTokenStore stores no readable text, differently each time, and returns the value (§5)', async () => {
  const store = new Map<string, string>()
  const encrypted = encryptedTokenStore(store, randomBytes(32))
  await encrypted.set('name', VALUE)
  expect([...store.keys()]).toEqual(['name'])
  expect(store.get('name')).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
  expect(store.get('name')).not.toContain('canary')
  expect(await encrypted.get('name')).toBe(VALUE)
  expect(await encrypted.get('another')).toBeUndefined()
  const first = store.get('name')
  await encrypted.set('name', VALUE)
  expect(store.get('name')).not.toBe(first)
})

it('the header of an encrypted entry names the algorithm and the key, and nothing else', async () => {
  const store = new Map<string, string>()
  const key = randomBytes(32)
  await encryptedTokenStore(store, key).set('name', VALUE)
  const header = JSON.parse(Buffer.from(store.get('name')?.split('.')[0] ?? '', 'base64url').toString())
  expect(header).toEqual({ alg: 'dir', enc: 'A256GCM', kid: expect.stringMatching(/^[\w-]{43}$/) })
  expect(header.kid).not.toBe(key.toString('base64url'))
})

it('encryptedTokenStore passes the time to live, deletions and failures to the store', async () => {
  const seen: unknown[] = []
  const store: TokenStore = {
    get: () => Promise.reject(new Error('down')),
    set: (...args: unknown[]) => {
      seen.push(args[2])
      return false
    },
    delete: (key: string) => seen.push(key),
  }
  const encrypted = encryptedTokenStore(store, randomBytes(32))
  expect(await encrypted.set('name', VALUE, 1_234)).toBe(false)
  await encrypted.delete('name')
  expect(seen).toEqual([1_234, 'name'])
  await expect(encrypted.get('name')).rejects.toThrow('down')
})

it('encryptedTokenStore accepts a key as bytes and in both alphabets of base64, and copies it', async () => {
  const store = new Map<string, string>()
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => 0xff - index)
  const written = Buffer.from(bytes)
  const forms = [written.toString('base64'), written.toString('base64url'), Uint8Array.from(bytes)]
  const encrypted = encryptedTokenStore(store, bytes)
  bytes.fill(0)
  await encrypted.set('name', VALUE)
  expect(await readableBy(store, forms)).toEqual([true, true, true])
})

it('with several keys, the first key encrypts, and all keys decrypt', async () => {
  const store = new Map<string, string>()
  const [oldKey, newKey, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  await encryptedTokenStore(store, oldKey).set('name', VALUE)
  const both = encryptedTokenStore(store, [newKey, oldKey])
  expect(await both.get('name')).toBe(VALUE)
  expect(await readableBy(store, [oldKey, newKey, foreign])).toEqual([true, false, false])
  await both.set('name', VALUE)
  expect(await readableBy(store, [oldKey, newKey, foreign])).toEqual([false, true, false])
  expect(await encryptedTokenStore(store, [oldKey, newKey]).get('name')).toBe(VALUE)
})

it.each([0, 2, 3, 4])('an encrypted entry whose part %i was changed is ignored', async (part) => {
  const store = new Map<string, string>()
  const encrypted = encryptedTokenStore(store, randomBytes(32))
  await encrypted.set('name', VALUE)
  store.set('name', tampered(store.get('name') ?? '', part))
  expect(await encrypted.get('name')).toBeUndefined()
})

it('an encrypted entry that was copied to another name is ignored', async () => {
  const store = new Map<string, string>()
  const encrypted = encryptedTokenStore(store, randomBytes(32))
  await encrypted.set('name', VALUE)
  store.set('another', store.get('name') ?? '')
  expect(await encrypted.get('another')).toBeUndefined()
})

it.each(['', 'text', 'a.b.c.d.e', '{"accessToken":"plain"}', 42, {}, []])(
  'an entry in another format (%j) is ignored and reported',
  async (entry) => {
    let told = 0
    const store = { get: () => entry, set: () => true, delete: () => true }
    const onUnreadable = (): void => {
      told += 1
      throw new Error('an error of the function does not fail the read')
    }
    const encrypted = encryptedTokenStore(store, randomBytes(32), { onUnreadable })
    expect(await encrypted.get('name')).toBeUndefined()
    expect(told).toBe(1)
  },
)

it('an encrypted entry with another algorithm is ignored, even with the right key', async () => {
  const key = randomBytes(32)
  const store = new Map<string, string>()
  const encrypted = encryptedTokenStore(store, key)
  await encrypted.set('name', VALUE)
  const { kid } = JSON.parse(Buffer.from(store.get('name')?.split('.')[0] ?? '', 'base64url').toString())
  const content = new TextEncoder().encode(JSON.stringify(['name', VALUE]))
  const wrapped = new CompactEncrypt(content).setProtectedHeader({ alg: 'A256KW', enc: 'A256GCM', kid })
  store.set('name', await wrapped.encrypt(key))
  expect(await encrypted.get('name')).toBeUndefined()
})

const PASSPHRASE = 'correct horse battery staple canary'
it.each([
  ['a passphrase', PASSPHRASE],
  ['an empty text', ''],
  ['31 bytes', randomBytes(31)],
  ['33 bytes in base64', randomBytes(33).toString('base64')],
  ['32 bytes in hex', randomBytes(32).toString('hex')],
  ['a valid key and an invalid one', [randomBytes(32), PASSPHRASE]],
])('encryptedTokenStore rejects the key %s, and does not repeat it (§1)', (_name, keys) => {
  const construct = (): TokenStore => encryptedTokenStore(new Map(), keys)
  expect(construct).toThrow(ConfigurationError)
  expect(construct).toThrow(/^encryptedTokenStore: a key must be 32 random bytes.*openssl rand -base64 32/)
  expect(construct).not.toThrow(/canary/)
})

it('encryptedTokenStore rejects an empty list of keys (§1)', () => {
  expect(() => encryptedTokenStore(new Map(), [])).toThrow('encryptedTokenStore: a key is required')
})

it('a printed encryptedTokenStore shows neither keys nor values', async () => {
  const key = randomBytes(32)
  const encrypted = encryptedTokenStore(new Map([['name', 'canary']]), key)
  const shown = inspect(encrypted, { depth: 9, showHidden: true }) + JSON.stringify(encrypted)
  expect(shown).not.toContain('canary')
  expect(shown).not.toContain(key.toString('base64'))
})

it('clients share tokens through an encrypted store only if they have the key', async () => {
  const shared = await SharedClients.start()
  const values = new Map<string, string>()
  const [key, other] = [randomBytes(32), randomBytes(32)]
  const withKey = (use: string | Uint8Array | (string | Uint8Array)[]): Promise<void> =>
    call(shared.client({ tokenStore: encryptedTokenStore(new Keyv({ store: values }), use) }))

  await withKey(key)
  await withKey([other, key])
  expect(shared.asked).toHaveLength(1)
  const written = [...values.values()].join()
  for (const { accessToken, refreshToken } of shared.service.issued) {
    expect(written).not.toContain(accessToken)
    expect(written).not.toContain(refreshToken)
  }

  await withKey(other)
  expect(shared.asked).toEqual(['client_credentials 200', 'client_credentials 200'])
  expect(shared.warnings).toEqual([])
})
