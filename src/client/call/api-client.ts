import type { Endpoint } from '../../contract/endpoint.js'
import type { ResponseType } from '../../contract/types.js'
import { ApiPromise, type WithResponse } from './api-promise.js'
import type { Call, CallContext, Reconciler } from './call.js'
import { CallFailures } from './failures.js'
import type { RequestOptions } from './request-options.js'
import type { ListPage } from './unwrap.js'

export type {
  CallContext,
  LostRequest,
  Reconciled,
  Reconciler,
} from './call.js'

import type { CallerSignal } from '../core/abort.js'
import { Deadline } from '../core/deadline.js'
import { NOT_PACED } from '../core/rate-limit-pause.js'
import { type CallInput, type GivenCall, type PreparedRequest, prepare, takeInput } from './request.js'
import { run } from './run.js'

/** Data type of an endpoint, from its row. */
export type ResponseOf<E extends Endpoint> = E['response'] extends { readonly kind: 'list' }
  ? ListPage
  : ResponseType<E['response']['schema']>

/** Makes the calls of a client: checks the input, sends the request and returns the typed data. */
export class ApiClient {
  readonly context: CallContext
  /**
   * Makes the inner calls of a composite call. They are permitted after `close()` and when the queue is full.
   */
  readonly inner: ApiClient
  readonly #leavePlace: (() => void) | undefined

  /** @param leavePlace - Releases the queue place of the composite call. */
  constructor(parts: CallContext, isInner = false, leavePlace?: () => void) {
    this.context = parts
    this.inner = isInner ? this : new ApiClient(parts, true)
    this.#leavePlace = leavePlace
  }

  /**
   * Calls an endpoint. The input is checked before anything is sent.
   *
   * @param input - Input, or a function that returns it. An error of the function rejects the call.
   * @param reconciler - Looks up whether a lost request was carried out, for endpoints that support it.
   */
  call<E extends Endpoint>(
    endpoint: E,
    input: CallInput | (() => CallInput) = {},
    options: RequestOptions = {},
    reconciler?: Reconciler,
  ): ApiPromise<ResponseOf<E>> {
    // The response was checked against the schema of the endpoint's row.
    const response = this.#call(endpoint, input, options, reconciler) as Promise<WithResponse<ResponseOf<E>>>
    return new ApiPromise(response)
  }

  /**
   * Runs several calls as one operation. It is rejected on a closed client or when the queue is full, and a
   * later `close()` does not interrupt it. It has a place in the queue until its first call, which has its own.
   *
   * @param operation - Name of the operation in errors.
   */
  async composite<T>(operation: string, runAll: (inner: ApiClient) => Promise<T>): Promise<T> {
    this.context.inFlight.refuseIfFull(operation)
    return this.lookup(operation, runAll)
  }

  /**
   * Runs the lookup of an order, which a full queue does not reject: only the lookup shows the outcome of the
   * order.
   */
  async lookup<T>(operation: string, runAll: (inner: ApiClient) => Promise<T>): Promise<T> {
    const { inFlight } = this.context
    inFlight.refuseIfClosed(operation)
    const leavePlace = inFlight.takePlace()
    try {
      return await inFlight.track(() => runAll(new ApiClient(this.context, true, leavePlace)))
    } finally {
      leavePlace()
    }
  }

  /** Checks the input of a call and sends nothing. */
  async check(endpoint: Endpoint, input: CallInput, options: RequestOptions): Promise<void> {
    await prepare(endpoint, takeInput(endpoint, input, options), this.context)
  }

  async #call(
    endpoint: Endpoint,
    input: CallInput | (() => CallInput),
    options: RequestOptions,
    reconciler: Reconciler | undefined,
  ): Promise<WithResponse<unknown>> {
    const { context: parts } = this
    const { inFlight } = parts
    if (this.inner !== this) {
      inFlight.refuseIfClosed(endpoint.id)
      inFlight.refuseIfFull(endpoint.id)
    }
    // Copies the input now: the caller may change its objects later.
    const given = takeInput(endpoint, typeof input === 'function' ? input() : input, options)
    const signal = parts.signals.of(given.call.signal)
    if (signal?.aborted === true) throw signal.reason
    this.#leavePlace?.()
    const leavePlace = inFlight.takePlace()
    const running = inFlight.track(async () => {
      const prepared = prepare(endpoint, given, parts)
      // Without this distinction the deadline would not start within the call.
      const request = prepared instanceof Promise ? await prepared : prepared
      const call = newCall(parts, { endpoint, given, request, signal, reconciler })
      const { diagnostics } = parts
      return diagnostics.isFollowed ? diagnostics.trace(call, () => run(parts, call)) : run(parts, call)
    })
    return running.finally(leavePlace)
  }
}

interface CallFacts {
  readonly endpoint: Endpoint
  readonly given: GivenCall
  readonly request: PreparedRequest
  readonly signal: CallerSignal | undefined
  readonly reconciler: Reconciler | undefined
}

function newCall(parts: CallContext, { endpoint, given, request, signal, reconciler }: CallFacts): Call {
  const { options } = parts
  return {
    endpoint,
    given,
    request,
    deadline: new Deadline(options.clock, request.timeoutMs, signal),
    failures: new CallFailures(endpoint, request, options),
    reconciler,
    sentAt: undefined,
    lostAt: undefined,
    turn: NOT_PACED,
    sends: 0,
    retries: 0,
    budgetTaken: 0,
    isReplayed: false,
    isRecovered: false,
  }
}
