import { channel } from 'node:diagnostics_channel'
import type { Clock } from '../../common/clock.js'
import { PathologyError } from '../../common/errors.js'
import type { Endpoint } from '../../contract/endpoint.js'

/** The base name of the channels: `tracing:pathology-sdk:request:start`, `:asyncEnd` and `:error` (§8). */
export const REQUEST_CHANNEL = 'pathology-sdk:request'

/** One call as diagnostics see it. Nothing personal and no identifier is in it. */
export interface RequestEvent {
  /** Such as `referrals.create`. */
  readonly operation: string
  /** The HTTP method. */
  readonly method: string
  /** The path's template. */
  readonly path: string
  /** The HTTP status, when there was an answer. */
  status?: number
  /** How many times the request was tried. */
  attempts?: number
  /** Milliseconds from start to end. */
  duration?: number
  /** `success`, or the name of the error class. */
  outcome?: string
  /** The error's stable code. */
  errorCode?: string
  /** `true` where the answer was lost, and the request was then found to have been carried out. */
  recovered?: boolean
}

/** Tells subscribers of the channel how calls go; costs nothing while there are none. */
export class Diagnostics {
  readonly #clock: Clock
  readonly #start = channel(`tracing:${REQUEST_CHANNEL}:start`)
  readonly #end = channel(`tracing:${REQUEST_CHANNEL}:asyncEnd`)
  readonly #error = channel(`tracing:${REQUEST_CHANNEL}:error`)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether anybody listens. */
  get isFollowed(): boolean {
    return this.#start.hasSubscribers || this.#end.hasSubscribers || this.#error.hasSubscribers
  }

  /** Runs a call, in the stores that are bound to the start. It is to tell how it went. */
  follow(endpoint: Endpoint, run: (trace: CallTrace) => void): void {
    const event: RequestEvent = { operation: endpoint.id, method: endpoint.method, path: endpoint.path }
    this.#start.runStores(event, () => run(this.#trace(event)))
  }

  #trace(event: RequestEvent): CallTrace {
    const startedAt = this.#clock.monotonic()
    const finish = (facts: Partial<RequestEvent>): RequestEvent =>
      Object.assign(event, facts, { duration: this.#clock.monotonic() - startedAt })
    return {
      succeeded: (status, attempts, recovered) =>
        this.#end.publish(finish({ status, attempts, outcome: 'success', ...(recovered && { recovered }) })),
      failed: (error, attempts) => {
        this.#error.publish(finish({ ...errorFacts(error), attempts }))
        this.#end.publish(event)
      },
    }
  }
}

/** Follows one call to its end. */
export interface CallTrace {
  succeeded(status: number, attempts: number, recovered: boolean): void
  failed(error: unknown, attempts: number): void
}

function errorFacts(error: unknown): Partial<RequestEvent> {
  if (!(error instanceof PathologyError)) return { outcome: error instanceof Error ? error.name : 'Error' }
  const status = 'status' in error && typeof error.status === 'number' ? { status: error.status } : {}
  return { outcome: error.name, ...status, ...(error.code === undefined ? {} : { errorCode: error.code }) }
}
