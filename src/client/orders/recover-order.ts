import { ignore, withTraceOf } from '../../common/errors.js'
import { without, withSet } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import { isUuid } from '../../contract/identifiers.js'
import type { Referral } from '../../contract/types.js'
import type { ApiClient, LostRequest } from '../call/api-client.js'
import type { RequestOptions, ResolvedOptions } from '../call/request-options.js'
import { CallEnded, Deadline } from '../core/deadline.js'
import { InvalidResponseError, TimeoutError } from '../errors/errors.js'
import {
  byUuid,
  completeOrder,
  type InFlightOrders,
  isNotListed,
  isOfOlderOrder,
  isUnclear,
  type LookupResult,
  matches,
  placedBefore,
  type Search,
  type SoughtOrder,
} from './match-order.js'
import { NewestReferrals } from './newest-referrals.js'
import { type OrderOutcomeFacts, OrderOutcomeUnknownError, type PlacedOrder, placedOrder } from './order.js'
import { LOOKUP_MARGIN_MS } from './order-window.js'

/** Number of redirected lookups in a row that show an incorrect base URL. A failing proxy may cause fewer. */
const REDIRECTED_LOOKUPS = 3

/** First and longest pause between lookups, in milliseconds. Each pause is one second longer than the pause before. */
const FIRST_LOOKUP_PAUSE_MS = 1_000
const LONGEST_LOOKUP_PAUSE_MS = 5_000

/** Time limit of a lookup that starts at the end of the time for repeated lookups, in milliseconds. */
const LAST_LOOKUP_MS = 10_000

/** Returns the time limit of an order or a lookup, in milliseconds. */
export function timeLimitOf({ timeout }: RequestOptions, { timeoutMs }: ResolvedOptions): number {
  return timeout ?? timeoutMs ?? endpoints.referrals.create.timeoutMs
}

export interface LookupWindow {
  /** Start of the window, in milliseconds of the server clock. */
  readonly windowStart: () => number
  /** Time to repeat the lookup while nothing is found, in milliseconds, in addition to the call's time limit. */
  readonly repeatMs: number
  /** Part of the call's time limit that was already used, in milliseconds. */
  readonly usedMs?: number
  /** Referrals of the order that were already read. */
  readonly alreadyRead?: readonly Referral[] | undefined
  /**
   * Time of an earlier request, in milliseconds of the server clock. If it is given and the lookup does not find the
   * order, the outcome stays unknown.
   */
  readonly sentEarlierAt?: (() => number) | undefined
  /** Time on the monotonic clock from which a repeated `create` sends the order again. Default: never. */
  readonly resendAt?: number | undefined
}

/** Looks up lost orders among the newest referrals: the service has no idempotency key. */
export class OrderRecovery {
  readonly #api: ApiClient
  readonly #newest: NewestReferrals
  readonly #inFlightOrders: InFlightOrders
  readonly #resendAfterMs: number

  /** @param resendAfterMs - Client option `resendAfter`; infinite for never. */
  constructor(api: ApiClient, inFlightOrders: InFlightOrders, resendAfterMs: number) {
    this.#api = api
    this.#newest = new NewestReferrals(api)
    this.#inFlightOrders = inFlightOrders
    this.#resendAfterMs = resendAfterMs
  }

