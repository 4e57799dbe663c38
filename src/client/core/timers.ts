import { type Clock, LONGEST_TIMER_MS, systemClock, type Timer } from '../../common/clock.js'

/** Platform timer that is set, with its due time. */
interface Alarm {
  readonly dueAt: number
  readonly handle: ReturnType<typeof setTimeout>
  readonly madeWith: typeof setTimeout
}

/** Scheduled callback, linked to its neighbours in the queue. */
class Waiting implements Timer {
  readonly callback: () => void
  readonly dueAt: number
  readonly #clock: TimerQueue
  before: Waiting | undefined
  after: Waiting | undefined
  isOver = false

  constructor(callback: () => void, dueAt: number, clock: TimerQueue) {
    this.callback = callback
    this.dueAt = dueAt
    this.#clock = clock
  }

  cancel(): void {
    this.#clock.forget(this)
  }
}

/**
 * System clock that schedules all of a client's callbacks with one platform timer. Most calls end long before
 * their timeout: one timer per call would cost as much as its headers.
 */
export class TimerQueue implements Clock {
  readonly now = systemClock.now
  readonly monotonic = systemClock.monotonic
  #first: Waiting | undefined
  #last: Waiting | undefined
  #alarm: Alarm | undefined

  schedule(callback: () => void, delayMs: number): Timer {
    const waiting = new Waiting(callback, this.monotonic() + delayMs, this)
    const isAlone = this.#last === undefined
    this.#append(waiting)
    const alarm = this.#alarm
    // A test runner may have replaced the timer functions since this timer was set.
    const isOurs = alarm !== undefined && alarm.madeWith === globalThis.setTimeout
    if (!isOurs || waiting.dueAt < alarm.dueAt) this.#set(waiting.dueAt)
    else if (isAlone) keepAlive(alarm, true)
    return waiting
  }

  /** Removes a callback from the queue. */
  forget(waiting: Waiting): void {
    if (waiting.isOver) return
    this.#remove(waiting)
    if (this.#first !== undefined) return
    // The timer stays for the next call, but does not keep the process alive.
    if (this.#alarm !== undefined && !keepAlive(this.#alarm, false)) this.#clear()
  }

  #append(waiting: Waiting): void {
    const last = this.#last
    waiting.before = last
    if (last === undefined) this.#first = waiting
    else last.after = waiting
    this.#last = waiting
  }

  #remove(waiting: Waiting): void {
    const { before, after } = waiting
    waiting.isOver = true
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    // Otherwise a call that is still referenced would retain all later ones.
    waiting.before = undefined
    waiting.after = undefined
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
    // A platform timer may fire slightly early, so its due time counts as reached.
    const now = Math.max(this.monotonic(), this.#alarm?.dueAt ?? 0)
    this.#alarm = undefined
    const due: Waiting[] = []
    let next = Number.POSITIVE_INFINITY
    for (let waiting = this.#first; waiting !== undefined; waiting = waiting.after) {
      if (waiting.dueAt <= now) due.push(waiting)
      else next = Math.min(next, waiting.dueAt)
    }
    if (next !== Number.POSITIVE_INFINITY) this.#set(next)
    for (const waiting of due) {
      if (waiting.isOver) continue
      this.#remove(waiting)
      waiting.callback()
    }
    if (this.#first === undefined && this.#alarm !== undefined) this.#clear()
  }
}

/** Sets whether the timer keeps the process alive; returns `false` if the platform does not support it. */
function keepAlive({ handle }: Alarm, wanted: boolean): boolean {
  if (typeof handle !== 'object') return false
  if (wanted) handle.ref()
  else handle.unref()
  return true
}
