import type { DomainClock } from './context.js'
import { systemNow } from './runtime.js'
import type { ClockState } from './state.js'

/** How far to move the fake's clock; the parts add up. */
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
 * A step in milliseconds.
 *
 * @throws RangeError - A part is negative, not finite, or none of the five.
 */
export function stepMs(step: ClockStep): number {
  let total = 0
  for (const [part, amount] of Object.entries(step)) {
    const unit = Object.hasOwn(MILLISECONDS, part) ? MILLISECONDS[part as keyof ClockStep] : undefined
    if (unit === undefined) {
      throw new RangeError(`clock step: '${part}' is not one of ${Object.keys(MILLISECONDS).join(', ')}`)
    }
    if (amount === undefined) continue
    if (!Number.isFinite(amount) || amount < 0) {
      throw new RangeError(`clock step: ${part} must be a number from 0 up; the clock never goes back`)
    }
    total += amount * unit
  }
  return Math.round(total)
}

/** The fake's clock: the system's plus what it was moved ahead, or a standing one. */
export function createClock(state: () => ClockState, system: () => number = systemNow): DomainClock {
  const now = (): number => {
    const { standsAt, aheadMs } = state()
    return standsAt ?? system() + aheadMs
  }
  return { now, iso: () => new Date(now()).toISOString() }
}

/** Moves the clock to `time`, unless it is there or past it already. */
export function moveClockTo(state: ClockState, time: number, system: () => number = systemNow): void {
  if (state.standsAt !== null) {
    state.standsAt = Math.max(state.standsAt, time)
    return
  }
  state.aheadMs = Math.max(state.aheadMs, time - system())
}
