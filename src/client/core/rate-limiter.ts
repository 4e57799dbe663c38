import type { Clock, Timer } from '../../common/clock.js'
import { ignore } from '../../common/errors.js'
import type { Deadline } from './deadline.js'
import { LONGEST_RETRY_AFTER_MS } from './retry-policy.js'

/** Pause after a 429 without Retry-After, in milliseconds. It doubles with each pause in a row, up to the longest. */
const FIRST_PAUSE_MS = 600
const LONGEST_PAUSE_MS = 8_000

/** Pauses in a row without an accepted call after which calls fail instead of waiting. */
const MOST_PAUSES = 3

/** Calls per second after the first pause, once a call was accepted. */
const FIRST_RATE = 2

/** Factor between a rejected rate and the next one. */
const BACK_OFF = 0.7

/** Time after which another call is tried although the first call after a pause has no response yet. */
const PROBE_MS = 2_000

/** Time without a 429 after which calls are no longer counted, in milliseconds. */
const QUIET_MS = 10_000

/** Maximum timer delay that is made good by sending several calls at once, in milliseconds. */
const CATCH_UP_MS = 20

/** Call that waits for its turn. */
export interface PacedCall {
  readonly endpoint: { readonly method: string; readonly path: string }
  readonly deadline: Deadline
  /** Number of retries so far. */
  readonly retries: number
}

/** Internal error of a call that cannot be sent in time after a 429. */
export class TurnTooLate extends Error {
  /** Time in milliseconds after which a call can be sent. */
  readonly waitMs: number
  /** Method and path template of the last call that got a 429. */
  readonly refused: string
  /** `true` when the service has accepted no call after several pauses. */
  readonly isHopeless: boolean

  constructor(waitMs: number, refused: string, isHopeless: boolean) {
    super(`the turn comes in ${Math.round(waitMs)} ms`)
    this.waitMs = waitMs
    this.refused = refused
    this.isHopeless = isHopeless
  }
}

interface Waiting {
  readonly call: PacedCall
  /** Ends the wait: with the turn, or with an error. */
  readonly end: (error?: Error) => void
}

/**
 * Pauses all calls of a client after a 429, because the limit applies to the organisation. After the pause one call is
 * sent. When the service accepts it, the others follow at a rate that grows until the next 429. Costs nothing before
 * the first 429, and ends when no call waits and the last 429 is ten seconds old.
 */
