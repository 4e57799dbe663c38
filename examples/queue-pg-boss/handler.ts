import { isPathologyError, type PathologyClient, queueDecision } from 'pathology-sdk'
import type PgBoss from 'pg-boss'
import { loadOrder, type OrderJob } from '../support/order-jobs.js'

export const ORDERS = 'orders'
export const PARKED = 'parked-orders'

/** Creates the queues. pg-boss repeats a job if its process stopped, or if its order could not be loaded. */
export async function createQueues(boss: PgBoss): Promise<void> {
  await boss.createQueue(PARKED)
  await boss.createQueue(ORDERS, { name: ORDERS, retryLimit: 20, retryDelay: 60, deadLetter: PARKED })
}

/**
 * Creates the handler of a worker. If a job runs twice, or in two workers at the same time, the order is placed once.
 * This requires that the clients of all workers share an order ledger.
 */
export function placeOrder(boss: PgBoss, client: PathologyClient) {
  return async ([job]: readonly PgBoss.Job<OrderJob & { readonly repeats?: number }>[]): Promise<void> => {
    if (job === undefined) return
    const { orderId, repeats = 0 } = job.data
    const orderKey = `order-${orderId}`
    try {
      await client.referrals.create(await loadOrder(orderId), { orderKey })
    } catch (error) {
      if (!isPathologyError(error)) throw error
      const { action, delayMs } = queueDecision(error)
      const startAfter = Math.ceil(delayMs / 1_000) // seconds
      if (action === 'retry' && repeats < 100)
        await boss.send(ORDERS, { orderId, repeats: repeats + 1 }, { startAfter })
      else await boss.send(PARKED, { orderId, orderKey, action, error: error.toJSON() })
    }
  }
}
