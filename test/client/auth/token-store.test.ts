import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Keyv from 'keyv'
import { type ClientOptions, encryptedTokenStore, type TokenStore } from 'pathology-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fileStore } from '../../support/file-store.js'
import { call, SharedClients } from '../../support/shared-clients.js'

const THIRTY_DAYS_MS = 2_592_000_000

/** A synchronous store that records the times to live. */
class SyncStore implements TokenStore {
  readonly values = new Map<string, string>()
  readonly ttls: (number | undefined)[] = []

  get(key: string): string | null {
    return this.values.get(key) ?? null
  }

  set(key: string, value: string, ttl?: number): void {
    this.values.set(key, value)
    if (key.includes(':tokens:')) this.ttls.push(ttl)
  }

  delete(key: string): void {
    this.values.delete(key)
  }
}

/** Like a client library that parses JSON text by itself. */
function parsingStore(): TokenStore {
  const values = new Map<string, unknown>()
  return {
    get: async (key: string) => values.get(key),
    set: async (key: string, value: string) => values.set(key, JSON.parse(value)),
    delete: async (key: string) => values.delete(key),
  }
}

const STORES: Readonly<Record<string, () => TokenStore>> = {
  'Keyv in memory': () => new Keyv(),
  'Keyv with a namespace': () => new Keyv({ namespace: 'clinic' }),
  'Keyv over a Map': () => new Keyv({ store: new Map() }),
  'a Map': () => new Map<string, string>(),
  'a store without promises': () => new SyncStore(),
  'a store that parses JSON': () => parsingStore(),
}

describe.each(Object.entries(STORES))('§5 with %s', (_name, open) => {
  it('clients that share the store make one token request: at the start, at expiry and after a 401', async () => {
    const shared = await SharedClients.start()
    const tokenStore = open()
    const clients = Array.from({ length: 4 }, () => shared.client({ tokenStore }))

    await Promise.all(clients.map(call))
    expect(shared.asked).toEqual(['client_credentials 200'])
    shared.expire()
    await Promise.all(clients.map(call))
    expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 200'])
    shared.service.revokeAccess()
    await Promise.all(clients.map(call))
    expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 200', 'refresh_token 200'])

    await call(shared.client({ tokenStore }))
    expect(shared.asked).toHaveLength(3)
    expect(shared.warnings).toEqual([])
  })
})

const rejectionOrNothing = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => undefined)

