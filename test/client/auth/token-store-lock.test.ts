import { ConfigurationError, type ReleaseTokenLock, type TokenLock, type TokenStore } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { settled } from '../../support/settled.js'
import { call, SharedClients } from '../../support/shared-clients.js'
import { SkippingClock } from '../../support/skipping-clock.js'

/** Records the order in which the client uses store and lock. */
class Witness implements TokenStore, TokenLock {
  readonly seen: string[] = []
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

  async acquire(_key: string, ttlMs: number): Promise<ReleaseTokenLock> {
    this.seen.push(`acquire for ${ttlMs} ms`)
    return async () => void this.seen.push('release')
  }
}

/** A client with this lock, and an own store unless one is given. */
async function withLock(
  acquire: () => unknown,
  options: { random?: () => number; tokenStore?: TokenStore } = {},
) {
  const clock = new SkippingClock()
  const shared = await SharedClients.start(clock)
  const sharing: object = { tokenStore: new Map(), tokenLock: { acquire } }
  return { clock, shared, client: shared.client({ ...sharing, ...options }) }
}

const canary = (): Error => new Error('canary-lock')
const throwing = (): never => {
  throw canary()
}

it('the lock is acquired between two reads of the store, released after the write, and not needed later', async () => {
  const shared = await SharedClients.start()
  const witness = new Witness()
  await call(shared.client({ tokenStore: witness, tokenLock: witness }))
  expect(witness.seen).toEqual(['get', 'acquire for 30000 ms', 'get', 'get', 'set', 'release'])
  witness.seen.length = 0
  await call(shared.client({ tokenStore: witness, tokenLock: witness }))
  expect(witness.seen).toEqual(['get'])
})

it('the lock is released when no token can be issued', async () => {
  const shared = await SharedClients.start()
  shared.service.settings.refuse.set('client_credentials', { status: 401, code: '110' })
  const witness = new Witness()
  const client = shared.client({ tokenStore: witness, tokenLock: witness })
  await expect(call(client)).rejects.toMatchObject({ name: 'TokenError', code: '110' })
  expect(witness.seen.at(-1)).toBe('release')
})

it('the lock is not waited for any longer when the store has a valid token', async () => {
  const full = new Map<string, string>()
  const tokenStore = new Map<string, string>()
  let tries = 0
  const acquire = (): undefined => {
    tries += 1
    for (const [key, value] of full) tokenStore.set(key, value)
  }
  const { shared, client } = await withLock(acquire, { tokenStore })
  await call(shared.client({ tokenStore: full }))
  await call(client)
  expect(tries).toBe(1)
  expect(shared.asked).toEqual(['client_credentials 200'])
})

it.each([
  [0, [60, 90, 135, 202.5]],
  [0.5, [45, 67.5, 101.25, 151.875]],
])(
  'a lock that nobody releases is tried for ten seconds, with growing pauses (random %d)',
  async (random, first) => {
    const { clock, shared, client } = await withLock(() => undefined, { random: () => random })
    await call(client)
    expect(clock.slept.slice(0, 4)).toEqual(first)
    expect(clock.slept.at(-1)).toBe(500 * (1 - random / 2))
    expect(clock.monotonic()).toBeGreaterThanOrEqual(10_000)
    expect(clock.monotonic()).toBeLessThan(10_500)
    expect(shared.asked).toEqual(['client_credentials 200'])
    expect(shared.warnings).toEqual([])
  },
)

it.each([undefined, null, false])('a lock returns %j when another process has it', async (held) => {
  const answers: unknown[] = [held, () => undefined]
  const { shared, client } = await withLock(() => answers.shift())
  await call(client)
  expect(answers).toEqual([])
  expect(shared.warnings).toEqual([])
})

it('the wait for the lock ends when its call was aborted and the client closes', async () => {
  const abort = new AbortController()
  let tries = 0
  const { client } = await withLock(() => {
    tries += 1
    if (tries === 3) abort.abort()
  })
  await expect(client.vendors.list({}, { signal: abort.signal }).toArray()).rejects.toThrow()
  await client.close()
  await settled()
  expect(tries).toBeLessThan(10)
})

const NOT_ACQUIRED = 'acquiring the token lock failed'
const NOT_RELEASED = 'releasing the token lock failed'

it.each<[string, string, () => unknown]>([
  ['throws in acquire', NOT_ACQUIRED, throwing],
  ['rejects in acquire', NOT_ACQUIRED, () => Promise.reject(canary())],
  ['never responds', NOT_ACQUIRED, () => new Promise(() => undefined)],
  ['throws when it is released', NOT_RELEASED, () => throwing],
  ['rejects when it is released', NOT_RELEASED, () => () => Promise.reject(canary())],
  ['is never released', NOT_RELEASED, () => () => new Promise(() => undefined)],
  [
    'is not set up',
    `${NOT_ACQUIRED} (call setup() first)`,
    () => Promise.reject(new ConfigurationError('call setup() first')),
  ],
])('a lock that %s is ignored, with one warning until it has worked', async (_, problem, faulty) => {
  const states = [faulty, faulty, () => () => undefined, faulty]
  const { shared, client } = await withLock(() => states.shift()?.())
  const counts: number[] = []
  for (let hour = 0; hour < 4; hour += 1) {
    await call(client)
    shared.expire()
    counts.push(shared.warnings.length)
  }
  expect(counts).toEqual([1, 1, 1, 2])
  expect(shared.warnings[0]).toBe(`pathology-sdk: ${problem}; the client continues without it`)
  expect(shared.asked).toEqual(['client_credentials 200', ...Array(3).fill('refresh_token 200')])
})

it('a lock that is acquired too late is released at once', async () => {
  let give: (release: ReleaseTokenLock) => void = () => undefined
  const answer = new Promise<ReleaseTokenLock>((resolve) => {
    give = resolve
  })
  const { shared, client } = await withLock(() => answer)
  await call(client)
  expect(shared.asked).toEqual(['client_credentials 200'])
  await new Promise<void>((resolve) => give(() => resolve()))
})
