import { createHash } from 'node:crypto'
import Keyv from 'keyv'
import type { ClientOptions, TokenStore } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { call, SharedClients } from '../../support/shared-clients.js'
import { SkippingClock } from '../../support/skipping-clock.js'

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
    this.ttls.push(ttl)
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

it.each<[string, () => TokenStore]>([
  ['Keyv', () => new Keyv()],
  ['a Map', () => new Map<string, string>()],
  ['a store without promises', () => new SyncStore()],
  ['a store that parses JSON', parsingStore],
])(
  'clients that share %s make one token request: at the start, at expiry and after a 401 (§5)',
  async (_, open) => {
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
  },
)

it.each([
  [true, THIRTY_DAYS_MS],
  [false, 3_600_000],
])('with a refresh token (%s), tokens are stored for %i ms', async (refreshTokens, ttl) => {
  const shared = await SharedClients.start(new SkippingClock())
  shared.service.settings.refreshTokens = refreshTokens
  const tokenStore = new SyncStore()
  await call(shared.client({ tokenStore }))
  expect(tokenStore.ttls).toEqual([ttl])
})

it('a process that finds stored tokens in their last minutes refreshes them for all', async () => {
  const shared = await SharedClients.start()
  const tokenStore = new Map<string, string>()
  await call(shared.client({ tokenStore }))
  shared.clock.advance(3_590_000)
  await call(shared.client({ tokenStore }))
  await call(shared.client({ tokenStore }))
  expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 200'])
  expect(shared.service.apiTokens.slice(1)).toEqual(Array(2).fill(shared.service.issued[1]?.accessToken))
})

it('tokens are not shared between environments, base URLs, client ids or secrets', async () => {
  const shared = await SharedClients.start()
  const other = await SharedClients.start()
  const tokenStore = new SyncStore()
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
  for (const options of others) await call(shared.client({ tokenStore, ...options })).catch(() => undefined)
  expect(tokenStore.values.size).toBe(1 + others.length)
  shared.service.clear()
  await call(shared.client({ tokenStore, baseUrl: `${baseUrl}/` }))
  expect(shared.asked).toEqual([])
})

it('the names of stored tokens and locks contain neither the secret, nor the client id, nor a plain hash of them', async () => {
  const shared = await SharedClients.start()
  const tokenStore = new SyncStore()
  const names: string[] = []
  const tokenLock = {
    acquire(key: string) {
      names.push(key)
      return () => undefined
    },
  }
  await call(shared.client({ tokenStore, tokenLock, clientSecret: 'secret-canary', clientId: 'id-canary' }))
  names.push(...tokenStore.values.keys())
  expect(names).toEqual([
    expect.stringMatching(/^pathology-sdk:token-lock:[0-9a-f]{64}$/),
    expect.stringMatching(/^pathology-sdk:tokens:[0-9a-f]{64}$/),
  ])
  for (const word of ['secret-canary', 'id-canary'])
    expect(names.join()).not.toContain(createHash('sha256').update(word).digest('hex'))
})
