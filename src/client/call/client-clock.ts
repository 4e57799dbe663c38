import { type Clock, LONGEST_TIMER_MS, systemClock, type Timer } from '../../common/clock.js'

/** The platform's timer that is set, and when it rings. */
interface Alarm {
  readonly dueAt: number
  readonly handle: ReturnType<typeof setTimeout>
  readonly madeWith: typeof setTimeout
}

/** Something waited for. */
class Waiting implements Timer {
  readonly callback: () => void
  readonly dueAt: number
  readonly #forget: (waiting: Waiting) => void

  constructor(callback: () => void, dueAt: number, forget: (waiting: Waiting) => void) {
    this.callback = callback
    this.dueAt = dueAt
    this.#forget = forget
  }

  cancel(): void {
    this.#forget(this)
  }
}

/**
 * The machine's clocks, with one timer of the platform for everything that a client waits for. Nearly every call ends
 * long before its time is up: to set and clear a timer for each would cost as much as its headers.
 */
export class ClientClock implements Clock {
  readonly now = systemClock.now
  readonly monotonic = systemClock.monotonic
  readonly #waiting = new Set<Waiting>()
  #alarm: Alarm | undefined

  schedule(callback: () => void, delayMs: number): Timer {
    const waiting = new Waiting(callback, this.monotonic() + delayMs, this.#forget)
    this.#waiting.add(waiting)
    const alarm = this.#alarm
    // A program's tests may have put other timers in the place of those that this one was made with.
    const isOurs = alarm !== undefined && alarm.madeWith === globalThis.setTimeout
    if (!isOurs || waiting.dueAt < alarm.dueAt) this.#set(waiting.dueAt)
    else if (this.#waiting.size === 1) keepAlive(alarm, true)
    return waiting
  }

  readonly #forget = (waiting: Waiting): void => {
    if (!this.#waiting.delete(waiting) || this.#waiting.size > 0) return
    // The alarm stays for the next call, and does not keep the program alive.
    if (this.#alarm !== undefined && !keepAlive(this.#alarm, false)) this.#clear()
  }

  #set(dueAt: number): void {
    this.#clear()
    const now = this.monotonic()
    const delay = Math.min(Math.max(dueAt - now, 0), LONGEST_TIMER_MS)
    const { setTimeout: madeWith } = globalThis
    this.#alarm = { dueAt: now + delay, madeWith, handle: setTimeout(this.#ring, delay) }
  }

  #clear(): void {
    if (this.#alarm !== undefined) clearTimeout(this.#alarm.handle)
    this.#alarm = undefined
  }

  readonly #ring = (): void => {
    // The platform's timer is what was waited for, whatever the clock says: it may ring a little early.
    const now = Math.max(this.monotonic(), this.#alarm?.dueAt ?? 0)
    this.#alarm = undefined
    const due: Waiting[] = []
    let next = Number.POSITIVE_INFINITY
    for (const waiting of this.#waiting) {
      if (waiting.dueAt <= now) due.push(waiting)
      else next = Math.min(next, waiting.dueAt)
    }
    if (next !== Number.POSITIVE_INFINITY) this.#set(next)
    for (const waiting of due) {
      if (this.#waiting.delete(waiting)) waiting.callback()
    }
    if (this.#waiting.size === 0 && this.#alarm !== undefined) this.#clear()
  }
}

/** Lets the alarm keep the program alive, or not. `false` where the platform's timers know no such thing. */
function keepAlive({ handle }: Alarm, wanted: boolean): boolean {
  if (typeof handle !== 'object') return false
  if (wanted) handle.ref()
  else handle.unref()
  return true
}
