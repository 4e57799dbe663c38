import Keyv from 'keyv'
import type { TokenStore } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { call, SharedClients } from '../../support/shared-clients.js'

const CREDENTIALS = 'client_credentials 200'

async function setUp(tokenStore: TokenStore = new Map<string, string>()) {
  const shared = await SharedClients.start()
  return { shared, open: () => shared.client({ tokenStore, tokenLock: undefined }) }
}

describe('§5 a token store without a lock', () => {
  it('a process that starts uses the stored access token', async () => {
    const { shared, open } = await setUp(new Keyv())
    await call(open())
    await call(open())
    expect(shared.asked).toEqual([CREDENTIALS])
  })

  it('has no refresh token: the process that finds an expired one requests one with the credentials', async () => {
    const store = new Map<string, string>()
    const { shared, open } = await setUp(store)
    const [one, other] = [open(), open()]
    await call(one)
    await call(other)
    expect([...store.values()].join()).not.toContain(shared.service.issued[0]?.refreshToken ?? 'refresh')
    expect(store.size).toBe(1)
    shared.expire()
    await call(one)
    await call(other)
    expect(shared.asked).toEqual([CREDENTIALS, CREDENTIALS])
    expect(shared.service.apiTokens.slice(2)).toEqual(Array(2).fill(shared.service.issued[1]?.accessToken))
  })

  it('an access token that ends soon is replaced for all processes', async () => {
    const { shared, open } = await setUp()
    await call(open())
    shared.clock.advance(3_590_000)
    await call(open())
    await call(open())
    expect(shared.asked).toEqual([CREDENTIALS, CREDENTIALS])
  })

  it('processes that start together get one token each, and all of them work', async () => {
    const { shared, open } = await setUp()
    shared.service.settings.delayMs = 20
    await Promise.all(Array.from({ length: 4 }, () => call(open())))
    expect(shared.asked).toEqual(Array(4).fill(CREDENTIALS))
    expect(shared.warnings).toEqual([])
  })

  it('after a 401, a newer token of another process is used', async () => {
    const { shared, open } = await setUp()
    const [one, other] = [open(), open()]
    await call(one)
    await call(other)
    shared.service.revokeAccess()
    await call(one)
    await call(other)
    expect(shared.asked).toEqual([CREDENTIALS, CREDENTIALS])
    expect(shared.service.apiStatuses).toEqual([200, 200, 401, 200, 401, 200])
  })
})
