import { TokenError, type TokenStore } from 'pathology-sdk'
import { expect, it } from 'vitest'
import type { StoredTokens } from '../../../src/client/auth/token-manager.js'
import { parseStoredTokens } from '../../../src/client/auth/token-store.js'
import { call, SharedClients } from '../../support/shared-clients.js'
import { SkippingClock } from '../../support/skipping-clock.js'

const SECRET = 'canary-connection-string'

const FAULTS: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error(SECRET)
  },
  rejects: () => Promise.reject(new Error(SECRET)),
  'never responds': () => new Promise(() => undefined),
}

type Operation = 'get' | 'set' | 'delete'

/** A Map whose operations can be replaced while it is in use. */
class FaultyStore implements TokenStore {
  readonly values = new Map<string, unknown>()
  readonly faults = new Map<Operation, () => unknown>()
  readonly seen: Operation[] = []

  get(key: string): unknown {
    return this.#run('get', () => this.values.get(key))
  }

  set(key: string, value: string): unknown {
    return this.#run('set', () => this.values.set(key, value))
  }

  delete(key: string): unknown {
    return this.#run('delete', () => this.values.delete(key))
  }

  #run(operation: Operation, work: () => unknown): unknown {
    this.seen.push(operation)
    return (this.faults.get(operation) ?? work)()
  }

  get stored(): unknown {
    return [...this.values.values()][0]
  }

  set stored(value: unknown) {
    for (const key of this.values.keys()) this.values.set(key, value)
  }
}

async function setUp() {
  const clock = new SkippingClock()
  const shared = await SharedClients.start(clock)
  const tokenStore = new FaultyStore()
  return { clock, shared, tokenStore, client: shared.client({ tokenStore }) }
}

it.each([
  ...Object.entries(FAULTS).flatMap(([name, fault]) => [
    { operation: 'get' as const, name, fault, seen: ['get', 'set'] },
    { operation: 'set' as const, name, fault, seen: ['get', 'get', 'get', 'set'] },
  ]),
  // Keyv returns false instead of throwing.
  {
    operation: 'set' as const,
    name: 'returns false',
    fault: () => false,
    seen: ['get', 'get', 'get', 'set'],
  },
])(
  'a token store whose $operation $name is not used, with one warning (§5)',
  async ({ operation, fault, seen }) => {
    const { shared, tokenStore, client } = await setUp()
    tokenStore.faults.set(operation, fault)
    await call(client)
    expect(tokenStore.seen).toEqual(seen)
    for (let hour = 0; hour < 2; hour += 1) {
      shared.expire()
      await call(client)
    }
    expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 200', 'refresh_token 200'])
    expect(shared.warnings).toHaveLength(1)
    expect(shared.warnings.join()).not.toContain(SECRET)
  },
)

it('a token store that fails causes a second warning only after each operation has worked again', async () => {
  const { shared, tokenStore, client } = await setUp()
  const counts: number[] = []
  for (const isFailing of [true, true, false, true]) {
    for (const operation of ['get', 'set'] as const) {
      if (isFailing) tokenStore.faults.set(operation, () => Promise.reject(new Error('down')))
      else tokenStore.faults.delete(operation)
    }
    await call(client)
    shared.expire()
    counts.push(shared.warnings.length)
  }
  expect(counts).toEqual([1, 1, 1, 2])
})

it('each operation of a token store that never responds takes two seconds', async () => {
  const { clock, tokenStore, client } = await setUp()
  for (const operation of ['get', 'set'] as const)
    tokenStore.faults.set(operation, () => new Promise(() => undefined))
  await call(client)
  expect(clock.slept).toEqual([2_000, 2_000])
})

it.each(['not JSON', { accessToken: 'forged', issuedAt: null, expiresAt: Date.now() + 3_600_000 }])(
  'stored data %j that is not tokens is ignored, with one warning, and is replaced',
  async (garbage) => {
    const { shared, tokenStore, client } = await setUp()
    await call(client)
    tokenStore.stored = garbage
    await call(shared.client({ tokenStore }))
    expect(shared.asked).toEqual(['client_credentials 200', 'client_credentials 200'])
    expect(shared.service.apiStatuses).toEqual([200, 200])
    await call(shared.client({ tokenStore }))
    expect(shared.asked).toHaveLength(2)
    expect(shared.warnings).toEqual([
      'pathology-sdk: the token store contains data that is not tokens; the client continues without it',
    ])
  },
)

const NOW = 1_700_000_000_000