  /**
   * Looks up a lost order repeatedly, within a time limit, and returns its referrals. Throws `OrderOutcomeUnknownError`
   * if the complete order is not found. Throws the request's error if the request and three lookups were redirected.
   */
  async findLost(
    sought: SoughtOrder,
    lost: LostRequest,
    options: RequestOptions,
  ): Promise<PlacedOrder['referrals']> {
    const { startedAt } = lost
    const { knownReferrals } = this.#inFlightOrders
    const windowStart = (): number => startedAt() - LOOKUP_MARGIN_MS
    const search = { sought, windowStart, startedAt, options, knownReferrals }
    const { clock } = this.#api.context.options
    const beganAt = clock.monotonic()
    const first = lost.kind === 'redirect' ? await this.#lookUpAfterRedirect(search) : undefined
    // If all responses are redirects, the lookup cannot succeed: the base URL must be corrected first.
    if (isRedirect(first?.error)) throw lost.toPublic()
    const read = first?.error === undefined ? first : undefined
    const result = await this.#lookUpUntilComplete(search, read, clock.monotonic() - beganAt)
    const data = completeOrder(search, result)
    if (data !== undefined && this.#inFlightOrders.assign(sought, data)) return data
    const isSentAgain = sought.hasOwnKey === true && isNotListed(result)
    const sinceSentMs = this.#api.context.serverClock.now() - startedAt()
    const retryAfter = isSentAgain ? this.#retryAfter(this.resendAt(sinceSentMs)) : undefined
    const order = { startedAt: new Date(startedAt()), attempts: lost.attempts, retryAfter }
    throw this.#unknown(search, { ...result, error: result.error ?? lost.toPublic() }, order)
  }

  /** Returns the time on the monotonic clock from which an order may be sent again; infinite for never. */
  resendAt(sinceSentMs: number): number {
    return this.#api.context.options.clock.monotonic() + this.#resendAfterMs - sinceSentMs
  }

  /**
   * Returns the milliseconds until `resendAt`; `undefined` for never. A time that has passed becomes 1 ms, so that a
   * queue repeats its job at once.
   */
  #retryAfter(resendAt = Number.POSITIVE_INFINITY): number | undefined {
    if (resendAt === Number.POSITIVE_INFINITY) return undefined
    return Math.max(1, Math.ceil(resendAt - this.#api.context.options.clock.monotonic()))
  }

  /**
   * Returns the order with this key that was placed since the start of the window, and waits for a missing part.
   * `placed` is `undefined` if the complete window does not contain the order. `usedMs` is the part of the call's time
   * limit that was used, without the repeated lookups. Throws if the key belongs to another order. Throws
   * `OrderOutcomeUnknownError` if the order was not found completely, in these cases:
   * - The window was not read completely.
   * - The window contains a part of the order, or a referral without metadata that may be the order.
   * - The order was sent earlier, and the service does not list it.
   */
  async findByKey(
    sought: Search['sought'],
    window: LookupWindow,
    options: RequestOptions,
  ): Promise<{ readonly placed: PlacedOrder | undefined; readonly usedMs: number }> {
    const { windowStart, repeatMs, usedMs: before = 0, alreadyRead, sentEarlierAt } = window
    const search = { sought, windowStart, startedAt: undefined, options, alreadyRead }
    const { clock } = this.#api.context.options
    const beganAt = clock.monotonic() - before
    let result = await this.#lookUpOnce(search, { usedMs: before })
    const usedMs = clock.monotonic() - beganAt
    if (repeatMs > 0)
      result = await this.#lookUpRepeatedly(search, repeatMs, ({ found }) => found.length > 0, result)
    let placed = placedBefore(search, result.found)
    if (placed === undefined && result.found.length > 0) {
      result = await this.#lookUpUntilComplete(search, result)
      placed = placedBefore(search, result.found)
    }
    const isMissing = isNotListed(result)
    if (placed !== undefined || (isMissing && sentEarlierAt === undefined)) return { placed, usedMs }
    throw this.#unknown(search, result, {
      startedAt: new Date((sentEarlierAt ?? windowStart)()),
      attempts: 0,
      retryAfter: isMissing ? this.#retryAfter(window.resendAt) : undefined,
      problem: isMissing ? 'an earlier call sent the order, and the service does not show it yet' : undefined,
    })
  }

