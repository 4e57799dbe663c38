import type { Endpoint } from '../../contract/endpoint.js'
import { AttemptFailure } from '../errors/attempt-failure.js'
import { CallFailures } from '../errors/call-failures.js'
import type { WireAnswer } from '../wire/transport.js'
import { ReadFailure } from './answer-reader.js'
import type { Reply } from './api-promise.js'
import { parseRetryAfter } from './backoff.js'
import { CallEnded, Deadline } from './deadline.js'
import type { CallTrace } from './diagnostics.js'
import { FurtherAttempts, type Tried } from './further-attempts.js'
import type { PipelineParts, Settler } from './pipeline.js'
import type { PreparedRequest } from './prepare.js'
import { Received } from './received.js'
import type { Moment } from './service-clock.js'
import type { CallerSignal } from './shared-signals.js'

/** One call: what it asks, and how its outcome is found out when its answer is lost. */
export interface RunFacts {
  readonly parts: PipelineParts
  readonly endpoint: Endpoint
  readonly settle: Settler | undefined
  readonly signal: CallerSignal | undefined
  readonly reply: Reply<unknown>
}

/** One call on its way, from the turnstile to its answer or its error. */
export class Run implements Tried {
  readonly facts: RunFacts
  readonly request: PreparedRequest
  readonly deadline: Deadline
  readonly startedAt: Moment | undefined
  #failures: CallFailures | undefined
  #trace: CallTrace | undefined
  #inside = false
  sends = 0
  #further: FurtherAttempts | undefined
  #replayed = false

  constructor(facts: RunFacts, request: PreparedRequest) {
    const { options } = facts.parts
    this.facts = facts
    this.request = request
    if (facts.settle !== undefined) this.startedAt = facts.parts.serviceClock.moment()
    this.deadline = new Deadline(options.clock, request.timeoutMs, facts.signal)
  }

  /** Goes to the end, which the reply tells of. */
  start(): void {
    const { parts, endpoint } = this.facts
    if (parts.diagnostics.isFollowed) parts.diagnostics.follow(endpoint, (trace) => this.#enter(trace))
    else this.#enter()
  }

  #enter(trace?: CallTrace): void {
    const { activity, turnstile } = this.facts.parts
    this.#trace = trace
    activity.enter()
    try {
      const waiting = turnstile.enter(this.deadline)
      if (waiting === undefined) this.#begin()
      else this.#follow(waiting.then(() => this.#admitted()))
    } catch (error) {
      this.#fail(error)
    }
  }

  async reenter(): Promise<Received> {
    const waiting = this.facts.parts.turnstile.enter(this.deadline)
    if (waiting !== undefined) await waiting
    return this.#admitted()
  }

