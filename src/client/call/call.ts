import { channel } from 'node:diagnostics_channel'
import type { Clock, Moment, ServerClock } from '../../common/clock.js'
import { type Outcome, PathologyError, safeErrorName } from '../../common/errors.js'
import type { Lazy } from '../../common/lazy-import.js'
import type { ProgressReporter, SafeLogger } from '../../common/logger.js'
import type { TokenManager } from '../auth/token-manager.js'
import type { Deadline, SharedSignals } from '../core/deadline.js'
import type { RateLimiter } from '../core/rate-limiter.js'
import type { AttemptFailure, RetryBudget } from '../core/retry.js'
import { decideRetry, type FailureKind, pauseMs, type RetryAction } from '../core/retry-policy.js'
import type { InFlightCalls } from '../core/semaphore.js'
import { moreSevere } from '../errors/error-texts.js'
import type { Transport } from '../transport/transport.js'
import type { WithResponse } from './api-promise.js'
import type { CallEndpoint } from './raw-request.js'
import type { GivenCall, PreparedRequest, RequestChecks } from './request.js'
import type { ResolvedOptions } from './request-options.js'
import type { ResponseReader } from './response.js'

/** Objects that all calls of a client share. */
export interface CallContext {
  readonly options: ResolvedOptions
  readonly transport: Transport
  readonly tokens: TokenManager
  readonly schemas: Lazy<RequestChecks>
  readonly reader: ResponseReader
  readonly budget: RetryBudget
  readonly rateLimiter: RateLimiter
  readonly inFlight: InFlightCalls
  readonly serverClock: ServerClock
  readonly signals: SharedSignals
  readonly diagnostics: Diagnostics
  readonly progress: ProgressReporter
  readonly logger: SafeLogger
}

/** One call: its input, its checked request and its state. */
export interface Call extends GivenCall {
  readonly endpoint: CallEndpoint
  readonly request: PreparedRequest
  readonly deadline: Deadline
  /** Looks up whether a lost request was carried out. */
  readonly reconciler: Reconciler | undefined
  /** Number of the client's pauses after a 429 when the request was permitted. */
  turn: number
  /** Number of attempts to send the request. */
  sends: number
  /** Time of the last request; only for a call with a reconciler. */
  sentAt: Moment | undefined
  /** Time of the first request whose response was lost. */
  lostAt: Moment | undefined
  retries: number
  /** Tokens of the retry budget that the retries took. */
  budgetTaken: number
  /** Most severe outcome of the attempts before the present one. */
  outcomeBefore: Outcome
  /** `true` when the request was sent again with a new token after a 401. */
  isReplayed: boolean
  /** `true` when the response was lost and the request was found to be carried out. */
  isRecovered: boolean
}

/** Records the outcome of a failed attempt before the request is sent again. */
export function recordOutcome(call: Call, outcome: Outcome): void {
  call.outcomeBefore = moreSevere(call.outcomeBefore, outcome)
}

/**
 * Takes the tokens of a retry from the budget, counts the retry and records the outcome of the failed attempt. Returns
 * the pause before the retry, in milliseconds. Changes nothing and returns `undefined` in these cases:
 * - The retry would come after the deadline.
 * - The Retry-After is above 60 s.
 * - The budget has too few tokens.
 */
export function takeRetry(
  { options, budget }: CallContext,
  call: Call,
  { kind, outcome, retryAfterMs, retryCost }: AttemptFailure,
): number | undefined {
  const pause = pauseMs(call.retries + 1, options.random(), retryAfterMs)
  if (pause >= call.deadline.remainingMs || !budget.take(retryCost)) return undefined
  call.retries += 1
  call.budgetTaken += retryCost
  recordOutcome(call, outcome)
  // After a 429, the rate limiter pauses the call.
  return kind === 'rate-limited' ? 0 : pause
}

/** Returns the action after a failed attempt of this call. */
export function retryAction(call: Call, { kind: failure }: AttemptFailure): RetryAction {
  const { reconciler, retries } = call
  const { maxRetries } = call.request
  const { retry, reconcile } = call.endpoint
  return decideRetry({ retry, reconcile: reconciler && reconcile, failure, retries, maxRetries })
}

/** Request that may or may not have been carried out. */
export interface LostRequest extends GivenCall {
  readonly kind: FailureKind
  /** Creates the error to throw when the outcome remains unknown, from the present state of the call. */
  readonly toPublic: () => Error
  readonly attempts: number
  /** Time of the first request whose response was lost, by the server clock, in milliseconds. */
  readonly startedAt: () => number
}

/** Data of a request that was carried out, or `'repeat'` when the request may be sent again. */
export type Reconciled = { readonly data: unknown } | 'repeat'

