import type { Endpoint } from '../../contract/endpoint.js'
import { requestId } from '../errors/answer-error.js'
import { AttemptFailure } from '../errors/attempt-failure.js'
import { CallFailures } from '../errors/call-failures.js'
import type { WireAnswer } from '../wire/transport.js'
import type { Answered } from './api-promise.js'
import { type AttemptPlan, retryAfter } from './attempts.js'
import { parseRetryAfter, pauseMs } from './backoff.js'
import { CallEnded, Deadline } from './deadline.js'
import type { CallTrace } from './diagnostics.js'
import type { PipelineParts, Settler } from './pipeline.js'
import type { PreparedRequest } from './prepare.js'
import { decideRetry, type RetryAction } from './retry.js'
import type { Moment } from './service-clock.js'
import type { CallerSignal } from './shared-signals.js'

/** One call: what it asks, and how its outcome is found out when its answer is lost. */
export interface RunFacts {
  readonly parts: PipelineParts
  readonly endpoint: Endpoint
  readonly request: PreparedRequest
  readonly settle: Settler | undefined
  readonly signal: CallerSignal | undefined
}

/** One call on its way, from the turnstile to its answer or its error. */
export class Run {
  readonly #facts: RunFacts
  readonly #deadline: Deadline
  readonly #startedAt: Moment | undefined
  #failuresMade: CallFailures | undefined
  #inside = false
  #sends = 0
  #retries = 0
  #replayed = false
  #recovered = false

  constructor(facts: RunFacts) {
    const { options } = facts.parts
    this.#facts = facts
    if (facts.settle !== undefined) this.#startedAt = facts.parts.serviceClock.moment()
    this.#deadline = new Deadline(options.clock, facts.request.timeoutMs, facts.signal)
  }

