import { refuseUnknown } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import type { Order, Referral } from '../../contract/types.js'
import { type Answered, ApiPromise } from '../call/api-promise.js'
import type { Pipeline } from '../call/pipeline.js'
import { CALL_OPTIONS } from '../call/prepare.js'
import type { RequestOptions } from '../client-options.js'
import { InvalidRequestError } from '../errors/errors.js'
import { orderToSend, type PlacedOrder, placedOrder } from './order.js'
import { NOTHING_SENT, type OrderDesk } from './order-desk.js'
import { OrderRecovery } from './order-recovery.js'
import type { SoughtOrder } from './order-search.js'

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
  /**
   * With your own key: milliseconds to go on looking, while nothing shows, before the order is sent. For the repeat of a
   * run that died a moment ago: its order can still be in progress, which takes more than ten seconds (§4.1).
   * @defaultValue 0, which is one look; in the client that lost the order's answer, what is left of `orderRecovery`
   */
  readonly lookFor?: number | undefined
}

const ORDER_OPTIONS = new Set([...CALL_OPTIONS, 'orderKey', 'since', 'lookFor'])

const LOOK_BACK_MS = 24 * 3_600_000

/** Places an order at most once, as far as the service allows (§4.1). */
export function placeOrder(
  api: Pipeline,
  desk: OrderDesk,
  order: Order,
  options: OrderOptions,
): ApiPromise<PlacedOrder> {
  const { orderKey, since, lookFor, ...call } = options ?? {}
  const recovery = new OrderRecovery(api)
  const send = (sought: SoughtOrder): Promise<Answered<PlacedOrder>> =>
    desk.note(sought, post({ api, recovery, sought, call, others: desk.others }))
  return new ApiPromise(place())

  async function place(): Promise<Answered<PlacedOrder>> {
    refuseUnknown('referrals.create', options, ORDER_OPTIONS)
    const sought = soughtOrder(order, orderKey)
    if (typeof orderKey !== 'string') return send(sought)
    await api.check(endpoints.referrals.create, { body: sought.order }, call)
    const window = { since: startOfSearch(api, since), lookFor: checkedWait(lookFor) }
    return desk.oneAtATime(orderKey, call.signal, async () => {
      const waitMs = Math.max(window.lookFor, desk.waitMs(orderKey))
      const placed = await recovery.findByKey(sought, { since: window.since, waitMs }, call)
      return placed === undefined ? send(sought) : { data: placed, response: NOTHING_SENT }
    })
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

function startOfSearch(api: Pipeline, since: Date | undefined): () => number {
  const { serviceClock } = api.parts
  const now = serviceClock.moment()
  if (since === undefined) return () => serviceClock.at(now) - LOOK_BACK_MS
  const start = since instanceof Date ? since.getTime() : Number.NaN
  if (Number.isNaN(start)) throw refusedOption('since', 'must be a valid Date')
  return () => start
}

function checkedWait(lookFor: unknown): number {
  if (lookFor === undefined) return 0
  if (typeof lookFor === 'number' && lookFor >= 0) return lookFor
  throw refusedOption('lookFor', 'must be a number of milliseconds')
}

function refusedOption(field: string, rule: string): InvalidRequestError {
  return new InvalidRequestError('referrals.create', [{ message: `${field} ${rule}`, field }])
}

/** One order on its way. */
interface Sending {
  readonly api: Pipeline
  readonly recovery: OrderRecovery
  readonly sought: SoughtOrder
  readonly call: RequestOptions
  /** Referrals that are known to be other orders'. */
  readonly others: ReadonlySet<string>
}

async function post({ api, recovery, sought, call, others }: Sending): Promise<Answered<PlacedOrder>> {
  let recovered = false
  // An answer without a referral is no answer: the pipeline lets none through.
  const answer = api.call<Referral | PlacedOrder['referrals']>(
    endpoints.referrals.create,
    { body: sought.order },
    call,
    async (unsettled) => {
      const settled = await recovery.settle(sought, unsettled, call, others)
      recovered = true
      return settled
    },
  )
  const { data, response } = await answer.withResponse()
  return { data: placedOrder(data, sought.orderKey, recovered), response }
}
