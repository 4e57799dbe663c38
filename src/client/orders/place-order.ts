import { momentOf } from '../../common/clock.js'
import { endpoints } from '../../contract/endpoints.js'
import { isUuid } from '../../contract/identifiers.js'
import { ownFieldOf } from '../../contract/read.js'
import type { Order, Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { WithResponse } from '../call/api-promise.js'
import type { CallInput, SendingGuard } from '../call/request.js'
import type { RequestOptions } from '../call/request-options.js'
import { type JsonBody, milliseconds, timeOf } from '../core/caller-input.js'
import { CallEnded, checkedSignal, Deadline } from '../core/deadline.js'
import { TimeoutError } from '../errors/errors.js'
import { EntryChanges, type FingerprintOf, fingerprintWith, HeldClaim } from '../ledger/claims.js'
import { type LedgerSettings, RESEND_MARGIN_MS } from '../ledger/ledger-options.js'
import { LedgerSession } from '../ledger/ledger-session.js'
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
import {
  checkSameOrder,
  contradictionOf,
  isComplete,
  keyInUse,
  placedOrder,
  type SoughtOrder,
} from './match.js'
import { NewestReferrals } from './newest-referrals.js'
import { checkMetadata, type GivenOrder, type OrderOptions, type PlacedOrder } from './order.js'
import { OrderOutcomeUnknownError } from './order-errors.js'

/** What the orders of a client share. */
export interface OrderContext extends Lookups {
  readonly ledger: LedgerSession
  readonly fingerprintOf: FingerprintOf
}

export function orderContext(api: ApiClient, settings: LedgerSettings): OrderContext {
  const { fingerprintKey, resendAfterMs } = settings
  const ledger = new LedgerSession(settings, api.context)
  const fingerprintOf = fingerprintWith(fingerprintKey, api.context.options.clientSecret)
  return { api, newest: new NewestReferrals(api), resendAfterMs, ledger, fingerprintOf }
}

/** One call of `create`. */
interface OrderCall {
  readonly orders: OrderContext
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
 */
export async function placeOrder(
  orders: OrderContext,
  given: GivenOrder,
): Promise<WithResponse<PlacedOrder>> {
  const call = await checked(orders, given)
  if (!given.hasOwnKey) return sendUnderGeneratedKey(call)
  for (;;) {
    const claim = await claimKey(call)
    if (claim.found.state === 'placed') return { data: await readPlaced(call, claim), response: NOTHING_SENT }
    const held = new HeldClaim(orders.ledger, claim)
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

/** Checks the input. With a key of the caller, checks all of it before the ledger is asked. */
async function checked(orders: OrderContext, given: GivenOrder): Promise<OrderCall> {
  const { body, orderKey, hasOwnKey, since, lookupTimeout, options } = given
  const { serverClock, options: resolved } = orders.api.context
  // The cast is safe, because the order is checked before it is read.
  const order = body.value as Order
  checkMetadata(endpoints.referrals.create.id, order)
  const call = {
    ...{ orders, body, options, beganAt: resolved.clock.monotonic() },
    sought: { order, orderKey, hasOwnKey, older: new Set<string>() },
    windowStart: windowStartOf(serverClock, since),
    lookupTimeoutMs: lookupTimeout === undefined ? 0 : milliseconds('lookupTimeout', lookupTimeout),
  }
  if (!hasOwnKey) return { ...call, since: undefined }
  await orders.api.check(endpoints.referrals.create, { body }, options)
  options.signal?.throwIfAborted()
  const start = since === undefined ? undefined : new Date(call.windowStart())
  return { ...call, since: start, beganAt: resolved.clock.monotonic() }
}

/** Claims the key. Waits while another call holds it. */
async function claimKey(call: OrderCall): Promise<Claimed> {
  const { api, ledger, fingerprintOf } = call.orders
  const { clock } = api.context.options
  const name = ledger.nameOf(call.sought.orderKey)
  const fingerprint = fingerprintOf(call.sought.order)
  const [token, mark] = [globalThis.crypto.randomUUID(), globalThis.crypto.randomUUID()]
  const request = { token, mark, fingerprint, since: call.since, leaseMs: ledger.leaseMs }
  const deadline = new Deadline(clock, remainingOf(call), checkedSignal(call.options.signal))
  let changes: EntryChanges | undefined
  try {
    for (;;) {
      const at = momentOf(clock)
      const found = await ledger.claim(name, request, deadline)
      if (isOtherOrder(found, fingerprint)) {
        if (found.state === 'sent') ledger.runLater('record', name, { token, outcome: 'not-placed' })
        throw keyInUse('other contents')
      }
      const marked = found.isMarked ? { id: mark, at } : undefined
      if (found.state !== 'busy') return { found, name, fingerprint, token, marked }
      changes ??= new EntryChanges(ledger, name)
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
  const { options, serverClock } = call.orders.api.context
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
  { orders, body, sought, options }: OrderCall,
  input: CallInput,
): Promise<WithResponse<PlacedOrder>> {
  let recovered = false
  type Response = Referral | PlacedOrder['referrals']
  // The cast is safe, because a response without referrals is rejected before this check.
  const differs = (content: unknown) => contradictionOf(sought.order, content as Response)
  const sending = orders.api.call(
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
      call.orders.api.context.logger.warn(
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
async function readPlaced(call: OrderCall, claim: Claimed, usedMs = usedOf(call)): Promise<PlacedOrder> {
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
    const recover = () => readPlaced(later, claim, 0).catch(noneIfIncomplete)
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
  return findOtherReferral(call, claim, referrals, usedMs)
}

/** Looks up the other referral of an order with two referrals, of which the ledger has only one. */
async function findOtherReferral(
  { orders, sought, options, windowStart }: OrderCall,
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
  if (uuids.every(isUuid)) orders.ledger.runLater('resolve', name, { placed: uuids })
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

function waitedOf({ orders, beganAt }: OrderCall): number {
  return orders.api.context.options.clock.monotonic() - beganAt
}

/** Used part of the call's time limit: waiting uses `lookupTimeout` first, and then `timeout`. */
function usedOf(call: OrderCall): number {
  return Math.max(0, waitedOf(call) - call.lookupTimeoutMs)
}

/** Time limit of a wait for the ledger, or for another call that holds the key: `timeout` plus `lookupTimeout`. */
function limitOf({ orders, options, lookupTimeoutMs }: OrderCall): number {
  return timeLimitOf(options, orders.api.context.options) + lookupTimeoutMs
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

/** Looks up an order by its key. Never places an order. */
export async function findOrder(
  orders: OrderContext,
  orderKey: string,
  since: OrderOptions['since'],
  { operation, options }: { readonly operation: string; readonly options: RequestOptions },
): Promise<PlacedOrder | undefined> {
  const window = { windowStart: windowStartOf(orders.api.context.serverClock, since), repeatMs: 0 }
  await orders.api.check(endpoints.referrals.list, { operation }, options)
  const sought = { orderKey, older: new Set<string>() }
  return (await lookUpKey(orders, sought, window, options)).placed
}
