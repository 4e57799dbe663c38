import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { verifyWebhook } from '../../../dist/webhooks.js'
import { createRefetch, createTables, listenerOf, poolOf } from './hand-written.mjs'

const logger = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message)
})

/**
 * Creates a hand-written copy with graphile-worker. Several events of one referral share one job until the job starts.
 * @type {import('../machine.mjs').CreateContender}
 */
export async function createGraphileWorker({ database, client, secret, handler, concurrency }) {
  const pool = poolOf(database)
  const utils = await makeWorkerUtils({ pgPool: pool, logger })
  await utils.migrate()
  await createTables(pool)
  const refetch = createRefetch(pool, client, handler)
  /** @type {import('graphile-worker').Runner | undefined} */
  let runner

  /** @type {import('../machine.mjs').Contender['receive']} */
  const receive = async (body, headers) => {
    const { data } = await verifyWebhook(body, headers, secret)
    await utils.addJob('refetch', { uuid: data.uuid }, { jobKey: data.uuid })
  }
  return {
    receive,
    node: listenerOf(receive),
    async start() {
      const taskList = {
        refetch: (/** @type {unknown} */ payload) => refetch(/** @type {{ uuid: string }} */ (payload).uuid),
      }
      runner = await run({ pgPool: pool, logger, taskList, concurrency, noHandleSignals: true })
    },
    async stop() {
      await runner?.stop()
      await utils.release()
    },
  }
}
