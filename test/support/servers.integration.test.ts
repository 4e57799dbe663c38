import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import { createClient } from 'redis'
import { describe, expect, it } from 'vitest'
import { withPostgres } from './postgres.js'
import { withRedis } from './redis.js'

/** Returns `true` when a server listens on the port of a URL. */
async function answers(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

describe('servers for tests', () => {
  it('Redis responds until it is stopped', async (test) => {
    const redis = await withRedis()
    if (redis === undefined) return test.skip()
    const client = await createClient({ url: redis.url }).connect()
    expect(
      await client.set('key', 'value', { condition: 'NX', expiration: { type: 'PX', value: 5_000 } }),
    ).toBe('OK')
    expect(await client.set('key', 'other', { condition: 'NX' })).toBeNull()
    client.destroy()
    await redis.stop()
    expect(await answers(redis.url)).toBe(false)
  })

  it('Postgres responds until it is stopped', async (test) => {
    const postgres = await withPostgres()
    if (postgres === undefined) return test.skip()
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    const { rows } = await client.query('select 1 + 1 as sum')
    expect(rows).toEqual([{ sum: 2 }])
    await client.end()
    await postgres.stop()
    expect(await answers(postgres.url)).toBe(false)
  })
})
