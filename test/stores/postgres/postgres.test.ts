import { randomUUID } from 'node:crypto'
import {
  type PostgresClient,
  postgresDedupeStore,
  postgresOrderLedger,
  postgresTokenLock,
  postgresTokenStore,
} from 'pathology-sdk/postgres'
import { ConfigurationError } from 'pathology-sdk/webhooks'
import { describe, expect, it } from 'vitest'

/** Records its statements, and responds like a database without a matching row. */
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

it('postgresDedupeStore never writes an event into the text of a statement', async () => {
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

it('postgresOrderLedger never writes a value into the text of a statement', async () => {
  const { client, queries } = recorder()
  const ledger = postgresOrderLedger(client)
  const hostile = "'; DROP TABLE users; --"
  const name = { namespace: hostile, key: hostile }
  const fingerprint = { keyId: hostile, hash: hostile }
  await ledger.mark(name, { token: hostile, mark: hostile, replaces: hostile, leaseMs: 1 })
  await ledger.unmark(name, { token: hostile, mark: hostile })
  await ledger.renew(name, { token: hostile, leaseMs: 1 })
  for (const outcome of [{ placed: [hostile] }, 'not-placed', 'unknown'] as const)
    await ledger.record(name, { token: hostile, outcome })
  await ledger.resolve(name, { placed: [randomUUID()] })
  await ledger.resolve(hostile, 'not-placed')
  // The recorder has no entry, so the claim fails.
  await expect(
    ledger.claim(name, { token: hostile, leaseMs: 1, fingerprint, mark: hostile }),
  ).rejects.toThrow('repeat the call')
  expect(queries.filter(({ text }) => text.includes('users'))).toEqual([])
})

it('postgresOrderLedger checks for a transaction with each statement, but not with a pool', async () => {
  const [one, other] = [recorder(), recorder()]
  const request = { token: 't', leaseMs: 1 }
  await postgresOrderLedger(Object.assign(one.client, { totalCount: 1 })).renew(
    { namespace: 'n', key: 'k' },
    request,
  )
  await postgresOrderLedger(other.client).renew({ namespace: 'n', key: 'k' }, request)
  expect([one.queries.length, other.queries.length]).toEqual([1, 3])
})

it('postgresOrderLedger runs the statements of one connection one after another', async () => {
  const { client, queries } = recorder()
  const ledger = postgresOrderLedger(client)
  const name = { namespace: 'n', key: 'k' }
  await Promise.all([1, 2].map((leaseMs) => ledger.renew(name, { token: 't', leaseMs })))
  expect(queries.map(({ text }) => text.split(' ')[0])).toEqual([
    ...['SELECT', 'SELECT', 'UPDATE'],
    ...['SELECT', 'SELECT', 'UPDATE'],
  ])
})

it.each(['40001', '40P01'])(
  'a statement of the ledger that had no effect because of a conflict is repeated (%s)',
  async (code) => {
    let tries = 0
    const client = {
      totalCount: 1,
      query: async () => {
        tries += 1
        if (tries < 3) throw Object.assign(new Error('conflict'), { code })
        return { rows: [{}] }
      },
    }
    const ledger = postgresOrderLedger(client)
    expect(await ledger.renew({ namespace: 'n', key: 'k' }, { token: 't', leaseMs: 1 })).toBe(true)
    expect(tries).toBe(3)
  },
)

it.each(['k\0', 'k'.repeat(2_000)])(
  'a key that Postgres may be unable to store is rejected, and nothing is written (%#)',
  async (key) => {
    const { client, queries } = recorder()
    const request = { token: 't', leaseMs: 1, fingerprint: { keyId: 'k', hash: 'h' } }
    const claim = postgresOrderLedger(client).claim({ namespace: 'n', key }, request)
    await expect(claim).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('longer than 2,000 bytes'),
    })
    expect(queries).toEqual([])
  },
)

it('postgresOrderLedger can be set up in a database without a readable timeline, and not when its connection fails', async () => {
  const { client, queries } = recorder()
  const answer = client.query
  let code: string | undefined = '42501'
  const ledger = postgresOrderLedger({
    query: async (text, values) => {
      if (text.includes('SELECT left(')) throw Object.assign(new Error('no'), { code })
      return answer(text, values)
    },
  })
  await ledger.setup()
  expect(queries.at(-1)?.values).toEqual([''])
  code = undefined
  await expect(ledger.setup()).rejects.toThrow('no')
})

it('a statement of the ledger whose effect is unknown is not repeated', async () => {
  const { client } = recorder()
  let tries = 0
  client.query = async () => {
    tries += 1
    throw new Error('connection lost')
  }
  const ledger = postgresOrderLedger(Object.assign(client, { totalCount: 1 }))
  await expect(ledger.renew({ namespace: 'n', key: 'k' }, { token: 't', leaseMs: 1 })).rejects.toThrow(
    'connection lost',
  )
  expect(tries).toBe(1)
})

it.each(['events', 'app.webhook_events', '_t1'])(
  'a Postgres store accepts the table name %s',
  async (table) => {
    const { client, queries } = recorder()
    await postgresDedupeStore(client, { table }).prune({ before: new Date() })
    expect(queries.at(-1)?.text).toContain(`DELETE FROM ${table} `)
  },
)

it.each(['', 'Events', 'a b', 'a;b', 'a.b.c', '"a"', "a'", 'a'.repeat(60)])(
  'a Postgres store rejects the table name %j',
  (table) => {
    expect(() => postgresDedupeStore(recorder().client, { table })).toThrow(ConfigurationError)
  },
)

describe.each([
  ['postgresDedupeStore', postgresDedupeStore],
  ['postgresTokenStore', postgresTokenStore],
  ['postgresTokenLock', postgresTokenLock],
  ['postgresOrderLedger', postgresOrderLedger],
])('%s', (name, make) => {
  it(`${name} rejects a value that is not a client, an unknown option, and an invalid table`, () => {
    // The types forbid it; plain JavaScript does not.
    expect(() => make({} as PostgresClient)).toThrow(/query function/)
    expect(() => make(recorder().client, JSON.parse('{ "Table": "a" }'))).toThrow('did you mean table?')
    expect(() => make(recorder().client, { table: 'Events' })).toThrow(`${name}: table must be a name`)
  })

  it(`prune of ${name} rejects a time that is not a date, and deletes nothing`, async () => {
    const { client, queries } = recorder()
    const store = make(client)
    for (const wrong of ['null', '{}', '{ "before": "2026-01-01" }']) {
      await expect(store.prune(JSON.parse(wrong))).rejects.toThrow(`${name}: prune requires { before }`)
    }
    await expect(store.prune({ before: new Date(Number.NaN) })).rejects.toThrow(ConfigurationError)
    expect(queries).toEqual([])
  })
})
