import type { Clock, Timer } from '../../common/clock.js'
import type { Deadline } from './deadline.js'
import {
  mostCallsUntil,
  nextCallAt,
  type Pace,
  paceAfterAcceptance,
  paceAfterLateAcceptance,
  paceAfterLateRefusal,
  paceAfterRefusal,
  paceWithoutLimit,
  turnInMs,
} from './rate-limit-pace.js'

/** Time without a 429 after which an empty queue stops pacing, in milliseconds. */
const QUIET_MS = 10_000

/** Maximum timer delay that the queue compensates by sending several calls at once, in milliseconds. */
const CATCH_UP_MS = 20

/** Minimum extension of the pause that makes the queue check the deadlines, in milliseconds. */
const MUCH_LATER_MS = 500

/** Rank of a call of the rejected endpoint: behind all others. */
const SAME_ENDPOINT = 1_000_000

/** Call that waits for its turn. */
export interface PacedCall {
  readonly endpoint: { readonly id: string }
  readonly deadline: Deadline
  readonly retries: number
  readonly failures: {
    /** Creates the error of a call whose turn would come after its deadline. */
    ofRateLimitPause(turnInMs: number): Error
  }
}

/** Permission to send a request. */
export interface Turn {
  /** `undefined` when calls are not paced. */
  readonly queue: PacedQueue | undefined
  /** Number of 429 in the queue when the turn came. */
  readonly refusals: number
  /** Number of calls that the service had accepted when this call began to wait. */
  readonly acceptedBefore: number
}

interface Waiting {
  readonly call: PacedCall
  readonly acceptedBefore: number
  /** Resolves with the turn, or with `undefined` when the call must wait in another queue. */
  readonly resolve: (turn: Turn | undefined) => void
  readonly reject: (error: Error) => void
}

/** Sends calls one after another, at a pace that starts with a 429. */
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

  /** Number of 429 responses after the first that changed the pace. */
  get refusals(): number {
    return this.#refusals
  }

  /** `true` when no call waits and the last 429 is older than the quiet time. */
  get isQuiet(): boolean {
    const { refusals } = this.#pace
    const isAccepted = refusals === 0 && this.#waiting.length === 0
    return isAccepted && this.#clock.monotonic() - this.#refusedAt >= QUIET_MS
  }

  /** Waits for the call's turn. Resolves to `undefined` when the call must wait in another queue. */
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
        const position = this.#waiting.indexOf(waiting)
        this.#waiting = this.#waiting.filter((each) => each !== waiting)
        reject(ended.end.kind === 'aborted' ? ended : this.#tooLate(call, position))
        this.#sendDue()
      })
      this.#sendDue()
    })
  }

  accept({ queue, refusals }: Turn): void {
    const now = this.#clock.monotonic()
    // A call that was sent before the last 429 does not show that the present pace is accepted.
    const isLate = queue !== this || refusals !== this.#refusals
    this.#pace = isLate ? paceAfterLateAcceptance(this.#pace, now) : paceAfterAcceptance(this.#pace, now)
    if (queue === this) this.#accepted += 1
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

  /** Records a 429 response to a request that was in flight when another 429 arrived. */
  refuseLate(retryAfterMs: number | undefined): void {
    const { pausedUntil } = this.#pace
    this.#pace = paceAfterLateRefusal(this.#pace, { now: this.#clock.monotonic(), retryAfterMs })
    // Each 429 of a burst extends the pause a little. Only a large extension needs a new check of the
    // deadlines.
    if (this.#pace.pausedUntil - pausedUntil > MUCH_LATER_MS) this.#rejectLate()
    this.#sendDue()
  }

  /** Moves the calls of an endpoint out of this queue: the limit applies only to that endpoint. */
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

  #canHaveTurn({ deadline }: PacedCall, position: number): boolean {
    return position < mostCallsUntil(this.#pace, this.#clock.monotonic() + deadline.remainingMs)
  }

  #tooLate({ failures }: PacedCall, position: number): Error {
    return failures.ofRateLimitPause(turnInMs(this.#pace, position, this.#clock.monotonic()))
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

  /**
   * Sends in order of arrival, with two exceptions. The first call after a 429 may be rejected again: so it is a call
   * with few retries, if possible of another endpoint, to find out if the limit applies to all. After an accepted
   * call, calls with many retries go first: the service is most likely to accept them then.
   */
  #sendNext(): void {
    const rank = this.#pace.refusals > 0 ? this.#rankOfFirst : rankOfOthers
    const best = this.#waiting.reduce(
      (least, { call }) => Math.min(least, rank(call)),
      Number.POSITIVE_INFINITY,
    )
    const index = this.#waiting.findIndex(({ call }) => rank(call) === best)
    const [next] = this.#waiting.splice(index, 1)
    next?.resolve({ queue: this, refusals: this.#refusals, acceptedBefore: next.acceptedBefore })
  }

  readonly #rankOfFirst = ({ endpoint, retries }: PacedCall): number =>
    endpoint.id === this.#refusedEndpoint ? SAME_ENDPOINT + retries : retries
}

function rankOfOthers({ retries }: PacedCall): number {
  return -retries
}
