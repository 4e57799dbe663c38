// This example needs pg-boss 12, Node 22.12 or later, and a Postgres server in DATABASE_URL. Two workers place each order once.
import { setTimeout as sleep } from 'node:timers/promises'
import { isPathologyError, PathologyClient, queueDecision } from 'pathology-sdk'
import { postgresOrderLedger } from 'pathology-sdk/postgres'
import { FakePathologyService } from 'pathology-sdk/testing'
import pg from 'pg'
import { PgBoss } from 'pg-boss'

const connectionString = process.env['DATABASE_URL'] ?? ''
const ORDERS = 'orders'
const PARKED = 'parked-orders'

const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 5_000 })
const orderLedger = postgresOrderLedger(pool)
await orderLedger.setup()
const fake = await FakePathologyService.start({ port: 0, seedReferrals: 0, centreCount: 10 })
fake.faults.next('POST /v1/referrals', { status: 429, retryAfter: 1 })
const client = new PathologyClient({ ...fake.clientOptions(), orderLedger, maxRetries: 0 })

/** Simulates reading an order from your database. The order with ID 3 has a date of birth that does not exist. */
const loadOrder = (/** @type {string} */ orderId) => ({
  firstName: 'Alex',
  lastName: 'Example',
  email: 'alex@example.com',
  phone: '0400 000 000',
  address: {
    addressLine1: '1 Example Street',
    city: 'Fremantle',
    state: 'WA',
    postCode: '6160',
    country: 'AU',
  },
  dob: orderId === '3' ? '1986-02-30' : '1986-04-23',
  gender: /** @type {const} */ ('female'),
  referenceNumber: `order-${orderId}`,
  tests: ['ferritin'],
})

const boss = new PgBoss(connectionString)
boss.on('error', (error) => console.warn(`pg-boss: ${error.message}`))
await boss.start()
await boss.createQueue(PARKED)
await boss.createQueue(ORDERS, { retryLimit: 20, retryDelay: 60, deadLetter: PARKED })

for (let worker = 0; worker < 2; worker += 1)
  await boss.work(ORDERS, { pollingIntervalSeconds: 0.5 }, async ([job]) => {
    const { orderId, repeats = 0 } = job.data
    const orderKey = `order-${orderId}`
    try {
      await client.referrals.create(loadOrder(orderId), { orderKey })
    } catch (error) {
      if (!isPathologyError(error)) throw error // pg-boss repeats the job
      const { action, delayMs } = queueDecision(error)
      const startAfter = Math.ceil(delayMs / 1_000) // seconds
      const again = { orderId, repeats: repeats + 1 }
      if (action === 'retry' && repeats < 100) await boss.send(ORDERS, again, { startAfter })
      else await boss.send(PARKED, { orderId, orderKey, action, error: error.toJSON() })
    }
  })

// The first order is in the queue twice, as if the queue had delivered a job twice.
for (const orderId of ['1', '1', '2', '3']) await boss.send(ORDERS, { orderId })
while (fake.referrals.all().length < 2 || (await boss.findJobs(PARKED)).length < 1) await sleep(200)
for (const { data } of await boss.findJobs(PARKED))
  console.log(`${data.action} ${data.orderKey}: ${data.error.message}`)
await boss.stop() // waits for the running jobs
console.log(`${fake.referrals.all().length} referrals`)
await client.close()
await fake.close()
await pool.end()
