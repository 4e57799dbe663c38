import { AttemptFailure } from '../errors/attempt-failure.js'
import type { CallFailures } from '../errors/call-failures.js'
import { retryAfter } from './attempts.js'
import { pauseMs } from './backoff.js'
import type { Deadline } from './deadline.js'
import type { PreparedRequest } from './prepare.js'
import { Received } from './received.js'
import { decideRetry, type RetryAction } from './retry.js'
import type { RunFacts } from './run.js'
import type { Moment } from './service-clock.js'

/** A call that may be tried again. */
export interface Tried {
  readonly facts: RunFacts
  readonly request: PreparedRequest
  readonly deadline: Deadline
  readonly failures: CallFailures
  /** When the call began. */
  readonly startedAt: Moment | undefined
  /** How many times it has been sent. */
  readonly sends: number
  attempt(): Promise<Received>
  /** Gives back the place among those on their way. */
  leave(): void
  /** Waits for a place again, and goes on from there as if from the start. */
  reenter(): Promise<Received>
}

/** What follows on a failed attempt: another one, or finding out what became of it, or the error. */
export class FurtherAttempts {
  readonly #call: Tried
  #retries = 0
  #recovered = false

  constructor(call: Tried) {
    this.#call = call
  }

  /** How many there were. */
  get retries(): number {
    return this.#retries
  }

  /** Whether the answer was lost and its content then found. */
  get recovered(): boolean {
    return this.#recovered
  }

  /** Goes on after an attempt that failed with `error`. */
  after(error: unknown): Promise<Received> {
    const plan = {
      maxRetries: this.#call.request.maxRetries - this.#retries,
      deadline: this.#call.deadline,
      attempt: () => this.#call.attempt(),
      pauseAfter: (failed: unknown) => this.#pauseAfter(failed),
    }
    return retryAfter(error, plan).catch((last: unknown) => this.#findOut(last))
  }

  /** What became of a request whose answer was lost, where that can be found out. */
  #findOut(error: unknown): Promise<Received> {
    if (!(error instanceof AttemptFailure) || this.#action(error) !== 'settle') throw error
    return this.#settle(error)
  }

  async #settle(failure: AttemptFailure): Promise<Received> {
    const { facts, sends, startedAt } = this.#call
    const { endpoint, settle, parts } = facts
    const unsettled = {
      error: failure.toPublic(sends),
      attempts: sends,
      startedAt: () => parts.serviceClock.at(startedAt ?? parts.serviceClock.moment()),
    }
    // Looking is calls of its own, which need the place that this one would keep from them.
    this.#call.leave()
    const settled = (await settle?.(unsettled)) ?? 'repeat'
    if (settled !== 'repeat') {
      const found = endpoint.settle === 'order' ? 'the order was found' : 'it had been carried out'
      parts.logger.warn(`pathology-sdk: the answer of ${endpoint.id} was lost; ${found}`)
      this.#recovered = true
      return new Received(settled.data, failure.status ?? 200, {}, sends)
    }
    const refusedForGood = failure.kind === 'done-before'
    if (refusedForGood || this.#retries >= this.#call.request.maxRetries || !parts.budget.take())
      throw failure
    this.#count(failure)
    return this.#call.reenter()
  }

  #pauseAfter(error: unknown): number | undefined {
    if (!(error instanceof AttemptFailure) || this.#action(error) !== 'retry') return undefined
    const { options, budget } = this.#call.facts.parts
    const pause = pauseMs(this.#retries + 1, options.random(), error.retryAfterMs)
    if (pause >= this.#call.deadline.remainingMs || !budget.take()) return undefined
    this.#count(error)
    return pause
  }

  #count(failure: AttemptFailure): void {
    this.#retries += 1
    this.#call.failures.goesOnAfter(failure)
  }

  #action(failure: AttemptFailure): RetryAction {
    const { endpoint, settle } = this.#call.facts
    return decideRetry({
      retry: endpoint.retry,
      settle: settle === undefined ? undefined : endpoint.settle,
      failure: failure.kind,
      retries: this.#retries,
      maxRetries: this.#call.request.maxRetries,
    })
  }
}
