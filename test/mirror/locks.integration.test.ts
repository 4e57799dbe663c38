import pg from 'pg'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { withPostgres } from '../support/postgres.js'
import { createWorld, poolDatabase } from './world.js'

const server = await withPostgres()
const pool = new pg.Pool({ connectionString: server?.url, max: 12 })

afterAll(async () => {
  await pool.end()
  await server?.stop()
})

const database = poolDatabase(pool)

/** A connection of another program. */
async function connect(): Promise<pg.PoolClient> {
  const client = await pool.connect()
  // Closes the connection, because it can still hold locks.
  onTestFinished(() => client.release(true))
  return client
}

/** Waits until another session waits for a lock of this connection. */
async function waitUntilBlocking(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const blocked = 'SELECT 1 FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))'
  const isWaiting = async () => (await pool.query(blocked, [rows[0]?.pid])).rows.length > 0
  await vi.waitUntil(isWaiting, { timeout: 10_000 })
}

describe.skipIf(server === undefined)('locks on a Postgres server', () => {
  it('the renewal of leases locks its rows in the order of their keys', async () => {
    const here = await createWorld(database)
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const mirror = here.mirrorOf({ lease: 3_000, sweep: { recent: false, centres: false } }, (point) =>
      point === 'fetch:before' ? held : undefined,
    )
    onTestFinished(() => release())
    await mirror.status()
    const [a, b] = ['a', 'b'].map((letter) => `00000000-0000-4000-8000-00000000000${letter}`)
    // The row of the second key is the first one of the table, and is claimed first.
    for (const key of [b, a]) {
      await here.want('referral', key)
    }
    const draining = mirror.drain()
    // Only a failed expectation leaves this promise without a handler.
    draining.catch(() => undefined)
    const leased = "SELECT 1 FROM {schema}.work WHERE kind = 'referral' AND lease IS NOT NULL"
    await vi.waitUntil(async () => (await here.rows(leased)).length === 2, { timeout: 10_000 })
    const other = await connect()
    const lock = `SELECT 1 FROM ${here.schema}.work WHERE key = $1 FOR UPDATE NOWAIT`
    await other.query('BEGIN')
    await other.query(lock, [a])
    await waitUntilBlocking(other)
    expect((await other.query(lock, [b])).rows).toHaveLength(1)
    await other.query('COMMIT')
    release()
    await draining
  })

  it('removeConsumer() rejects if the table stays locked, and changes nothing', async () => {
    const here = await createWorld(database)
    const old = here.mirrorOf({ consumers: { billing: { on: { '*': () => undefined } } } })
    await old.drain()
    await old.stop()
    const mirror = here.mirrorOf()
    await mirror.drain()
    const backup = await connect()
    await backup.query(`BEGIN; LOCK TABLE ${here.schema}.consumer IN ACCESS SHARE MODE`)
    await expect(mirror.removeConsumer('billing')).rejects.toMatchObject({
      ...{ name: 'PathologyError', code: 'DATABASE_UNAVAILABLE', retryable: true },
      message:
        'The table consumer of the copy is locked, for example by a backup. Nothing was changed. Try again later.',
    })
    await backup.query('COMMIT')
    expect(await mirror.removeConsumer('billing')).toBe(1)
    // The mirror tries for 12 seconds to get the lock.
  })
})
