import { ignore } from '../../common/ignore.js'
import { without, withSet } from '../../common/known-options.js'
import { UUID_PATTERN } from '../../contract/path-parameters.js'
import type { Referral } from '../../contract/types.js'
import type { Pipeline, Settled, Unsettled } from '../call/api-client.js'
import type { RequestOptions } from '../call/request-options.js'
import { Deadline } from '../core/deadline.js'
import { ResponseError, TimeoutError } from '../errors/errors.js'
import { isWhole, lookForOrder, type Search, type SoughtOrder } from './find-order.js'
import { type PlacedOrder, placedOrder } from './order.js'
import type { OrderDesk } from './order-desk.js'
import { OrderOutcomeUnknownError } from './order-outcome-error.js'
import { differenceFrom, keyInUse } from './same-order.js'

/** How far before the order's start the search goes back: clocks differ, and Date headers are whole seconds. */
const SLACK_MS = 5 * 60_000

/** Pauses between looks, in milliseconds, each longer than the one before, up to the last. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5_000

/** How long the last look may go on after the window has closed. */
const LAST_LOOK_MS = 10_000

/** So many looks redirected in a row are no accident of a proxy. */
const REDIRECTED_LOOKS = 3

/** The time limit of an order, and of a look that is not one of several, where neither call nor client says. */
const DEFAULT_MS = 120_000

const NO_OTHERS: ReadonlySet<string> = new Set()

/** What a search has come to. */
interface Finding {
  readonly found: readonly Referral[]
  /** The last look brought nothing at all; `error` says why, unless the window closed over it. */
  readonly failed: boolean
  readonly error?: unknown
}

/** How far back an order is looked for by its key, and how long. */
interface LookWindow {
  readonly since: () => number
  readonly waitMs: number
  readonly spentMs?: number
}

/** What a look for an order by its key has come to. */
interface Looked {
  readonly placed: PlacedOrder | undefined
  /** How much of the call's time limit went by. */
  readonly spentMs: number
}

/** What is left of an order that did not show. */
interface Unfound {
  readonly candidates: readonly Referral[]
  readonly cause: unknown
  /** Takes for the order what is found after all; `false` where it may be another's. */
  readonly claim?: (found: readonly Referral[]) => boolean
}

/** The time limit of a call. */
export function limitOf(
  { timeout }: RequestOptions,
  { timeoutMs }: { timeoutMs: number | undefined },
): number {
  return timeout ?? timeoutMs ?? DEFAULT_MS
}

