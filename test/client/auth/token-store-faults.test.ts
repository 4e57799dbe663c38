import Keyv from 'keyv'
import { TokenError, type TokenStore } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { call, SharedClients } from '../../support/shared-clients.js'

type Operation = 'get' | 'set' | 'delete'

/** A Map whose operations can be replaced while it is in use. */
class FaultyStore implements TokenStore {
  readonly values = new Map<string, unknown>()
  readonly faults = new Map<Operation, () => unknown>()

  get(key: string): unknown {
    return (this.faults.get('get') ?? (() => this.values.get(key)))()
  }

  set(key: string, value: string): unknown {
    return (this.faults.get('set') ?? (() => this.values.set(key, value)))()
  }

  delete(key: string): unknown {
    return (this.faults.get('delete') ?? (() => this.values.delete(key)))()
  }

  /** The key of the tokens, not that of the claim. */
  get tokenKey(): string {
    return [...this.values.keys()].find((key) => key.includes(':tokens:')) ?? ''
  }
}

const SECRET = 'canary-connection-string'

const FAULTS: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error(SECRET)
  },
  rejects: () => Promise.reject(new Error(SECRET)),
  'never responds': () => new Promise(() => undefined),
}

const cases = (['get', 'set'] as const).flatMap((operation) =>
  Object.entries(FAULTS).map(([name, fault]) => ({ operation, name, fault })),
)

describe('§5 a token store that fails', () => {
  it.each(cases)('$operation $name: calls succeed, with one warning', async ({ operation, fault }) => {
    const shared = await SharedClients.start({ speed: 10 })
    const tokenStore = new FaultyStore()
    tokenStore.faults.set(operation, fault)
    const client = shared.client({ tokenStore })
    for (let hour = 0; hour < 3; hour += 1) {
      await call(client)
      shared.expire()
    }
    expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 200', 'refresh_token 200'])
    expect(shared.warnings).toHaveLength(1)
    expect(shared.warnings.join()).not.toContain(SECRET)
  })

  it('reads and writes fail: one warning, and a second one only after the store has worked in between', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new FaultyStore()
    const client = shared.client({ tokenStore })
    const nextHour = async (): Promise<void> => {
      await call(client)
      shared.expire()
    }
    const fail = (): void => {
      for (const operation of ['get', 'set'] as const) {
        tokenStore.faults.set(operation, () => Promise.reject(new Error('down')))
      }
    }
    fail()
    await nextHour()
    await nextHour()
    expect(shared.warnings).toHaveLength(1)
    tokenStore.faults.clear()
    await nextHour()
    expect(shared.warnings).toHaveLength(1)
    fail()
    await nextHour()
    expect(shared.warnings).toHaveLength(2)
  })

  it('is not waited for: each operation ends after two seconds', async () => {
    const shared = await SharedClients.start({ speed: 10 })
    const tokenStore = new FaultyStore()
    for (const operation of ['get', 'set'] as const) {
      tokenStore.faults.set(operation, () => new Promise(() => undefined))
    }
    const startedAt = shared.clock.monotonic()
    await call(shared.client({ tokenStore }))
    const tookMs = shared.clock.monotonic() - startedAt
    expect(tookMs).toBeGreaterThanOrEqual(4_000)
  })

  it('does not delay a caller who aborts, and the others get their token', async () => {
    const shared = await SharedClients.start({ speed: 10 })
    const tokenStore = new FaultyStore()
    tokenStore.faults.set('get', () => new Promise(() => undefined))
    const client = shared.client({ tokenStore })
    const reason = new Error('enough')
    const abort = new AbortController()
    const given = client.vendors.list({}, { signal: abort.signal }).toArray()
    const other = call(client)
    abort.abort(reason)
    await expect(given).rejects.toBe(reason)
    expect(shared.asked).toEqual([])
    await other
    expect(shared.asked).toEqual(['client_credentials 200'])
  })

  it('is used twice to get new tokens: one read and one write', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new FaultyStore()
    const seen: string[] = []
    for (const operation of ['get', 'set'] as const) {
      tokenStore.faults.set(operation, () => {
        seen.push(operation)
        throw new Error('down')
      })
    }
    await call(shared.client({ tokenStore }))
    expect(seen).toEqual(['get', 'set'])
  })

  it('a Keyv instance whose server does not respond throws no error: the client detects the failure anyway', async () => {
    const shared = await SharedClients.start()
    const broken = {
      get: () => Promise.reject(new Error(SECRET)),
      set: () => Promise.reject(new Error(SECRET)),
      delete: () => Promise.reject(new Error(SECRET)),
      clear: () => Promise.reject(new Error(SECRET)),
    }
    const keyv = new Keyv({ store: broken })
    keyv.on('error', () => undefined)
    const client = shared.client({ tokenStore: keyv })
    await call(client)
    await call(client)
    expect(shared.asked).toEqual(['client_credentials 200'])
    expect(shared.warnings).toHaveLength(1)
    expect(shared.warnings.join()).not.toContain(SECRET)
  })

  it('a logger that throws has no effect', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new FaultyStore()
    tokenStore.faults.set('get', () => Promise.reject(new Error('down')))
    const warn = (): never => {
      throw new Error('no log')
    }
    await call(shared.client({ tokenStore, logger: { warn } }))
    expect(shared.asked).toEqual(['client_credentials 200'])
  })
})

