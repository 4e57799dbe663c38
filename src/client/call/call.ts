import type { Moment, ServerClock } from '../../common/clock.js'
import type { Lazy } from '../../common/lazy-import.js'
import type { ProgressReporter, SafeLogger } from '../../common/logger.js'
import type { TokenManager } from '../auth/token-manager.js'
import type { SharedSignals } from '../core/deadline.js'
import type { Attempts } from '../core/decide.js'
import type { RateLimiter } from '../core/rate-limiter.js'
import type { RetryBudget } from '../core/retry-budget.js'
import type { InFlightCalls } from '../core/semaphore.js'
import type { Transport } from '../transport/transport.js'
import type { Diagnostics } from './diagnostics.js'
import type { CallEndpoint } from './raw-request.js'
import type { Reconciler } from './reconcile.js'
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
export interface Call extends GivenCall, Attempts {
  readonly endpoint: CallEndpoint
  readonly request: PreparedRequest
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
  /** Access token of the last request. */
  token: string
  /** `true` when the response was lost and the request was found to be carried out. */
  isRecovered: boolean
}