const stored: StoredTokens = {
  accessToken: 'access-1',
  issuedAt: NOW,
  expiresAt: NOW + 3_600_000,
  refreshToken: 'refresh-1',
  refreshExpiresAt: NOW + 2_592_000_000,
}

it.each<[string, Partial<StoredTokens>]>([
  ['all fields', {}],
  ['an expired access token', { expiresAt: NOW }],
  ['no refresh token', { refreshToken: undefined, refreshExpiresAt: undefined }],
  ['no end of the refresh token', { refreshExpiresAt: undefined }],
])('stored tokens with %s are read, as text or parsed', (_, change) => {
  const tokens = { ...stored, ...change }
  expect(parseStoredTokens(JSON.stringify(tokens))).toEqual(tokens)
  expect(parseStoredTokens(tokens)).toEqual(tokens)
})

it.each([
  ['refreshToken', 7],
  ['refreshToken', null],
  ['refreshExpiresAt', '2026-03-02'],
  ['refreshExpiresAt', null],
])('a stored %s %j is treated as missing', (field, value) => {
  expect(parseStoredTokens({ ...stored, [field]: value })).toEqual({ ...stored, [field]: undefined })
})

it.each([
  ...[undefined, null, 7, true, '{"accessToken":', 'null', [], { token: 'access-1' }, new Uint8Array([1])],
  ...['a\r\nx-evil: 1', '', 7, ['access-1']].map((accessToken) => ({ ...stored, accessToken })),
  ...[String(NOW), undefined, Number.NaN, NOW + 3_600_001].map((issuedAt) => ({ ...stored, issuedAt })),
  ...[String(NOW), undefined, Number.POSITIVE_INFINITY].map((expiresAt) => ({ ...stored, expiresAt })),
])('stored data %j is not tokens', (value) => {
  expect(parseStoredTokens(value)).toBeUndefined()
})

const DENIED = { status: 401, code: '110' } as const

/** A client with stored tokens, of which the refresh token was revoked. */
async function revoked() {
  const world = await setUp()
  await call(world.client)
  world.shared.service.revokeRefresh()
  return world
}

it('a rejected refresh token is replaced with the credentials, in the store too', async () => {
  const { shared, tokenStore, client } = await revoked()
  shared.expire()
  await call(client)
  await call(shared.client({ tokenStore }))
  expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 400', 'client_credentials 200'])
})

it.each(['expired', 'revoked'])(
  'stored tokens are deleted when the credentials are rejected too, and the access token is %s',
  async (how) => {
    const { shared, tokenStore, client } = await revoked()
    shared.service.settings.refuse.set('client_credentials', DENIED)
    if (how === 'expired') shared.expire()
    else shared.service.revokeAccess()
    await expect(call(client)).rejects.toBeInstanceOf(TokenError)
    expect(tokenStore.stored).toBeUndefined()
    shared.clock.advance(5_000)
    await expect(call(client)).rejects.toBeInstanceOf(TokenError)
    expect(shared.asked.filter((asked) => asked.startsWith('refresh_token'))).toEqual(['refresh_token 400'])
  },
)

it('stored tokens stay while other processes may still use the access token', async () => {
  const { shared, tokenStore, client } = await revoked()
  shared.service.settings.refuse.set('client_credentials', DENIED)
  shared.clock.advance(3_590_000)
  await call(client)
  await expect.poll(() => shared.asked).toContain('client_credentials 401')
  await call(shared.client({ tokenStore }))
  expect(tokenStore.stored).toBeDefined()
  expect(shared.service.apiStatuses).toEqual([200, 200, 200])
})

it('stored tokens stay after a 429, which does not use the refresh token up', async () => {
  const { shared, tokenStore, client } = await setUp()
  await call(client)
  shared.expire()
  shared.service.settings.refuse.set('refresh_token', { status: 429, code: '999' })
  shared.service.settings.refuse.set('client_credentials', DENIED)
  await expect(call(client)).rejects.toBeInstanceOf(TokenError)
  expect(tokenStore.stored).toBeDefined()
})

it('stored tokens are not deleted when another process has put new ones in their place', async () => {
  const { shared, tokenStore, client } = await revoked()
  shared.service.settings.refuse.set('client_credentials', DENIED)
  shared.service.settings.delayMs = 50
  shared.expire()
  const failed = call(client)
  await expect.poll(() => shared.asked.at(-1)).toBe('client_credentials 401')
  const newer = JSON.stringify({ ...JSON.parse(String(tokenStore.stored)), accessToken: 'newer' })
  tokenStore.stored = newer
  await expect(failed).rejects.toBeInstanceOf(TokenError)
  expect(tokenStore.stored).toBe(newer)
})
