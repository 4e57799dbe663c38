import { ConfigurationError, type ReleaseTokenLock, type TokenLock, type TokenStore } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { call, SharedClients } from '../../support/shared-clients.js'

/** Records the order in which the client uses store and lock. */
class Witness implements TokenStore, TokenLock {
  readonly seen: string[] = []
  readonly acquired: { key: string; ttlMs: number }[] = []
  readonly #values = new Map<string, string>()

  async get(key: string): Promise<string | undefined> {
    this.seen.push('get')
    return this.#values.get(key)
  }

  async set(key: string, value: string): Promise<void> {
    this.seen.push('set')
    this.#values.set(key, value)
  }

  async delete(key: string): Promise<void> {
    this.seen.push('delete')
    this.#values.delete(key)
  }

  async acquire(key: string, ttlMs: number): Promise<ReleaseTokenLock> {
    this.seen.push('acquire')
    this.acquired.push({ key, ttlMs })
    return async () => {
      this.seen.push('release')
    }
  }
}

/** A lock within this process that counts how many hold it at once. */
class CountingLock implements TokenLock {
  most = 0
  #held = 0

  acquire(): ReleaseTokenLock | undefined {
    if (this.#held > 0) return undefined
    this.#held += 1
    this.most = Math.max(this.most, this.#held)
    return () => {
      this.#held -= 1
    }
  }
}

describe('§5 a lock for the processes that share tokens', () => {
  it('is acquired between two reads of the store, and released after the write', async () => {
    const shared = await SharedClients.start()
    const witness = new Witness()
    await call(shared.client({ tokenStore: witness, tokenLock: witness }))
    expect(witness.seen).toEqual(['get', 'acquire', 'get', 'get', 'set', 'release'])
    expect(witness.acquired).toEqual([
      { key: expect.stringMatching(/^pathology-sdk:token-lock:/), ttlMs: 30_000 },
    ])
  })

  it('is not acquired when the store has a valid token', async () => {
    const shared = await SharedClients.start()
    const witness = new Witness()
    await call(shared.client({ tokenStore: witness, tokenLock: witness }))
    witness.seen.length = 0
    await call(shared.client({ tokenStore: witness, tokenLock: witness }))
    expect(witness.seen).toEqual(['get'])
  })

  it('is released when no token can be issued', async () => {
    const shared = await SharedClients.start()
    shared.service.settings.refuse.set('client_credentials', { status: 401, code: '110' })
    const witness = new Witness()
    const client = shared.client({ tokenStore: witness, tokenLock: witness })
    await expect(call(client)).rejects.toMatchObject({ name: 'TokenError', code: '110' })
    expect(witness.seen.at(-1)).toBe('release')
  })

  it('lets twenty clients continue one by one: one token request, and no refresh token used twice', async () => {
    const shared = await SharedClients.start()
    shared.service.settings.delayMs = 30
    const tokenStore = new Map<string, string>()
    const tokenLock = new CountingLock()
    const clients = Array.from({ length: 20 }, () => shared.client({ tokenStore, tokenLock }))
    await Promise.all(clients.map(call))
    shared.expire()
    await Promise.all(clients.map(call))
    expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 200'])
    expect(tokenLock.most).toBe(1)
  })

  it('is not waited for any longer when the store has a valid token', async () => {
    const shared = await SharedClients.start({ speed: 20 })
    const full = new Map<string, string>()
    await call(shared.client({ tokenStore: full }))
    const tokenStore = new Map<string, string>()
    let tries = 0
    const acquire = (): undefined => {
      tries += 1
      for (const [key, value] of full) tokenStore.set(key, value)
    }
    await call(shared.client({ tokenStore, tokenLock: { acquire } }))
    expect(tries).toBe(1)
    expect(shared.asked).toEqual(['client_credentials 200'])
  })

  it('that nobody releases is waited for ten seconds, and then ignored', async () => {
    const shared = await SharedClients.start({ speed: 20 })
    const tries: number[] = []
    const tokenLock: TokenLock = {
      acquire() {
        tries.push(shared.clock.monotonic())
        return undefined
      },
    }
    const startedAt = shared.clock.monotonic()
    await call(shared.client({ tokenStore: new Map(), tokenLock }))
    const tookMs = (tries.at(-1) ?? 0) - startedAt
    expect(tookMs).toBeGreaterThanOrEqual(10_000)
    expect(tries.length).toBeGreaterThan(5)
    expect(tries.length).toBeLessThan(100)
    expect(shared.asked).toEqual(['client_credentials 200'])
    expect(shared.warnings).toEqual([])
  })

  const NO_TURNS = 'acquiring the token lock failed'
  const KEPT = 'releasing the token lock failed'
  const FAULTS: readonly (readonly [
    name: string,
    warning: string,
    () => ReturnType<TokenLock['acquire']>,
  ])[] = [
    [
      'throws in acquire',
      NO_TURNS,
      () => {
        throw new Error('canary-lock')
      },
    ],
    ['rejects in acquire', NO_TURNS, () => Promise.reject(new Error('canary-lock'))],
    ['never responds', NO_TURNS, () => new Promise<undefined>(() => undefined)],
    [
      'throws when it is given back',
      KEPT,
      () => () => {
        throw new Error('canary-lock')
      },
    ],
    ['rejects when it is given back', KEPT, () => () => Promise.reject(new Error('canary-lock'))],
    ['never takes it back', KEPT, () => () => new Promise(() => undefined)],
  ]

  it.each(FAULTS)('that %s is ignored, with one warning', async (_name, warning, acquire) => {
    const shared = await SharedClients.start({ speed: 10 })
    const client = shared.client({ tokenStore: new Map(), tokenLock: { acquire } })
    await call(client)
    shared.expire()
    await call(client)
    expect(shared.asked).toEqual(['client_credentials 200', 'refresh_token 200'])
    expect(shared.warnings).toEqual([`pathology-sdk: ${warning}; the client continues without it`])
  })

  it('that is not set up: the warning has the message of the store', async () => {
    const shared = await SharedClients.start({ speed: 10 })
    const acquire = () => Promise.reject(new ConfigurationError('call setup() once before the first use'))
    await call(shared.client({ tokenStore: new Map(), tokenLock: { acquire } }))
    expect(shared.warnings).toEqual([
      `pathology-sdk: ${NO_TURNS} (call setup() once before the first use); the client continues without it`,
    ])
  })

  it('that is acquired too late is released at once', async () => {
    const shared = await SharedClients.start({ speed: 20 })
    let give: (release: ReleaseTokenLock) => void = () => undefined
    const answer = new Promise<ReleaseTokenLock>((resolve) => {
      give = resolve
    })
    await call(shared.client({ tokenStore: new Map(), tokenLock: { acquire: () => answer } }))
    expect(shared.asked).toEqual(['client_credentials 200'])
    await new Promise<void>((resolve) => give(() => resolve()))
  })

  it('returns undefined, null or false when another process has it', async () => {
    const shared = await SharedClients.start({ speed: 20 })
    for (const held of [undefined, null, false]) {
      const answers: unknown[] = [held, () => undefined]
      const tokenLock = { acquire: () => answers.shift() }
      const untyped: object = { tokenStore: new Map(), tokenLock }
      await call(shared.client({ ...untyped }))
      expect(answers).toEqual([])
    }
    expect(shared.warnings).toEqual([])
  })
})
