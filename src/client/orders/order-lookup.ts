import type { Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { RequestOptions } from '../call/request-options.js'
import { CallEnded, Deadline } from '../core/deadline.js'
import { TimeoutError } from '../errors/errors.js'
import { isUnclear, matches, type Search } from './find-order.js'
import { NewestReferrals } from './newest-referrals.js'

/** Pauses between the lookups of an order, in milliseconds: each is longer than the one before, up to the last. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5_000

/** How long the last lookup may take after the window has closed. */
const LAST_LOOKUP_MS = 10_000

/** Time limit of an order, and of a single lookup, where neither the call nor the client has one. */
const DEFAULT_MS = 120_000

/** What a lookup has found. */
export interface Finding {
  /** Referrals of the order, oldest first, each once: rows move to the next page while others are added. */
  readonly found: readonly Referral[]
  /** Referrals that could be the order, and do not show their metadata. */
  readonly unclear: readonly Referral[]
  /** Not everything in the window was read: the order may be in what is missing. */
  readonly isIncomplete: boolean
  /** Why not; `undefined` when the window closed. */
  readonly error?: unknown
}

/** The time limit of a call. */
export function limitOf(
  { timeout }: RequestOptions,
  { timeoutMs }: { timeoutMs: number | undefined },
): number {
  return timeout ?? timeoutMs ?? DEFAULT_MS
}

/** Looks orders up among the newest referrals, once or several times. */
export class OrderLookup {
  readonly #pipeline: ApiClient
  readonly #newest: NewestReferrals

  constructor(pipeline: ApiClient) {
    this.#pipeline = pipeline
    this.#newest = new NewestReferrals(pipeline)
  }

  /**
   * One lookup within the call's own time limit, however many pages there are. Throws the reason of an abort, and
   * nothing else.
   *
   * @param spentMs - How much of that limit went by before.
   */
  async once(search: Search, { spentMs = 0, isRepeated = false } = {}): Promise<Finding> {
    const { options, signals } = this.#pipeline.context
    const timeout = limitOf(search.call, options)
    const deadline = new Deadline(options.clock, timeout - spentMs, signals.of(search.call.signal))
    try {
      const finding = await this.#read(search, deadline, isRepeated)
      if (!finding.isIncomplete || deadline.ended === undefined) return finding
      const message = `the newest referrals could not be read within ${timeout} ms`
      const error = new TimeoutError(message, { outcome: 'unknown', attempts: 0, timeout })
      return { ...finding, error }
    } finally {
      deadline.dispose()
    }
  }

  /**
   * Looks up until the order shows or the window closes. A failed lookup does not end it: the service may be starting.
   *
   * @param first - The lookup before, where there was one.
   */
  async repeatedly(
    search: Search,
    windowMs: number,
    isEnough: (finding: Finding) => boolean,
    first?: Finding,
  ): Promise<Finding> {
    const { options, signals } = this.#pipeline.context
    const { clock } = options
    const { signal } = search.call
    const deadline = new Deadline(clock, windowMs + LAST_LOOKUP_MS, signals.of(signal))
    const closesAt = clock.monotonic() + windowMs
    try {
      let finding = first ?? (await this.#read(search, deadline, true))
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause + FIRST_PAUSE_MS)) {
        const left = closesAt - clock.monotonic()
        if (isEnough(finding) || left <= 0) return finding
        await deadline.sleep(Math.min(pause, left)).catch(() => signal?.throwIfAborted())
        finding = await this.#read(search, deadline, true)
      }
    } finally {
      deadline.dispose()
    }
  }

  async #read(search: Search, deadline: Deadline, isRepeated: boolean): Promise<Finding> {
    const { since, call } = search
    const found = new Map<string, Referral>()
    const unclear = new Map<string, Referral>()
    const take = (referral: Referral): void => {
      if (matches(search, referral)) found.set(referral.uuid, referral)
      else if (isUnclear(search, referral)) unclear.set(referral.uuid, referral)
    }
    const finding = (): Pick<Finding, 'found' | 'unclear'> => ({
      found: [...found.values()].reverse(),
      unclear: [...unclear.values()].reverse(),
    })
    try {
      await this.#newest.read({ since, take, call, isRepeated, deadline })
      return { ...finding(), isIncomplete: false }
    } catch (error) {
      call.signal?.throwIfAborted()
      return { ...finding(), isIncomplete: true, ...(!(error instanceof CallEnded) && { error }) }
    }
  }
}
