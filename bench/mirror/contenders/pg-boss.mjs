import PgBoss from 'pg-boss'
import { verifyWebhook } from '../../../dist/webhooks.js'
import { createRefetch, createTables, listenerOf, poolOf } from './hand-written.mjs'

const QUEUE = 'refetch'

/**
 * Creates a hand-written copy with pg-boss. Several events of one referral share one job until the job starts.
 * @type {import('../machine.mjs').CreateContender}
 */
export async function createPgBoss({ database, client, secret, handler, concurrency }) {
  const pool = poolOf(database)
  const boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) }, schedule: false })
  boss.on('error', console.error)
  await boss.start()
  await boss.createQueue(QUEUE, { name: QUEUE, policy: 'short', retryLimit: 12, retryBackoff: true })
  await createTables(pool)
  const refetch = createRefetch(pool, client, handler)
  let worker = ''

  /** @type {import('../machine.mjs').Contender['receive']} */
  const receive = async (body, headers) => {
    const { data } = await verifyWebhook(body, headers, secret)
    await boss.send(QUEUE, { uuid: data.uuid }, { singletonKey: data.uuid })
    // Without this call, the job would wait for the next poll, which is at least half a second later.
    boss.notifyWorker(worker)
  }
  const batchSize = concurrency * 10
  return {
    receive,
    node: listenerOf(receive),
    async start() {
      worker = await boss.work(QUEUE, { batchSize, pollingIntervalSeconds: 0.5 }, async (jobs) => {
        const uuids = jobs.map(({ data }) => /** @type {{ uuid: string }} */ (data).uuid)
        const lane = async () => {
          for (let uuid = uuids.pop(); uuid !== undefined; uuid = uuids.pop()) await refetch(uuid)
        }
        await Promise.all(Array.from({ length: concurrency }, lane))
        if (jobs.length === batchSize) boss.notifyWorker(worker)
      })
    },
    stop: () => boss.stop({ graceful: false, close: false }),
  }
}
