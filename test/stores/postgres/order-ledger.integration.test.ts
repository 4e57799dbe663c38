import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PathologyClient } from 'pathology-sdk'
import { type PostgresClient, postgresOrderLedger } from 'pathology-sdk/postgres'
import { FakePathologyService } from 'pathology-sdk/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orderLedgerContract } from '../../support/order-ledger-contract.js'
import { withPostgres } from '../../support/postgres.js'
import { order } from '../../support/samples.js'
import { openPGlite, postgresKinds, type TestDatabase } from './clients.js'

const PRINT = { keyId: 'k', hash: 'hash of an order' }

const server = await withPostgres()
afterAll(() => server?.stop())

describe.each(postgresKinds(server))('postgresOrderLedger with $kind', ({ kind, open }) => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await open()
    await postgresOrderLedger(database.clients[0]).setup()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  orderLedgerContract(kind, () => postgresOrderLedger(database.clients[0]))

  const request = (more: object = {}) => ({
    token: randomUUID(),
    leaseMs: 60_000,
    fingerprint: PRINT,
    ...more,
  })
  const newName = () => ({ namespace: 'tests', key: randomUUID() })

  /** A ledger in a table of its own, which the test sets up. */
  async function freshLedger(client: PostgresClient = database.clients[0]) {
    const table = `fresh_${randomUUID().slice(0, 8)}`
    const ledger = postgresOrderLedger(client, { table })
    await ledger.setup()
    return { table, ledger }
  }

  async function firstValue(text: string, ...values: unknown[]): Promise<unknown> {
    const [row] = await database.query(text, values)
    return Object.values(row ?? {})[0]
  }

  it('a ledger in Postgres vouches for orders since its setup and since the last prune, and for no earlier ones', async () => {
    const { ledger, table } = await freshLedger()
    const isVouched = async (since?: Date) => {
      const { isVouched: vouched, isMarked } = await ledger.claim(newName(), request({ since, mark: 'm' }))
      expect(isMarked).toBe(vouched)
      return vouched
    }
    const hour = 3_600_000
    const inFuture = (ms: number) => new Date(Date.now() + ms)
    expect([await isVouched(), await isVouched(inFuture(-hour)), await isVouched(inFuture(hour))]).toEqual([
      ...[false, false, true],
    ])
    await database.query(`UPDATE ${table} SET ends_at = now() - interval '3 days' WHERE key = ''`)
    expect([await isVouched(), await isVouched(inFuture(-2 * hour))]).toEqual([true, true])
    await ledger.prune({ before: inFuture(-hour) })
    expect([
      await isVouched(),
      await isVouched(inFuture(-2 * hour)),
      await isVouched(inFuture(-hour / 2)),
    ]).toEqual([...[false, false, true]])
    // An earlier bound removes nothing, and a bound in the future promises nothing.
    await ledger.prune({ before: inFuture(-2 * hour) })
    expect(await isVouched(inFuture(-1.5 * hour))).toBe(false)
    await ledger.prune({ before: inFuture(hour) })
    expect(await isVouched(inFuture(hour / 2))).toBe(true)
  })

  it('prune of a ledger in Postgres deletes many entries, and claims whose process died before a mark', async () => {
    const { ledger, table } = await freshLedger()
    await database.query(
      `INSERT INTO ${table} SELECT 'k' || n, 'tests', 't', n % 2 = 0, now() - interval '1 day', '{}', '{}', 'k', 'h'
        FROM generate_series(1, 4500) AS n`,
    )
    expect(await ledger.prune({ before: new Date(Date.now() - 2 * 86_400_000) })).toBe(0)
    expect(await ledger.prune({ before: new Date() })).toBe(4500)
    expect(await firstValue(`SELECT count(*)::int FROM ${table}`)).toBe(1)
  })

  it('the table of the ledger is set up by several processes at once, and says in its comment that it has no health data', async () => {
    const table = `fresh_${randomUUID().slice(0, 8)}`
    const ledgers = database.clients.map((client) => postgresOrderLedger(client, { table }))
    await Promise.all(Array.from({ length: 10 }, (_, n) => ledgers[n % 2]?.setup()))
    expect(await firstValue('SELECT obj_description(to_regclass($1))', table)).toContain('No health data')
  })

  it('a ledger in Postgres without setup() says so', async () => {
    const ledger = postgresOrderLedger(database.clients[0], { table: 'not_there' })
    await expect(ledger.claim(newName(), request())).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('setup()'),
    })
  })
})