  #admitted(): Promise<Received> {
    this.#inside = true
    return this.#tryOut(this.attempt())
  }

  #begin(): void {
    const { tokens, coolDown } = this.facts.parts
    this.#inside = true
    const token = coolDown.leftMs > 0 ? undefined : tokens.current()
    if (token === undefined) this.#follow(this.#admitted())
    else this.#sendFirst(token)
  }

  /** Nearly every first attempt is the last: what comes after another one is set up only then. */
  #sendFirst(token: string): void {
    const sent = this.#send(token)
    const goOn = (): void => this.#follow(this.#tryOut(this.#accept(token, sent)))
    sent.then((answer) => (isSuccess(answer) ? this.#conclude(answer) : goOn()), goOn)
  }

  #conclude(answer: WireAnswer): void {
    try {
      this.#succeed(this.#read(answer))
    } catch (error) {
      this.#follow(this.#tryOut(Promise.reject(error)))
    }
  }

  #follow(rest: Promise<Received>): void {
    rest.then((received) => this.#succeed(received)).catch((error: unknown) => this.#fail(error))
  }

  #succeed(received: Received): void {
    const { parts, reply } = this.facts
    parts.budget.succeeded(this.#further?.retries ?? 0)
    this.#trace?.succeeded(received.status, this.sends, this.#further?.recovered === true)
    this.#finish()
    reply.answer(received)
  }

  #fail(error: unknown): void {
    const thrown = this.#told(error)
    this.#finish()
    this.facts.reply.refuse(thrown)
  }

  /** The error as the caller gets it, of which diagnostics have heard. What looking at it throws is the error then. */
  #told(error: unknown): unknown {
    try {
      const thrown = this.#publicError(error)
      this.#trace?.failed(thrown, this.sends)
      return thrown
    } catch (other) {
      return other
    }
  }

  #finish(): void {
    this.leave()
    this.deadline.dispose()
    this.facts.parts.activity.end()
  }

  get failures(): CallFailures {
    const { endpoint, parts } = this.facts
    this.#failures ??= new CallFailures(endpoint, this.request, parts.options.base.origin)
    return this.#failures
  }

  leave(): void {
    if (this.#inside) this.facts.parts.turnstile.leave()
    this.#inside = false
  }

  async #tryOut(first: Promise<Received>): Promise<Received> {
    try {
      return await first
    } catch (error) {
      return this.#goOnAfter(error)
    }
  }

  #goOnAfter(error: unknown): Promise<Received> {
    this.#further ??= new FurtherAttempts(this)
    return this.#further.after(error)
  }

  async attempt(): Promise<Received> {
    const { tokens, coolDown } = this.facts.parts
    for (let left = coolDown.leftMs; left > 0; left = coolDown.leftMs) {
      if (left >= this.deadline.remainingMs) throw this.failures.ofCoolDown(left)
      await coolDown.wait(this.deadline)
    }
    const token = tokens.current() ?? (await this.#newToken())
    return this.#accept(token, this.#send(token))
  }

  async #accept(token: string, sent: Promise<WireAnswer>): Promise<Received> {
    try {
      const answer = await sent
      const accepted = answer.status === 401 && !this.#replayed ? await this.#replay(token) : answer
      return this.#read(accepted)
    } catch (error) {
      throw this.failures.ofWire(error)
    }
  }

  /** With a new token after a 401; once more if that was another process's, which may be as dead as the first. */
  async #replay(refused: string): Promise<WireAnswer> {
    this.#replayed = true
    const { tokens } = this.facts.parts
    const fresh = await this.#replace(refused)
    const answer = await this.#send(fresh)
    if (answer.status !== 401 || !tokens.isBorrowed(fresh)) return answer
    return this.#send(await this.#replace(fresh))
  }

  #replace(refused: string): Promise<string> {
    this.failures.refused()
    this.facts.parts.tokens.invalidate(refused)
    return this.#newToken()
  }

  async #newToken(): Promise<string> {
    try {
      return await this.deadline.race(this.facts.parts.tokens.get())
    } catch (error) {
      throw this.failures.ofToken(error)
    }
  }

  #send(token: string): Promise<WireAnswer> {
    const { parts, endpoint } = this.facts
    const request = this.request
    const { ended } = this.deadline
    if (ended !== undefined) return Promise.reject(ended)
    this.sends += 1
    return parts.transport.send({
      origin: parts.options.base.origin,
      path: request.path,
      method: endpoint.method,
      headers: parts.headers.of(token, request),
      body: request.body,
      deadline: this.deadline,
      maxBytes: parts.reader.maxBytes(endpoint),
    })
  }

  /** What the answer holds; throws what makes it no answer. */
  #read(answer: WireAnswer): Received {
    const { parts, endpoint } = this.facts
    const { status, headers } = answer
    parts.serviceClock.observe(headers)
    if (!isSuccess(answer)) throw this.#refused(answer)
    try {
      const content = parts.reader.read(endpoint, answer)
      const contradiction = this.request.contradiction?.(content)
      if (contradiction !== undefined) throw new ReadFailure('shape', 'unusable', contradiction)
      return new Received(content, status, headers, this.sends)
    } catch (error) {
      throw this.failures.ofReading(error, status)
    }
  }

  #refused(answer: WireAnswer): AttemptFailure {
    const { serviceClock, coolDown } = this.facts.parts
    const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], serviceClock.now())
    if (answer.status === 429) coolDown.start(retryAfterMs)
    return this.failures.ofAnswer(answer, retryAfterMs)
  }

  #publicError(error: unknown): unknown {
    if (error instanceof AttemptFailure) return error.toPublic(this.sends)
    if (!(error instanceof CallEnded)) return error
    // The transport wraps the end of a request in flight: here none was, so the requests before it decide.
    return error.end.kind === 'aborted'
      ? error.end.reason
      : this.failures.timeout(false, this.sends, error.queuedFor)
  }
}

function isSuccess({ status }: WireAnswer): boolean {
  return status >= 200 && status <= 299
}
