import { readFile } from 'node:fs/promises'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { withPostgres } from '../../support/postgres.js'
import { createWorld, poolDatabase } from '../world.js'

const server = await withPostgres()
const pool = new pg.Pool({ connectionString: server?.url, max: 12 })

afterAll(async () => {
  await pool.end()
  await server?.stop()
})

it.skipIf(server === undefined)(
  'graphile-worker has one job for each handled change, added as in the guide',
  async () => {
    await runMigrations({ connectionString: server?.url ?? '' })
    const guide = await readFile('docs/guides/scaling-out.md', 'utf8')
    const [, addJob = ''] = /tx\.query\("(SELECT graphile_worker\.add_job[^"]+)"/.exec(guide) ?? []
    const here = await createWorld(poolDatabase(pool))
    const mirror = here.mirrorOf({
      on: { referral: ({ uuid, position }, { tx }) => tx.query(addJob, [uuid, `change-${position}`]) },
    })
    await here.subscribe(mirror)
    const uuid = await here.order()
    await here.settle(mirror)
    const changes = await here.rows(`SELECT 'change-' || position AS key FROM {schema}.change ORDER BY 1`)
    expect(changes.length).toBeGreaterThan(0)
    const jobs = await pool.query('SELECT key, payload FROM graphile_worker._private_jobs ORDER BY 1')
    expect(jobs.rows).toEqual(changes.map(({ key }) => ({ key, payload: { uuid } })))
  },
)