it('a client with a ledger in Postgres places an order with two additional statements, and without a lookup (§4.1)', async () => {
  await using database = await openPGlite()
  await using fake = await FakePathologyService.start({ port: 0, centreCount: 1, seedReferrals: 0 })
  const statements: string[] = []
  // A client that counts as a pool: each statement is a separate transaction.
  const pool = {
    totalCount: 1,
    query: (text: string, values: unknown[]) => {
      statements.push(text)
      return database.pglite.query(text, values)
    },
  }
  const orderLedger = postgresOrderLedger(pool)
  await orderLedger.setup()
  await sleep(5)
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  await using client = new PathologyClient({ baseUrl, authUrl, clientId, clientSecret, orderLedger })
  // The ledger knows no order before its setup and before the first claim of this client's namespace.
  const lists = () => fake.requests.filter(({ method }) => method === 'GET').length
  await client.referrals.create(order({ tests: ['tsh'] }), { orderKey: 'job-0', since: new Date() })
  expect(lists()).toBe(1)
  await database.pglite.query(
    "UPDATE pathology_order_ledger SET ends_at = ends_at - interval '1 hour' WHERE key = ''",
  )
  const since = new Date()
  statements.length = 0
  const options = { orderKey: 'job-1', since }
  const placed = await client.referrals.create(order({ tests: ['tsh'] }), options)
  expect(statements).toHaveLength(2)
  expect(lists()).toBe(1)
  // After a change of the namespace, every key is new, so the order is looked up.
  const inNamespace = postgresOrderLedger(database.clients[0], { namespace: 'renamed' })
  const renamed = { baseUrl, authUrl, clientId, clientSecret, orderLedger: inNamespace }
  await using changed = new PathologyClient(renamed)
  const found = await changed.referrals.create(order({ tests: ['tsh'] }), options)
  expect(found).toMatchObject({ recovered: true, referrals: [{ uuid: placed.referrals[0].uuid }] })
  // Another process reads the referral that the entry names.
  await using other = new PathologyClient({ baseUrl, authUrl, clientId, clientSecret, orderLedger })
  const again = await other.referrals.create(order({ tests: ['tsh'] }), options)
  expect(again).toMatchObject({ recovered: true, referrals: [{ uuid: placed.referrals[0].uuid }] })
  expect(fake.referrals.all()).toHaveLength(2)
})

it('a client finds the order of a key that was pruned, as far back as since, and does not send it again (§4.1)', async () => {
  await using database = await openPGlite()
  await using fake = await FakePathologyService.start({ port: 0, centreCount: 1, seedReferrals: 0 })
  const orderLedger = postgresOrderLedger(database.clients[0])
  await orderLedger.setup()
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  const account = { baseUrl, authUrl, clientId, clientSecret, orderLedger }
  await using client = new PathologyClient(account)
  await using other = new PathologyClient(account)
  const options = { orderKey: 'job-1', since: new Date() }
  const placed = await client.referrals.create(order({ tests: ['tsh'] }), options)
  await sleep(5)
  expect(await orderLedger.prune({ before: new Date() })).toBe(1)
  // With and without since: the ledger vouches for neither, because it may have deleted an entry of that
  // time.
  for (const repeated of [options, { orderKey: 'job-1' }]) {
    const again = await other.referrals.create(order({ tests: ['tsh'] }), repeated)
    expect(again).toMatchObject({ recovered: true, referrals: [{ uuid: placed.referrals[0].uuid }] })
    await sleep(5)
    expect(await orderLedger.prune({ before: new Date() })).toBe(1)
  }
  expect(fake.referrals.all()).toHaveLength(1)
})

