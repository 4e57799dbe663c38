import { Queue, QueueEvents, Worker } from 'bullmq'
import { redisOrderLedger } from 'pathology-sdk/redis'
import { createClient } from 'redis'
import { withRedis } from '../../test/support/redis.js'
import { ORDER_JOBS, type OrderJob, startOrderWorkers } from '../support/order-jobs.js'
import { jobOptions, placeOrder, settings } from './handler.js'

// npx tsx examples/queue-bullmq/main.ts
// Uses the server of REDIS_URL. Without it, starts its own server if redis-server is installed.
const given = process.env['REDIS_URL']
await using own = given === undefined ? await withRedis() : undefined
const url = given ?? own?.url
if (url !== undefined) await run(url)

async function run(redisUrl: string): Promise<void> {
  // The ledger has its own connection, because BullMQ's connection waits for Redis without a time limit.
  const redis = createClient({ url: redisUrl, disableOfflineQueue: true })
  redis.on('error', (error: Error) => console.warn(`redis: ${error.message}`))
  await redis.connect()
  const ledger = redisOrderLedger(redis)
  await ledger.setup()
  const service = await startOrderWorkers(ledger)

  const connection = { url: redisUrl }
  const queue = new Queue<OrderJob>('orders', { connection })
  const events = new QueueEvents('orders', { connection })
  await events.waitUntilReady()
  const workers = service.clients.map(
    (client) => new Worker<OrderJob>('orders', placeOrder(client), { connection, settings }),
  )
  const jobs = await Promise.all(ORDER_JOBS.map((data) => queue.add('place', data, jobOptions)))
  await Promise.allSettled(jobs.map((job) => job.waitUntilFinished(events)))

  console.log(`${ORDER_JOBS.length} jobs, ${service.placed()} referrals`)
  for (const { failedReason } of await queue.getFailed()) console.log(`parked ${failedReason}`)

  // Close the workers before the clients: `close` waits for the running jobs, which use the clients.
  await Promise.all(workers.map((worker) => worker.close()))
  await Promise.all([events.close(), queue.close(), service[Symbol.asyncDispose]()])
  await redis.close()
}
