import { endpoints } from '../../contract/endpoints.js'
import type { Order, Referral } from '../../contract/types.js'
import { type Answered, ApiPromise } from '../call/api-promise.js'
import type { Pipeline } from '../call/pipeline.js'
import type { RequestOptions } from '../client-options.js'
import { InvalidRequestError } from '../errors/errors.js'
import { orderToSend, type PlacedOrder, placedOrder } from './order.js'
import { OrderRecovery, type SoughtOrder } from './order-recovery.js'

/** Options of an order. */
export interface OrderOptions extends RequestOptions {
  /**
   * Your own key for this order, the same whenever the order is repeated (after a crash, by a job queue): `create` then
   * first looks whether it was placed. Or `false`: no key goes into the metadata, and a lost answer is settled by
   * reference number, name and date of birth.
   * @defaultValue a random UUID for each call
   */
  readonly orderKey?: string | false | undefined
  /**
   * How far back to look for an order with your own key.
   * @defaultValue 24 hours before the call
   */
  readonly since?: Date | undefined
}

const LOOK_BACK_MS = 24 * 3_600_000

/** Places an order at most once, as far as the service allows (§4.1). */
export function placeOrder(api: Pipeline, order: Order, options: OrderOptions): ApiPromise<PlacedOrder> {
  const { orderKey, since, ...call } = options
  const recovery = new OrderRecovery(api)
  return new ApiPromise(place())

  async function place(): Promise<Answered<PlacedOrder>> {
    const sought = soughtOrder(order, orderKey)
    if (typeof orderKey === 'string') {
      const placed = await placedBefore(api, recovery, sought, { since, call })
      if (placed !== undefined) return placed
    }
    return post(api, recovery, sought, call)
  }
}

function soughtOrder(order: Order, given: string | false | undefined): SoughtOrder {
  const orderKey = given === undefined ? globalThis.crypto.randomUUID() : given
  if (orderKey === false) return { order: orderToSend(order, undefined), orderKey: undefined }
  if (typeof orderKey !== 'string' || orderKey.trim() === '') {
    throw refusedOption('orderKey', 'must be a string that is not empty, or false')
  }
  return { order: orderToSend(order, orderKey), orderKey }
}

async function placedBefore(
  api: Pipeline,
  recovery: OrderRecovery,
  sought: SoughtOrder,
  { since, call }: { readonly since: Date | undefined; readonly call: RequestOptions },
): Promise<Answered<PlacedOrder> | undefined> {
  await api.check(endpoints.referrals.create, { body: sought.order }, call)
  const placed = await recovery.findByKey(sought, startOfSearch(api, since), call)
  if (placed === undefined) return undefined
  return { data: placed, response: { status: 200, headers: {}, requestId: undefined, attempts: 0 } }
}

function startOfSearch(api: Pipeline, since: Date | undefined): () => number {
  const { serviceClock } = api.parts
  const now = serviceClock.moment()
  if (since === undefined) return () => serviceClock.at(now) - LOOK_BACK_MS
  const start = since instanceof Date ? since.getTime() : Number.NaN
  if (Number.isNaN(start)) throw refusedOption('since', 'must be a valid Date')
  return () => start
}

function refusedOption(field: string, rule: string): InvalidRequestError {
  return new InvalidRequestError('referrals.create', [{ message: `${field} ${rule}`, field }])
}

async function post(
  api: Pipeline,
  recovery: OrderRecovery,
  sought: SoughtOrder,
  call: RequestOptions,
): Promise<Answered<PlacedOrder>> {
  let recovered = false
  const answer = api.call<Referral | readonly Referral[]>(
    endpoints.referrals.create,
    { body: sought.order },
    call,
    async (unsettled) => {
      const settled = await recovery.settle(sought, unsettled, call)
      recovered = true
      return settled
    },
  )
  const { data, response } = await answer.withResponse()
  return { data: placedOrder(data, sought.orderKey, recovered), response }
}
