// Steps of an order, from `create` in `resources/referrals.ts` to its outcome:
// 1. `placeOrder` checks the input. Without a key of the caller, step 2 is omitted.
// 2. `keyed-orders.ts` claims the key in the order ledger (`ledger/claims.ts`). If the order was placed, it reads the
//    referrals. Otherwise it looks the order up (`recover-order.ts`), except a new key if the ledger has every order.
// 3. `post` sends the order. With a key of the caller, each request is marked in the ledger before it is sent.
// 4. After a lost response, `recover-order.ts` looks the order up repeatedly: `newest-referrals.ts` reads the list, and
//    `match-order.ts` compares the referrals with the order.

import { ConfigurationError } from '../../common/errors.js'
import { without } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import type { ReferralEventData } from '../../contract/events.js'
import { isUuid } from '../../contract/identifiers.js'
import { fieldOf, ownFieldOf } from '../../contract/read.js'
import type { Order, Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { WithResponse } from '../call/api-promise.js'
import type { CallInput } from '../call/request.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { milliseconds, optionsSnapshot, snapshot } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'
import type { ResolvedLedgerOptions } from '../ledger/ledger-options.js'
import { LedgerSession } from '../ledger/ledger-session.js'
import { KeyedCall, type KeyedOrder, type OrderParts } from './keyed-orders.js'
import { InFlightOrders, type SoughtOrder } from './match-order.js'
import { checkMetadata, contradictionOf, orderToSend, type PlacedOrder, placedOrder } from './order.js'
import { checkedOrderKey, orderKeyOf, orderKeyProblem } from './order-key.js'
import { sinceOf, windowStartOf } from './order-window.js'
import { OrderRecovery } from './recover-order.js'

/** Options of an order. */
export interface OrderOptions extends RequestOptions {
  /**
   * Your own key for this order: well-formed text, not only white space. Pass the same key for each repetition, after a
   * crash or by a job queue. All calls with the key and the same `orderLedger` place one order. With the client option
   * `resendAfter`, a second order is possible. With `orderKey: false`, the metadata gets no key, and a lost order is
   * looked up by reference number, name, date of birth and tests. Do not pass the random key of an earlier call: a
   * ledger does not have an entry for this key. Use `findByOrderKey` instead.
   * @defaultValue a random UUID for each call
   */
  readonly orderKey?: string | false | undefined
  /**
   * With your own key: the earliest time at which the order may have been placed, such as the creation of the job. The
   * time is by your clock, as a `Date` or ISO 8601. A time without an offset is in UTC. The lookup goes back 15 minutes
   * further, and also by the difference between your clock and the service's. If in doubt, choose an earlier time. A
   * longer window only takes more pages. A window that is too short can lead to a second order. A time more than 15
   * minutes in the future is replaced by the default.
   * @defaultValue 24 hours before the call
   */
  readonly since?: Date | string | undefined
  /**
   * With your own key: time for which the lookup is repeated before the order is sent, in milliseconds. Use this option
   * after a crash: the order of the crashed run may appear only after more than ten seconds. The time is added to
   * `timeout`. A wait for another call with the key uses this time first. A new key needs no lookup if a
   * `postgresOrderLedger` has every order from 15 minutes before `since` onwards.
   * @defaultValue 0, which is one lookup. After an earlier request with an unknown outcome, the lookup is always
   * repeated at least for the rest of `orderRecoveryTimeout`.
   */
  readonly lookupTimeout?: number | undefined
}

const ORDER_OPTIONS = new Set([...CALL_OPTIONS, 'orderKey', 'since', 'lookupTimeout'])
const FIND_OPTIONS = new Set([...CALL_OPTIONS, 'since'])

/** Creates the objects that the orders of a client share. */
export function orderParts(api: ApiClient, options: ResolvedLedgerOptions): OrderParts {
  const session = new LedgerSession(options, api.context)
  const inFlightOrders = new InFlightOrders()
  const recovery = new OrderRecovery(api.inner, inFlightOrders, options.resendAfterMs)
  return { api: api.inner, session, recovery, inFlightOrders }
}

/** Places an order, or returns the order that was placed earlier with the caller's key. */
export async function placeOrder(
  api: ApiClient,
  parts: OrderParts,
  order: Order,
  options: OrderOptions,
): Promise<WithResponse<PlacedOrder>> {
  const own = optionsSnapshot('referrals.create', options, ORDER_OPTIONS)
  const { orderKey, since, lookupTimeout } = own
  const requestOptions = without(own, 'orderKey', 'since', 'lookupTimeout')
  const given = snapshot('referrals.create', order)
  const key = checkedOrderKey(orderKey)
  const hasOwnKey = typeof orderKey === 'string'
  // With an `orderKey` that is `undefined` by mistake, each run would create a new order.
  if (!hasOwnKey && (since !== undefined || lookupTimeout !== undefined))
    throw new ConfigurationError('since and lookupTimeout require your own orderKey')
  const body = orderToSend(given, key)
  checkMetadata(endpoints.referrals.create.id, body)
  const sought = { order: body, orderKey: key, hasOwnKey, older: new Set<string>() }
  const sendOrder: KeyedOrder['sendOrder'] = (input) =>
    parts.inFlightOrders.track(sought, post(api, parts, { sought, options: requestOptions, input }))
  if (!hasOwnKey) return sendOrder({})
  const defaultWindowStart = windowStartOf(api.context.serverClock, since)
  const lookupTimeoutMs = lookupTimeout === undefined ? 0 : milliseconds('lookupTimeout', lookupTimeout)
  await api.check(endpoints.referrals.create, { body }, requestOptions)
  requestOptions.signal?.throwIfAborted()
  const ledgerSince = sinceOf(api.context.serverClock, since)
  const times = { defaultWindowStart, ledgerSince, lookupTimeoutMs }
  return new KeyedCall(parts, { sought, orderKey, options: requestOptions, ...times, sendOrder }).place()
}

/** Sends the order. If its response is lost, looks the order up. */
async function post(
  api: ApiClient,
  { recovery }: OrderParts,
  { sought, options, input }: { sought: SoughtOrder; options: RequestOptions; input: CallInput },
): Promise<WithResponse<PlacedOrder>> {
  let recovered = false
  type Response = Referral | PlacedOrder['referrals']
  // The cast is safe, because a response without referrals is rejected before this check.
  const differs = (content: unknown) => contradictionOf(sought.order, content as Response)
  const sending = api.call(
    endpoints.referrals.create,
    { ...input, body: sought.order, contradictionOf: differs },
    options,
    async (lost) => {
      const referrals = await recovery.findLost(sought, lost, options)
      recovered = true
      return { data: referrals }
    },
  )
  const { data, response } = await sending.withResponse()
  return { data: placedOrder(data, sought.orderKey, recovered), response }
}

/** Looks up an order by its key. Never places an order. */
export async function findOrder(
  api: ApiClient,
  recovery: OrderRecovery,
  orderKey: string,
  options: RequestOptions & Pick<OrderOptions, 'since'>,
): Promise<PlacedOrder | undefined> {
  const operation = 'referrals.findByOrderKey'
  const own = optionsSnapshot(operation, options, FIND_OPTIONS)
  const problem = orderKeyProblem(orderKey)
  if (problem !== undefined)
    throw new InvalidRequestError(operation, [{ message: problem, field: 'orderKey' }])
  const requestOptions = without(own, 'since')
  const window = { windowStart: windowStartOf(api.context.serverClock, own.since), repeatMs: 0 }
  await api.check(endpoints.referrals.list, { operation }, requestOptions)
  const { placed } = await recovery.findByKey({ orderKey, older: new Set() }, window, requestOptions)
  return placed
}

/** Webhook event about a referral. */
export interface ReferralEvent {
  /** Name of the event, such as `referral.created`. */
  readonly eventName: string
  /** Data of the event. */
  readonly data: ReferralEventData
}

/**
 * Records in the ledger that the order of a referral was placed. Returns `false` in these cases:
 * - The source has no order key.
 * - The source is an event without the UUID of a referral.
 * - The ledger has no entry.
 */
export async function recordOrder(
  session: LedgerSession,
  source: Referral | ReferralEvent,
): Promise<boolean> {
  const uuid = referralUuidOf(source)
  const key = orderKeyOf(source)
  if (key === undefined || uuid === undefined) return false
  return session.run('resolve', session.nameOf(key), { placed: [uuid] })
}

/** Returns `undefined` for an event without the UUID of a referral. Throws for data of another kind. */
function referralUuidOf(source: unknown): string | undefined {
  const eventName = ownFieldOf(source, 'eventName')
  const isEvent = typeof eventName === 'string'
  if (isEvent && !eventName.startsWith('referral.')) return undefined
  const uuid = ownFieldOf(isEvent ? ownFieldOf(source, 'data') : source, 'uuid')
  // A result has a UUID and the order key too, but the UUID of a result is not the UUID of a referral.
  const isResult = !isEvent && fieldOf(source, 'provenance') !== undefined
  if (isUuid(uuid) && !isResult) return uuid
  // The service documents the data of only some events, so an event may have no UUID.
  if (isEvent) return undefined
  const message = 'referralOrEvent must be a referral or a webhook event about a referral'
  throw new InvalidRequestError('referrals.recordOrder', [{ message, field: 'referralOrEvent' }])
}
