import type { Clock, Timer } from '../../common/clock.js'
import type { Deadline } from './deadline.js'
import {
  mostCallsUntil,
  nextCallAt,
  type Pace,
  paceAfterAcceptance,
  paceAfterLateRefusal,
  paceAfterRefusal,
  paceWithoutLimit,
  turnInMs,
} from './rate-limit-pace.js'

/** Time after the last 429 at which calls are no longer paced, if none waits, in milliseconds. */
const QUIET_MS = 10_000

/** Lateness of a timer that is made up for by sending several calls at once, in milliseconds. */
const CATCH_UP_MS = 20

/** An extension of the pause after which calls can be too late, in milliseconds. */
const MUCH_LATER_MS = 500

/** A call that is to be sent. */
export interface PacedCall {
  readonly endpoint: { readonly id: string }
  readonly deadline: Deadline
  readonly failures: {
    /** Makes the error of a call whose turn would come after its deadline. */
    ofRateLimitPause(turnInMs: number): Error
  }
}

/** Permission to send a request. */
export interface Turn {
  /** `undefined` when calls are not paced. */
  readonly queue: PacedQueue | undefined
  /** Refusals of the queue when the turn came. */
  readonly refusals: number
  /** Calls of the queue that the service had accepted when this one began to wait. */
  readonly acceptedBefore: number
}

interface Waiting {
  readonly call: PacedCall
  readonly acceptedBefore: number
  /** Gives the turn; without one the call has to wait in another queue. */
  readonly resolve: (turn: Turn | undefined) => void
  readonly reject: (error: Error) => void
}

/** Calls that are sent one after another, at a pace that a 429 began. */
export class PacedQueue {
  readonly #clock: Clock
  readonly #random: () => number
  #pace: Pace
  #waiting: Waiting[] = []
  #timer: Timer | undefined
  #lastAt = Number.NEGATIVE_INFINITY
  #refusedAt: number
  #refusedEndpoint: string
  #refusals = 0
  #accepted = 0

  constructor(clock: Clock, random: () => number, endpoint: string, retryAfterMs: number | undefined) {
    this.#clock = clock
    this.#random = random
    this.#refusedEndpoint = endpoint
    this.#refusedAt = clock.monotonic()
    this.#pace = paceAfterRefusal(undefined, { now: this.#refusedAt, retryAfterMs, random: random() })
  }

  /** Number of calls that the service accepted. */
  get accepted(): number {
    return this.#accepted
  }

  /** Number of 429 that changed the pace, after the first. */
  get refusals(): number {
    return this.#refusals
  }

  /** No call waits, and the last 429 is long ago. */
  get isQuiet(): boolean {
    const { refusals } = this.#pace
    const isAccepted = refusals === 0 && this.#waiting.length === 0
    return isAccepted && this.#clock.monotonic() - this.#refusedAt >= QUIET_MS
  }

  /** Waits for the call's turn. Resolves to `undefined` when the call has to wait in another queue. */
  wait(call: PacedCall): Promise<Turn | undefined> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        call,
        acceptedBefore: this.#accepted,
        resolve: (turn) => {
          stop()
          resolve(turn)
        },
        reject: (error) => {
          stop()
          reject(error)
        },
      }
      if (!this.#canHaveTurn(call, this.#waiting.length)) throw this.#tooLate(call, this.#waiting.length)
      this.#waiting.push(waiting)
      const stop = call.deadline.onEnd((ended) => {
        const ahead = this.#waiting.indexOf(waiting)
        this.#waiting = this.#waiting.filter((each) => each !== waiting)
        reject(ended.end.kind === 'aborted' ? ended : this.#tooLate(call, ahead))
        this.#sendDue()
      })
      this.#sendDue()
    })
  }

  accept({ refusals }: Turn): void {
    this.#accepted += 1
    // A call that was sent before the last refusal does not show that the present pace is accepted.
    if (refusals !== this.#refusals) return
    this.#pace = paceAfterAcceptance(this.#pace, this.#clock.monotonic())
    this.#sendDue()
  }

  refuse(endpoint: string, retryAfterMs: number | undefined): void {
    const now = this.#clock.monotonic()
    this.#refusals += 1
    this.#refusedAt = now
    this.#refusedEndpoint = endpoint
    this.#pace = paceAfterRefusal(this.#pace, { now, retryAfterMs, random: this.#random() })
    this.#rejectLate()
    this.#sendDue()
  }

  /** Records a 429 to a request that was in flight at the last one. */
  refuseLate(retryAfterMs: number | undefined): void {
    const { pausedUntil } = this.#pace
    this.#pace = paceAfterLateRefusal(this.#pace, { now: this.#clock.monotonic(), retryAfterMs })
    // Each 429 of a burst moves the end of the pause a little: the waiting calls are checked only when it is much.
    if (this.#pace.pausedUntil - pausedUntil > MUCH_LATER_MS) this.#rejectLate()
    this.#sendDue()
  }

  /** Lets the calls of an endpoint wait elsewhere: the refusals were meant for them alone. */
  separate(endpoint: string): void {
    const waiting = this.#waiting
    this.#waiting = waiting.filter(({ call }) => call.endpoint.id !== endpoint)
    this.#pace = paceWithoutLimit(this.#pace, this.#clock.monotonic())
    for (const each of waiting) if (each.call.endpoint.id === endpoint) each.resolve(undefined)
    this.#sendDue()
  }

  /** Rejects the calls whose turn cannot come before their deadline. */
  #rejectLate(): void {
    const kept: Waiting[] = []
    const late: Waiting[] = []
    for (const waiting of this.#waiting) {
      const list = this.#canHaveTurn(waiting.call, kept.length) ? kept : late
      list.push(waiting)
    }
    this.#waiting = kept
    for (const { call, reject } of late) reject(this.#tooLate(call, kept.length))
  }

  #canHaveTurn({ deadline }: PacedCall, ahead: number): boolean {
    return ahead < mostCallsUntil(this.#pace, this.#clock.monotonic() + deadline.remainingMs)
  }

  #tooLate({ failures }: PacedCall, ahead: number): Error {
    return failures.ofRateLimitPause(turnInMs(this.#pace, ahead, this.#clock.monotonic()))
  }

  #sendDue(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    while (this.#waiting.length > 0) {
      const now = this.#clock.monotonic()
      const dueAt = nextCallAt(this.#pace, this.#lastAt)
      if (dueAt > now) {
        this.#timer = this.#clock.schedule(() => this.#sendDue(), dueAt - now)
        return
      }
      this.#lastAt = Math.max(dueAt, now - CATCH_UP_MS)
      this.#sendNext()
    }
  }

  /** First come, first served; but after a refusal another endpoint shows whether the refusal was for all. */
  #sendNext(): void {
    const isOther = ({ call }: Waiting): boolean => call.endpoint.id !== this.#refusedEndpoint
    const index = this.#pace.refusals === 0 ? 0 : Math.max(0, this.#waiting.findIndex(isOther))
    const [next] = this.#waiting.splice(index, 1)
    next?.resolve({ queue: this, refusals: this.#refusals, acceptedBefore: next.acceptedBefore })
  }
}
