import type { Clock, Timer } from '../../common/clock.js'
import { ignore } from '../../common/errors.js'
import {
  mostCallsUntil,
  NOT_PACED,
  nextCallAt,
  type Pace,
  type PacedCall,
  paceAfterAcceptance,
  paceAfterLateAcceptance,
  paceAfterLateRefusal,
  paceAfterRefusal,
  paceWithoutLimit,
  type Turn,
  TurnTooLate,
  turnInMs,
} from './rate-limit-pace.js'

/**
 * Number of 429 responses to one endpoint that shows a limit of only this endpoint. Meanwhile, a call of another
 * endpoint must be accepted, and no other endpoint may get a 429.
 */
const REFUSALS_OF_ONE_ENDPOINT = 3

/**
 * Paces a client's calls after a 429. All calls pause. Then the rate grows while the service accepts calls, and
 * falls with each 429. All endpoints share one rate, until the 429 responses show that only one endpoint is
 * limited. Pacing ends when no call waits, the last 429 is ten seconds old, and a call was accepted after it.
 */
export class RateLimiter {
  /** `false` while no 429 has an effect: calls then do not need a turn. */
  isPacing = false
  readonly #clock: Clock
  readonly #random: () => number
  #shared: PacedQueue | undefined
  /** Queues of the endpoints with a limit of their own. */
  readonly #own = new Map<string, PacedQueue>()
  /** Endpoint of the last 429 responses in the shared queue. */
  #suspect = { endpoint: '', refusals: 0, othersAccepted: 0 }

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  /** Waits for the call's turn within its deadline. */
  async turn(call: PacedCall): Promise<Turn> {
    for (;;) {
      const queue = this.#queueOf(call.endpoint.id)
      const turn = queue === undefined ? NOT_PACED : await queue.wait(call)
      if (turn !== undefined) return turn
    }
  }

  /** Returns `true` when a 429 arrived after the turn: the call must wait again. */
  isTurnExpired(endpoint: string, { queue, refusals }: Turn): boolean {
    const present = this.#queueOf(endpoint)
    return present !== undefined && (present !== queue || present.refusals !== refusals)
  }

  /** Returns `true` when the service has accepted other calls since this call began to wait for its turn. */
  acceptedOthersMeanwhile({ queue, acceptedBefore }: Turn): boolean {
    return queue !== undefined && queue.accepted > acceptedBefore
  }