const far = Date.now() + 3_600_000
const GARBAGE: readonly unknown[] = [
  '',
  'not JSON',
  '{"accessToken":"abc',
  'null',
  '[]',
  '7',
  '{}',
  42,
  true,
  new Uint8Array([1, 2, 3]),
  JSON.stringify({ accessToken: 'a\r\nx-injected: 1', issuedAt: 0, expiresAt: far }),
  JSON.stringify({ accessToken: '', issuedAt: 0, expiresAt: far }),
  JSON.stringify({ accessToken: 'forged', issuedAt: '0', expiresAt: far }),
  JSON.stringify({ accessToken: 'forged', issuedAt: far + 1, expiresAt: far }),
  '{"accessToken":"forged","issuedAt":0,"expiresAt":1e999}',
  JSON.stringify({ accessToken: ['forged'], issuedAt: 0, expiresAt: far }),
  { accessToken: 'forged', issuedAt: null, expiresAt: far },
]

describe('§5 a token store with an unreadable entry', () => {
  it.each(GARBAGE.map((garbage) => ({ garbage })))(
    '$garbage is ignored, with one warning, and is replaced',
    async ({ garbage }) => {
      const shared = await SharedClients.start()
      const tokenStore = new FaultyStore()
      await call(shared.client({ tokenStore }))
      tokenStore.values.set(tokenStore.tokenKey, garbage)

      await call(shared.client({ tokenStore }))
      expect(shared.asked).toEqual(['client_credentials 200', 'client_credentials 200'])
      expect(shared.service.apiStatuses).toEqual([200, 200])
      expect(shared.warnings).toHaveLength(1)
      expect(shared.warnings.join()).not.toMatch(/forged|injected|access-/)

      await call(shared.client({ tokenStore }))
      expect(shared.asked).toHaveLength(2)
      expect(shared.warnings).toHaveLength(1)
    },
  )

  it('no entry: no warning', async () => {
    const shared = await SharedClients.start()
    for (const nothing of [null, undefined]) {
      await call(shared.client({ tokenStore: { get: () => nothing, set: () => true, delete: () => true } }))
    }
    expect(shared.warnings).toEqual([])
  })

  it('a token that has not expired by its stored time, and that the service rejects, is replaced once, after one 401', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new FaultyStore()
    await call(shared.client({ tokenStore }))
    shared.service.revokeAccess()
    shared.service.clear()
    const clients = [shared.client({ tokenStore }), shared.client({ tokenStore })]
    await Promise.all(clients.map(call))
    expect(shared.asked).toEqual(['refresh_token 200'])
    expect(shared.service.apiStatuses.filter((status) => status === 401)).toHaveLength(2)
  })
})

