import { withSet } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import type { ReferralEventData } from '../../contract/events.js'
import { UUID_PATTERN } from '../../contract/identifiers.js'
import { fieldOf, ownFieldOf } from '../../contract/read.js'
import type { Order, Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { WithResponse } from '../call/api-promise.js'
import type { CallInput } from '../call/request.js'
import type { RequestOptions } from '../call/request-options.js'
import { timeOf } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'
import type { LedgerSession } from '../ledger/ledger-session.js'
import { timeLimitOf } from './find-referrals.js'
import { differenceFrom, type InFlightOrders, isComplete, type SoughtOrder } from './match-order.js'
import { OrderOutcomeUnknownError, type PlacedOrder, placedOrder } from './order.js'
import { keyInUse, orderKeyOf } from './order-key.js'
import { LOOKUP_MARGIN_MS, type OrderRecovery } from './recover-order.js'

/** Order with a key of the caller, and the call that needs it. */
export interface KeyedOrder {
  readonly sought: SoughtOrder
  readonly orderKey: string
  readonly options: RequestOptions
  /** Start of the lookup for a key without an entry, by the server clock. */
  readonly defaultWindowStart: () => number
  /** Earliest time of an earlier order with the key; `undefined` when the caller gave none. */
  readonly ledgerSince: Date | undefined
  /** Time for which the lookup is repeated, in milliseconds, in addition to the time limit of the call. */
  readonly lookupTimeoutMs: number
  readonly sendOrder: (input: CallInput) => Promise<WithResponse<PlacedOrder>>
}

/** Objects that the orders of a client share. */
export interface OrderParts {
  readonly api: ApiClient
  readonly session: LedgerSession
  readonly recovery: OrderRecovery
  readonly inFlightOrders: InFlightOrders
}

/**
 * Returns an order that the ledger holds as placed, with one read for each referral. Deleted referrals are returned as
 * they are.
 *
 * @param how - `mustCompare`: the fingerprints could not be compared; `usedMs`: used part of the call's time limit.
 * @throws {@link OrderOutcomeUnknownError} with the UUIDs as candidates, when a read fails.
 */
export async function readPlaced(
  parts: OrderParts,
  order: KeyedOrder,
  uuids: readonly string[],
  { mustCompare, usedMs }: { readonly mustCompare: boolean; readonly usedMs: number },
): Promise<PlacedOrder> {
  const { sought } = order
  const referrals = await readAll(parts.api, order, uuids, usedMs)
  if (mustCompare) checkSameOrder(sought.order, referrals)
  if (isComplete({ sought, startedAt: undefined }, referrals))
    return placedOrder(referrals, sought.orderKey, true)
  return findOtherReferral(parts, order, referrals, usedMs)
}

async function readAll(
  api: ApiClient,
  order: KeyedOrder,
  uuids: readonly string[],
  usedMs: number,
): Promise<readonly Referral[]> {
  const options = withSet(order.options, { timeout: timeLimitOf(order.options, api.context.options) })
  const { retrieve } = endpoints.referrals
  try {
    return await Promise.all(uuids.map((uuid) => api.call(retrieve, { path: { uuid }, usedMs }, options)))
  } catch (error) {
    options.signal?.throwIfAborted()
    throw unreadError(api, order, uuids, error)
  }
}

/** Looks up the other referral of an order, if a webhook event has recorded only one of two. */
async function findOtherReferral(
  { session, recovery }: OrderParts,
  { sought, orderKey, options, defaultWindowStart }: KeyedOrder,
  known: readonly Referral[],
  usedMs: number,
): Promise<PlacedOrder> {
  const createdAt = timeOf(known[0]?.createdAt)
  const sentAt = Number.isNaN(createdAt) ? defaultWindowStart : (): number => createdAt
  const windowStart = (): number => sentAt() - LOOKUP_MARGIN_MS
  const window = { windowStart, repeatMs: 0, usedMs, alreadyRead: known, sentEarlierAt: sentAt }
  const { placed } = await recovery.findByKey(sought, window, options)
  if (placed === undefined) throw new Error('findByKey did not find an order that was sent')
  const uuids = placed.referrals.map(({ uuid }) => uuid)
  session.runLater('resolve', session.nameOf(orderKey), { placed: uuids })
  return placed
}

function unreadError(
  api: ApiClient,
  order: KeyedOrder,
  candidates: readonly string[],
  cause: unknown,
): OrderOutcomeUnknownError {
  const { orderKey } = order
  const recover = async (): Promise<PlacedOrder | undefined> => {
    const options = withSet(order.options, { signal: undefined })
    const [first, ...others] = await readAll(api, { ...order, options }, candidates, 0)
    return first && placedOrder([first, ...others], orderKey, true)
  }
  return new OrderOutcomeUnknownError({
    orderKey,
    startedAt: new Date(order.defaultWindowStart()),
    attempts: 0,
    candidates,
    cause,
    hasOwnKey: true,
    recover: () => api.composite('recover()', recover, 'accept'),
    problem: 'the ledger holds the order as placed, but reading it failed',
  })
}

/**
 * Throws if no referral belongs to the order. One matching referral is enough, because the service may change the form
 * of the other referral.
 */
function checkSameOrder(order: Order, referrals: readonly Referral[]): void {
  const [difference, ...others] = referrals.map((referral) => differenceFrom(order, referral))
  if (difference === undefined || others.includes(undefined)) return
  throw keyInUse(difference)
}

/** Webhook event about a referral. */
export interface ReferralEvent {
  /** Name of the event, such as `referral.created`. */
  readonly eventName: string
  /** Data of the event. */
  readonly data: ReferralEventData
}

/** Records in the ledger that the order of a referral was placed. Returns `false` when the ledger has no entry. */
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
  if (typeof uuid === 'string' && UUID_PATTERN.test(uuid) && !isResult) return uuid
  // The service documents the data of only some events, so an event may have no UUID.
  if (isEvent) return undefined
  const message = 'must be a referral or a webhook event about one'
  throw new InvalidRequestError('referrals.recordOrder', [{ message, field: 'referralOrEvent' }])
}
