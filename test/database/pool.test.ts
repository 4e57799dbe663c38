import { EventEmitter } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type PgPool, PoolDatabase } from '../../src/database/pool.js'

/** A pool whose only connection answers statements with `query`, and the arguments of its `release`. */
function poolWith(query: () => Promise<unknown>) {
  const released: unknown[] = []
  const client = Object.assign(new EventEmitter(), {
    query,
    release: (isBroken: unknown) => released.push(isBroken),
  })
  const pool = Object.assign(new EventEmitter(), {
    connect: async () => client,
    query: async () => ({ rows: [], rowCount: 0 }),
    end: async () => undefined,
    options: { max: 10 },
  })
  return { database: new PoolDatabase(pool as unknown as PgPool, false), released }
}

describe('a pool whose server does not respond', () => {
  it('LISTEN to a server that does not respond ends after 30 seconds, and its connection is closed', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { database, released } = poolWith(() => new Promise(() => undefined))
    const listening = database.listen('work', vi.fn(), vi.fn())
    const expected = expect(listening).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' })
    await vi.advanceTimersByTimeAsync(30_000)
    await expected
    expect(released).toEqual([true])
  })
})

describe('a connection after a failed statement', () => {
  it.each([
    ['57P01', 'the server stops'],
    ['08006', 'the connection failed'],
    ['25P03', 'idle_in_transaction_session_timeout'],
    ['25P04', 'transaction_timeout'],
    ['ECONNRESET', 'not a code of the server'],
  ])('after a statement that failed with %s (%s) the connection is closed', async (code) => {
    const { database, released } = poolWith(() => Promise.reject(Object.assign(new Error(code), { code })))
    await expect(database.run('SELECT 1')).rejects.toThrow()
    expect(released).toEqual([true])
  })

  it.each([
    ['23505', 'unique_violation'],
    ['25P02', 'the transaction is aborted'],
    ['57014', 'the statement was cancelled'],
  ])('after a statement that failed with %s (%s) the connection is used again', async (code) => {
    const { database, released } = poolWith(() => Promise.reject(Object.assign(new Error(code), { code })))
    await expect(database.run('SELECT 1')).rejects.toThrow()
    expect(released).toEqual([false])
  })
})