export class RateLimiter {
  /** `false` while no 429 has an effect: calls then need not wait for a turn. */
  isPacing = false
  /** Number of pauses so far. A call is sent in the pause count of its turn, and is held back when the count changes. */
  pauses = 0
  readonly #clock: Clock
  readonly #random: () => number
  readonly #waiting = new Set<Waiting>()
  /** Pauses since the last accepted call. */
  #inRow = 0
  #refused = ''
  #refusedAt = 0
  #pausedUntil = 0
  /** Added to the pause, so that many clients do not call at the same moment. */
  #spreadMs = 0
  #rate = FIRST_RATE
  /** Rate up to which the growth is fast: a part of the last rejected rate. */
  #knownRate = Number.POSITIVE_INFINITY
  #lastAt = 0
  #timer: Timer | undefined

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  /** Time until the end of the pause, in milliseconds. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.monotonic())
  }

  /** Waits for the call's turn within its deadline. Returns the number of pauses so far. */
  async turn(call: PacedCall): Promise<number> {
    const isQuiet = this.#inRow === 0 && this.#waiting.size === 0
    if (isQuiet && this.#clock.monotonic() - this.#refusedAt >= QUIET_MS) this.isPacing = false
    if (!this.isPacing) return this.pauses
    if (this.#isTooLate(call)) throw this.#tooLate()
    await new Promise<void>((resolve, reject) => {
      let stop = ignore
      const waiting: Waiting = {
        call,
        end: (error) => {
          stop()
          this.#waiting.delete(waiting)
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      this.#waiting.add(waiting)
      stop = call.deadline.onEnd((ended) => {
        const queueMs = (1_000 * this.#waiting.size) / this.#rate
        waiting.end(ended.end.kind === 'aborted' ? ended : this.#tooLate(queueMs))
        this.#sendDue()
      })
      this.#sendDue()
    })
    return this.pauses
  }

  /** Returns `true` when a 429 arrived after the turn: the call must wait again. */
  isExpired(turn: number): boolean {
    return this.isPacing && turn !== this.pauses
  }

  /** Records a response other than 429. A call from before the last 429 does not show that the pause is over. */
  accepted(turn: number): void {
    if (turn !== this.pauses) return
    this.#inRow = 0
    this.#rate += this.#rate < this.#knownRate ? 1 : 1 / this.#rate
    this.#sendDue()
  }

  /** Records a 429. Returns `true` when the request was already in flight at an earlier 429. */
  rejected(turn: number, endpoint: PacedCall['endpoint'], retryAfterMs = 0): boolean {
    const now = this.#clock.monotonic()
    const askedMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)
    if (this.isExpired(turn)) {
      this.#pauseUntil(now + askedMs)
      return true
    }
    if (this.#inRow > 0) this.#rate = FIRST_RATE
    else if (this.isPacing) this.#knownRate = this.#rate = Math.max(1, this.#rate * BACK_OFF)
    else [this.#rate, this.#knownRate] = [FIRST_RATE, Number.POSITIVE_INFINITY]
    const backoffMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#inRow)
    this.isPacing = true
    this.pauses += 1
    this.#inRow += 1
    this.#refused = nameOf(endpoint)
    this.#refusedAt = now
    this.#lastAt = Number.NEGATIVE_INFINITY
    this.#spreadMs = (askedMs * this.#random()) / 10
    this.#pauseUntil(now + (askedMs || backoffMs * (1 + this.#random() / 2)))
    return false
  }

  /** Extends the pause, and rejects the calls that cannot wait for its end. */
  #pauseUntil(time: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, time)
    for (const { call, end } of this.#waiting) if (this.#isTooLate(call)) end(this.#tooLate())
    this.#sendDue()
  }

  get #isHopeless(): boolean {
    return this.#inRow > MOST_PAUSES && this.pauseMs > 0
  }

  #isTooLate({ deadline }: PacedCall): boolean {
    return this.#isHopeless || this.pauseMs >= deadline.remainingMs
  }

  #tooLate(queueMs = 0): TurnTooLate {
    return new TurnTooLate(this.pauseMs + queueMs, this.#refused, this.#isHopeless)
  }

  /** Sends the calls whose time has come, and waits for the time of the next one. */
  #sendDue(): void {
    this.#timer?.cancel()
    while (this.#waiting.size > 0) {
      const now = this.#clock.monotonic()
      const everyMs = this.#inRow > 0 ? PROBE_MS : 1_000 / this.#rate
      const dueAt = Math.max(this.#pausedUntil + this.#spreadMs, this.#lastAt + everyMs)
      if (dueAt > now) {
        this.#timer = this.#clock.schedule(() => this.#sendDue(), dueAt - now)
        return
      }
      this.#lastAt = Math.max(dueAt, now - CATCH_UP_MS)
      this.#next().end()
    }
  }

  /**
   * Returns the next call, in order of arrival with one exception. The first call after a pause may be rejected again,
   * so it is one of another endpoint if possible, with the fewest retries. Later calls are those with the most retries.
   */
  #next(): Waiting {
    const rank = ({ call: { retries, endpoint } }: Waiting): number =>
      this.#inRow > 0 ? retries + (nameOf(endpoint) === this.#refused ? 100 : 0) : -retries
    return [...this.#waiting].reduce((best, each) => (rank(each) < rank(best) ? each : best))
  }
}

function nameOf({ method, path }: PacedCall['endpoint']): string {
  return `${method} ${path}`
}
