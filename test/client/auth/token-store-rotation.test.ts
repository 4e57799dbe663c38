import type { TokenLock, TokenStore } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { call, SharedClients } from '../../support/shared-clients.js'

/** A Map that can ignore writes, like a stale replica or a store that loses writes. */
class LaggingStore extends Map<string, string> implements TokenStore {
  frozen = false
  /** Number of writes of tokens. */
  writes = 0

  override set(key: string, value: string): this {
    if (key.includes(':tokens:')) this.writes += 1
    return this.frozen ? this : super.set(key, value)
  }

  override delete(key: string): boolean {
    return this.frozen ? false : super.delete(key)
  }

  get accessToken(): unknown {
    const [entry] = [...this].filter(([key]) => key.includes(':tokens:'))
    return JSON.parse(entry?.[1] ?? '{}').accessToken
  }
}

/** Every process gets it at once, so processes continue at the same time, as without a working lock. */
const NO_TURNS: TokenLock = { acquire: () => () => undefined }

describe('§5 refresh tokens rotate, and no process uses an older one again', () => {
  it('a store that lost the last write: its older entry is ignored', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new LaggingStore()
    const client = shared.client({ tokenStore })
    await call(client)
    tokenStore.frozen = true
    shared.expire()
    await call(client)
    shared.expire()
    await call(client)
    expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 200', 'refresh_token 200'])
  })

  it('an older access token in the store is not used after a 401, although the service would accept it', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new LaggingStore()
    const client = shared.client({ tokenStore })
    await call(client)
    const [first] = shared.service.issued
    tokenStore.frozen = true
    // In the refresh window, so the first token is still used.
    shared.clock.advance(3_590_000)
    const usesSecond = async (): Promise<boolean> => {
      await call(client)
      return shared.service.apiTokens.at(-1) === shared.service.issued[1]?.accessToken
    }
    await expect.poll(usesSecond).toBe(true)

    shared.service.revokeAccess()
    shared.service.accept(first?.accessToken ?? '')
    shared.service.clear()
    await call(client)
    expect(shared.asked).toEqual(['refresh_token 200'])
    expect(shared.service.apiStatuses).toEqual([401, 200])
  })

  it('a late response does not replace newer tokens', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new LaggingStore()
    const [slow, quick] = [0, 1].map(() => shared.client({ tokenStore, tokenLock: NO_TURNS }))
    if (slow === undefined || quick === undefined) throw new Error('two clients were expected')
    await call(slow)
    await call(quick)
    shared.expire()

    shared.service.settings.delayMs = 1_000
    const late = call(slow)
    await expect.poll(() => shared.asked.at(-1)).toBe('refresh_token 200')
    shared.service.settings.delayMs = 0
    shared.clock.advance(5)
    await call(quick)
    const newest = shared.service.issued.at(-1)?.accessToken
    expect(tokenStore.accessToken).toBe(newest)
    await late
    expect(tokenStore.accessToken).toBe(newest)
    expect(shared.asked).toEqual([
      'client_credentials 200',
      'refresh_token 200',
      'refresh_token 400',
      'client_credentials 200',
    ])
  })

  it('another process has used the refresh token: the client uses the tokens of that process', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new LaggingStore()
    const clients = Array.from({ length: 8 }, () => shared.client({ tokenStore, tokenLock: NO_TURNS }))
    await Promise.all(clients.map(call))
    shared.service.clear()
    shared.expire()
    tokenStore.writes = 0
    await Promise.all(clients.map(call))
    expect(shared.asked.toSorted()).toEqual(['refresh_token 200', ...Array(7).fill('refresh_token 400')])
    expect(tokenStore.writes).toBe(1)
  })

  it('after a response without a refresh token, the earlier one is still used, unless it was rejected', async () => {
    const shared = await SharedClients.start()
    const client = shared.client({ tokenStore: new LaggingStore() })
    await call(client)
    shared.service.settings.refreshTokens = false
    const [first] = shared.service.issued
    shared.expire()
    await call(client)
    shared.service.acceptRefresh(first?.refreshToken ?? '')
    shared.expire()
    await call(client)
    shared.expire()
    await call(client)
    shared.expire()
    await call(client)
    expect(shared.asked).toEqual([
      'client_credentials 200',
      'refresh_token 200',
      'refresh_token 200',
      'refresh_token 400',
      'client_credentials 200',
      'client_credentials 200',
    ])
  })
})

