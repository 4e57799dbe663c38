import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { WorkTable } from '../../../src/mirror/work/work-table.js'
import { record } from '../../testing/support.js'
import { createWorld, type TestDatabase, type World } from '../world.js'

/** A statement of the table of work, with its values. */
type Statement = readonly [text: string, values: readonly unknown[]]

/** Returns the statement that a call of the table of work runs, without running it. */
async function statementOf(call: (table: WorkTable) => Promise<unknown>): Promise<Statement> {
  const statements: Statement[] = []
  const query = async (text: string, values: readonly unknown[] = []) => {
    statements.push([text, values])
    return { rows: [], rowCount: 0 }
  }
  await call(new WorkTable({ query }))
  const [first] = statements
  if (first === undefined) throw new Error('no statement')
  return first
}

/** Runs a statement, and returns the largest number of rows that one part of its plan read in vain. */
async function removedRows({ rows }: World, [text, values]: Statement): Promise<number> {
  const [row] = await rows(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values])
  const plan = JSON.stringify(record(row)['QUERY PLAN'])
  const removed = [...plan.matchAll(/"Rows Removed by Filter":(\d+)/g)].map(([, count]) => Number(count))
  return Math.max(0, ...removed)
}

/** Tests of the table of work, for each database. */
export function workSuite(database: TestDatabase, { isSmall }: { readonly isSmall: boolean }): void {
  describe('claims', () => {
    it('claims of other kinds do not read the due deliveries, also with old statistics of the table', async () => {
      const here = await createWorld(database)
      await here.mirrorOf().drain()
      await here.rows(
        `INSERT INTO {schema}.work (organisation, kind, key)
         SELECT 'default', 'referral', n::text FROM generate_series(1, 500) AS n`,
      )
      await here.rows('ANALYZE {schema}.work')
      await here.rows('DELETE FROM {schema}.work')
      await here.rows(
        `INSERT INTO {schema}.work (organisation, kind, key)
         SELECT 'default', 'deliver:default', n::text FROM generate_series(1, 20000) AS n`,
      )
      await here.want('referral', 'a')
      const slots = ['referral', 'result', 'sweep'].map((kind) => ({ kind, lane: 'records', free: 3 }))
      const claim = await statementOf((table) => table.claim(['default'], slots, 60_000))
      expect(await removedRows(here, claim)).toBeLessThan(100)
      expect(await here.rows('SELECT kind FROM {schema}.work WHERE lease IS NOT NULL')).toEqual([
        { kind: 'referral' },
      ])
    })
  })

  /** Only for a server: PGlite takes too long to insert the rows. */
  describe.skipIf(isSmall)('claims beside 200,000 due deliveries of a removed consumer', () => {
    it('claims beside 200,000 due deliveries of a removed consumer find their work by index', async () => {
      const here = await createWorld(database)
      await here.mirrorOf().status()
      await here.rows(
        `INSERT INTO {schema}.work (organisation, kind, key)
         SELECT 'default', 'deliver:removed', n::text FROM generate_series(1, 200000) AS n`,
      )
      await here.rows('ANALYZE {schema}.work')
      const slots = ['referral', 'sweep', 'deliver:default'].map((kind) => ({ kind, lane: kind, free: 8 }))
      const [text, values] = await statementOf((table) => table.claim(['default'], slots, 60_000))
      const plan = JSON.stringify(await here.rows(`EXPLAIN (FORMAT JSON) ${text}`, [...values]))
      expect(plan).toContain('work_due')
      expect(plan).not.toMatch(/"Node Type":"Seq Scan"[^}]*"Relation Name":"work"/)
      expect(plan).not.toContain('"JIT"')
    })
  })

  describe('work that begins again', () => {
    const work = ({ rows }: World) => rows('SELECT kind, dead, attempts, rereads, error FROM {schema}.work')
    const AGAIN = { dead: false, attempts: 0, rereads: 0, error: null }

    it('work that begins again because an event arrived during its last repeated read gets all repeated reads again', async () => {
      const here = await createWorld(database)
      const uuid = randomUUID()
      let reads = 0
      const mirror = here.mirrorOf({}, async (point) => {
        if (point !== 'fetch:before') return
        reads += 1
        if (reads === 1) expect(await here.announce(mirror, { uuid })).toBe(200)
      })
      expect(await here.announce(mirror, { uuid })).toBe(200)
      await here.rows('UPDATE {schema}.work SET rereads = 3')
      await mirror.drain()
      expect(reads).toBe(2)
      expect(await work(here)).toEqual([{ ...AGAIN, kind: 'referral', rereads: 1 }])
    })

    it('work that begins again because an event revives a dead read has no error of the earlier attempts', async () => {
      const here = await createWorld(database)
      const uuid = randomUUID()
      const mirror = here.mirrorOf()
      await mirror.status()
      await here.rows(
        `INSERT INTO {schema}.work (organisation, kind, key, dead, attempts, rereads, error)
         VALUES ('default', 'referral', $1, true, 12, 3, 'ServerError')`,
        [uuid],
      )
      expect(await here.announce(mirror, { uuid })).toBe(200)
      expect(await work(here)).toEqual([{ ...AGAIN, kind: 'referral' }])
      expect(await mirror.status()).toMatchObject({ backlog: 1, retrying: 0, dead: 0 })
    })

    it('work that begins again because a sweep is requested has no error of the earlier run', async () => {
      const here = await createWorld(database)
      const seen: unknown[] = []
      let isAgain = false
      const mirror = here.mirrorOf({ attempts: { fetch: 1 } }, async (point) => {
        if (point === 'claimed' && isAgain) seen.push(...(await work(here)))
      })
      here.fake.faults.next('GET /v1/referrals', { status: 503 })
      await expect(mirror.sweep('open')).rejects.toMatchObject({ code: 'SWEEP_FAILED' })
      expect(await work(here)).toMatchObject([{ dead: true, error: expect.stringMatching(/^ServerError/) }])
      isAgain = true
      await mirror.sweep('open')
      expect(seen[0]).toEqual({ ...AGAIN, kind: 'sweep' })
    })

    it('work that begins again because a backfill that has failed is tried again has no error of the earlier run', async () => {
      const here = await createWorld(database)
      const failing = here.mirrorOf({ attempts: { fetch: 1 } })
      here.fake.faults.next('GET /v1/referrals', { status: 503 })
      await expect(failing.backfill()).rejects.toMatchObject({ code: 'SWEEP_FAILED' })
      await failing.stop()
      const mirror = here.mirrorOf({ concurrency: 0 })
      await mirror.start()
      expect(await work(here)).toEqual([{ ...AGAIN, kind: 'sweep' }])
      expect(await mirror.status()).toMatchObject({ retrying: 0, dead: 0 })
    })
  })
}
