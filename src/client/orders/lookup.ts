import type { ServerClock } from '../../common/clock.js'
import { ConfigurationError, ignore, withTraceOf } from '../../common/errors.js'
import { without } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import { isUuid } from '../../contract/identifiers.js'
import type { Referral } from '../../contract/types.js'
import type { ApiClient, LostRequest } from '../call/api-client.js'
import type { RequestOptions, ResolvedOptions } from '../call/request-options.js'
import { givenTime } from '../core/caller-input.js'
import { CallEnded, checkedSignal, Deadline } from '../core/deadline.js'
import { InvalidResponseError, TimeoutError } from '../errors/errors.js'
import {
  byUuid,
  completeOrder,
  isNotListed,
  isOfOlderOrder,
  isUnclear,
  type LookupResult,
  matches,
  placedBefore,
  placedOrder,
  type Search,
  type SoughtOrder,
} from './match.js'
import type { NewestReferrals } from './newest-referrals.js'
import type { PlacedOrder } from './order.js'
import { type OrderOutcomeFacts, OrderOutcomeUnknownError } from './order-errors.js'

/** Number of redirected lookups in a row that show an incorrect base URL. A failing proxy may cause fewer. */
const REDIRECTED_LOOKUPS = 3

/** First and longest pause between lookups, in milliseconds. Each pause is one second longer than the pause before. */
const FIRST_LOOKUP_PAUSE_MS = 1_000
const LONGEST_LOOKUP_PAUSE_MS = 5_000

/** Time limit of a lookup that starts at the end of the time for repeated lookups, in milliseconds. */
const LAST_LOOKUP_MS = 10_000

/** What the lookups of a client share. */
export interface Lookups {
  /** Makes the requests. It accepts calls also when the client is closed. */
  readonly api: ApiClient
  readonly newest: NewestReferrals
  /** Client option `resendAfter`; infinite for never. */
  readonly resendAfterMs: number
}

export interface LookupWindow extends Pick<Search, 'windowStart'> {
  /** Time to repeat the lookup while nothing is found, in milliseconds, in addition to the call's time limit. */
  readonly repeatMs: number
  /** Part of the call's time limit that was already used, in milliseconds. */
  readonly usedMs?: number
  readonly alreadyRead?: readonly Referral[]
  readonly isSameOrder?: boolean
  /**
   * Time of an earlier request, in milliseconds of the server clock. If it is given and the lookup does not find the
   * order, the outcome stays unknown.
   */
  readonly sentEarlierAt?: (() => number) | undefined
  /** Time on the monotonic clock from which a repeated `create` sends the order again. Default: never. */
  readonly resendAt?: number | undefined
}

/** Returns the time limit of an order or a lookup, in milliseconds. */
export function timeLimitOf({ timeout }: RequestOptions, { timeoutMs }: ResolvedOptions): number {
  return timeout ?? timeoutMs ?? endpoints.referrals.create.timeoutMs
}

/** Returns the time on the monotonic clock from which an order may be sent again; infinite for never. */
export function resendTime({ api, resendAfterMs }: Lookups, sinceSentMs: number): number {
  return api.context.options.clock.monotonic() + resendAfterMs - sinceSentMs
}

/**
 * Returns the order with this key that was placed since the start of the window, and waits for a missing part. `placed`
 * is `undefined` if the complete window does not contain the order. `usedMs` is the part of the call's time limit that
 * was used, without the repeated lookups. Throws if the key belongs to another order. Throws `OrderOutcomeUnknownError`
 * if the order was not found completely, in these cases:
 * - The window was not read completely.
 * - The window contains a part of the order, or a referral without metadata that may be the order.
 * - The order was sent earlier, and the service does not list it.
 */
