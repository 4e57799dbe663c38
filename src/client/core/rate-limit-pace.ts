import type { Deadline } from './deadline.js'
import { LONGEST_RETRY_AFTER_MS } from './retry-policy.js'

/** Call that waits for its turn. */
export interface PacedCall {
  readonly endpoint: { readonly id: string }
  readonly deadline: Deadline
  readonly retries: number
}

/** Permission to send a request. */
export interface Turn {
  /** Queue of the turn; `undefined` when calls are not paced. */
  readonly queue: { readonly accepted: number } | undefined
  /** Number of 429 responses that the queue had counted when the turn came. */
  readonly refusals: number
  /** Number of calls that the service had accepted when this call began to wait. */
  readonly acceptedBefore: number
}

export const NOT_PACED: Turn = { queue: undefined, refusals: 0, acceptedBefore: 0 }

/** Internal error of a call whose turn comes after its deadline. */
export class TurnTooLate extends Error {
  readonly turnInMs: number

  constructor(turnInMs: number) {
    super(`the turn comes in ${Math.round(turnInMs)} ms`)
    this.turnInMs = turnInMs
  }
}

/** Rate of calls after a 429. Times are milliseconds of the monotonic clock. */
export interface Pace {
  /** Calls per second. */
  readonly rate: number
  /** Rate up to which growth is fast: a part of the last rejected rate; infinite while no such rate is known. */
  readonly fastUpTo: number
  /** Number of 429 responses since the last accepted call. */
  readonly refusals: number
  readonly pausedUntil: number
  /**
   * Time of the first call after the pause. The time includes a random delay, so that many clients do not call at the
   * same moment.
   */
  readonly resumeAt: number
}

/** A 429 response. */
export interface Refusal {
  readonly now: number
  /** `undefined` without a Retry-After. */
  readonly retryAfterMs: number | undefined
  /** Number from 0 up to, but not including, 1. */
  readonly random: number
}

/**
 * Upper limit of the pause after the first 429, and maximum of this limit, in milliseconds. The limit doubles with each
 * 429 in a row. A Retry-After that is longer than the pause replaces the pause.
 */
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8_000

/** Rate after the first 429, and maximum rate after a second 429 in a row, in calls per second. */
const FIRST_RATE = 2
const PROBE_RATE = 1

/** Limits of the rate, in calls per second. */
const LOWEST_RATE = 0.5
const HIGHEST_RATE = 10_000

/** Factor between a rejected rate and the next one. */
const BACK_OFF = 0.7

/** Growth beyond the known rate: this number of calls per second, times the square of the seconds since the pause. */
const GROWTH = 0.5

/** Returns the pace after a 429. `before` is `undefined` when calls were not paced. */
export function paceAfterRefusal(before: Pace | undefined, { now, retryAfterMs, random }: Refusal): Pace {
  const refusals = (before?.refusals ?? 0) + 1
  const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (refusals - 1)) * ((1 + random) / 2)
  const asked = Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)
  const pausedUntil = Math.max(now + Math.max(asked, backoff), before?.pausedUntil ?? 0)
  const resumeAt = Math.max(now + asked * (1 + random / 10), pausedUntil)
  return { ...rateAfterRefusal(before, refusals), refusals, pausedUntil, resumeAt }
}

function rateAfterRefusal(before: Pace | undefined, refusals: number): Pick<Pace, 'rate' | 'fastUpTo'> {
  if (before === undefined) return { rate: FIRST_RATE, fastUpTo: Number.POSITIVE_INFINITY }
  const { rate, fastUpTo } = before
  // A second 429 in a row shows that the pause was too short, not that the rate was too high.
  if (refusals > 1) return { rate: Math.min(PROBE_RATE, rate), fastUpTo }
  const reduced = Math.max(LOWEST_RATE, rate * BACK_OFF)
  return { rate: reduced, fastUpTo: reduced }
}

/** Returns the pace after a 429 to a request that was already in flight at an earlier 429. */
export function paceAfterLateRefusal(pace: Pace, { now, retryAfterMs = 0 }: Omit<Refusal, 'random'>): Pace {
  const pausedUntil = Math.max(pace.pausedUntil, now + Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS))
  const rate = isFirstPause(pace, now) ? Math.max(FIRST_RATE, pace.rate / 2) : pace.rate
  return { ...pace, rate, pausedUntil, resumeAt: Math.max(pace.resumeAt, pausedUntil) }
}

/**
 * Returns the pace after an accepted call that was already in flight at the 429. In the first pause, such calls show
 * that the service accepts more calls. A single 429 among many accepted calls therefore hardly slows down the client.
 */
export function paceAfterLateAcceptance(pace: Pace, now: number): Pace {
  if (!isFirstPause(pace, now)) return pace
  return { ...pace, rate: Math.min(pace.rate + FIRST_RATE, HIGHEST_RATE) }
}

function isFirstPause({ fastUpTo, refusals, resumeAt }: Pace, now: number): boolean {
  return fastUpTo === Number.POSITIVE_INFINITY && refusals === 1 && now < resumeAt
}

/**
 * Returns the pace after an accepted call. Up to `fastUpTo`, each accepted call adds one call per second: at full use,
 * the rate grows 2.7-fold per second. Above `fastUpTo`, the rate grows with the square of the time since the pause.
 */
export function paceAfterAcceptance(pace: Pace, now: number): Pace {
  const { rate, fastUpTo } = pace
  const grown = rate < fastUpTo ? Math.min(rate + 1, fastUpTo) : Math.max(rate, highestRate(pace, now))
  return { ...pace, refusals: 0, rate: Math.min(grown, HIGHEST_RATE) }
}

/** Returns the maximum rate at the time `at`, if no 429 arrives until then; infinite while `fastUpTo` is infinite. */
function highestRate({ fastUpTo, pausedUntil }: Pace, at: number): number {
  return fastUpTo + GROWTH * (Math.max(0, at - pausedUntil) / 1_000) ** 2
}

/** Returns the pace of calls to which the limit did not apply: it grows fast, without a pause. */
export function paceWithoutLimit(pace: Pace, now: number): Pace {
  return { ...pace, fastUpTo: Number.POSITIVE_INFINITY, refusals: 0, pausedUntil: now, resumeAt: now }
}

/** Returns the time of the next call after a call at `lastAt`. */
export function nextCallAt({ resumeAt, rate }: Pace, lastAt: number): number {
  return Math.max(resumeAt, lastAt + 1_000 / rate)
}

/** Returns the maximum number of calls until a time, if the service accepts each of them at once. */
export function mostCallsUntil(pace: Pace, until: number): number {
  const { rate, fastUpTo, pausedUntil } = pace
  const seconds = (until - pausedUntil) / 1_000
  if (seconds <= 0) return 0
  const isKnown = fastUpTo !== Number.POSITIVE_INFINITY
  return 1 + (isKnown ? Math.max(rate, highestRate(pace, until)) * seconds : (rate + 1) * Math.expm1(seconds))
}

/**
 * Estimates the milliseconds until the turn of a call behind `position` others, at the present rate, without the random
 * delay after a pause.
 */
export function turnInMs({ rate, pausedUntil }: Pace, position: number, now: number): number {
  return Math.max(0, pausedUntil - now) + (1_000 * position) / rate
}