/** Looks up whether a lost request was carried out. Throws when the outcome remains unknown. */
export type Reconciler = (lost: LostRequest) => Promise<Reconciled>

/**
 * Looks up the effect of a request whose response was lost. Returns its data if the request was carried out. Otherwise
 * pauses and returns `'repeat'`, or throws `failure` if no further retry is permitted. If the effect remains unknown,
 * throws the error of the reconciler.
 */
export async function reconcile(
  context: CallContext,
  call: Call,
  reconciler: Reconciler,
  failure: AttemptFailure,
): Promise<WithResponse<unknown> | 'repeat'> {
  const { endpoint, input, options, request, sends } = call
  call.lostAt ??= call.sentAt
  const lostAt = call.lostAt ?? context.serverClock.moment()
  const reconciled = await reconciler({
    input,
    options,
    kind: failure.kind,
    toPublic: failure.toPublic,
    attempts: sends,
    startedAt: () => context.serverClock.at(lostAt),
  })
  if (reconciled !== 'repeat') {
    const found = endpoint.reconcile === 'order' ? 'the order was found' : 'the request had been carried out'
    context.logger.warn(`pathology-sdk: the response to ${endpoint.id} was lost; ${found}`)
    call.isRecovered = true
    context.budget.succeeded(call.budgetTaken)
    const response = { status: failure.status ?? 200, headers: {}, requestId: undefined, attempts: sends }
    return { data: reconciled.data, response }
  }
  const isFinal = failure.kind === 'done-before' || call.retries >= request.maxRetries
  const pause = isFinal ? undefined : takeRetry(context, call, failure)
  if (pause === undefined) throw failure
  await call.deadline.sleep(pause)
  return 'repeat'
}

/** Base name of the diagnostics channels: `tracing:pathology-sdk:request:start`, `:asyncEnd` and `:error`. */
export const DIAGNOSTICS_CHANNEL = 'pathology-sdk:request'

/** Diagnostics event of one call. It does not contain personal data or identifiers. */
export interface RequestEvent {
  /** Name of the operation, such as `referrals.create`. */
  readonly operation: string
  /** HTTP method. */
  readonly method: string
  /** Path template. */
  readonly path: string
  /**
   * HTTP status; missing at the start of the call, and for an error without a `status`. If `recovered` is `true`:
   * status of the failed response, or 200 if no complete response arrived.
   */
  status?: number
  /** Number of attempts to send the request; missing at the start of the call. */
  attempts?: number
  /** Duration of the call, in milliseconds; missing at the start of the call. */
  duration?: number
  /** `success`, or the name of the error class; missing at the start of the call. */
  outcome?: string
  /** Code of a `PathologyError`; missing without an error, and for an error without a code. */
  errorCode?: string
  /** `true` when the response was lost and the request was found to be carried out. */
  recovered?: boolean
}

/** Publishes the start and the end of calls on the diagnostics channel. */
export class Diagnostics {
  readonly #clock: Clock
  readonly #start = channel(`tracing:${DIAGNOSTICS_CHANNEL}:start`)
  readonly #end = channel(`tracing:${DIAGNOSTICS_CHANNEL}:asyncEnd`)
  readonly #error = channel(`tracing:${DIAGNOSTICS_CHANNEL}:error`)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `true` when the channel has subscribers. */
  get isFollowed(): boolean {
    return this.#start.hasSubscribers || this.#end.hasSubscribers || this.#error.hasSubscribers
  }

  /** Runs a call with the `AsyncLocalStorage` values that subscribers set, and publishes its start and its end. */
  trace(call: Call, run: () => Promise<WithResponse<unknown>>): Promise<WithResponse<unknown>> {
    const { endpoint } = call
    const event: RequestEvent = { operation: endpoint.id, method: endpoint.method, path: endpoint.path }
    const startedAt = this.#clock.monotonic()
    const finish = (facts: Partial<RequestEvent>): RequestEvent =>
      Object.assign(event, facts, { attempts: call.sends, duration: this.#clock.monotonic() - startedAt })
    return this.#start.runStores(event, async () => {
      try {
        const result = await run()
        const recovered = call.isRecovered ? { recovered: true } : {}
        this.#end.publish(finish({ status: result.response.status, outcome: 'success', ...recovered }))
        return result
      } catch (error) {
        this.#error.publish(finish(eventFacts(error)))
        this.#end.publish(event)
        throw error
      }
    })
  }
}

function eventFacts(error: unknown): Partial<RequestEvent> {
  if (!(error instanceof PathologyError))
    return { outcome: error instanceof Error ? safeErrorName(error) : 'Error' }
  const { name, code } = error
  const status: unknown = Reflect.get(error, 'status')
  return {
    outcome: name,
    ...(typeof status === 'number' ? { status } : {}),
    ...(code === undefined ? {} : { errorCode: code }),
  }
}
