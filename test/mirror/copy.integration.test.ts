import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { recordLocks } from '../../src/mirror/core/locks.js'
import { printGrants } from '../../src/mirror/schema/grants.js'
import { withPostgres } from '../support/postgres.js'
import { handlerSuite } from './changes/handler-suite.js'
import { batchSuite } from './copy/batch-suite.js'
import { copySuite } from './copy/copy-suite.js'
import { faultSuite } from './fault-suite.js'
import { flowSuite } from './flow-suite.js'
import { modelSuite } from './model-suite.js'
import { migrationSuite } from './schema/migration-suite.js'
import { cleanUp, eraseSuite } from './status/erase-suite.js'
import { goneSuite } from './sweep/gone-suite.js'
import { listSuite } from './sweep/list-suite.js'
import { recoverySuite } from './sweep/recovery-suite.js'
import { sweepSuite } from './sweep/sweep-suite.js'
import { workSuite } from './work/work-suite.js'
import { completeOrder, createWorld, poolDatabase } from './world.js'

const server = await withPostgres()
const pool = new pg.Pool({ connectionString: server?.url, max: 12 })

afterAll(async () => {
  await pool.end()
  await server?.stop()
})

describe.skipIf(server === undefined)('on a Postgres server', () => {
  const database = poolDatabase(pool)
  // The tests of status, PDFs, outages, old rows and the directory need no second database: copy.test.ts runs them on PGlite.
  copySuite(database)
  batchSuite(database)
  flowSuite(database)
  faultSuite(database)
  handlerSuite(database)
  eraseSuite(database)
  sweepSuite(database)
  goneSuite(database)
  listSuite(database)
  recoverySuite(database)
  workSuite(database, { isSmall: false })
  migrationSuite(database)
  modelSuite(database, 8)

  it('a mirror finds erased records by an index, however many there are', async () => {
    const here = await createWorld(database)
    const mirror = here.mirrorOf()
    await here.subscribe(mirror)
    const { referral, result } = await completeOrder(here, mirror)
    await here.rows(
      `INSERT INTO {schema}.erased (organisation, kind, uuid, group_key)
       SELECT 'default', kind, md5(n::text)::uuid::text, md5(n::text)::uuid::text
       FROM generate_series(1, 10000) AS n CROSS JOIN unnest(ARRAY['referral', 'result']) AS kind`,
    )
    await here.rows('ANALYZE')
    const query = vi.spyOn(pg.Client.prototype, 'query')
    onTestFinished(() => query.mockRestore())
    here.fake.results.review(result)
    await here.settle(mirror)
    await here.rows('UPDATE {schema}.referral SET results_uuid = gen_random_uuid()')
    await mirror.sweep('open')
    await here.rows('DELETE FROM {schema}.referral')
    await mirror.verify()
    await mirror.erase({ uuid: referral })
    const [{ at } = {}] = await here.rows(
      'SELECT min(changed_at)::text AS at FROM {schema}.change WHERE uuid = $1',
      [result],
    )
    await mirror.results.at(result, new Date(Date.parse(String(at)) + 1))
    const texts = new Map<string, unknown>()
    for (const [statement] of query.mock.calls as unknown as readonly (readonly [unknown])[]) {
      const { text, values } = Object(statement)
      if (/SELECT[^;]*\.erased/.test(String(text))) texts.set(text, values)
    }
    query.mockRestore()
    expect(texts.size).toBeGreaterThanOrEqual(7)
    for (const [text, values] of texts) {
      if (!Array.isArray(values)) throw new Error('a statement has no values')
      const plan = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
      const lines = plan.rows.map((row) => row['QUERY PLAN'])
      expect(
        lines.filter((line) => /Seq Scan on erased/.test(line)),
        text,
      ).toEqual([])
    }
  })

  it('stop() during start() leaves no connection that listens', async () => {
    const here = await createWorld(database)
    const mirror = here.mirrorOf({ listen: true })
    await mirror.drain()
    const { query } = pg.Client.prototype
    let stopped: Promise<void> | undefined
    pg.Client.prototype.query = function spied(this: pg.Client, ...values: unknown[]) {
      if (String(Object(values[0]).text).includes(`INSERT INTO ${here.schema}.schedule`))
        stopped ??= mirror.stop()
      return Reflect.apply(query, this, values)
    }
    onTestFinished(() => {
      pg.Client.prototype.query = query
    })
    await expect(mirror.start()).rejects.toMatchObject({ code: 'MIRROR_STOPPED' })
    expect(stopped).toBeDefined()
    await stopped
    await sleep(200)
    expect(
      await here.rows("SELECT query FROM pg_stat_activity WHERE query = 'LISTEN {schema}_work'"),
    ).toEqual([])
  })

  it('the clean-up of a large backlog changes few rows at a time', async () => {
    const here = await createWorld(database)
    const mirror = here.mirrorOf({ history: 1, eventDays: 1 })
    await mirror.drain()
    await here.rows(
      `INSERT INTO {schema}.event (organisation, event_uuid, event_name, received_at)
       SELECT 'default', n::text, 'other', now() - interval '3 days' FROM generate_series(1, 10001) AS n`,
    )
    await here.rows(
      `INSERT INTO {schema}.change (organisation, kind, uuid, group_key, action, source, body, changed_at)
       SELECT 'default', 'referral', 'one', 'one', 'updated', 'webhook', '{}', now() - interval '3 days'
       FROM generate_series(1, 10001) AS n`,
    )
    await here.rows(`
      CREATE TABLE {schema}.batch (rows integer);
      CREATE FUNCTION {schema}.log_batch() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO {schema}.batch SELECT count(*) FROM batch_rows; RETURN NULL; END';
      CREATE TRIGGER deletes AFTER DELETE ON {schema}.event REFERENCING OLD TABLE AS batch_rows
        FOR EACH STATEMENT EXECUTE FUNCTION {schema}.log_batch();
      CREATE TRIGGER updates AFTER UPDATE ON {schema}.change REFERENCING OLD TABLE AS batch_rows
        FOR EACH STATEMENT EXECUTE FUNCTION {schema}.log_batch()`)
    await cleanUp(here, mirror)
    expect(
      await here.rows('SELECT sum(rows)::integer AS all, max(rows) AS most FROM {schema}.batch'),
    ).toEqual([{ all: 20_001, most: 10_000 }])
    expect(await here.rows('SELECT body FROM {schema}.change WHERE body IS NOT NULL')).toEqual([{ body: {} }])
    expect(await here.rows('SELECT kind, error FROM {schema}.work')).toEqual([])
  })

  it('a record that is found again while a sweep marks missing records is not marked', async () => {
    const here = await createWorld(database, { deletedReferrals: 'gone', seedReferrals: 1 })
    const [referral] = here.fake.referrals.all()
    const uuid = referral?.uuid ?? ''
    const other = await pool.connect()
    // Closes the connection, because it can still hold locks.
    onTestFinished(() => other.release(true))
    // With one job at a time, the sweep waits while the read of the missing record is held here.
    const mirror = here.mirrorOf({ concurrency: 1, sweep: { requestsPerSecond: 1_000 } }, async (point) => {
      if (point !== 'store:committed') return
      const [row] = await here.rows('SELECT missing_at FROM {schema}.referral WHERE uuid = $1', [uuid])
      if (row?.['missing_at'] != null)
        await other.query(
          `BEGIN; ${recordLocks(here.schema, [{ organisation: 'default', uuid, group: uuid }])}`,
        )
    })
    await mirror.backfill()
    await here.clientOf().referrals.delete(uuid)
    const sweeping = mirror.sweep('everything')
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const blocked = 'SELECT 1 FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))'
    const isWaiting = async () => (await pool.query(blocked, [rows[0]?.pid])).rows.length > 0
    await vi.waitUntil(isWaiting, { timeout: 10_000 })
    await other.query(`UPDATE ${here.schema}.referral SET missing_at = NULL; COMMIT`)
    await sweeping
    expect(await here.rows('SELECT gone_at FROM {schema}.referral')).toEqual([{ gone_at: null }])
  })

  it('the start with a new consumer waits for a backup, and the copy continues', async () => {
    const here = await createWorld(database)
    const handled: string[] = []
    const mirror = here.mirrorOf({ on: { referral: ({ uuid }) => void handled.push(uuid) } })
    await here.subscribe(mirror)
    await mirror.start()
    const backup = await pool.connect()
    let isOpen = true
    try {
      await backup.query(`BEGIN; LOCK TABLE ${here.schema}.consumer IN ACCESS SHARE MODE`)
      const other = here.mirrorOf({ consumers: { reports: { on: { '*': () => undefined } } } })
      const starting = other.start()
      starting.finally(() => (isOpen = false)).catch(() => undefined)
      await sleep(300)
      const uuid = await here.order()
      await here.fake.clock.advance({ seconds: 1 })
      await vi.waitUntil(() => handled.includes(uuid), { timeout: 10_000 })
      expect(isOpen).toBe(true)
      await backup.query('COMMIT')
      await starting
    } finally {
      backup.release()
    }
    expect(await here.rows('SELECT name FROM {schema}.consumer ORDER BY name')).toEqual([
      { name: 'default' },
      { name: 'reports' },
    ])
  })

  it.each([false, true, true])(
    'five processes can start at once on an empty database, with row security %j',
    async (rowSecurity) => {
      const here = await createWorld(database)
      const mirrors = Array.from({ length: 5 }, () => here.mirrorOf({ rowSecurity }))
      // The connections are open already, so that all processes start at the same moment.
      await Promise.all(mirrors.map(() => here.rows('SELECT pg_sleep(0.1)')))
      await Promise.all(mirrors.map((mirror) => mirror.start()))
      await Promise.all(mirrors.map((mirror) => mirror.stop()))
      expect(await here.rows('SELECT version FROM {schema}.migration ORDER BY 1')).toEqual([
        { version: 1 },
        { version: 2 },
      ])
      const security = "SELECT relrowsecurity FROM pg_class WHERE oid = '{schema}.referral'::regclass"
      expect(await here.rows(security)).toEqual([{ relrowsecurity: rowSecurity }])
    },
  )

  it('with row security, the printed roles see one organisation, and statistics see no personal data', async () => {
    const here = await createWorld(database)
    const { schema } = here
    const organisation = { client: here.clientOf(), secret: here.fake.signingSecret }
    const mirror = here.mirrorOf({
      rowSecurity: true,
      organisations: { north: organisation, south: organisation },
    })
    const uuid = await here.order()
    await here.fake.clock.advance({ seconds: 1 })
    await mirror.backfill()
    const roles = ['writer', 'reader', 'statistics'].map((name) => `${schema}_${name}`)
    onTestFinished(async () => {
      for (const role of roles) await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    })
    await pool.query(printGrants({ schema, rowSecurity: true }))
    const as = async (role: string, text: string, name = ''): Promise<unknown[]> => {
      const client = await pool.connect()
      try {
        await client.query(
          `BEGIN; SET LOCAL ROLE ${schema}_${role}; SET LOCAL "pathology.organisation" = '${name}'`,
        )
        return (await client.query(text)).rows
      } finally {
        await client.query('ROLLBACK')
        client.release()
      }
    }
    const referrals = `SELECT organisation, uuid FROM ${schema}.current_referral`
    expect(await as('reader', referrals, 'north')).toEqual([{ organisation: 'north', uuid }])
    expect(await as('reader', referrals)).toEqual([])
    expect(await as('reader', `SELECT DISTINCT organisation FROM ${schema}.change`, 'south')).toEqual([
      { organisation: 'south' },
    ])
    expect(await as('writer', `SELECT organisation FROM ${schema}.referral ORDER BY 1`)).toHaveLength(2)
    expect(await as('statistics', `SELECT status FROM ${schema}.referral`, 'north')).toHaveLength(1)
    for (const text of [`SELECT body FROM ${schema}.referral`, referrals, `SELECT * FROM ${schema}.change`]) {
      await expect(as('statistics', text, 'north')).rejects.toMatchObject({ code: '42501' })
    }
    await expect(as('reader', `DELETE FROM ${schema}.referral`, 'north')).rejects.toMatchObject({
      code: '42501',
    })
    expect((await mirror.status()).oldestOpen).toMatchObject({ uuid })
  })

  it("start() names the statement for row security with migrations: 'manual'", async () => {
    const here = await createWorld(database)
    await here.mirrorOf().drain()
    await expect(here.mirrorOf({ rowSecurity: true, migrations: 'manual' }).start()).rejects.toMatchObject({
      code: 'ROW_SECURITY_MISSING',
    })
  })
})