describe('§5 a refresh token that the service rejects', () => {
  const DENIED = { status: 401, code: '110' } as const

  it('is replaced with the credentials, in the store too', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new FaultyStore()
    const client = shared.client({ tokenStore })
    await call(client)
    shared.service.revokeRefresh()
    shared.expire()
    await call(client)
    await call(shared.client({ tokenStore }))
    expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 400', 'client_credentials 200'])
  })

  it.each(['expired', 'revoked'] as const)(
    'is deleted when the credentials are rejected too, and its access token is %s',
    async (how) => {
      const shared = await SharedClients.start()
      const tokenStore = new FaultyStore()
      const client = shared.client({ tokenStore })
      await call(client)
      shared.service.revokeRefresh()
      shared.service.settings.refuse.set('client_credentials', DENIED)
      if (how === 'expired') shared.expire()
      else shared.service.revokeAccess()

      await expect(call(client)).rejects.toBeInstanceOf(TokenError)
      expect(tokenStore.tokenKey).toBe('')
      shared.clock.advance(5_000)
      await expect(call(client)).rejects.toBeInstanceOf(TokenError)
      expect(shared.asked.filter((asked) => asked.startsWith('refresh_token'))).toEqual(['refresh_token 400'])
    },
  )

  it('stays while other processes may still use its access token', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new FaultyStore()
    const client = shared.client({ tokenStore })
    await call(client)
    shared.service.revokeRefresh()
    shared.service.settings.refuse.set('client_credentials', DENIED)
    shared.clock.advance(3_590_000)
    await call(client)
    await expect.poll(() => shared.asked).toContain('client_credentials 401')
    expect(tokenStore.tokenKey).not.toBe('')
    await call(shared.client({ tokenStore }))
    expect(shared.service.apiStatuses).toEqual([200, 200, 200])
  })

  it('is not deleted when another process has put new tokens in its place', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new FaultyStore()
    const client = shared.client({ tokenStore })
    await call(client)
    shared.service.revokeRefresh()
    shared.service.settings.refuse.set('client_credentials', DENIED)
    shared.service.settings.delayMs = 50
    shared.expire()
    const failed = call(client)
    await expect.poll(() => shared.asked.at(-1)).toBe('client_credentials 401')
    const { tokenKey } = tokenStore
    const stored = JSON.parse(String(tokenStore.values.get(tokenKey)))
    const newer = JSON.stringify({ ...stored, accessToken: 'newer' })
    tokenStore.values.set(tokenKey, newer)
    await expect(failed).rejects.toBeInstanceOf(TokenError)
    expect(tokenStore.values.get(tokenKey)).toBe(newer)
  })

  it('is not sent again after a response that was lost', async () => {
    const shared = await SharedClients.start()
    const client = shared.client({ tokenStore: new FaultyStore(), maxRetries: 0 })
    await call(client)
    shared.expire()
    shared.service.settings.refuse.set('refresh_token', { status: 500, code: '999' })
    shared.service.settings.refuse.set('client_credentials', DENIED)
    await expect(call(client)).rejects.toBeInstanceOf(TokenError)
    shared.service.settings.refuse.clear()
    shared.clock.advance(5_000)
    await call(client)
    expect(shared.asked).toEqual([
      'client_credentials 200',
      'refresh_token 500',
      'client_credentials 401',
      'client_credentials 200',
    ])
  })

  it('is sent again after a 429, because a 429 does not use it up', async () => {
    const shared = await SharedClients.start({ speed: 10 })
    const client = shared.client({ tokenStore: new FaultyStore() })
    await call(client)
    shared.expire()
    shared.service.settings.refuse.set('refresh_token', { status: 429, code: '999' })
    shared.service.settings.refuse.set('client_credentials', DENIED)
    await expect(call(client)).rejects.toBeInstanceOf(TokenError)
    shared.service.settings.refuse.clear()
    shared.clock.advance(5_000)
    await call(client)
    expect(shared.asked.at(-1)).toBe('refresh_token 200')
  })
})
