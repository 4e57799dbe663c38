import { momentOf } from '../../common/clock.js'
import { ConfigurationError } from '../../common/errors.js'
import { without } from '../../common/known-options.js'
import { Lazy } from '../../common/lazy-import.js'
import { endpoints } from '../../contract/endpoints.js'
import { isUuid } from '../../contract/identifiers.js'
import { ownFieldOf } from '../../contract/read.js'
import type { Order, Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { WithResponse } from '../call/api-promise.js'
import type { CallInput, SendingGuard } from '../call/request.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { JsonBody, milliseconds, optionsCopy, timeOf } from '../core/caller-input.js'
import { CallEnded, checkedSignal, Deadline } from '../core/deadline.js'
import { TimeoutError } from '../errors/errors.js'
import type { Ledger } from '../ledger/claims.js'
import { type LedgerSettings, RESEND_MARGIN_MS } from '../ledger/ledger-options.js'
import type { LedgerClaim, OrderFingerprint, OrderName } from '../ledger/order-ledger.js'
import {
  LOOKUP_MARGIN_MS,
  type Lookups,
  type LookupWindow,
  lookUpKey,
  lookUpLost,
  resendTime,
  timeLimitOf,
  windowStartOf,
} from './lookup.js'
import { checkSameOrder, isComplete, type SoughtOrder } from './match.js'
import { NewestReferrals } from './newest-referrals.js'
import {
  checkMetadata,
  contradictionOf,
  keyInUse,
  orderKeyProblem,
  orderToSend,
  type PlacedOrder,
  placedOrder,
} from './order.js'
import { OrderOutcomeUnknownError } from './order-errors.js'

/** Options of an order. */
export interface OrderOptions extends RequestOptions {
  /**
   * Your own key for this order: well-formed text, not only white space. Pass the same key for each repetition, after a
   * crash or by a job queue. All calls with the key and the same `orderLedger` place one order. With the client option
   * `resendAfter`, a second order is possible. Do not pass the random key of an earlier call: a ledger does not have an
   * entry for this key. Use `findByOrderKey` instead.
   * @defaultValue a random UUID for each call
   */
  readonly orderKey?: string | undefined
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

/** What the orders of a client share. */
export interface Orders extends Lookups {
  readonly ledger: Lazy<Ledger>
}

export function ordersOf({ inner: api }: ApiClient, settings: LedgerSettings): Orders {
  return {
    api,
    newest: new NewestReferrals(api),
    resendAfterMs: settings.resendAfterMs,
    ledger: new Lazy(async () => (await import('../ledger/claims.js')).openLedger(settings, api.context)),
  }
}

/** One call of `create`. */
interface OrderCall {
  /** Sends the order. {@link Orders.api} makes the other calls. */
  readonly api: ApiClient
  readonly orders: Orders
  readonly body: JsonBody
  readonly sought: SoughtOrder & { readonly order: Order }
  readonly options: RequestOptions
  /** Start of the lookup window if the ledger's entry is new, in milliseconds of the server clock. */
  readonly windowStart: () => number
  /** Earliest time at which an order with the key may have been placed; `undefined` for the ledger's default. */
  readonly since: Date | undefined
  /** Time for which the lookup is repeated, in milliseconds, in addition to the time limit of the call. */
  readonly lookupTimeoutMs: number
  readonly beganAt: number
}

/** A claim that the ledger has answered. */
interface Claimed {
  readonly found: LedgerClaim
  readonly name: OrderName
  readonly fingerprint: OrderFingerprint
  readonly token: string
  readonly marked: { readonly id: string; readonly at: ReturnType<typeof momentOf> } | undefined
}

const NOTHING_SENT = { status: 200, headers: {}, requestId: undefined, attempts: 0 } as const

/**
 * Places an order, or returns the order that was placed earlier with the caller's key: checks it, claims the key in the
 * ledger, looks the order up unless the ledger vouches for the key, marks and sends it, looks it up if the response is
 * lost, and records the outcome.
 *
 * @param generatedKey - Order key without a key of the caller. Nothing else can have used it, so the ledger is not asked.
 */
export async function placeOrder(
  api: ApiClient,
  orders: Orders,
  order: Order,
  options: OrderOptions,
  generatedKey: string,
): Promise<WithResponse<PlacedOrder>> {
  const call = await checked(api, orders, order, options, generatedKey)
  if (!call.sought.hasOwnKey) return sendUnderGeneratedKey(call)
  const ledger = await orders.ledger.load()
  for (;;) {
    const claim = await claimKey(call, ledger)
    if (claim.found.state === 'placed')
      return { data: await readPlaced(call, ledger, claim), response: NOTHING_SENT }
    const held = ledger.hold(claim)
    try {
      const { placed: earlier, usedMs } = await lookUpUnlessVouched(call, claim)
      // The request ends at least a minute before another call may send the order again.
      const mostMs = orders.resendAfterMs - RESEND_MARGIN_MS
      const placed =
        earlier === undefined
          ? await send(call, { guard: held, usedMs, mostMs })
          : { data: earlier, response: NOTHING_SENT }
      // Never rejects: the order is placed, so `failed` must not follow.
      await held.placed(uuidsOf(placed.data), remainingOf(call))
      return placed
    } catch (error) {
      // The reason of an abort says nothing about this order: it can be any value, even the error of another call.
      await held.failed(error === call.options.signal?.reason ? undefined : error, remainingOf(call))
      // Another call took the claim over, so this one has sent nothing that is not recorded, and claims again.
      if (!held.isLost) throw error
    }
  }
}

const ORDER_OPTIONS = new Set([...CALL_OPTIONS, 'orderKey', 'since', 'lookupTimeout'])

/** Checks and copies the input. With a key of the caller, checks all of it before the ledger is asked. */
async function checked(
  api: ApiClient,
  orders: Orders,
  order: Order,
  given: OrderOptions,
  generatedKey: string,
): Promise<OrderCall> {
  const own = optionsCopy('referrals.create', given, ORDER_OPTIONS)
  const { orderKey = generatedKey, since, lookupTimeout } = own
  const options = without(own, 'orderKey', 'since', 'lookupTimeout')
  const problem = orderKeyProblem(orderKey)
  if (problem !== undefined) throw new ConfigurationError(`${problem}; nothing was sent`)
  const hasOwnKey = own.orderKey !== undefined
  // With an `orderKey` that is `undefined` by mistake, each run would create a new order.
  if (!hasOwnKey && (since !== undefined || lookupTimeout !== undefined))
    throw new ConfigurationError('since and lookupTimeout require your own orderKey')
  const body = new JsonBody('referrals.create', orderToSend(order, orderKey))
  // The cast is safe, because the order is checked before it is read.
  const copy = body.value as Order
  checkMetadata(endpoints.referrals.create.id, copy)
  const { serverClock, options: resolved } = api.context
  const call = {
    ...{ api, orders, options, beganAt: resolved.clock.monotonic() },
    body,
    sought: { order: copy, orderKey, hasOwnKey, older: new Set<string>() },
    windowStart: windowStartOf(serverClock, since),
    lookupTimeoutMs: lookupTimeout === undefined ? 0 : milliseconds('lookupTimeout', lookupTimeout),
  }
  if (!hasOwnKey) return { ...call, since: undefined }
  await api.check(endpoints.referrals.create, { body }, options)
  options.signal?.throwIfAborted()
  const start = since === undefined ? undefined : new Date(call.windowStart())
  return { ...call, since: start, beganAt: resolved.clock.monotonic() }
}

/** Claims the key. Waits while another call holds it. */
async function claimKey(call: OrderCall, { session, changesOf }: Ledger): Promise<Claimed> {
  const { clock } = call.api.context.options
  const name = session.nameOf(call.sought.orderKey)
  const fingerprint = session.options.fingerprintOf(call.sought.order)
  const [token, mark] = [globalThis.crypto.randomUUID(), globalThis.crypto.randomUUID()]
  const request = { token, mark, fingerprint, since: call.since, leaseMs: session.leaseMs }
  const deadline = new Deadline(clock, remainingOf(call), checkedSignal(call.options.signal))
  let changes: ReturnType<typeof changesOf> | undefined
  try {
    for (;;) {
      const at = momentOf(clock)
      const found = await session.claim(name, request, deadline)
      if (isOtherOrder(found, fingerprint)) {
        if (found.state === 'sent') session.runLater('record', name, { token, outcome: 'not-placed' })
        throw keyInUse('other contents')
      }
      const marked = found.isMarked ? { id: mark, at } : undefined
      if (found.state !== 'busy') return { found, name, fingerprint, token, marked }
      changes ??= changesOf(name)
      await changes.wait(deadline)
    }
  } catch (error) {
    throw error instanceof CallEnded ? waitError(call, error, changes !== undefined) : error
  } finally {
    changes?.stop()
    deadline.dispose()
  }
}

/** Returns `true` if the hash in an entry shows that the key belongs to another order. */
function isOtherOrder({ state, fingerprint }: LedgerClaim, own: OrderFingerprint): boolean {
  return state !== 'new' && fingerprint?.keyId === own.keyId && fingerprint.hash !== own.hash
}

/** Returns `true` if the hashes were compared. A hash that was made with another HMAC key cannot be compared. */
function isCompared({ found, fingerprint }: Claimed): boolean {
  return found.state !== 'new' && found.fingerprint?.keyId === fingerprint.keyId
}

/** Looks the order up, unless the ledger vouches that no order has the key. `usedMs` is the used part of `timeout`. */
async function lookUpUnlessVouched(call: OrderCall, claim: Claimed) {
  const isNew = claim.found.state === 'new' && claim.found.isVouched
  if (isNew) return { placed: undefined, usedMs: usedOf(call) }
  return lookUpKey(call.orders, call.sought, windowOf(call, claim), call.options)
}

/**
 * Returns the window of the lookup. After an earlier request with an unknown outcome, the window starts five minutes
 * before the first request. While nothing is found, the lookup is then repeated at least until `orderRecoveryTimeout`
 * after the last request. The ledger's clock measures the time since a request, because the clocks of clients can
 * differ. If the Date header and the local clock differ, the window starts at the earlier time.
 */
function windowOf(call: OrderCall, claim: Claimed): LookupWindow {
  const { state, sinceFirstSentMs = 0, sinceLastSentMs = 0 } = claim.found
  const waitMs = call.lookupTimeoutMs - waitedOf(call)
  const usedMs = usedOf(call)
  if (state === 'new') return { windowStart: call.windowStart, repeatMs: waitMs, usedMs }
  const { options, serverClock } = call.api.context
  const now = serverClock.moment()
  const sentAt = (): number => serverClock.at(now) - sinceFirstSentMs
  const resendAt = resendTime(call.orders, sinceLastSentMs)
  return {
    windowStart: () => Math.min(sentAt(), now.wall - sinceFirstSentMs) - LOOKUP_MARGIN_MS,
    repeatMs: Math.max(waitMs, options.orderRecoveryTimeoutMs - sinceLastSentMs),
    usedMs,
    isSameOrder: isCompared(claim),
    // After the time for a resend, an order that is not listed is sent again. Until then, its outcome stays unknown.
    sentEarlierAt: resendAt > options.clock.monotonic() ? sentAt : undefined,
    resendAt,
  }
}

/** Sends the order, with a mark in the ledger before each request. If the response is lost, looks the order up. */
async function send(
  { api, orders, body, sought, options }: OrderCall,
  input: CallInput,
): Promise<WithResponse<PlacedOrder>> {
  let recovered = false
  type Response = Referral | PlacedOrder['referrals']
  // The cast is safe, because a response without referrals is rejected before this check.
  const differs = (content: unknown) => contradictionOf(sought.order, content as Response)
  const sending = api.call(
    endpoints.referrals.create,
    { ...input, body, contradictionOf: differs },
    options,
    async (lost) => {
      const referrals = await lookUpLost(orders, sought, lost, options)
      recovered = true
      return { data: referrals }
    },
  )
  const { data, response } = await sending.withResponse()
  return { data: placedOrder(data, sought.orderKey, recovered), response }
}

/** Sends an order without the ledger. If an abort leaves its outcome unknown, the log names the generated key. */
async function sendUnderGeneratedKey(call: OrderCall): Promise<WithResponse<PlacedOrder>> {
  let mayBeSent = false
  const guard: SendingGuard = {
    beforeSending: async () => {
      mayBeSent = true
    },
    isStale: () => false,
    hadNoEffect: () => {
      mayBeSent = false
    },
  }
  try {
    return await send(call, { guard })
  } catch (error) {
    const { signal } = call.options
    if (mayBeSent && signal?.aborted === true && error === signal.reason)
      call.api.context.logger.warn(
        `pathology-sdk: referrals.create was aborted after the order may have been sent; look it up with findByOrderKey(${JSON.stringify(call.sought.orderKey)})`,
      )
    throw error
  }
}

/**
 * Returns an order that the ledger holds as placed. Reads each referral, and looks up a second referral that the ledger
 * does not have. The order may contain deleted referrals.
 *
 * @throws {@link OrderOutcomeUnknownError} when a read fails, with the UUIDs as candidates. Also thrown when the second
 * referral is not found.
 * @throws The error of {@link keyInUse}, when the fingerprints were not compared and no referral matches the order.
 */
async function readPlaced(
  call: OrderCall,
  ledger: Ledger,
  claim: Claimed,
  usedMs = usedOf(call),
): Promise<PlacedOrder> {
  const { sought, options, orders } = call
  const { order, orderKey } = sought
  const { referrals: uuids = [] } = claim.found
  const timed = { ...options, timeout: timeLimitOf(options, orders.api.context.options) }
  const read = (uuid: string): Promise<Referral> => {
    const differs = (content: unknown) =>
      isRecordOf(uuid, content) ? undefined : 'it is not the referral of the order'
    const input = { path: { uuid }, usedMs, contradictionOf: differs }
    return orders.api.call(endpoints.referrals.retrieve, input, timed)
  }
  const referrals = await Promise.all(uuids.map(read)).catch((cause: unknown) => {
    options.signal?.throwIfAborted()
    const later = { ...call, options: { ...options, signal: undefined } }
    const recover = () => readPlaced(later, ledger, claim, 0).catch(noneIfIncomplete)
    throw new OrderOutcomeUnknownError({
      orderKey,
      startedAt: new Date(call.windowStart()),
      attempts: 0,
      candidates: uuids,
      cause,
      hasOwnKey: true,
      recover: () => orders.api.composite('recover()', recover),
      isPlaced: true,
    })
  })
  if (!isCompared(claim)) checkSameOrder(order, referrals)
  if (isComplete(sought, referrals)) return placedOrder(referrals, orderKey, true)
  return findOtherReferral(call, ledger, claim, referrals, usedMs)
}

/** Looks up the other referral of an order with two referrals, of which the ledger has only one. */
async function findOtherReferral(
  { orders, sought, options, windowStart }: OrderCall,
  { session }: Ledger,
  { name }: Claimed,
  known: readonly Referral[],
  usedMs: number,
): Promise<PlacedOrder> {
  const createdAt = timeOf(known[0]?.createdAt)
  const sentAt = Number.isNaN(createdAt) ? windowStart : (): number => createdAt
  const window = {
    windowStart: (): number => sentAt() - LOOKUP_MARGIN_MS,
    ...{ repeatMs: 0, usedMs, alreadyRead: known, isSameOrder: true, sentEarlierAt: sentAt },
  }
  const { placed } = await lookUpKey(orders, sought, window, options)
  if (placed === undefined) throw new Error('lookUpKey did not find an order that was sent')
  const uuids = uuidsOf(placed)
  if (uuids.every(isUuid)) session.runLater('resolve', name, { placed: uuids })
  return placed
}

/** Returns `undefined` for the error of an order that the service does not show completely. Throws any other error. */
function noneIfIncomplete(error: unknown): undefined {
  if (!(error instanceof OrderOutcomeUnknownError) || error.cause !== undefined) throw error
}

function isRecordOf(uuid: string, content: unknown): boolean {
  const shown = ownFieldOf(content, 'uuid')
  return typeof shown === 'string' && shown.toLowerCase() === uuid.toLowerCase()
}

function uuidsOf({ referrals }: PlacedOrder): readonly string[] {
  return referrals.map(({ uuid }) => uuid)
}

function waitedOf({ api, beganAt }: OrderCall): number {
  return api.context.options.clock.monotonic() - beganAt
}

/** Used part of the call's time limit: waiting uses `lookupTimeout` first, and then `timeout`. */
function usedOf(call: OrderCall): number {
  return Math.max(0, waitedOf(call) - call.lookupTimeoutMs)
}

/** Time limit of a wait for the ledger, or for another call that holds the key: `timeout` plus `lookupTimeout`. */
function limitOf({ api, options, lookupTimeoutMs }: OrderCall): number {
  return timeLimitOf(options, api.context.options) + lookupTimeoutMs
}

function remainingOf(call: OrderCall): number {
  return limitOf(call) - waitedOf(call)
}

/** Converts the end of a wait for the ledger, or for another call that holds the key. */
function waitError(call: OrderCall, { end }: CallEnded, wasBusy: boolean): unknown {
  if (end.kind === 'aborted') return end.reason
  const timeout = limitOf(call)
  const effect = wasBusy
    ? 'this call sent nothing; another call with the same orderKey may still place the order'
    : 'nothing was sent, because the order ledger did not respond in time'
  const message = `referrals.create did not end within ${timeout} ms: ${effect}; repeat create() with the same orderKey`
  const outcome = wasBusy ? 'unknown' : 'not-sent'
  return new TimeoutError(message, { outcome, attempts: 0, timeout, isRepeatable: true })
}
