import { without, withSet } from '../../common/known-options.js'
import { UUID_PATTERN } from '../../contract/identifiers.js'
import type { Referral } from '../../contract/types.js'
import type { ApiClient, LostRequest, Reconciled } from '../call/api-client.js'
import type { RequestOptions } from '../call/request-options.js'
import { InvalidResponseError } from '../errors/errors.js'
import { LAST_LOOKUP_MS, type LookupResult, OrderLookup } from './find-referrals.js'
import {
  differenceFrom,
  type InFlightOrders,
  isComplete,
  type Search,
  type SoughtOrder,
} from './match-order.js'
import { type OrderOutcomeFacts, OrderOutcomeUnknownError, type PlacedOrder, placedOrder } from './order.js'
import { keyInUse } from './order-key.js'

/** Time before the request at which the lookup window starts, in milliseconds, because clocks differ. */
export const LOOKUP_MARGIN_MS = 5 * 60_000

/** Number of redirected lookups in a row that show an incorrect base URL rather than a proxy's failure. */
const REDIRECTED_LOOKUPS = 3

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
  /** Time from which a repeated `create` sends the order again; see {@link OrderRecovery.resendAt}. Default: never. */
  readonly resendAt?: number | undefined
}

/** Looks up lost orders among the newest referrals: the service has no idempotency key. */
export class OrderRecovery {
  readonly #api: ApiClient
  readonly #lookup: OrderLookup
  readonly #inFlightOrders: InFlightOrders
  readonly #resendAfterMs: number

  /** @param resendAfterMs - Client option `resendAfter`; infinite for never. */
  constructor(api: ApiClient, inFlightOrders: InFlightOrders, resendAfterMs: number) {
    this.#api = api
    this.#lookup = new OrderLookup(api)
    this.#inFlightOrders = inFlightOrders
    this.#resendAfterMs = resendAfterMs
  }

  /**
   * Looks up a lost order repeatedly, within a time limit. Throws `OrderOutcomeUnknownError` when the order is not
   * found.
   */
  async reconcile(sought: SoughtOrder, lost: LostRequest, options: RequestOptions): Promise<Reconciled> {
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
    if (data !== undefined && this.#inFlightOrders.assign(sought, data)) return { data }
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
   * Returns the order with this key that was placed since the start of the window, and waits for a missing part. Throws
   * if the key belongs to another order. Throws `OrderOutcomeUnknownError` if the window was not read completely or shows
   * only a part of the order, because an earlier run may have placed the order. Throws the same error if the service does
   * not list an order that was sent earlier.
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
    let result = await this.#lookup.once(search, { usedMs: before })
    const usedMs = clock.monotonic() - beganAt
    if (repeatMs > 0)
      result = await this.#lookup.repeatedly(search, repeatMs, ({ found }) => found.length > 0, result)
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
      const result = await this.#lookup.once({ ...search, options }, { isRepeated: true })
      if (!isRedirect(result.error) || lookups === REDIRECTED_LOOKUPS) return result
    }
  }

  /** @param usedMs - Part of the time of the recovery that was already used. */
  #lookUpUntilComplete(search: Search, first?: LookupResult, usedMs = 0): Promise<LookupResult> {
    const { orderRecoveryTimeoutMs } = this.#api.context.options
    const isEnough = (result: LookupResult): boolean => completeOrder(search, result) !== undefined
    return this.#lookup.repeatedly(search, orderRecoveryTimeoutMs - usedMs, isEnough, first)
  }

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
        candidates: uuidsOf([...found, ...unclear]).filter((uuid) => UUID_PATTERN.test(uuid)),
        cause: error,
        hasOwnKey: sought.hasOwnKey,
        recover: () => this.#api.composite('recover()', recover, 'accept'),
      })
    const recover = async (): Promise<PlacedOrder | undefined> => {
      const again = { ...search, knownReferrals, options: without(search.options, 'signal') }
      const later = await this.#lookup.once(again)
      const found = later.found.filter(({ uuid }) => returned?.includes(uuid) ?? true)
      const complete = completeOrder(search, { ...later, found })
      if (complete !== undefined && (returned || this.#inFlightOrders.assign(sought, complete))) {
        returned ??= uuidsOf(complete)
        return placedOrder(complete, sought.orderKey, true)
      }
      if (later.isPartlyRead) throw unknown(later)
      return undefined
    }
    return unknown(result)
  }
}

/** Returns the requested order; `undefined` while it is incomplete. Throws when the key belongs to another order. */
function placedBefore(search: Search, found: readonly Referral[]): PlacedOrder | undefined {
  const { order, orderKey } = search.sought
  const own = omitOthers(search, found)
  if (isComplete(search, own)) return placedOrder(own, orderKey, true)
  for (const referral of found) {
    const difference = order && differenceFrom(order, referral)
    if (difference) throw keyInUse(difference)
  }
  return undefined
}

/**
 * Returns the order that was sent; `undefined` while it is incomplete. With the caller's key, omits referrals that
 * differ from the order, unless all of them differ: the service may show an order in a different form. Without a key,
 * only a complete lookup excludes a similar order.
 */
function completeOrder(
  search: Search,
  { found, isPartlyRead }: LookupResult,
): PlacedOrder['referrals'] | undefined {
  if (isPartlyRead && search.sought.orderKey === undefined) return undefined
  const own = search.sought.hasOwnKey ? omitOthers(search, found) : found
  const shown = own.length > 0 ? own : found
  return isComplete(search, shown) ? shown : undefined
}

function omitOthers({ sought: { order } }: Search, found: readonly Referral[]): readonly Referral[] {
  return found.filter((referral) => !(order && differenceFrom(order, referral)))
}

/** Returns `true` when the complete window was read, and contains neither the order nor a candidate. */
function isNotListed({ found, unclear, isPartlyRead }: LookupResult): boolean {
  return found.length + unclear.length === 0 && !isPartlyRead
}

function uuidsOf(referrals: readonly Referral[]): readonly string[] {
  return referrals.map(({ uuid }) => uuid)
}

function isRedirect(error: unknown): boolean {
  return error instanceof InvalidResponseError && error.reason === 'redirect'
}