  /** Records a response other than 429. */
  recordAcceptance(endpoint: string, turn: Turn): void {
    const queue = this.#queueOf(endpoint)
    if (queue === undefined) return
    queue.recordAcceptance(turn)
    if (endpoint !== this.#suspect.endpoint) this.#suspect.othersAccepted += 1
  }

  /** Records a 429. Returns `true` when the request was already in flight at an earlier 429. */
  recordRefusal(endpoint: string, turn: Turn, retryAfterMs: number | undefined): boolean {
    const queue = this.#queueOf(endpoint)
    if (queue === undefined) {
      this.#shared = new PacedQueue(this.#clock, this.#random, endpoint, retryAfterMs)
      this.isPacing = true
      this.#suspect = { endpoint, refusals: 1, othersAccepted: 0 }
      return false
    }
    if (this.isTurnExpired(endpoint, turn)) {
      queue.recordLateRefusal(retryAfterMs)
      return true
    }
    queue.recordRefusal(endpoint, retryAfterMs)
    if (queue === this.#shared) this.#suspectEndpoint(endpoint, queue, retryAfterMs)
    return false
  }

  /** Returns the queue of an endpoint. Drops queues that no longer pace calls. */
  #queueOf(endpoint: string): PacedQueue | undefined {
    if (this.#shared?.isQuiet === true) this.#shared = undefined
    if (this.#own.get(endpoint)?.isQuiet === true) this.#own.delete(endpoint)
    this.isPacing = this.#shared !== undefined || this.#own.size > 0
    return this.#own.get(endpoint) ?? this.#shared
  }

  #suspectEndpoint(endpoint: string, shared: PacedQueue, retryAfterMs: number | undefined): void {
    if (endpoint !== this.#suspect.endpoint) this.#suspect = { endpoint, refusals: 0, othersAccepted: 0 }
    this.#suspect.refusals += 1
    const { refusals, othersAccepted } = this.#suspect
    if (refusals < REFUSALS_OF_ONE_ENDPOINT || othersAccepted === 0) return
    this.#own.set(endpoint, new PacedQueue(this.#clock, this.#random, endpoint, retryAfterMs))
    shared.separate(endpoint)
    this.#suspect = { endpoint: '', refusals: 0, othersAccepted: 0 }
  }
}

/** Time without a 429 after which an empty queue stops pacing, in milliseconds. */
const QUIET_MS = 10_000

/** Maximum timer delay that the queue compensates by sending several calls at once, in milliseconds. */
const CATCH_UP_MS = 20

/** The queue checks its calls' deadlines if a late 429 extends the pause by more than this time, in milliseconds. */
const MUCH_LATER_MS = 500

/** Added to the rank of a call of the rejected endpoint, so that this call is sent after those of other endpoints. */
const SAME_ENDPOINT = 1_000_000

interface Waiting {
  readonly call: PacedCall
  readonly acceptedBefore: number
  /** Resolves with the turn, or with `undefined` when the call must wait in another queue. */
  readonly resolve: (turn: Turn | undefined) => void
  readonly reject: (error: Error) => void
}

/** Sends calls one after another, at a pace that starts with a 429. */
class PacedQueue {
  /** Number of calls of this queue that the service accepted. */
  accepted = 0
  /** Number of 429 responses after the first. Responses to requests in flight at an earlier 429 do not count. */
  refusals = 0
  readonly #clock: Clock
  readonly #random: () => number
  #pace: Pace
  #waiting: Waiting[] = []
  #timer: Timer | undefined
  #lastAt = Number.NEGATIVE_INFINITY
  #refusedAt: number
  #refusedEndpoint: string

  constructor(clock: Clock, random: () => number, endpoint: string, retryAfterMs: number | undefined) {
    this.#clock = clock
    this.#random = random
    this.#refusedEndpoint = endpoint
    this.#refusedAt = clock.monotonic()
    this.#pace = paceAfterRefusal(undefined, { now: this.#refusedAt, retryAfterMs, random: random() })
  }

  /** `true` when no call waits, the last 429 is older than the quiet time, and a call was accepted after it. */
  get isQuiet(): boolean {
    const isAccepted = this.#pace.refusals === 0 && this.#waiting.length === 0
    return isAccepted && this.#clock.monotonic() - this.#refusedAt >= QUIET_MS
  }

  /** Waits for the call's turn. Resolves to `undefined` when the call must wait in another queue. */
  async wait(call: PacedCall): Promise<Turn | undefined> {
    const last = this.#waiting.length
    if (!this.#canHaveTurn(call, last)) throw this.#tooLate(last)
    let stop = ignore
    try {
      return await new Promise((resolve, reject) => {
        const waiting = { call, acceptedBefore: this.accepted, resolve, reject }
        this.#waiting.push(waiting)
        stop = call.deadline.onEnd((ended) => {
          const position = this.#waiting.indexOf(waiting)
          this.#waiting = this.#waiting.filter((each) => each !== waiting)
          reject(ended.end.kind === 'aborted' ? ended : this.#tooLate(position))
          this.#sendDue()
        })
        this.#sendDue()
      })
    } finally {
      stop()
    }
  }

  /** Records a response other than 429. */
  recordAcceptance({ queue, refusals }: Turn): void {
    const now = this.#clock.monotonic()
    // A call from before the last 429 does not show whether the service accepts the present pace.
    const isLate = queue !== this || refusals !== this.refusals
    this.#pace = isLate ? paceAfterLateAcceptance(this.#pace, now) : paceAfterAcceptance(this.#pace, now)
    if (queue === this) this.accepted += 1
    this.#sendDue()
  }

  /** Records a 429 response to a request that was sent after the previous 429. */
  recordRefusal(endpoint: string, retryAfterMs: number | undefined): void {
    const now = this.#clock.monotonic()
    this.refusals += 1
    this.#refusedAt = now
    this.#refusedEndpoint = endpoint
    this.#pace = paceAfterRefusal(this.#pace, { now, retryAfterMs, random: this.#random() })
    this.#rejectLate()
    this.#sendDue()
  }

  /** Records a 429 response to a request that was in flight when another 429 arrived. */
  recordLateRefusal(retryAfterMs: number | undefined): void {
    const { pausedUntil } = this.#pace
    this.#pace = paceAfterLateRefusal(this.#pace, { now: this.#clock.monotonic(), retryAfterMs })
    // Each 429 of a burst extends the pause a little.
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
    for (const waiting of this.#waiting)
      (this.#canHaveTurn(waiting.call, kept.length) ? kept : late).push(waiting)
    this.#waiting = kept
    for (const { reject } of late) reject(this.#tooLate(kept.length))
  }

  #canHaveTurn({ deadline }: PacedCall, position: number): boolean {
    return position < mostCallsUntil(this.#pace, this.#clock.monotonic() + deadline.remainingMs)
  }

  #tooLate(position: number): Error {
    return new TurnTooLate(turnInMs(this.#pace, position, this.#clock.monotonic()))
  }

  #sendDue(): void {
    this.#timer?.cancel()
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
   * Sends the next call in order of arrival, with two exceptions. The first call after a 429 may be rejected again, so
   * it is the call with the fewest retries so far. If possible, it is a call of another endpoint, which shows whether
   * the limit applies to all endpoints. After an accepted call, the calls with the most retries so far are sent first.
   * The service is most likely to accept them then.
   */
  #sendNext(): void {
    const next = this.#waiting.reduce((best, each) => (this.#rank(each) < this.#rank(best) ? each : best))
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    next.resolve({ queue: this, refusals: this.refusals, acceptedBefore: next.acceptedBefore })
  }

  /** Returns a number that is lowest for the next call. */
  #rank({ call: { endpoint, retries } }: Waiting): number {
    if (this.#pace.refusals === 0) return -retries
    return endpoint.id === this.#refusedEndpoint ? SAME_ENDPOINT + retries : retries
  }
}
