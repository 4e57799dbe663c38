import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, run as startWorker } from 'graphile-worker'
import { createMirror } from 'pathology-sdk/mirror'
import pg from 'pg'
import { withPostgres } from '../../test/support/postgres.js'
import { startMirrorService } from '../support/mirror-service.js'
import { enqueueResults, NOTIFY } from './handler.js'

// npx tsx examples/mirror-graphile-worker/main.ts
// Uses the server of DATABASE_URL. Without it, starts its own Postgres: run `npm ci --prefix test/tools` first.
const RESULTS = 3
const given = process.env['DATABASE_URL']
await using own = given === undefined ? await withPostgres() : undefined
const url = given ?? own?.url
if (url !== undefined) await run(url)

async function run(connectionString: string): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 5_000 })
  const notified = new Set<unknown>()
  let jobs = 0
  // Start the worker before the mirror: the worker creates the SQL function that the handler calls.
  const worker = await startWorker({
    connectionString,
    noHandleSignals: true,
    pollInterval: 500,
    logger: new Logger(() => () => undefined),
    taskList: {
      [NOTIFY]: async (payload) => {
        jobs += 1
        // A worker can run a job twice, so effects outside the database, such as an email, need their own de-duplication.
        notified.add(Reflect.get(Object(payload), 'uuid'))
      },
    },
  })

  const service = await startMirrorService()
  const { client, secret } = service
  const mirror = createMirror({ database: pool, client, secret, logger: console, on: enqueueResults })
  await mirror.start()
  await service.completeResults(mirror, RESULTS)
  for (let n = 0; n < 150 && notified.size < RESULTS; n += 1) await sleep(200)
  console.log(`${notified.size} results, ${jobs} jobs`)

  await mirror.stop()
  await worker.stop()
  await service[Symbol.asyncDispose]()
  await pool.end()
}
