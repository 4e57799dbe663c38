import { type Order, type OrderLedger, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { exampleOrder } from './orders.js'

/** Data of a job: the ID of an order in your database. A queue must not contain the patient's details. */
export interface OrderJob {
  readonly orderId: string
}

/** Simulates reading an order from your database. The order with ID 3 has a date of birth that does not exist. */
export async function loadOrder(orderId: string): Promise<Order> {
  const dob = orderId === '3' ? '1986-02-30' : '1986-04-23'
  return exampleOrder({ referenceNumber: `order-${orderId}`, tests: ['tsh'], dob })
}

/** Jobs of the examples. Two jobs have the same order, as if the queue had delivered a job twice. */
export const ORDER_JOBS: readonly OrderJob[] = ['1', '1', '2', '3'].map((orderId) => ({ orderId }))

/** The clients of two workers, and the fake service that the clients use. */
export interface OrderWorkers extends AsyncDisposable {
  readonly clients: readonly PathologyClient[]
  /** Number of referrals that the service holds. */
  placed(): number
}

/** Starts a fake that rejects the first order with a 429, and creates two clients that share a ledger. */
export async function startOrderWorkers(orderLedger: OrderLedger): Promise<OrderWorkers> {
  const fake = await FakePathologyService.start({ port: 0, seedReferrals: 0 })
  fake.faults.next('POST /v1/referrals', { status: 429, retryAfter: 2 })
  // With `maxRetries: 0` the client does not retry after the 429, so the queue has to repeat the job.
  const clients = [1, 2].map(
    () => new PathologyClient({ ...fake.clientOptions(), orderLedger, maxRetries: 0, logger: console }),
  )
  return {
    clients,
    placed: () => fake.referrals.all().length,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((client) => client.close()))
      await fake.close()
    },
  }
}
