import { EventEmitter } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type PgPool, PoolDatabase } from '../../src/database/pool.js'

describe('a pool whose server does not respond', () => {
  it('LISTEN ends after 30 seconds, and its connection is closed', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const released: unknown[] = []
    const client = Object.assign(new EventEmitter(), {
      query: () => new Promise(() => undefined),
      release: (isBroken: unknown) => released.push(isBroken),
    })
    const pool = Object.assign(new EventEmitter(), {
      connect: async () => client,
      query: async () => ({ rows: [], rowCount: 0 }),
      end: async () => undefined,
      options: { max: 10 },
    })
    const listening = new PoolDatabase(pool as unknown as PgPool, false).listen('work', vi.fn(), vi.fn())
    const expected = expect(listening).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' })
    await vi.advanceTimersByTimeAsync(30_000)
    await expected
    expect(released).toEqual([true])
  })
})
