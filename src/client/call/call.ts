import type { Moment, ServerClock } from '../../common/clock.js'
import type { Lazy } from '../../common/lazy-import.js'
import type { ProgressReporter, SafeLogger } from '../../common/logger.js'
import type { TokenManager } from '../auth/token-manager.js'
import type { RateLimiter } from '../core/rate-limiter.js'
import type { Attempts, RetryBudget } from '../core/retry.js'
import type { FailureKind } from '../core/retry-policy.js'
import { clientClosed } from '../errors/error-texts.js'
import type { Transport } from '../transport/transport.js'
import type { Diagnostics } from './diagnostics.js'
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
  readonly diagnostics: Diagnostics
  readonly progress: ProgressReporter
  readonly logger: SafeLogger
}

/** One call: its input, its checked request and its state. */
export interface Call extends Attempts {
  readonly endpoint: CallEndpoint
  readonly given: GivenCall
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

/** Counts the calls in flight, for which `close()` waits. */
export class InFlightCalls {
  #count = 0
  #isClosed = false
  readonly #waiting: (() => void)[] = []

  /**
   * Counts an operation until `end`. After `close()`, throws a {@link ConnectionError} with the reason `closed`, unless
   * the operation is a part of one that started before.
   */
  start(operation: string, isPart = false): void {
    if (this.#isClosed && !isPart) throw clientClosed(operation)
    this.#count += 1
  }

  end(): void {
    this.#count -= 1
    if (this.#count === 0) for (const resolve of this.#waiting) resolve()
  }

  /** Rejects new operations, and resolves when none is in flight. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
