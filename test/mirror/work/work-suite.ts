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
export function workSuite(database: () => TestDatabase): void {
  describe('claims', () => {
    it('of other kinds do not read the due deliveries, also with old statistics of the table', async () => {
      const here = await createWorld(database())
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
      await here.rows(
        "INSERT INTO {schema}.work (organisation, kind, key) VALUES ('default', 'referral', 'a')",
      )
      const how = { limit: 3, leaseMs: 60_000 }
      const claim = await statementOf((table) =>
        table.claim(['default'], ['referral', 'result', 'sweep'], how),
      )
      expect(await removedRows(here, claim)).toBeLessThan(100)
      expect(await here.rows('SELECT kind FROM {schema}.work WHERE lease IS NOT NULL')).toEqual([
        { kind: 'referral' },
      ])
    })
  })
}
