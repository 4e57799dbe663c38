import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ManagedOrderLedger, OrderName } from 'pathology-sdk'
import { postgresOrderLedger } from 'pathology-sdk/postgres'
import { redisOrderLedger } from 'pathology-sdk/redis'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withPostgres } from '../support/postgres.js'
import { withRedis } from '../support/redis.js'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js'
import { REDIS_LIBRARIES } from './redis/clients.js'

const PRINT = { keyId: 'k', hash: 'hash of an order' }
const LEASE_MS = 60_000

/** Time limit of the drivers, and the time after which a test takes a statement for hanging, in milliseconds. */
const DRIVER_MS = 700
const HANGING_MS = 4_000

const postgres = await withPostgres()
const redis = await withRedis({ isDurable: true })
afterAll(async () => {
  await postgres?.stop()
  await redis?.stop()
})

interface Opened extends AsyncDisposable {
  readonly ledger: ManagedOrderLedger
}

/** A database server, and how a process opens a ledger in it. */
interface Place {
  readonly name: string
  readonly server: { readonly url: string; restart(): Promise<void> } | undefined
  open(url: string): Promise<Opened>
}

const PLACES: readonly Place[] = [
  {
    name: 'postgresOrderLedger with a pg Pool',
    server: postgres,
    async open(url) {
      const pool = new pg.Pool({
        connectionString: url,
        connectionTimeoutMillis: DRIVER_MS,
        query_timeout: DRIVER_MS,
      })
      pool.on('error', () => undefined)
      return { ledger: postgresOrderLedger(pool), [Symbol.asyncDispose]: () => pool.end() }
    },
  },
  ...REDIS_LIBRARIES.map(({ library, open }) => ({
    name: `redisOrderLedger with ${library}`,
    server: redis,
    open: async (url: string) => {
      const connection = await open(url)
      return {
        ledger: redisOrderLedger(connection.client),
        [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
      }
    },
  })),
]

const newName = (): OrderName => ({ namespace: 'tests', key: randomUUID() })
const claimOf = (token: string) => ({ token, leaseMs: LEASE_MS, fingerprint: PRINT })

/** The error of a statement that must fail within its time limit. */
async function failure(statement: Promise<unknown>): Promise<unknown> {
  const outcome = statement.then(
    (value) => `it returned ${JSON.stringify(value)}`,
    () => 'rejected',
  )
  return Promise.race([outcome, sleep(HANGING_MS, 'it hangs', { ref: false })])
}

/** Repeats a statement until the connection works again. */
async function eventually<T>(statement: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await statement()
    } catch (error) {
      if (tries === 40) throw error
      await sleep(100)
    }
  }
}

describe.each(PLACES.filter(({ server }) => server !== undefined))('$name', ({ server, open }) => {
  let proxy: TcpProxy
  let near: Opened
  let direct: Opened

  beforeAll(async () => {
    const url = server?.url ?? ''
    proxy = await startTcpProxy(url)
    near = await open(proxy.url)
    direct = await open(url)
    await direct.ledger.setup()
  })
  afterAll(async () => {
    proxy.restore()
    await near[Symbol.asyncDispose]()
    await direct[Symbol.asyncDispose]()
    await proxy[Symbol.asyncDispose]()
  })

  it('a statement of a ledger rejects while the connection is cut, and takes effect once when it is repeated', async () => {
    const name = newName()
    const token = randomUUID()
    proxy.cut()
    expect(await failure(near.ledger.claim(name, claimOf(token)))).toBe('rejected')
    proxy.restore()
    expect(await eventually(() => near.ledger.claim(name, claimOf(token)))).toMatchObject({ state: 'new' })
    const mark = { token, mark: randomUUID(), leaseMs: LEASE_MS }
    expect(await near.ledger.mark(name, mark)).toBe(true)
    proxy.cut()
    expect(await failure(near.ledger.record(name, { token, outcome: { placed: ['a'] } }))).toBe('rejected')
    expect(await direct.ledger.claim(name, claimOf(randomUUID()))).toMatchObject({ state: 'busy' })
    proxy.restore()
    expect(await eventually(() => near.ledger.record(name, { token, outcome: { placed: ['a'] } }))).toBe(true)
    expect(await direct.ledger.claim(name, claimOf(randomUUID()))).toMatchObject({ referrals: ['a'] })
  })

  it('a statement of a ledger rejects when its response is lost, and can be repeated if it took effect', async () => {
    const name = newName()
    const token = randomUUID()
    await eventually(() => near.ledger.claim(newName(), claimOf(token)))
    proxy.holdAnswers()
    expect(await failure(near.ledger.claim(name, claimOf(token)))).toBe('rejected')
    expect(await direct.ledger.claim(name, claimOf(randomUUID()))).toMatchObject({ state: 'busy' })
    proxy.cut()
    proxy.restore()
    expect(await eventually(() => near.ledger.claim(name, claimOf(token)))).toMatchObject({ state: 'new' })
    const mark = { token, mark: randomUUID(), leaseMs: LEASE_MS }
    proxy.holdAnswers()
    expect(await failure(near.ledger.mark(name, mark))).toBe('rejected')
    proxy.cut()
    proxy.restore()
    expect(await eventually(() => near.ledger.mark(name, mark))).toBe(true)
    expect(await near.ledger.unmark(name, mark)).toBe(true)
    expect(await near.ledger.record(name, { token, outcome: 'unknown' })).toBe(true)
    expect(await direct.ledger.claim(name, claimOf(randomUUID()))).toMatchObject({ state: 'new' })
  })

  it('a statement of a ledger that arrives late does not change the entry of another claim', async () => {
    const name = newName()
    const [late, holder] = [randomUUID(), randomUUID()]
    await eventually(() => near.ledger.claim(newName(), claimOf(late)))
    proxy.freeze()
    expect(await failure(near.ledger.claim(name, claimOf(late)))).toBe('rejected')
    expect(await direct.ledger.claim(name, claimOf(holder))).toMatchObject({ state: 'new' })
    proxy.restore()
    await sleep(200)
    const mark = { token: holder, mark: randomUUID(), leaseMs: LEASE_MS }
    expect(await direct.ledger.mark(name, mark)).toBe(true)
    expect(await eventually(() => near.ledger.claim(name, claimOf(late)))).toMatchObject({ state: 'busy' })
  })

  it('a ledger keeps every entry when the server crashes', async () => {
    const names = Array.from({ length: 20 }, newName)
    const token = randomUUID()
    for (const name of names) {
      await eventually(() => direct.ledger.claim(name, claimOf(token)))
      await direct.ledger.mark(name, { token, mark: 'm', leaseMs: LEASE_MS })
    }
    const restarted = server?.restart()
    // Rejects or succeeds, and does not hang.
    expect(await failure(direct.ledger.renew(newName(), claimOf(token)))).not.toBe('it hangs')
    await restarted
    for (const name of names) {
      const other = await eventually(() => direct.ledger.claim(name, claimOf(randomUUID())))
      expect(other).toMatchObject({ state: 'busy', fingerprint: PRINT })
      expect(await direct.ledger.record(name, { token, outcome: { placed: ['a'] } })).toBe(true)
    }
  })
})