export async function lookUpKey(
  lookups: Lookups,
  sought: SoughtOrder,
  window: LookupWindow,
  options: RequestOptions,
): Promise<{ readonly placed: PlacedOrder | undefined; readonly usedMs: number }> {
  const { windowStart, repeatMs, usedMs: before = 0, alreadyRead = [], sentEarlierAt } = window
  const { isSameOrder = false } = window
  const search = { sought, windowStart, isAfterLoss: false, isSameOrder, options, alreadyRead }
  const { clock } = lookups.api.context.options
  const beganAt = clock.monotonic() - before
  let result = await lookUpOnce(lookups, search, { usedMs: before })
  const usedMs = clock.monotonic() - beganAt
  if (repeatMs > 0)
    result = await lookUpRepeatedly(lookups, search, repeatMs, ({ found }) => found.length > 0, result)
  let placed = placedBefore(search, result.found)
  if (placed === undefined && result.found.length > 0) {
    result = await lookUpUntilComplete(lookups, search, result)
    placed = placedBefore(search, result.found)
  }
  const isMissing = isNotListed(result)
  if (placed !== undefined || (isMissing && sentEarlierAt === undefined)) return { placed, usedMs }
  throw unknownOutcome(lookups, search, result, {
    startedAt: new Date((sentEarlierAt ?? windowStart)()),
    attempts: 0,
    retryAfter: isMissing ? retryAfter(lookups, window.resendAt) : undefined,
    problem: isMissing ? 'an earlier call sent the order, and the service does not show it yet' : undefined,
  })
}

/**
 * Looks up a lost order repeatedly, within a time limit, and returns its referrals. Throws `OrderOutcomeUnknownError`
 * if the complete order is not found. Throws the request's error if the request and three lookups were redirected.
 */
export async function lookUpLost(
  lookups: Lookups,
  sought: SoughtOrder,
  lost: LostRequest,
  options: RequestOptions,
): Promise<PlacedOrder['referrals']> {
  const { startedAt } = lost
  const windowStart = (): number => startedAt() - LOOKUP_MARGIN_MS
  const search = { sought, windowStart, isAfterLoss: true, isSameOrder: true, options, alreadyRead: [] }
  const { options: resolved, serverClock } = lookups.api.context
  const beganAt = resolved.clock.monotonic()
  const first = lost.kind === 'redirect' ? await lookUpAfterRedirect(lookups, search) : undefined
  // If all responses are redirects, the lookup cannot succeed: the base URL must be corrected first.
  if (isRedirect(first?.error)) throw lost.toPublic()
  const read = first?.error === undefined ? first : undefined
  const usedMs = resolved.clock.monotonic() - beganAt
  const result = await lookUpUntilComplete(lookups, search, read, usedMs)
  const data = completeOrder(search, result.found)
  if (data !== undefined) return data
  const isSentAgain = sought.hasOwnKey === true && isNotListed(result)
  const resendAt = resendTime(lookups, serverClock.now() - startedAt())
  throw unknownOutcome(
    lookups,
    search,
    { ...result, error: result.error ?? lost.toPublic() },
    {
      startedAt: new Date(startedAt()),
      attempts: lost.attempts,
      retryAfter: isSentAgain ? retryAfter(lookups, resendAt) : undefined,
    },
  )
}

/**
 * Returns the milliseconds until `resendAt`; `undefined` for never. A time that has passed becomes 1 ms, so that a
 * queue repeats its job at once.
 */
function retryAfter({ api }: Lookups, resendAt = Number.POSITIVE_INFINITY): number | undefined {
  if (resendAt === Number.POSITIVE_INFINITY) return undefined
  return Math.max(1, Math.ceil(resendAt - api.context.options.clock.monotonic()))
}

/**
 * Looks up until a lookup is not redirected, at most three times. These lookups use the time of the recovery, not of
 * the call.
 */
