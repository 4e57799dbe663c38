import { PGlite } from '@electric-sql/pglite'
import {
  type PostgresClient,
  postgresDedupeStore,
  postgresOrderLedger,
  postgresTokenStore,
} from 'pathology-sdk/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orderLedgerContract } from '../../support/order-ledger-contract.js'
import { withPostgres } from '../../support/postgres.js'

const server = await withPostgres()
const oids = [...Object.values(pg.types.builtins), 1000, 1007, 1009, 1016, 1115, 1185]
const everyType = <T>(use: T) => Object.fromEntries(oids.map((oid) => [oid, use]))
const parse = (text: string): unknown => ({ of: text })

const pool = new pg.Pool({ connectionString: server?.url, types: { getTypeParser: () => parse } })
const pglite = await PGlite.create({
  parsers: everyType(parse),
  serializers: everyType((value: unknown) => JSON.stringify(value)),
})
afterAll(() => Promise.all([pool.end(), pglite.close()]).then(() => server?.stop()))

const kinds: readonly (readonly [string, PostgresClient])[] = [
  ['a PGlite with its own parsers and serializers', pglite],
  ...(server === undefined ? [] : [['a pool with its own parsers', pool] as const]),
]

describe.each(kinds)('the stores in %s', (name, client) => {
  beforeAll(() => postgresOrderLedger(client).setup())

  orderLedgerContract(name, () => postgresOrderLedger(client))

  it('keep tokens and events', async () => {
    const [tokens, events] = [postgresTokenStore(client), postgresDedupeStore(client)]
    await Promise.all([tokens.setup(), events.setup()])
    await tokens.set('name', '{"a":1}')
    expect(await tokens.get('name')).toBe('{"a":1}')
    expect([await events.claim('event', 60_000), await events.claim('event', 60_000)]).toEqual([true, false])
  })
})
