import { ConfigurationError } from '../../common/configuration-error.js'
import { without } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import type { Order, Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import { type ApiPromise, promiseOf, type WithResponse } from '../call/api-promise.js'
import type { RequestOptions } from '../call/request-options.js'
import { CALL_OPTIONS } from '../call/request-options.js'
import { number } from '../core/option-values.js'
import { optionsSnapshot, snapshot } from '../core/snapshot.js'
import { InvalidRequestError } from '../errors/errors.js'
import type { SoughtOrder } from './find-order.js'
import { checkMetadata, contradictionOf, orderToSend, type PlacedOrder, placedOrder } from './order.js'
import { NOTHING_SENT, type OrderDesk } from './order-desk.js'
import { limitOf } from './order-lookup.js'
import { startOfSearch } from './order-window.js'
import type { OrderRecovery } from './recover-order.js'

/** Options of an order. */
export interface OrderOptions extends RequestOptions {
  /**
   * Your own key for this order, the same whenever the order is repeated (after a crash, by a job queue): `create` then
   * first looks whether it was placed. Or `false`: no key goes into the metadata, and a lost answer is settled by
   * reference number, name, date of birth and tests.
   * @defaultValue a random UUID for each call
   */
  readonly orderKey?: string | false | undefined
  /**
   * With your own key: the earliest time, by your clock, at which the order may have been placed, such as when the job
   * was made; a `Date` or ISO 8601. The look goes back 15 minutes further, and by as much as your clock is known to be
   * ahead of the service's. Choose it too early rather than too late: a long look costs a page or two, one that is too
   * short a second order. A time well to come counts as none.
   * @defaultValue 24 hours before the call
   */
  readonly since?: Date | string | undefined
  /**
   * With your own key: milliseconds to go on looking, while nothing shows, before the order is sent. For the repeat of a
   * run that died a moment ago: its order can still be in progress, which takes more than ten seconds (§4.1). This
   * comes on top of `timeout`, which is one limit over a wait for another call under the key, the first look and the
   * sending. What was waited for another call counts towards it.
   * @defaultValue 0, which is one look; in the client that sent an order under the key, what is left of `orderRecoveryTimeout`
   */
  readonly lookupTimeout?: number | undefined
}

const ORDER_OPTIONS = new Set([...CALL_OPTIONS, 'orderKey', 'since', 'lookupTimeout'])

const FIND_OPTIONS = new Set([...CALL_OPTIONS, 'since'])

/** What the orders of a client share. */
export interface OrderParts {
  readonly desk: OrderDesk
  readonly recovery: OrderRecovery
}

/** Places an order at most once, as far as the service allows (§4.1). */
export function placeOrder(
  api: ApiClient,
  { desk, recovery }: OrderParts,
  order: Order,
  options: OrderOptions,
): ApiPromise<PlacedOrder> {
  const own = optionsSnapshot('referrals.create', options, ORDER_OPTIONS)
  const { orderKey, since, lookupTimeout } = own
  const call = without(own, 'orderKey', 'since', 'lookupTimeout')
  const given = snapshot('referrals.create', order)
  const send = (sought: SoughtOrder, spentMs = 0): Promise<WithResponse<PlacedOrder>> =>
    desk.note(sought, post({ api, recovery, desk, sought, call, spentMs }))
  return promiseOf(place())

  async function place(): Promise<WithResponse<PlacedOrder>> {
    const key = checkedKey(orderKey)
    if (typeof orderKey !== 'string') {
      // A key that is `undefined` by mistake would order anew on every run, silently.
      if (since !== undefined || lookupTimeout !== undefined)
        throw new ConfigurationError('since and lookupTimeout need an orderKey of your own')
      return send(soughtOrder(given, key, false))
    }
    const sought = soughtOrder(given, key, true)
    const start = startOfSearch(api.context, since)
    const window = lookupTimeout === undefined ? 0 : number('lookupTimeout', lookupTimeout, 0)
    await api.check(endpoints.referrals.create, { body: sought.order }, call)
    const limitMs = limitOf(call, api.context.options) + window
    return desk.oneAtATime(orderKey, sought.order, limitMs, call.signal, async (waitedMs) => {
      const waitMs = Math.max(window - waitedMs, desk.waitMs(orderKey))
      const before = { since: start, waitMs, spentMs: Math.max(0, waitedMs - window) }
      const { placed, spentMs } = await recovery.findByKey(sought, before, call)
      return placed === undefined ? send(sought, spentMs) : { data: placed, response: NOTHING_SENT }
    })
  }
}

/** Checks what may be an order as `placeOrder` does, and sends nothing. */
export async function validateOrder(api: ApiClient, order: unknown, options: RequestOptions): Promise<Order> {
  const operation = 'referrals.validate'
  // What is no order fails the check. A key takes as much room as the one that create adds.
  const body = orderToSend(snapshot(operation, order) as Order, NIL_UUID)
  checkMetadata(operation, body)
  await api.check(endpoints.referrals.create, { body, operation }, options)
  return order as Order
}

/** Looks for an order by its key, and never orders. */
export async function findOrder(
  api: ApiClient,
  recovery: OrderRecovery,
  orderKey: string,
  options: RequestOptions & Pick<OrderOptions, 'since'>,
): Promise<PlacedOrder | undefined> {
  const operation = 'referrals.findByOrderKey'
  const own = optionsSnapshot(operation, options, FIND_OPTIONS)
  if (!isKey(orderKey)) {
    throw new InvalidRequestError(operation, [{ message: `orderKey ${KEY_RULE}`, field: 'orderKey' }])
  }
  const call = without(own, 'since')
  const window = { since: startOfSearch(api.context, own.since), waitMs: 0 }
  await api.check(endpoints.referrals.list, { operation }, call)
  const { placed } = await recovery.findByKey({ orderKey, older: new Set() }, window, call)
  return placed
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

function soughtOrder(given: Order, orderKey: string | undefined, isShared: boolean): SoughtOrder {
  const order = orderToSend(given, orderKey)
  checkMetadata(endpoints.referrals.create.id, order)
  return { order, orderKey, isShared, older: new Set() }
}

const KEY_RULE = 'must be a string that is not empty'

function checkedKey(given: string | false | undefined): string | undefined {
  if (given === undefined) return globalThis.crypto.randomUUID()
  if (given === false) return undefined
  if (isKey(given)) return given
  throw new ConfigurationError(`orderKey ${KEY_RULE}, or false`)
}

function isKey(given: unknown): given is string {
  return typeof given === 'string' && given.trim() !== ''
}

/** One order on its way. */
interface Sending {
  readonly api: ApiClient
  readonly recovery: OrderRecovery
  readonly desk: OrderDesk
  readonly sought: SoughtOrder
  readonly call: RequestOptions
  /** How much of its time limit went by with looking for it. */
  readonly spentMs: number
}

async function post({
  api,
  recovery,
  desk,
  sought,
  call,
  spentMs,
}: Sending): Promise<WithResponse<PlacedOrder>> {
  let recovered = false
  type Response = Referral | PlacedOrder['referrals']
  // A response without a referral never gets here: the client treats it as lost.
  const contradiction = (content: unknown) => contradictionOf(sought.order, content as Response)
  const answer = api.call(
    endpoints.referrals.create,
    { body: sought.order, spentMs, contradiction },
    call,
    async (unsettled) => {
      const settled = await recovery.settle(sought, unsettled, call, desk)
      recovered = true
      return settled
    },
  )
  const { data, response } = await answer.withResponse()
  return { data: placedOrder(data, sought.orderKey, recovered), response }
}