  /**
   * Looks up until a lookup is not redirected, at most three times. These lookups use the time of the recovery, not of
   * the call.
   */
  async #lookUpAfterRedirect(search: Search): Promise<LookupResult> {
    const { clock, orderRecoveryTimeoutMs } = this.#api.context.options
    const endsAt = clock.monotonic() + orderRecoveryTimeoutMs + LAST_LOOKUP_MS
    for (let lookups = 1; ; lookups += 1) {
      const options = withSet(search.options, { timeout: endsAt - clock.monotonic() })
      const result = await this.#lookUpOnce({ ...search, options }, { isRepeated: true })
      if (!isRedirect(result.error) || lookups === REDIRECTED_LOOKUPS) return result
    }
  }

  /** @param usedMs - Part of the time of the recovery that was already used, in milliseconds. */
  #lookUpUntilComplete(search: Search, first?: LookupResult, usedMs = 0): Promise<LookupResult> {
    const { orderRecoveryTimeoutMs } = this.#api.context.options
    const isEnough = (result: LookupResult): boolean => completeOrder(search, result) !== undefined
    return this.#lookUpRepeatedly(search, orderRecoveryTimeoutMs - usedMs, isEnough, first)
  }

  /**
   * Looks up once, within the call's time limit. Throws only the reason of an abort.
   *
   * @param usedMs - Part of the time limit that was already used, in milliseconds.
   */
  async #lookUpOnce(search: Search, { usedMs = 0, isRepeated = false } = {}): Promise<LookupResult> {
    const { options: resolved, signals } = this.#api.context
    const timeout = timeLimitOf(search.options, resolved)
    const deadline = new Deadline(resolved.clock, timeout - usedMs, signals.of(search.options.signal))
    try {
      const result = await this.#read(search, deadline, isRepeated)
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
   * @param isEnough - Returns `true` for a result that ends the repetitions.
   * @param first - Result of an earlier lookup.
   */
  async #lookUpRepeatedly(
    search: Search,
    repeatMs: number,
    isEnough: (result: LookupResult) => boolean,
    first?: LookupResult,
  ): Promise<LookupResult> {
    const { signals } = this.#api.context
    const { clock } = this.#api.context.options
    const deadline = new Deadline(clock, repeatMs + LAST_LOOKUP_MS, signals.of(search.options.signal))
    const endsAt = clock.monotonic() + repeatMs
    try {
      let result = first ?? (await this.#read(search, deadline, true))
      for (let pauses = 1; ; pauses += 1) {
        const left = endsAt - clock.monotonic()
        if (isEnough(result) || left <= 0) return result
        const pause = Math.min(pauses * FIRST_LOOKUP_PAUSE_MS, LONGEST_LOOKUP_PAUSE_MS, left)
        // If the deadline ends the pause, the lookup reports the deadline.
        await deadline.sleep(pause).catch(ignore)
        result = await this.#read(search, deadline, true, result)
      }
    } finally {
      deadline.dispose()
    }
  }

  /** Reads the newest referrals. Keeps the unlisted candidates of an earlier lookup, and compares the listed ones. */
  async #read(search: Search, deadline: Deadline, isRepeated: boolean, earlier?: LookupResult) {
    const { sought, windowStart, options, alreadyRead = [] } = search
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
      await this.#newest.read({ since: windowStart, collect, options, isRepeated, deadline })
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
  #unknown(
    search: Search,
    result: LookupResult,
    order: Pick<OrderOutcomeFacts, 'startedAt' | 'attempts' | 'retryAfter' | 'problem'>,
  ): OrderOutcomeUnknownError {
    const { sought, knownReferrals: known } = search
    /** UUIDs that `recover()` has returned. They are known referrals, and belong to this order. */
    let returned: readonly string[] | undefined
    const knownReferrals = { has: (uuid: string) => returned === undefined && known?.has(uuid) === true }
    const unknown = ({ found, unclear, error }: LookupResult): OrderOutcomeUnknownError =>
      new OrderOutcomeUnknownError({
        ...order,
        orderKey: sought.orderKey,
        candidates: uuidsOf([...found, ...unclear]).filter(isUuid),
        cause: error,
        hasOwnKey: sought.hasOwnKey,
        recover: () => this.#api.composite('recover()', recover),
      })
    const recover = async (): Promise<PlacedOrder | undefined> => {
      const again = { ...search, knownReferrals, options: without(search.options, 'signal') }
      const later = await this.#lookUpOnce(again)
      const found = later.found.filter(({ uuid }) => returned?.includes(uuid) ?? true)
      const complete = completeOrder(search, { ...later, found })
      if (complete !== undefined && (returned || this.#inFlightOrders.assign(sought, complete))) {
        returned ??= uuidsOf(complete)
        return placedOrder(complete, sought.orderKey, true)
      }
      if (later.isPartlyRead) throw unknown(later)
      return undefined
    }
    return withTraceOf(this.#unknown, unknown(result))
  }
}

function uuidsOf(referrals: readonly Referral[]): readonly string[] {
  return referrals.map(({ uuid }) => uuid)
}

function isRedirect(error: unknown): boolean {
  return error instanceof InvalidResponseError && error.reason === 'redirect'
}