/** Finds orders whose answer was lost, among the newest referrals (§4.1 has no idempotency key). */
export class OrderRecovery {
  readonly #pipeline: Pipeline

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
  }

  /**
   * Looks several times over a bounded window; throws `OrderOutcomeUnknownError` when the order does not show.
   *
   * @param desk - Knows which referrals are other orders'.
   */
  async settle(
    sought: SoughtOrder,
    unsettled: Unsettled,
    call: RequestOptions,
    desk: Pick<OrderDesk, 'others' | 'claim'>,
  ): Promise<Settled> {
    const { startedAt } = unsettled
    const { others } = desk
    const search = { sought, since: () => startedAt() - SLACK_MS, startedAt, call, others }
    // Where everything is redirected nothing can be found, and the base URL is to be mended first.
    if (isRedirect(unsettled.error) && (await this.#isAllRedirected(search))) throw unsettled.error
    const { found, error = unsettled.error } = await this.#watch(search)
    const claim = (referrals: readonly Referral[]): boolean => desk.claim(sought, referrals)
    const data = wholeOf(search, found)
    if (data !== undefined && claim(data)) return { data }
    throw this.#unknown(search, unsettled, { candidates: found, cause: error, claim })
  }

  /**
   * The order with this key, if it was placed at or after `since`; what of it does not show yet is waited for. Throws
   * when the key is another order's.
   *
   * @param waitMs - How long to go on looking while nothing of it shows, on top of the call's time limit.
   * @param spentMs - How much of that limit went by before.
   */
  async findByKey(
    sought: Search['sought'],
    { since, waitMs, spentMs: before = 0 }: LookWindow,
    call: RequestOptions,
  ): Promise<Looked> {
    const search = { sought, since, startedAt: undefined, call, others: NO_OTHERS }
    const unsettled = { startedAt: since, attempts: 0 }
    const { clock } = this.#pipeline.parts.options
    const beganAt = clock.monotonic() - before
    let found = await this.#lookOnce(search, before)
    const spentMs = clock.monotonic() - beganAt
    if (found.length === 0 && waitMs > 0) {
      const waited = await this.#watch(search, waitMs, (seen) => seen.length > 0)
      // Without a last look nobody knows, and the caller has said that it may well be there.
      if (waited.failed) throw this.#unknown(search, unsettled, { candidates: [], cause: waited.error })
      found = waited.found
    }
    const placed = placedBefore(search, found)
    if (placed !== undefined || found.length === 0) return { placed, spentMs }
    const later = await this.#watch(search)
    const whole = placedBefore(search, later.found)
    if (whole !== undefined) return { placed: whole, spentMs }
    throw this.#unknown(search, unsettled, { candidates: later.found, cause: later.error })
  }

  async #isAllRedirected(search: Search): Promise<boolean> {
    for (let looks = 0; looks < REDIRECTED_LOOKS; looks += 1) {
      if (!isRedirect(await this.#lookOnce(search).then(ignore, (error: unknown) => error))) return false
    }
    return true
  }

  /** One look within the call's own time limit, however many pages there are. */
  async #lookOnce(search: Search, spentMs = 0): Promise<readonly Referral[]> {
    const { options, signals } = this.#pipeline.parts
    const { signal } = search.call
    const timeout = limitOf(search.call, options)
    const deadline = new Deadline(options.clock, timeout - spentMs, signals.of(signal))
    const ended = new AbortController()
    deadline.onEnd(() => ended.abort())
    try {
      return await lookForOrder(this.#pipeline, {
        ...search,
        call: withSet(search.call, { signal: ended.signal }),
      })
    } catch (error) {
      signal?.throwIfAborted()
      if (!ended.signal.aborted) throw error
      const message = `the referrals could not be searched for the order within ${timeout} ms; nothing was sent`
      throw new TimeoutError(message, { outcome: 'not-sent', attempts: 0, timeout })
    } finally {
      deadline.dispose()
    }
  }

  #unknown(
    search: Search,
    { startedAt, attempts }: Pick<Unsettled, 'startedAt' | 'attempts'>,
    { candidates, cause, claim = () => true }: Unfound,
  ): OrderOutcomeUnknownError {
    const { sought } = search
    /** What `recover()` found before: it is taken by then, and by this order. */
    let own: readonly string[] | undefined
    const others = { has: (uuid: string) => own === undefined && search.others.has(uuid) }
    return new OrderOutcomeUnknownError({
      orderKey: sought.orderKey,
      startedAt: new Date(startedAt()),
      attempts,
      candidates: uuidsOf(candidates).filter((uuid) => UUID_PATTERN.test(uuid)),
      cause,
      recover: () =>
        this.#pipeline.whole('recover()', async () => {
          const call = without(search.call, 'signal')
          const found = await this.#lookOnce({ ...search, others, call })
          const shown = found.filter(({ uuid }) => own?.includes(uuid) ?? true)
          const whole = wholeOf(search, shown)
          if (whole === undefined || !(own || claim(whole))) return undefined
          own ??= uuidsOf(whole)
          return placedOrder(whole, sought.orderKey, true)
        }),
    })
  }

  /**
   * Looks until the order shows or the window closes. A look that fails is no answer: the service may be starting. One
   * that outlasts the window by much, over a list of many pages, is given up.
   */
  async #watch(
    search: Search,
    windowMs = this.#pipeline.parts.options.orderRecoveryMs,
    isEnough: (found: readonly Referral[]) => boolean = (found) => isWhole(search, found),
  ): Promise<Finding> {
    const { options, signals } = this.#pipeline.parts
    const { clock } = options
    const { signal } = search.call
    const deadline = new Deadline(clock, windowMs + LAST_LOOK_MS, signals.of(signal))
    const closesAt = clock.monotonic() + windowMs
    const ended = new AbortController()
    deadline.onEnd(() => ended.abort())
    const look = { ...search, call: withSet(search.call, { signal: ended.signal }) }
    try {
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause + FIRST_PAUSE_MS)) {
        const finding = await lookForOrder(this.#pipeline, look).then(asFinding, asFailure)
        signal?.throwIfAborted()
        if (ended.signal.aborted) return CUT_OFF
        const left = closesAt - clock.monotonic()
        if (isEnough(finding.found) || left <= 0) return finding
        await deadline.sleep(Math.min(pause, left)).catch(() => signal?.throwIfAborted())
      }
    } finally {
      deadline.dispose()
    }
  }
}

/** The order that was asked for; `undefined` while it is not whole. Throws when what has its key is another order. */
function placedBefore(search: Search, found: readonly Referral[]): PlacedOrder | undefined {
  const { order, orderKey } = search.sought
  const own = ownOf(search, found)
  if (isWhole(search, own)) return placedOrder(own, orderKey, true)
  for (const referral of found) {
    const difference = order && differenceFrom(order, referral)
    if (difference) throw keyInUse(difference)
  }
  return undefined
}

/**
 * The order that was sent; nothing that has its key is refused now. What was sent by another under it is left out, unless
 * there is nothing else: the service may write an order in another way.
 */
function wholeOf(search: Search, found: readonly Referral[]): PlacedOrder['referrals'] | undefined {
  const own = search.sought.isShared ? ownOf(search, found) : found
  const shown = own.length > 0 ? own : found
  return isWhole(search, shown) ? shown : undefined
}

function ownOf({ sought: { order } }: Search, found: readonly Referral[]): readonly Referral[] {
  return found.filter((referral) => !(order && differenceFrom(order, referral)))
}

function uuidsOf(referrals: readonly Referral[]): readonly string[] {
  return referrals.map(({ uuid }) => uuid)
}

const CUT_OFF: Finding = { found: [], failed: true }

function isRedirect(error: unknown): boolean {
  return error instanceof ResponseError && error.reason === 'redirect'
}

function asFinding(found: readonly Referral[]): Finding {
  return { found, failed: false }
}

function asFailure(error: unknown): Finding {
  return { found: [], failed: true, error }
}