const refused = { name: 'ConfigurationError', message: expect.stringContaining('inside a transaction') }

/** Every method of the ledger is refused, and the caller's transaction stays usable. */
async function expectRefused(client: PostgresClient): Promise<void> {
  const ledger = postgresOrderLedger(client)
  const name = { namespace: 'n', key: randomUUID() }
  const token = randomUUID()
  const statements = [
    () => ledger.setup(),
    () => ledger.claim(name, { token, leaseMs: 60_000, fingerprint: PRINT, mark: 'm' }),
    () => ledger.mark(name, { token, mark: 'm', leaseMs: 60_000 }),
    () => ledger.unmark(name, { token, mark: 'm' }),
    () => ledger.renew(name, { token, leaseMs: 60_000 }),
    () => ledger.record(name, { token, outcome: 'unknown' }),
    () => ledger.resolve(name.key, 'not-placed'),
    () => ledger.prune({ before: new Date() }),
  ]
  for (const statement of statements) await expect(statement()).rejects.toMatchObject(refused)
  const { rows } = await client.query(
    'SELECT count(*)::int AS count FROM pathology_order_ledger WHERE key = $1',
    [name.key],
  )
  expect(rows).toEqual([{ count: 0 }])
}

it('a statement of the ledger inside a transaction of its caller is rejected on PGlite', async () => {
  await using database = await openPGlite()
  await postgresOrderLedger(database.clients[0]).setup()
  await database.pglite.transaction((transaction) => expectRefused(transaction))
  await database.pglite.exec('BEGIN')
  await expectRefused(database.pglite)
  await database.pglite.exec('ROLLBACK')
  const ledger = postgresOrderLedger(database.pglite)
  expect(await ledger.prune({ before: new Date() })).toBe(0)
})

it.skipIf(server === undefined)(
  'a statement of the ledger inside a transaction of its caller is rejected on a pg Client, from the first one on',
  async () => {
    const client = new pg.Client({ connectionString: server?.url })
    await client.connect()
    const ledger = postgresOrderLedger(client)
    await ledger.setup()
    for (const begin of ['BEGIN', 'BEGIN ISOLATION LEVEL SERIALIZABLE', 'BEGIN; SELECT 1']) {
      await client.query(begin)
      await expectRefused(client)
      await client.query('ROLLBACK')
    }
    await client.query('BEGIN')
    await client.query('SELECT no_such_column').catch(() => undefined)
    await expect(ledger.prune({ before: new Date() })).rejects.toMatchObject(refused)
    await client.query('ROLLBACK')
    // On a slow machine, claims of earlier tests have ended meanwhile, and a prune up to now deletes them.
    expect(await ledger.prune({ before: new Date(0) })).toBe(0)
    await client.end()
  },
)

function disposable(pool: pg.Pool) {
  return { pool, [Symbol.asyncDispose]: () => pool.end() }
}