  toEnd(): Promise<Answered<unknown>> {
    const { parts, endpoint } = this.#facts
    return parts.diagnostics.follow(endpoint, (trace) => this.#toEnd(trace))
  }

  async #toEnd(trace: CallTrace | undefined): Promise<Answered<unknown>> {
    const { parts } = this.#facts
    parts.activity.enter()
    try {
      const waiting = parts.turnstile.enter(this.#deadline)
      if (waiting !== undefined) await waiting
      this.#inside = true
      const answered = await this.#attempts()
      parts.budget.succeeded(this.#retries)
      trace?.succeeded(answered.response.status, this.#sends, this.#recovered)
      return answered
    } catch (error) {
      const thrown = this.#publicError(error)
      trace?.failed(thrown, this.#sends)
      throw thrown
    } finally {
      this.#leave()
      this.#deadline.dispose()
      parts.activity.end()
    }
  }

  #failures(): CallFailures {
    const { endpoint, request, parts } = this.#facts
    this.#failuresMade ??= new CallFailures(endpoint, request, parts.options.base.origin)
    return this.#failuresMade
  }

  #leave(): void {
    if (this.#inside) this.#facts.parts.turnstile.leave()
    this.#inside = false
  }

  /** Nearly every first attempt is the last: what follows a failed one is set up only then. */
  async #attempts(): Promise<Answered<unknown>> {
    try {
      return await this.#attempt()
    } catch (error) {
      return this.#goOnAfter(error)
    }
  }

  #goOnAfter(error: unknown): Promise<Answered<unknown>> {
    return retryAfter(error, this.#plan()).catch((last: unknown) => this.#findOut(last))
  }

  /** What became of a request whose answer was lost, where that can be found out. */
  #findOut(error: unknown): Promise<Answered<unknown>> {
    if (!(error instanceof AttemptFailure) || this.#action(error) !== 'settle') throw error
    return this.#settle(error)
  }

  #plan(): AttemptPlan<Answered<unknown>> {
    return {
      maxRetries: this.#facts.request.maxRetries - this.#retries,
      deadline: this.#deadline,
      attempt: () => this.#attempt(),
      pauseAfter: (error) => this.#pauseAfter(error),
    }
  }

  async #settle(failure: AttemptFailure): Promise<Answered<unknown>> {
    const { endpoint, settle, request, parts } = this.#facts
    const unsettled = {
      error: failure.toPublic(this.#sends),
      attempts: this.#sends,
      startedAt: () => parts.serviceClock.at(this.#startedAt ?? parts.serviceClock.moment()),
    }
    // Looking is calls of its own, which need the place that this one would keep from them.
    this.#leave()
    const settled = (await settle?.(unsettled)) ?? 'repeat'
    if (settled !== 'repeat') {
      const found = endpoint.settle === 'order' ? 'the order was found' : 'it had been carried out'
      parts.logger.warn(`pathology-sdk: the answer of ${endpoint.id} was lost; ${found}`)
      this.#recovered = true
      return this.#answered(settled.data, failure.status ?? 200, {})
    }
    const refusedForGood = failure.kind === 'done-before'
    if (refusedForGood || this.#retries >= request.maxRetries || !parts.budget.take()) throw failure
    this.#retries += 1
    this.#failures().goesOnAfter(failure)
    const waiting = parts.turnstile.enter(this.#deadline)
    if (waiting !== undefined) await waiting
    this.#inside = true
    return this.#attempts()
  }

  #pauseAfter(error: unknown): number | undefined {
    if (!(error instanceof AttemptFailure) || this.#action(error) !== 'retry') return undefined
    const { options, budget } = this.#facts.parts
    const pause = pauseMs(this.#retries + 1, options.random(), error.retryAfterMs)
    if (pause >= this.#deadline.remainingMs || !budget.take()) return undefined
    this.#retries += 1
    this.#failures().goesOnAfter(error)
    return pause
  }

  #action(failure: AttemptFailure): RetryAction {
    const { endpoint, request, settle } = this.#facts
    return decideRetry({
      retry: endpoint.retry,
      settle: settle === undefined ? undefined : endpoint.settle,
      failure: failure.kind,
      retries: this.#retries,
      maxRetries: request.maxRetries,
    })
  }

  async #attempt(): Promise<Answered<unknown>> {
    const { tokens, coolDown } = this.#facts.parts
    for (let left = coolDown.leftMs; left > 0; left = coolDown.leftMs) {
      if (left >= this.#deadline.remainingMs) throw this.#failures().ofCoolDown(left)
      await coolDown.wait(this.#deadline)
    }
    const token = tokens.current() ?? (await this.#newToken(false))
    try {
      const answer = await this.#send(token)
      const accepted = answer.status === 401 && !this.#replayed ? await this.#replay(token) : answer
      return this.#read(accepted)
    } catch (error) {
      throw this.#failures().ofWire(error)
    }
  }

  /** With a new token after a 401; once more if that was another process's, which may be as dead as the first. */
  async #replay(refused: string): Promise<WireAnswer> {
    this.#replayed = true
    const { tokens } = this.#facts.parts
    const fresh = await this.#replace(refused)
    const answer = await this.#send(fresh)
    if (answer.status !== 401 || !tokens.isBorrowed(fresh)) return answer
    return this.#send(await this.#replace(fresh))
  }

  #replace(refused: string): Promise<string> {
    const { tokens } = this.#facts.parts
    tokens.invalidate(refused)
    return this.#newToken(true)
  }

  async #newToken(refused: boolean): Promise<string> {
    try {
      return await this.#deadline.race(this.#facts.parts.tokens.get())
    } catch (error) {
      throw this.#failures().ofToken(error, refused)
    }
  }

  #send(token: string): Promise<WireAnswer> {
    const { parts, endpoint, request } = this.#facts
    this.#deadline.throwIfEnded()
    this.#sends += 1
    return parts.transport.send({
      origin: parts.options.base.origin,
      path: request.path,
      method: endpoint.method,
      headers: parts.headers.of(token, request),
      body: request.body,
      deadline: this.#deadline,
      maxBytes: parts.reader.maxBytes(endpoint),
    })
  }

  /** What the answer holds; throws what makes it no answer. */
  #read(answer: WireAnswer): Answered<unknown> {
    const { parts, endpoint } = this.#facts
    const { status, headers } = answer
    parts.serviceClock.observe(headers)
    if (status < 200 || status > 299) throw this.#refused(answer)
    try {
      return this.#answered(parts.reader.read(endpoint, answer), status, headers)
    } catch (error) {
      throw this.#failures().ofReading(error, status)
    }
  }

  #refused(answer: WireAnswer): AttemptFailure {
    const { serviceClock, coolDown } = this.#facts.parts
    const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], serviceClock.now())
    if (answer.status === 429) coolDown.start(retryAfterMs)
    return this.#failures().ofAnswer(answer, retryAfterMs)
  }

  #answered(data: unknown, status: number, headers: WireAnswer['headers']): Answered<unknown> {
    return { data, response: { status, headers, requestId: requestId(headers), attempts: this.#sends } }
  }

  #publicError(error: unknown): unknown {
    if (error instanceof AttemptFailure) return error.toPublic(this.#sends)
    if (!(error instanceof CallEnded)) return error
    return error.end.kind === 'aborted'
      ? error.end.reason
      : this.#failures().timeout(this.#sends > 0, this.#sends, error.queuedFor)
  }
}