async function lookUpAfterRedirect(lookups: Lookups, search: Search): Promise<LookupResult> {
  const { clock, orderRecoveryTimeoutMs } = lookups.api.context.options
  const endsAt = clock.monotonic() + orderRecoveryTimeoutMs + LAST_LOOKUP_MS
  for (let times = 1; ; times += 1) {
    const options = { ...search.options, timeout: endsAt - clock.monotonic() }
    const result = await lookUpOnce(lookups, { ...search, options }, { isRepeated: true })
    if (!isRedirect(result.error) || times === REDIRECTED_LOOKUPS) return result
  }
}

/** @param usedMs - Part of the time of the recovery that was already used, in milliseconds. */
function lookUpUntilComplete(
  lookups: Lookups,
  search: Search,
  first?: LookupResult,
  usedMs = 0,
): Promise<LookupResult> {
  const { orderRecoveryTimeoutMs } = lookups.api.context.options
  const isEnough = ({ found }: LookupResult): boolean => completeOrder(search, found) !== undefined
  return lookUpRepeatedly(lookups, search, orderRecoveryTimeoutMs - usedMs, isEnough, first)
}

/**
 * Looks up once, within the call's time limit. Throws only the reason of an abort.
 *
 * @param usedMs - Part of the time limit that was already used, in milliseconds.
 */
async function lookUpOnce(
  lookups: Lookups,
  search: Search,
  { usedMs = 0, isRepeated = false } = {},
): Promise<LookupResult> {
  const { options: resolved } = lookups.api.context
  const timeout = timeLimitOf(search.options, resolved)
  const deadline = new Deadline(resolved.clock, timeout - usedMs, checkedSignal(search.options.signal))
  try {
    const result = await read(lookups, search, deadline, isRepeated)
    if (!result.isPartlyRead || deadline.ended === undefined) return result
    const message = `reading the newest referrals did not end within ${timeout} ms`
    const error = new TimeoutError(message, { outcome: 'unknown', attempts: 0, timeout })
    return { ...result, error }
  } finally {
    deadline.dispose()
  }
}

/**
 * Looks up repeatedly until a result is enough or the time for repetitions ends. Continues after a failed lookup,
 * because the service may be restarting.
 *
 * @param repeatMs - Time for repetitions, in milliseconds.
 * @param first - Result of an earlier lookup.
 */
async function lookUpRepeatedly(
  lookups: Lookups,
  search: Search,
  repeatMs: number,
  isEnough: (result: LookupResult) => boolean,
  first?: LookupResult,
): Promise<LookupResult> {
  const { clock } = lookups.api.context.options
  const deadline = new Deadline(clock, repeatMs + LAST_LOOKUP_MS, checkedSignal(search.options.signal))
  const endsAt = clock.monotonic() + repeatMs
  try {
    let result = first ?? (await read(lookups, search, deadline, true))
    for (let pauses = 1; ; pauses += 1) {
      const left = endsAt - clock.monotonic()
      if (isEnough(result) || left <= 0) return result
      const pause = Math.min(pauses * FIRST_LOOKUP_PAUSE_MS, LONGEST_LOOKUP_PAUSE_MS, left)
      // If the deadline ends the pause, the lookup reports the deadline.
      await deadline.sleep(pause).catch(ignore)
      result = await read(lookups, search, deadline, true, result)
    }
  } finally {
    deadline.dispose()
  }
}

