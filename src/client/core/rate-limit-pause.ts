import type { Clock } from '../../common/clock.js'
import { type PacedCall, PacedQueue, type Turn } from './paced-queue.js'

export type { Turn } from './paced-queue.js'

/** Number of 429 in a row to one endpoint that shows a limit of its own, while others are accepted. */
const REFUSALS_OF_ONE_ENDPOINT = 3

/** Turn of a call that is not paced. */
export const NOT_PACED: Turn = { queue: undefined, refusals: 0, acceptedBefore: 0 }

/**
 * Paces a client's calls after a 429. All calls pause. Then the rate grows while the service accepts calls, and
 * falls with each 429. All endpoints share one rate, until the 429 responses show that only one endpoint is
 * limited. Pacing ends some time after the last 429.
 */
export class RateLimitPause {
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

  /** Waits for the call's turn within its deadline. Returns no promise when calls are not paced. */
  turn(call: PacedCall): Turn | Promise<Turn> {
    return this.#queueOf(call.endpoint.id) === undefined ? NOT_PACED : this.#wait(call)
  }

  /** Returns `true` when a 429 arrived after the turn: the call must wait again. */
  isOver(endpoint: string, { queue, refusals }: Turn): boolean {
    const present = this.#queueOf(endpoint)
    return present !== undefined && (present !== queue || present.refusals !== refusals)
  }

  /** Returns `true` when the service accepted other calls while this call waited. */
  isCrowded({ queue, acceptedBefore }: Turn): boolean {
    return queue !== undefined && queue.accepted > acceptedBefore
  }

  /** Records a response other than 429. */
  accept(endpoint: string, turn: Turn): void {
    const queue = this.#queueOf(endpoint)
    if (queue === undefined) return
    queue.accept(turn)
    if (endpoint !== this.#suspect.endpoint) this.#suspect.othersAccepted += 1
  }

  /** Records a 429. Returns `true` when the request was already in flight at an earlier 429. */
  refuse(endpoint: string, turn: Turn, retryAfterMs: number | undefined): boolean {
    const queue = this.#queueOf(endpoint)
    if (queue === undefined) {
      this.#shared = new PacedQueue(this.#clock, this.#random, endpoint, retryAfterMs)
      this.#suspect = { endpoint, refusals: 1, othersAccepted: 0 }
      return false
    }
    if (this.isOver(endpoint, turn)) {
      queue.refuseLate(retryAfterMs)
      return true
    }
    queue.refuse(endpoint, retryAfterMs)
    if (queue === this.#shared) this.#suspectEndpoint(endpoint, queue, retryAfterMs)
    return false
  }

  async #wait(call: PacedCall): Promise<Turn> {
    for (;;) {
      const queue = this.#queueOf(call.endpoint.id)
      const turn = queue === undefined ? NOT_PACED : await queue.wait(call)
      if (turn !== undefined) return turn
    }
  }

  #queueOf(endpoint: string): PacedQueue | undefined {
    if (this.#shared === undefined && this.#own.size === 0) return undefined
    if (this.#shared?.isQuiet === true) this.#shared = undefined
    if (this.#own.get(endpoint)?.isQuiet === true) this.#own.delete(endpoint)
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
