import { type Job, type JobsOptions, UnrecoverableError, type WorkerOptions } from 'bullmq'
import { type PathologyClient, queueDecision } from 'pathology-sdk'
import { loadOrder, type OrderJob } from '../support/order-jobs.js'

/**
 * Creates the handler of a worker. If a job runs twice, or in two workers at the same time, the order is placed once.
 * This requires that the clients of all workers share an order ledger.
 */
export function placeOrder(client: PathologyClient) {
  return async ({ data: { orderId } }: Job<OrderJob>): Promise<readonly string[]> => {
    const orderKey = `order-${orderId}`
    try {
      const { referrals } = await client.referrals.create(await loadOrder(orderId), { orderKey })
      return referrals.map(({ uuid }) => uuid)
    } catch (error) {
      const { action } = queueDecision(error)
      if (action === 'retry') throw error
      throw new UnrecoverableError(`${action} ${orderKey}: ${error}`)
    }
  }
}

/** Options of each job. A job that is not repeated any more stays in the list of failed jobs, where a person finds it. */
export const jobOptions: JobsOptions = {
  attempts: 100,
  backoff: { type: 'custom' },
  removeOnComplete: { age: 86_400 },
}

/** Time until a failed job runs again, in milliseconds. */
export const settings: NonNullable<WorkerOptions['settings']> = {
  backoffStrategy: (_attempts, _type, error) => queueDecision(error).delayMs,
}