describe('§5 the stored entry', () => {
  it.each([
    ['without a store', undefined],
    ['with one', new Keyv()],
  ])('a thousand concurrent callers at expiry make one token request, %s', async (_name, tokenStore) => {
    const shared = await SharedClients.start()
    const client = shared.client({ tokenStore })
    await call(client)
    shared.expire()
    shared.service.settings.delayMs = 50
    await Promise.all(Array.from({ length: 1_000 }, () => call(client)))
    expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 200'])
  })

  it('is stored as long as the refresh token is valid, in milliseconds', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new SyncStore()
    await call(shared.client({ tokenStore }))
    expect(tokenStore.ttls).toHaveLength(1)
    expect(tokenStore.ttls[0]).toBeGreaterThan(THIRTY_DAYS_MS - 10_000)
    expect(tokenStore.ttls[0]).toBeLessThanOrEqual(THIRTY_DAYS_MS)
  })

  it('expires with the access token when there is no refresh token', async () => {
    const shared = await SharedClients.start()
    shared.service.settings.refreshTokens = false
    const tokenStore = new SyncStore()
    await call(shared.client({ tokenStore }))
    expect(tokenStore.ttls[0]).toBeGreaterThan(3_590_000)
    expect(tokenStore.ttls[0]).toBeLessThanOrEqual(3_600_000)
  })

  it('expires in Keyv, whose times are milliseconds too', async () => {
    const shared = await SharedClients.start()
    const backing = new Map<string, string>()
    await call(shared.client({ tokenStore: new Keyv({ store: backing, namespace: 'clinic' }) }))
    const [entry] = [...backing].filter(([key]) => key.includes(':tokens:'))
    expect(entry?.[0]).toMatch(/^clinic:pathology-sdk:tokens:/)
    const { expires } = JSON.parse(entry?.[1] ?? '{}')
    expect(expires - Date.now()).toBeGreaterThan(THIRTY_DAYS_MS - 10_000)
    expect(expires - Date.now()).toBeLessThanOrEqual(THIRTY_DAYS_MS)
  })

  it('is refreshed for all processes by a process that finds it in its last minutes', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new Keyv()
    await call(shared.client({ tokenStore }))
    shared.clock.advance(3_590_000)
    await call(shared.client({ tokenStore }))
    await call(shared.client({ tokenStore }))
    expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 200'])
    expect(shared.service.apiTokens.slice(1)).toEqual(Array(2).fill(shared.service.issued[1]?.accessToken))
  })

  const SHARED_STORES: Readonly<Record<string, () => Promise<TokenStore>>> = {
    'a Map': async () => new Map<string, string>(),
    Keyv: async () => new Keyv(),
    files: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tokens-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      return fileStore(folder)
    },
    'an encrypted Map': async () => encryptedTokenStore(new Map<string, string>(), new Uint8Array(32)),
  }

  it.each(Object.entries(SHARED_STORES))(
    '%s: is not shared between environments, base URLs, client ids or secrets',
    async (_name, open) => {
      const shared = await SharedClients.start()
      const other = await SharedClients.start()
      const store = await open()
      const names = new Set<string>()
      const tokenStore: TokenStore = {
        get: (key) => store.get(key),
        set: (key, value, ttl) => {
          if (key.includes(':tokens:')) names.add(key)
          return store.set(key, value, ttl)
        },
        delete: (key) => store.delete(key),
      }
      const { baseUrl } = shared.service.options
      const others: ClientOptions[] = [
        { clientId: 'another' },
        { clientId: 'client,' },
        { clientSecret: 'another-secret' },
        { clientSecret: 'client-secret-canary,' },
        { baseUrl: other.service.options.baseUrl },
        { authUrl: other.service.options.authUrl },
      ]
      await call(shared.client({ tokenStore }))
      // The two services do not know each other's tokens: the test checks where each client looks for its own.
      for (const options of others) await rejectionOrNothing(call(shared.client({ tokenStore, ...options })))
      expect(names.size).toBe(1 + others.length)
      shared.service.clear()
      await call(shared.client({ tokenStore, baseUrl: `${baseUrl}/` }))
      expect(shared.asked).toEqual([])
    },
  )

  it('a client with a wrong secret gets no token of the client with the right one', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new SyncStore()
    await call(shared.client({ tokenStore }))
    shared.service.settings.refuse.set('client_credentials', { status: 401, code: '102' })
    const thief = shared.client({ tokenStore, clientSecret: 'wrong' })
    await expect(call(thief)).rejects.toMatchObject({ name: 'TokenError', code: '102', outcome: 'refused' })
    expect(shared.service.apiTokens).toHaveLength(1)
    await call(shared.client({ tokenStore }))
  })

  it('has a name that contains neither the secret, nor the client id, nor a plain hash of them', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new SyncStore()
    const locks: string[] = []
    const tokenLock = {
      acquire(key: string) {
        locks.push(key)
        return () => undefined
      },
    }
    await call(shared.client({ tokenStore, tokenLock, clientSecret: 'secret-canary', clientId: 'id-canary' }))
    const names = [...tokenStore.values.keys(), ...locks]
    expect(names.length).toBeGreaterThan(1)
    for (const name of names) {
      expect(name).toMatch(/^pathology-sdk:(tokens|token-lock):[0-9a-f]{64}$/)
      for (const word of ['secret-canary', 'id-canary'])
        expect(name).not.toContain(createHash('sha256').update(word).digest('hex'))
    }
  })

  it('has the same name in every process with the same account', async () => {
    const shared = await SharedClients.start()
    const stores = [new SyncStore(), new SyncStore()]
    for (const tokenStore of stores) await call(shared.client({ tokenStore }))
    const [first, second] = stores.map((each) =>
      [...each.values.keys()].filter((key) => key.includes(':tokens:')),
    )
    expect(first).toEqual(second)
  })
})
