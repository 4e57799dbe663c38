import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresDedupeStore } from 'pathology-sdk/postgres'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { withPostgres } from '../support/postgres.js'

const server = await withPostgres()
const clients = server === undefined ? [] : [0, 1].map(() => new pg.Client({ connectionString: server.url }))
await Promise.all(clients.map((client) => client.connect()))

afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()))
  await server?.stop()
})

describe.skipIf(server === undefined)('postgresDedupeStore on a real Postgres', () => {
  const stores = clients.map((client) => postgresDedupeStore(client))

  it('is set up by several processes at once', async () => {
    await expect(Promise.all(stores.map((store) => store.setup()))).resolves.toHaveLength(stores.length)
  })

  it('§6 gives an event to exactly one of many who claim it at once', async () => {
    const id = randomUUID()
    const claims = await Promise.all(Array.from({ length: 30 }, (_, n) => stores[n % 2]?.claim(id, 60_000)))
    expect(claims.filter(Boolean)).toHaveLength(1)
  })

  it('lets only the owner release a claim, and nobody a confirmed event', async () => {
    const [mine, theirs] = stores
    const id = randomUUID()
    expect(await mine?.claim(id, 60_000)).toBe(true)
    await theirs?.release(id)
    expect([await theirs?.claim(id, 60_000), await theirs?.isConfirmed(id)]).toEqual([false, false])
    await mine?.release(id)
    expect(await theirs?.claim(id, 60_000)).toBe(true)
    await theirs?.confirm(id, 60_000)
    await theirs?.release(id)
    expect([await mine?.claim(id, 60_000), await mine?.isConfirmed(id)]).toEqual([false, true])
  })

  it('forgets what has expired, and prunes it from the table', async () => {
    const [store] = stores
    const id = randomUUID()
    expect(await store?.claim(id, 10)).toBe(true)
    await sleep(30)
    expect(await store?.claim(id, 10)).toBe(true)
    await sleep(30)
    await store?.prune()
    const { rows } = (await clients[0]?.query(
      'select count(*)::int as left from pathology_webhook_events',
    )) ?? {
      rows: [],
    }
    expect(rows).toEqual([{ left: 2 }])
  })
})
