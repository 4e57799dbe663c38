import type { Outcome } from '../../common/errors.js'
import type { Endpoint } from '../../contract/endpoint.js'
import { tokenFailure } from '../auth/token-request.js'
import { AttemptFailure, ReadFailure } from '../core/attempt-failure.js'
import { CallEnded } from '../core/deadline.js'
import { type FailureKind, failureOfStatus, showsDoneBefore } from '../core/retry-policy.js'
import { createApiError, NOTHING_SAID } from '../errors/api-errors.js'
import { TimeoutError } from '../errors/errors.js'
import { RequestValues } from '../errors/request-values.js'
import { EFFECT, type FailureContext, moreSevere, responseError } from '../errors/sentences.js'
import { connectionError } from '../transport/failures.js'
import { TransportFailure, type TransportResponse } from '../transport/transport.js'
import { errorCode, errorOfResponse } from './error-response.js'
import type { PreparedRequest } from './request.js'
import type { ResolvedOptions } from './request-options.js'

type ServiceOptions = Pick<ResolvedOptions, 'base' | 'clientSecret'>

/** Creates the errors of one call. */
export class CallFailures {
  readonly #endpoint: Endpoint
  readonly #request: PreparedRequest
  readonly #origin: string
  /** Values that no error of the call may repeat. */
  readonly values: RequestValues
  #token: string | undefined
  /** Outcome of the attempts before the present one. */
  #before: Outcome = 'not-sent'

  constructor(endpoint: Endpoint, request: PreparedRequest, { base, clientSecret }: ServiceOptions) {
    this.#endpoint = endpoint
    this.#request = request
    this.#origin = base.origin
    const { body, path } = request
    this.values = new RequestValues({ body, path, secrets: () => [clientSecret, this.#token] })
  }

  /** Records the access token of the request. */
  sentWith(token: string): void {
    this.#token = token
  }

  /** Records a failure after which another attempt follows. */
  recordFailure(failure: AttemptFailure): void {
    this.#before = moreSevere(this.#before, failure.outcome)
  }

  /** Records a 401, after which the request is sent again with a new token. */
  refused(): void {
    this.#before = moreSevere(this.#before, 'refused')
  }

  /** Converts a response outside 2xx. */
  ofResponse(
    response: TransportResponse,
    retryAfter: number | undefined,
    retryCost?: number,
  ): AttemptFailure {
    const { status } = response
    const kind = this.#kindOf(response)
    const outcome = this.#outcomeOfStatus(status, kind)
    const toPublic = (attempts: number): Error => {
      const context = { ...this.#context(attempts), outcome: this.#inAll(outcome) }
      if (status >= 300 && status < 400) return responseError('redirect', { ...context, status })
      return errorOfResponse(response, {
        ...context,
        endpoint: this.#endpoint,
        retryAfter,
        values: this.values,
      })
    }
    return new AttemptFailure(kind, { outcome, status, retryAfterMs: retryAfter, retryCost, toPublic })
  }

  /** Converts an unusable 2xx response; returns other errors unchanged. */
  ofReading(error: unknown, status: number): unknown {
    if (!(error instanceof ReadFailure)) return error
    const { reason, detail, kind } = error
    const outcome = this.#outcomeOfSending()
    const toPublic = (attempts: number): Error =>
      responseError(reason, { ...this.#context(attempts), outcome: this.#inAll(outcome), status, detail })
    return new AttemptFailure(kind, { outcome, status, toPublic })
  }

  /** Converts a request without a response; returns other errors unchanged. */
  ofTransport(error: unknown): unknown {
    if (!(error instanceof TransportFailure)) return error
    if (error.cause instanceof CallEnded) return this.#ofEnd(error.cause, error.sent)
    const outcome = error.sent ? this.#outcomeOfSending() : 'not-sent'
    const toPublic = (attempts: number): Error =>
      connectionError(error, {
        ...this.#context(attempts),
        outcome: this.#inAll(outcome),
        values: this.values,
      })
    return new AttemptFailure(transportFailureKind(error), { outcome, reason: error.reason, toPublic })
  }

  /** Creates the error of a call whose turn after a 429 comes after its deadline. */
  ofRateLimitPause(turnInMs: number): AttemptFailure {
    const { method, path } = this.#endpoint
    const retryAfter = Math.ceil(turnInMs)
    const outcome = this.#inAll('not-sent')
    const message = `${method} ${path}: the pause after a 429 lasts ${retryAfter} ms, longer than the time limit of the call; ${EFFECT[outcome]}; call again after the pause`
    const facts = { ...NOTHING_SAID, status: 429, method, path, retryAfter, outcome, message }
    const toPublic = (attempts: number): Error => createApiError({ ...facts, attempts })
    return new AttemptFailure('final', { outcome: 'not-sent', toPublic })
  }

  /** Converts the failure to get a token. */
  ofToken(error: unknown): unknown {
    return tokenFailure(error, this.#before)
  }

  /**
   * Creates the error of a call whose time limit expired.
   *
   * @param sent - `true` when the interrupted attempt was sent.
   * @param queuedFor - Description of the queue in which it waited.
   */
  timeout(sent: boolean, attempts: number, queuedFor?: string): TimeoutError {
    const timeout = this.#request.limitMs
    const outcome = this.#inAll(sent ? this.#outcomeOfSending() : 'not-sent')
    const effect = `${this.#context(attempts).what} did not end within ${timeout} ms: ${EFFECT[outcome]}`
    const message = queuedFor === undefined ? effect : `${effect}; it still waited for ${queuedFor}`
    return new TimeoutError(message, { ...this.#context(attempts), outcome, timeout })
  }

  #ofEnd(ended: CallEnded, sent: boolean): unknown {
    if (ended.end.kind === 'aborted') return ended
    const outcome = sent ? this.#outcomeOfSending() : 'not-sent'
    const toPublic = (attempts: number): Error => this.timeout(sent, attempts, ended.queuedFor)
    return new AttemptFailure(sent ? 'ambiguous' : 'final', { outcome, toPublic })
  }

  #kindOf(response: TransportResponse): FailureKind {
    const { reconcile } = this.#endpoint
    if (this.#before !== 'unknown' || reconcile === undefined) return failureOfStatus(response.status)
    const done = showsDoneBefore(reconcile, response.status, errorCode(response.body))
    return done ? 'done-before' : failureOfStatus(response.status)
  }

  #outcomeOfStatus(status: number, kind: FailureKind): Outcome {
    if (status === 401 || status === 429) return 'refused'
    return kind === 'final' || kind === 'done-before' ? 'failed' : this.#outcomeOfSending()
  }

  /** Returns the outcome of a request that was sent without a response. */
  #outcomeOfSending(): Outcome {
    return this.#endpoint.retry === 'safe' ? 'failed' : 'unknown'
  }

  #inAll(last: Outcome): Outcome {
    return moreSevere(this.#before, last)
  }

  #context(attempts: number): FailureContext {
    const { method, path } = this.#endpoint
    const isRepeatable = this.#endpoint.retry !== 'once'
    return { what: `${method} ${path}`, origin: this.#origin, attempts, isRepeatable }
  }
}

function transportFailureKind({ reason, sent }: TransportFailure): FailureKind {
  if (!sent) return reason === 'tls' ? 'final' : 'not-sent'
  return reason === 'too-large' || reason === 'encoding' ? 'unusable' : 'ambiguous'
}
