import type { SafeLogger } from '../../common/logger.js'
import type { Endpoint } from '../../contract/endpoint.js'
import type { TokenManager } from '../auth/token-manager.js'
import type { SharedSignals } from '../core/abort.js'
import type { AttemptFailure } from '../core/attempt-failure.js'
import type { Deadline } from '../core/deadline.js'
import type { InFlight } from '../core/in-flight.js'
import type { ProgressReporter } from '../core/progress.js'
import type { RateLimitPause, Turn } from '../core/rate-limit-pause.js'
import type { RetryBudget } from '../core/retry.js'
import type { Semaphore } from '../core/semaphore.js'
import type { Moment, ServerClock } from '../core/server-clock.js'
import type { Transport } from '../transport/transport.js'
import type { Diagnostics } from './diagnostics.js'
import type { CallFailures } from './failures.js'
import type { GivenCall, PreparedRequest, RequestHeaders } from './request.js'
import type { RequestChecker } from './request-checker.js'
import type { ResolvedOptions } from './request-options.js'
import type { ResponseReader } from './response.js'

/** Objects that all calls of a client share. */
export interface CallContext {
  readonly options: ResolvedOptions
  readonly transport: Transport
  readonly tokens: TokenManager
  readonly requests: RequestChecker
  readonly headers: RequestHeaders
  readonly reader: ResponseReader
  readonly budget: RetryBudget
  readonly rateLimitPause: RateLimitPause
  readonly permits: Semaphore
  readonly inFlight: InFlight
  readonly serverClock: ServerClock
  readonly signals: SharedSignals
  readonly diagnostics: Diagnostics
  readonly progress: ProgressReporter
  readonly logger: SafeLogger
}

/** One call: its checked request and its state. */
export interface Call {
  readonly endpoint: Endpoint
  readonly given: GivenCall
  readonly request: PreparedRequest
  readonly deadline: Deadline
  readonly failures: CallFailures
  /** Looks up whether a lost request was carried out. */
  readonly reconciler: Reconciler | undefined
  /** Time of the last sending; only for a call with a reconciler. */
  sentAt: Moment | undefined
  /** Time of the first sending whose response was lost. */
  lostAt: Moment | undefined
  /** Turn in which the request is sent. */
  turn: Turn
  /** Number of times the request was sent. */
  sends: number
  retries: number
  /** Tokens of the retry budget that the retries took. */
  budgetTaken: number
  /** `true` when the request was sent again with a new token after a 401. */
  isReplayed: boolean
  /** `true` when the response was lost and the request was found to be carried out. */
  isRecovered: boolean
}

/** Request that may or may not have been carried out. */
export interface LostRequest extends GivenCall {
  /** Error to throw when the outcome remains unknown. */
  readonly error: Error
  readonly attempts: number
  /** Time of the first sending whose response was lost, by the server clock, in milliseconds. */
  readonly startedAt: () => number
}

/** Data of a request that was carried out, or `'repeat'` when it may be sent again. */
export type Reconciled = { readonly data: unknown } | 'repeat'

/** Looks up whether a lost request was carried out. Throws when the outcome remains unknown. */
export type Reconciler = (lost: LostRequest) => Promise<Reconciled>

/** Records a failure after which another attempt follows. */
export function recordRetry(call: Call, failure: AttemptFailure): void {
  call.retries += 1
  call.budgetTaken += failure.retryCost
  call.failures.recordFailure(failure)
}
