import { ignore } from '../../common/errors.js'
import { refuseUnknown, without } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import type { Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import { CALL_OPTIONS, type RequestOptions, type ResolvedOptions } from '../call/request-options.js'
import { givenTime, optionsSnapshot, timeOf } from '../core/caller-input.js'
import { CallEnded, Deadline } from '../core/deadline.js'
import { InvalidRequestError, TimeoutError } from '../errors/errors.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'
import { ReadBack } from '../pagination/page-sequence.js'
import { isOfOlderOrder, isSameReference, isUnclear, matches, type Search } from './match-order.js'
import { NewestReferrals } from './newest-referrals.js'

/** Options of a search by reference number. */
export interface FindOptions extends RequestOptions, Pick<PaginationOptions, 'prefetch'> {
  /**
   * Earliest time of creation: a `Date` or ISO 8601, in UTC without an offset. Default: no limit, so the complete list
   * is read.
   */
  readonly since?: Date | string | undefined
}

const OPERATION = 'referrals.findByReferenceNumber'
const FIND_OPTIONS = new Set([...CALL_OPTIONS, 'since', 'prefetch'])

/** Returns the referrals with one of the integrator's references, newest first, each once. */
export function findByReferenceNumber(
  api: ApiClient,
  referenceNumber: string,
  options: FindOptions,
): CursorIterator<Referral> {
  const own = optionsSnapshot(OPERATION, options)
  const query = { sort: 'desc', skipDuplicates: true, prefetch: own.prefetch }
  return listOf(api, endpoints.referrals.list, query, without(own, 'since', 'prefetch'), {
    operation: OPERATION,
    mustBeComplete: true,
    select: () => {
      refuseUnknown(OPERATION, options, FIND_OPTIONS)
      if (typeof referenceNumber !== 'string' || referenceNumber.trim() === '')
        throw invalidInput('referenceNumber must be a string that is not empty', 'referenceNumber')
      const oldest = Number.NEGATIVE_INFINITY
      const since = givenTime('since', own.since, oldest, invalidInput)
      const readBack = new ReadBack()
      return (items) => {
        // The cast is safe, because the list contains only referrals.
        const referrals = items as readonly Referral[]
        readBack.take(referrals)
        const found = referrals.filter(
          (referral) =>
            isSameReference(referral.referenceNumber, referenceNumber) &&
            !(timeOf(referral.createdAt) < since),
        )
        return { items: found, isLast: readBack.hasPassed(since) }
      }
    },
  })
}

function invalidInput(message: string, field: string): InvalidRequestError {
  return new InvalidRequestError(OPERATION, [{ message, field }])
}

/** First and longest pause between lookups, in milliseconds. Each pause is one second longer, up to the longest. */
const FIRST_LOOKUP_PAUSE_MS = 1_000
const LONGEST_LOOKUP_PAUSE_MS = 5_000

/** Time that the last lookup may take after the time for repetitions, in milliseconds. */
export const LAST_LOOKUP_MS = 10_000

export interface LookupResult {
  /** Referrals of the order, oldest first. Each occurs once, although records move between pages. */
  readonly found: readonly Referral[]
  /** Referrals that may be the order, but do not show their metadata. */
  readonly unclear: readonly Referral[]
  /** `true` when a part of the window was not read: this part may contain the order. */
  readonly isPartlyRead: boolean
  /** Reason for an incomplete lookup; `undefined` when the time of repeated lookups ended. */
  readonly error?: unknown
}

/** Returns the time limit of an order or a lookup, in milliseconds. */
export function timeLimitOf({ timeout }: RequestOptions, { timeoutMs }: ResolvedOptions): number {
  return timeout ?? timeoutMs ?? endpoints.referrals.create.timeoutMs
}

/** Looks up orders among the newest referrals, once or repeatedly. */
export class OrderLookup {
  readonly #api: ApiClient
  readonly #newest: NewestReferrals

  constructor(api: ApiClient) {
    this.#api = api
    this.#newest = new NewestReferrals(api)
  }

  /**
   * Looks up once, within the call's time limit. Throws only the reason of an abort.
   *
   * @param usedMs - Part of the time limit that was already used.
   */
  async once(search: Search, { usedMs = 0, isRepeated = false } = {}): Promise<LookupResult> {
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
   * Looks up repeatedly until the order is found or the time for repetitions ends. Continues after a failed lookup,
   * because the service may be restarting.
   *
   * @param repeatMs - Time for repetitions.
   * @param first - Result of an earlier lookup.
   */
  async repeatedly(
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
        result = await this.#read(search, deadline, true)
      }
    } finally {
      deadline.dispose()
    }
  }

  async #read(search: Search, deadline: Deadline, isRepeated: boolean): Promise<LookupResult> {
    const { sought, windowStart, options, alreadyRead = [] } = search
    const found = new Map(alreadyRead.map((referral) => [referral.uuid, referral]))
    const unclear = new Map<string, Referral>()
    const collect = (referral: Referral): void => {
      if (isOfOlderOrder(search, referral)) sought.older.add(referral.uuid)
      if (matches(search, referral)) found.set(referral.uuid, referral)
      else if (isUnclear(search, referral)) unclear.set(referral.uuid, referral)
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
}