describe.skipIf(server === undefined)('postgresOrderLedger under many connections', () => {
  it.each(['read committed', 'repeatable read', 'serializable'])(
    'only one of fifty simultaneous claims gets a key, also with the default isolation %s',
    async (isolation) => {
      await using pool = disposable(
        new pg.Pool({
          connectionString: server?.url,
          max: 50,
          options: `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`,
        }),
      )
      const ledger = postgresOrderLedger(pool.pool)
      await ledger.setup()
      await Promise.all(Array.from({ length: 50 }, () => pool.pool.query('SELECT pg_sleep(0.1)')))
      for (let round = 0; round < 4; round += 1) {
        const name = { namespace: 'n', key: randomUUID() }
        const leaseMs = round % 2 === 0 ? 60_000 : 0
        if (leaseMs === 0) {
          const token = randomUUID()
          await ledger.claim(name, { token, leaseMs: 60_000, fingerprint: PRINT })
          await ledger.mark(name, { token, mark: 'm', leaseMs: 1 })
        }
        const claims = await Promise.all(
          Array.from({ length: 50 }, () =>
            ledger.claim(name, { token: randomUUID(), leaseMs: 60_000, fingerprint: PRINT }),
          ),
        )
        const held = claims.filter(({ state }) => state !== 'busy')
        expect(held.map(({ state }) => state)).toEqual([leaseMs === 0 ? 'sent' : 'new'])
      }
    },
    30_000,
  )

  it('a ledger in Postgres vouches for no key after a failover, until setup() is called again, and then for later orders', async () => {
    const own = await withPostgres()
    if (own === undefined) throw new Error('Postgres ran a moment ago')
    const claimSince = async (since: Date) => {
      await using pool = disposable(new pg.Pool({ connectionString: own.url }))
      const request = { token: randomUUID(), leaseMs: 60_000, fingerprint: PRINT, mark: 'm', since }
      const name = { namespace: 'n', key: randomUUID() }
      return (await postgresOrderLedger(pool.pool).claim(name, request)).isVouched
    }
    const setup = async () => {
      await using pool = disposable(new pg.Pool({ connectionString: own.url }))
      await postgresOrderLedger(pool.pool).setup()
    }
    try {
      await setup()
      await claimSince(new Date())
      // Dates have milliseconds, and the database has microseconds.
      await sleep(5)
      const before = new Date()
      await own.restart()
      await setup()
      expect(await claimSince(before)).toBe(true)
      await own.failOver()
      expect([await claimSince(before), await claimSince(new Date())]).toEqual([false, false])
      await setup()
      await sleep(5)
      expect([await claimSince(before), await claimSince(new Date())]).toEqual([false, true])
    } finally {
      await own.stop()
    }
  })

  it('a ledger in Postgres waits for the disk even if the database does not, and leaves the connection as it was', async () => {
    await using pool = disposable(
      new pg.Pool({ connectionString: server?.url, max: 1, options: '-c synchronous_commit=off' }),
    )
    const seen: unknown[] = []
    const ledger = postgresOrderLedger(pool.pool)
    await ledger.setup()
    await pool.pool.query(`CREATE OR REPLACE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE NOTICE 'commit %', current_setting('synchronous_commit'); RETURN NULL; END $$`)
    await pool.pool.query(`CREATE CONSTRAINT TRIGGER note_commit AFTER INSERT OR UPDATE ON pathology_order_ledger
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_commit()`)
    const client = await pool.pool.connect()
    client.on('notice', ({ message }) => seen.push(message))
    client.release()
    const name = { namespace: 'n', key: randomUUID() }
    const token = randomUUID()
    await ledger.claim(name, { token, leaseMs: 60_000, fingerprint: PRINT })
    await ledger.mark(name, { token, mark: 'm', leaseMs: 60_000 })
    await ledger.renew(name, { token, leaseMs: 60_000 })
    await ledger.unmark(name, { token, mark: 'm' })
    await ledger.record(name, { token, outcome: 'not-placed' })
    await ledger.resolve(name, 'not-placed')
    await ledger.record(name, { token, outcome: { placed: ['x'] } })
    await ledger.resolve(name, { placed: [randomUUID()] })
    await ledger.prune({ before: new Date(0) })
    expect(seen).toEqual(Array.from({ length: 9 }, () => 'commit on'))
    const { rows } = await pool.pool.query('SHOW synchronous_commit')
    expect(rows).toEqual([{ synchronous_commit: 'off' }])
    await pool.pool.query('DROP TRIGGER note_commit ON pathology_order_ledger')
  })
})
