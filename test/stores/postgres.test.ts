import { type PostgresClient, postgresDedupeStore } from 'pathology-sdk/postgres'
import { ConfigurationError } from 'pathology-sdk/webhooks'
import { describe, expect, it } from 'vitest'

/** Records what it is asked; answers as a database without a matching row would. */
function recorder() {
  const queries: { text: string; values: unknown[] }[] = []
  const client: PostgresClient = {
    query: async (text, values) => {
      queries.push({ text, values })
      return { rows: [] }
    },
  }
  return { client, queries }
}

describe('postgresDedupeStore', () => {
  it('never writes an event into the text of a statement', async () => {
    const { client, queries } = recorder()
    const store = postgresDedupeStore(client)
    const hostile = "'; DROP TABLE users; --"
    await store.claim(hostile, 1_000)
    await store.confirm(hostile, 1_000)
    await store.isConfirmed(hostile)
    await store.release(hostile)
    expect(queries).toHaveLength(4)
    for (const { text, values } of queries) {
      expect(text).not.toContain('users')
      expect(values[0]).toBe(hostile)
    }
  })

  it.each(['events', 'app.webhook_events', '_t1'])('takes the table name %s', async (table) => {
    const { client, queries } = recorder()
    await postgresDedupeStore(client, { table }).claim('event', 1_000)
    expect(queries[0]?.text).toContain(`INSERT INTO ${table} `)
  })

  it.each(['', 'Events', 'a b', 'a;b', 'a.b.c', '"a"', "a'", 'a'.repeat(60)])(
    'refuses the table name %j',
    (table) => {
      expect(() => postgresDedupeStore(recorder().client, { table })).toThrow(ConfigurationError)
    },
  )

  it('refuses what is no client', () => {
    // The types forbid it; plain JavaScript does not.
    expect(() => postgresDedupeStore({} as PostgresClient)).toThrow(/query function/)
  })
})
