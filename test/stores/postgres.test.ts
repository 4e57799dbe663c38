import {
  type PostgresClient,
  postgresDedupeStore,
  postgresTokenLock,
  postgresTokenStore,
} from 'pathology-sdk/postgres'
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
})

describe.each([
  ['postgresDedupeStore', postgresDedupeStore],
  ['postgresTokenStore', postgresTokenStore],
  ['postgresTokenLock', postgresTokenLock],
])('%s', (name, make) => {
  it.each(['events', 'app.webhook_events', '_t1'])('takes the table name %s', async (table) => {
    const { client, queries } = recorder()
    await make(client, { table }).prune({ before: new Date() })
    expect(queries[0]?.text).toContain(`DELETE FROM ${table} `)
  })

  it.each(['', 'Events', 'a b', 'a;b', 'a.b.c', '"a"', "a'", 'a'.repeat(60)])(
    'refuses the table name %j',
    (table) => {
      expect(() => make(recorder().client, { table })).toThrow(ConfigurationError)
    },
  )

  it('refuses what is not a client, and an unknown option', () => {
    // The types forbid it; plain JavaScript does not.
    expect(() => make({} as PostgresClient)).toThrow(/query function/)
    expect(() => make(recorder().client, JSON.parse('{ "Table": "a" }'))).toThrow('did you mean table?')
  })

  it('refuses a time of prune that is not a date, and deletes nothing', async () => {
    const { client, queries } = recorder()
    const store = make(client)
    for (const wrong of ['null', '{}', '{ "before": "2026-01-01" }']) {
      await expect(store.prune(JSON.parse(wrong))).rejects.toThrow(`${name}: prune needs { before }`)
    }
    await expect(store.prune({ before: new Date(Number.NaN) })).rejects.toThrow(ConfigurationError)
    expect(queries).toEqual([])
  })
})