describe('§7 a 401 when several processes share tokens', () => {
  it('the client uses the token that another process has stored meanwhile, without a token request', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new LaggingStore()
    const [one, other] = [0, 1].map(() => shared.client({ tokenStore }))
    if (one === undefined || other === undefined) throw new Error('two clients were expected')
    await call(one)
    await call(other)
    shared.service.revokeAccess()
    await call(one)
    shared.service.clear()
    await call(other)
    expect(shared.asked).toEqual([])
    expect(shared.service.apiStatuses).toEqual([401, 200])
  })

  it('the request is repeated once more when the other process’s token is rejected too', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new LaggingStore()
    const [one, other] = [0, 1].map(() => shared.client({ tokenStore }))
    if (one === undefined || other === undefined) throw new Error('two clients were expected')
    await call(one)
    await call(other)
    shared.service.revokeAccess()
    await call(one)
    shared.service.revokeAccess()
    shared.service.clear()
    await Promise.all(Array.from({ length: 20 }, () => call(other)))
    expect(shared.asked).toEqual(['refresh_token 200'])
    expect(shared.service.apiStatuses.filter((status) => status === 200)).toHaveLength(20)
  })

  it('every attempt gets a 401: sent twice with the process’s own tokens', async () => {
    const shared = await SharedClients.start()
    shared.service.settings.acceptNothing = true
    const client = shared.client({ tokenStore: new LaggingStore() })
    await expect(call(client)).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
    expect(shared.service.apiStatuses).toEqual([401, 401])
  })

  it('every attempt gets a 401: sent at most three times, with tokens of other processes in between', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new LaggingStore()
    const [one, other] = [0, 1].map(() => shared.client({ tokenStore }))
    if (one === undefined || other === undefined) throw new Error('two clients were expected')
    await call(one)
    await call(other)
    shared.service.settings.acceptNothing = true
    await expect(call(one)).rejects.toMatchObject({ status: 401 })
    shared.service.clear()
    await expect(call(other)).rejects.toMatchObject({ status: 401 })
    expect(shared.service.apiStatuses).toEqual([401, 401, 401])
  })
})

describe('§5 while the token service is unavailable', () => {
  it('a process that starts uses the stored token until it expires', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new LaggingStore()
    await call(shared.client({ tokenStore }))
    shared.clock.advance(3_590_000)
    shared.service.settings.refuse.set('refresh_token', { status: 400, code: '108' })
    shared.service.settings.refuse.set('client_credentials', { status: 401, code: '110' })
    const late = shared.client({ tokenStore })
    await call(late)
    expect(shared.service.apiStatuses).toEqual([200, 200])
    shared.clock.advance(10_000)
    await expect(call(late)).rejects.toMatchObject({ name: 'TokenError', code: '110' })
  })

  it('a process that starts after the stored token has expired does not use it', async () => {
    const shared = await SharedClients.start()
    const tokenStore = new LaggingStore()
    await call(shared.client({ tokenStore }))
    shared.expire()
    shared.service.settings.refuse.set('refresh_token', { status: 400, code: '108' })
    shared.service.settings.refuse.set('client_credentials', { status: 401, code: '110' })
    await expect(call(shared.client({ tokenStore }))).rejects.toMatchObject({
      name: 'TokenError',
      code: '110',
    })
    expect(shared.service.apiStatuses).toEqual([200])
  })
})