/** Reads the newest referrals. Keeps the unlisted candidates of an earlier lookup, and compares the listed ones. */
async function read(
  { newest }: Lookups,
  search: Search,
  deadline: Deadline,
  isRepeated: boolean,
  earlier?: LookupResult,
): Promise<LookupResult> {
  const { sought, windowStart, options, alreadyRead } = search
  const own = byUuid(alreadyRead)
  const found = byUuid([...alreadyRead, ...(earlier?.found ?? [])])
  const unclear = byUuid(earlier?.unclear ?? [])
  const collect = (referral: Referral): void => {
    const { uuid } = referral
    if (isOfOlderOrder(search, referral)) sought.older.add(uuid)
    unclear.delete(uuid)
    // Deleted and set again, so that the map has the sequence of the list. The referral may no longer match.
    found.delete(uuid)
    if (matches(search, referral) || own.has(uuid)) found.set(uuid, referral)
    else if (isUnclear(search, referral)) unclear.set(uuid, referral)
  }
  let failure: { readonly error: unknown } | undefined
  try {
    await newest.read({ since: windowStart, collect, options, isRepeated, deadline })
  } catch (error) {
    options.signal?.throwIfAborted()
    failure = { error: error instanceof CallEnded ? undefined : error }
  }
  return {
    found: [...found.values()].reverse(),
    unclear: [...unclear.values()].reverse(),
    isPartlyRead: failure !== undefined,
    error: failure?.error,
  }
}

/** Creates the error of an order that `result` does not show completely. */
function unknownOutcome(
  lookups: Lookups,
  search: Search,
  { found, unclear, error }: LookupResult,
  facts: Pick<OrderOutcomeFacts, 'startedAt' | 'attempts' | 'retryAfter' | 'problem'>,
): OrderOutcomeUnknownError {
  const { orderKey, hasOwnKey } = search.sought
  const recover = async (): Promise<PlacedOrder | undefined> => {
    const again = { ...search, options: without(search.options, 'signal') }
    const later = await lookUpOnce(lookups, again)
    const complete = completeOrder(search, later.found)
    if (complete !== undefined) return placedOrder(complete, orderKey, true)
    if (later.isPartlyRead) throw unknownOutcome(lookups, again, later, facts)
    return undefined
  }
  const unknown = new OrderOutcomeUnknownError({
    ...facts,
    orderKey,
    hasOwnKey,
    candidates: [...found, ...unclear].map(({ uuid }) => uuid).filter(isUuid),
    cause: error,
    recover: () => lookups.api.composite('recover()', recover),
  })
  return withTraceOf(unknownOutcome, unknown)
}

function isRedirect(error: unknown): boolean {
  return error instanceof InvalidResponseError && error.reason === 'redirect'
}

/** Time from the start of the lookup window to the request, in milliseconds. Needed because clocks differ. */
export const LOOKUP_MARGIN_MS = 5 * 60_000

/** Time from the start of the lookup window to the call, for a lookup by key without `since`, in milliseconds. */
const LOOK_BACK_MS = 24 * 3_600_000

/** Time from the start of the lookup window to the caller's `since`, in milliseconds. Needed because clocks differ. */
const SINCE_MARGIN_MS = 15 * 60_000

/** Difference of clocks that the margin covers, in milliseconds: the Date header alone has whole seconds. */
const COVERED_DIFFERENCE_MS = 60_000

/**
 * Returns the start of the window of a lookup by key, in milliseconds of the server clock: the caller's `since`, less the
 * margin and the difference between the local clock and the server clock. The difference only extends the window,
 * because either clock can be wrong: `since` may come from another machine, and a gateway may send an incorrect Date
 * header. A start in the future by both clocks comes from a third, incorrect clock: then, and without `since`, the window
 * starts 24 hours before the call.
 */
export function windowStartOf(serverClock: ServerClock, since: Date | string | undefined): () => number {
  const now = serverClock.moment()
  const none = Number.POSITIVE_INFINITY
  const start =
    givenTime('since', since, none, (message) => new ConfigurationError(message)) - SINCE_MARGIN_MS
  return () => {
    const serviceNow = serverClock.at(now)
    if (start > Math.max(now.wall, serviceNow)) return Math.min(now.wall, serviceNow) - LOOK_BACK_MS
    const differenceMs = Math.abs(now.wall - serviceNow)
    // Not before 1970: a ledger or a `Date` may not be able to represent an earlier time.
    return Math.max(0, differenceMs > COVERED_DIFFERENCE_MS ? start - differenceMs : start)
  }
}
