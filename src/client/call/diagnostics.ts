import { tracingChannel } from 'node:diagnostics_channel'
import type { Clock } from '../../common/clock.js'
import { PathologyError, safeErrorName } from '../../common/errors.js'
import type { WithResponse } from './api-promise.js'
import type { CallEndpoint } from './raw-request.js'

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

/** What the diagnostics read of a call. */
export interface TracedCall {
  readonly endpoint: CallEndpoint
  /** Number of attempts to send the request. */
  readonly sends: number
  /** `true` when the response was lost and the request was found to be carried out. */
  readonly isRecovered: boolean
}

/** Publishes the start and the end of calls on the diagnostics channel. */
export class Diagnostics {
  readonly #clock: Clock
  /** Its `hasSubscribers` is missing in some runtimes. */
  readonly channels = tracingChannel<RequestEvent, RequestEvent>(DIAGNOSTICS_CHANNEL)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs a call with the `AsyncLocalStorage` values that subscribers set, and publishes its start and its end. */
  trace(call: TracedCall, run: () => Promise<WithResponse<unknown>>): Promise<WithResponse<unknown>> {
    const { endpoint } = call
    const { start, asyncEnd, error: failed } = this.channels
    const event: RequestEvent = { operation: endpoint.id, method: endpoint.method, path: endpoint.path }
    const startedAt = this.#clock.monotonic()
    const finish = (facts: Partial<RequestEvent>): RequestEvent =>
      Object.assign(event, facts, { attempts: call.sends, duration: this.#clock.monotonic() - startedAt })
    return start.runStores(event, async () => {
      try {
        const result = await run()
        const recovered = call.isRecovered ? { recovered: true } : {}
        asyncEnd.publish(finish({ status: result.response.status, outcome: 'success', ...recovered }))
        return result
      } catch (error) {
        failed.publish(finish(eventFacts(error)))
        asyncEnd.publish(event)
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
