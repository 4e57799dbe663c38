import { systemNow } from './runtime.js'

/** The fake's clock. */
export interface Clock {
  /** Returns the current time in milliseconds since the epoch. */
  now(): number
  /** Returns the current time as an ISO 8601 string in UTC with milliseconds. */
  iso(): string
  /**
   * Returns the time of a change, in the format of `iso()`. Each change has a different time: if the previous change
   * has the current time, the clock moves forward by 1 ms.
   */
  tick(): string
}

export interface ClockState {
  /** Time of a stopped clock; `null` when the clock follows the system clock. */
  stoppedAt: number | null
  /** Milliseconds by which the fake's clock is later than the system clock; not used by a stopped clock. */
  offsetMs: number
  /** Time of the last change; `-Infinity` before the first. The clock never shows an earlier time. */
  changedAt: number
}

/** Time by which to advance the fake's clock: the sum of all parts. */
export interface ClockStep {
  /** Days of 24 hours. */
  readonly days?: number | undefined
  /** Hours. */
  readonly hours?: number | undefined
  /** Minutes. */
  readonly minutes?: number | undefined
  /** Seconds. */
  readonly seconds?: number | undefined
  /** Milliseconds. */
  readonly milliseconds?: number | undefined
}

const MILLISECONDS: { readonly [Part in keyof Required<ClockStep>]: number } = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
}

/**
 * Converts a step to milliseconds.
 *
 * @throws RangeError - The step is not an object, or a part is negative, not finite or not a field of {@link
 * ClockStep}.
 */
export function stepMs(step: ClockStep): number {
  if (typeof step !== 'object' || step === null)
    throw new RangeError('clock step: pass an object such as { minutes: 5 }')
  let total = 0
  for (const [part, amount] of Object.entries(step)) {
    const unit = Object.hasOwn(MILLISECONDS, part) ? MILLISECONDS[part as keyof ClockStep] : undefined
    if (unit === undefined) {
      throw new RangeError(
        `clock step: unknown field ${part}; its fields: ${Object.keys(MILLISECONDS).join(', ')}`,
      )
    }
    if (amount === undefined) continue
    if (!Number.isFinite(amount) || amount < 0) {
      throw new RangeError(
        `clock step: ${part} must be a finite number of 0 or more; the clock cannot go back`,
      )
    }
    total += amount * unit
  }
  return Math.round(total)
}

/** Last time that the clock can show. A later time has a year of more than four digits. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Returns the time to which a step moves the clock.
 *
 * @throws RangeError - The clock cannot show the time.
 */
export function timeAfter(clock: Clock, ms: number): number {
  const time = clock.now() + ms
  if (time > LAST_TIME) throw new RangeError('clock step: the clock cannot go past the year 9999')
  return time
}

/** Creates a clock over a state. A stopped clock moves only by `tick()` and {@link moveClockTo}. */
export function createClock(state: () => ClockState, system: () => number = systemNow): Clock {
  const now = (): number => {
    const { stoppedAt, offsetMs, changedAt } = state()
    return Math.max(changedAt, stoppedAt ?? system() + offsetMs)
  }
  const iso = (): string => new Date(now()).toISOString()
  const tick = (): string => {
    const clock = state()
    clock.changedAt = Math.max(clock.changedAt + 1, now())
    return iso()
  }
  return { now, iso, tick }
}

/** Moves the clock forward to `time`. Does nothing if the clock is already later. */
export function moveClockTo(state: ClockState, time: number, system: () => number = systemNow): void {
  if (state.stoppedAt !== null) {
    state.stoppedAt = Math.max(state.stoppedAt, time)
    return
  }
  state.offsetMs = Math.max(state.offsetMs, time - system())
}
