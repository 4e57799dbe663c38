import { setTimeout as sleep } from 'node:timers/promises'
import { createMirror } from 'pathology-sdk/mirror'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { withPostgres } from '../../test/support/postgres.js'
import { startMirrorService } from '../support/mirror-service.js'
import { enqueueResults, NOTIFY, type NotifyJob } from './handler.js'

// npx tsx examples/mirror-pg-boss/main.ts
// Uses the server of DATABASE_URL. Without it, starts its own Postgres: run `npm ci --prefix test/tools` first.
const RESULTS = 3
const given = process.env['DATABASE_URL']
await using own = given === undefined ? await withPostgres() : undefined
const url = given ?? own?.url
if (url !== undefined) await run(url)

async function run(connectionString: string): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 5_000 })
  const boss = new PgBoss(connectionString)
  boss.on('error', (error) => console.warn(`pg-boss: ${error.message}`))
  await boss.start()
  await boss.createQueue(NOTIFY)

  const service = await startMirrorService()
  const { client, secret } = service
  const mirror = createMirror({ database: pool, client, secret, logger: console, on: enqueueResults(boss) })
  await mirror.start()

  const notified = new Set<string>()
  let jobs = 0
  await boss.work<NotifyJob>(NOTIFY, { pollingIntervalSeconds: 0.5 }, async ([job]) => {
    if (job === undefined) return
    jobs += 1
    // A worker can run a job twice. For effects outside the database, such as an email, use the position to recognise a
    // change that was already handled.
    notified.add(job.data.uuid)
  })
  await service.completeResults(mirror, RESULTS)
  for (let n = 0; n < 150 && notified.size < RESULTS; n += 1) await sleep(200)
  console.log(`${notified.size} results, ${jobs} jobs`)

  // Stop the mirror before the queue, because its handlers add jobs to the queue.
  await mirror.stop()
  await boss.stop()
  await service[Symbol.asyncDispose]()
  await pool.end()
}
