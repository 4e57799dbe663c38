import { readFile } from 'node:fs/promises'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { withPostgres } from '../../support/postgres.js'
import { createWorld } from '../world.js'

const server = await withPostgres()
const pool = new pg.Pool({ connectionString: server?.url, max: 12 })

afterAll(async () => {
  await pool.end()
  await server?.stop()
})

describe.skipIf(server === undefined)('job queues in the transaction of a handler', () => {
  it('pg-boss has one job for each handled change, and none of an attempt that failed', async () => {
    const boss = new PgBoss({ connectionString: server?.url ?? '', schedule: false, supervise: false })
    await boss.start()
    onTestFinished(() => boss.stop({ graceful: false }))
    await boss.createQueue('notify')
    const here = await createWorld({
      source: pool,
      query: async (text, values = []) => (await pool.query(text, values)).rows,
    })
    let failures = 0
    const mirror = here.mirrorOf({
      on: {
        referral: async ({ uuid, position }, { tx, attempt }) => {
          const db = {
            executeSql: async (text: string, values: unknown[]) => ({
              rows: [...(await tx.query(text, values)).rows],
            }),
          }
          await boss.send('notify', { uuid, position }, { db })
          if (attempt > 1) return
          failures += 1
          throw new Error('after the job')
        },
      },
    })
    await here.subscribe(mirror)
    const uuid = await here.order()
    await here.settle(mirror)
    expect(failures).toBe(1)
    expect(await boss.fetch('notify')).toEqual([])
    for (let n = 0; n < 20 && (await here.rows('SELECT 1 FROM {schema}.work')).length > 0; n += 1) {
      await here.rows('UPDATE {schema}.work SET run_at = now()')
      await mirror.drain()
    }
    const changes = await here.rows(
      `SELECT position::int AS position FROM {schema}.change WHERE kind = 'referral' ORDER BY 1`,
    )
    const jobs = await boss.fetch<{ uuid: string; position: number }>('notify', { batchSize: 100 })
    expect(jobs.map(({ data }) => data).sort((a, b) => a.position - b.position)).toEqual(
      changes.map(({ position }) => ({ uuid, position })),
    )
  })

  it('graphile-worker has one job for each handled change, added as in the guide', async () => {
    await runMigrations({ connectionString: server?.url ?? '' })
    const guide = await readFile('docs/guides/scaling-out.md', 'utf8')
    const [, addJob = ''] = /tx\.query\("(SELECT graphile_worker\.add_job[^"]+)"/.exec(guide) ?? []
    const here = await createWorld({
      source: pool,
      query: async (text, values = []) => (await pool.query(text, values)).rows,
    })
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
  })
})
