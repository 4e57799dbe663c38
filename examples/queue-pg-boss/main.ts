import { setTimeout as sleep } from 'node:timers/promises'
import { postgresOrderLedger } from 'pathology-sdk/postgres'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { withPostgres } from '../../test/support/postgres.js'
import { ORDER_JOBS, startOrderWorkers } from '../support/order-jobs.js'
import { createQueues, ORDERS, PARKED, placeOrder } from './handler.js'

// npx tsx examples/queue-pg-boss/main.ts
// Uses the server of DATABASE_URL. Without it, starts its own Postgres: run `npm ci --prefix test/tools` first.
const given = process.env['DATABASE_URL']
await using own = given === undefined ? await withPostgres() : undefined
const url = given ?? own?.url
if (url !== undefined) await run(url)

async function run(connectionString: string): Promise<void> {
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 1_500 })
  pool.on('error', (error) => console.warn(`postgres: ${error.message}`))
  const ledger = postgresOrderLedger(pool)
  await ledger.setup()
  const service = await startOrderWorkers(ledger)

  const boss = new PgBoss(connectionString)
  boss.on('error', (error) => console.warn(`pg-boss: ${error.message}`))
  await boss.start()
  await createQueues(boss)
  for (const client of service.clients)
    await boss.work(ORDERS, { pollingIntervalSeconds: 0.5 }, placeOrder(boss, client))
  for (const data of ORDER_JOBS) await boss.send(ORDERS, data)
  while ((await boss.getQueueSize(ORDERS, { before: 'completed' })) > 0) await sleep(200)

  console.log(`${ORDER_JOBS.length} jobs, ${service.placed()} referrals`)
  const parked = await boss.fetch<{ orderKey: string; error: { message: string } }>(PARKED)
  for (const { data } of parked) console.log(`parked ${data.orderKey}: ${data.error.message}`)

  // Stop the workers before the clients: `stop` waits for the running jobs, which use the clients.
  await boss.stop()
  await service[Symbol.asyncDispose]()
  await pool.end()
}
