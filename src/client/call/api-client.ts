import type { Endpoint } from '../../contract/endpoint.js'
import type { ResponseType } from '../../contract/types.js'
import { type Answered, ApiPromise } from './api-promise.js'
import type { Call, PipelineParts, Settler } from './call.js'
import { CallFailures } from './failures.js'
import type { RequestOptions } from './request-options.js'
import type { RawPage } from './unwrap.js'

export type { PipelineParts, Settled, Settler, Unsettled } from './call.js'

import type { CallerSignal } from '../core/abort.js'
import { Deadline } from '../core/deadline.js'
import { UNPACED } from '../core/rate-limit-pause.js'
import { type CallInput, type GivenCall, type PreparedRequest, prepare, takeInput } from './request.js'
import { run } from './run.js'

/** Type of an endpoint's data, by its row. */
export type ResponseOf<E extends Endpoint> = E['response'] extends { readonly kind: 'list' }
  ? RawPage
  : ResponseType<E['response']['schema']>

/** Makes the calls of a client: checks the input, sends the request and returns the typed data. */
export class Pipeline {
  readonly parts: PipelineParts
  /** Makes the inner calls of a composite call: they are accepted after `close()`. */
  readonly inner: Pipeline

  constructor(parts: PipelineParts, isInner = false) {
    this.parts = parts
    this.inner = isInner ? this : new Pipeline(parts, true)
  }

  /**
   * Calls an endpoint. The input is checked before anything is sent.
   *
   * @param input - The input, or a function that makes it: what the function throws rejects the call.
   * @param reconciler - Finds out whether a lost request was carried out, for endpoints that have one.
   */
  call<E extends Endpoint>(
    endpoint: E,
    input: CallInput | (() => CallInput) = {},
    options: RequestOptions = {},
    reconciler?: Settler,
  ): ApiPromise<ResponseOf<E>> {
    // The response was checked against the schema that the row names.
    const response = this.#call(endpoint, input, options, reconciler) as Promise<Answered<ResponseOf<E>>>
    return new ApiPromise(response)
  }

  /**
   * Runs an operation of several calls as one: rejected on a closed client, and not interrupted by a later `close()`.
   *
   * @param operation - Name of the operation in the error.
   */
  async whole<T>(operation: string, runAll: (inner: Pipeline) => Promise<T>): Promise<T> {
    const { activity } = this.parts
    activity.refuseIfClosed(operation)
    return activity.hold(() => runAll(this.inner))
  }

  /** Checks the input of a call and sends nothing. */
  async check(endpoint: Endpoint, input: CallInput, options: RequestOptions): Promise<void> {
    await prepare(endpoint, takeInput(endpoint, input, options), this.parts)
  }

  async #call(
    endpoint: Endpoint,
    input: CallInput | (() => CallInput),
    options: RequestOptions,
    reconciler: Settler | undefined,
  ): Promise<Answered<unknown>> {
    const { parts } = this
    if (this.inner !== this) parts.activity.refuseIfClosed(endpoint.id)
    // At the call: the caller may change its objects from now on.
    const given = takeInput(endpoint, typeof input === 'function' ? input() : input, options)
    const signal = parts.signals.of(given.call.signal)
    if (signal?.aborted === true) throw signal.reason
    return parts.activity.hold(async () => {
      const prepared = prepare(endpoint, given, parts)
      // Without this distinction the deadline would not start within the call.
      const request = prepared instanceof Promise ? await prepared : prepared
      const call = newCall(parts, { endpoint, given, request, signal, reconciler })
      const { diagnostics } = parts
      return diagnostics.isFollowed ? diagnostics.trace(call, () => run(parts, call)) : run(parts, call)
    })
  }
}

interface CallFacts {
  readonly endpoint: Endpoint
  readonly given: GivenCall
  readonly request: PreparedRequest
  readonly signal: CallerSignal | undefined
  readonly reconciler: Settler | undefined
}

function newCall(parts: PipelineParts, { endpoint, given, request, signal, reconciler }: CallFacts): Call {
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
    turn: UNPACED,
    sends: 0,
    retries: 0,
    budgetTaken: 0,
    isReplayed: false,
    isRecovered: false,
  }
}
