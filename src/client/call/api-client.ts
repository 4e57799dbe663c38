import type { Endpoint } from '../../contract/endpoint.js'
import type { ResponseType } from '../../contract/types.js'
import { checkedSignal, Deadline } from '../core/deadline.js'
import { ApiPromise, type WithResponse } from './api-promise.js'
import type { Call, CallContext, Reconciler } from './call.js'
import type { CallEndpoint, RawRequest } from './raw-request.js'
import { type CallInput, prepare, takeInput } from './request.js'
import type { RequestOptions } from './request-options.js'
import type { ListPage } from './response.js'
import { run } from './run.js'

export type { CallContext, LostRequest, Reconciled, Reconciler } from './call.js'

/** Type of the data that an endpoint returns. */
export type ResponseOf<E extends CallEndpoint> = E extends Endpoint
  ? E['response'] extends { readonly kind: 'list' }
    ? ListPage
    : ResponseType<E['response']['schema']>
  : unknown

/** Makes the calls of a client: checks the input, sends the request and returns the typed data. */
export class ApiClient {
  readonly context: CallContext
  /**
   * Makes the further calls of an operation that has started, such as the lookup of a lost request. The client's own
   * `ApiClient` rejects calls after `close()`. An inner `ApiClient` accepts such calls.
   */
  readonly inner: ApiClient
  readonly #isInner: boolean

  constructor(context: CallContext, isInner = false) {
    this.context = context
    this.inner = isInner ? this : new ApiClient(context, true)
    this.#isInner = isInner
  }

  /**
   * Calls an endpoint. The input is checked before anything is sent.
   *
   * @param input - Input, or a function that returns it. An error of the function rejects the call.
   * @param reconciler - Looks up whether a lost request was carried out, for endpoints that support it. The request is
   * sent when it is loaded.
   */
  call<E extends Endpoint>(
    endpoint: E,
    input: CallInput | (() => CallInput) = {},
    options?: RequestOptions,
    reconciler?: Reconciler | Promise<Reconciler>,
  ): ApiPromise<ResponseOf<E>> {
    return new ApiPromise(this.respond(endpoint, input, options, reconciler))
  }

  /**
   * Sends a raw request. No schema checks its query or body.
   *
   * @param given - Returns the request. An error of this function rejects the call.
   */
  raw(given: () => RawRequest, options?: RequestOptions): ApiPromise<unknown> {
    const call = async (): Promise<WithResponse<unknown>> => {
      const { endpoint, input } = given()
      return this.respond(endpoint, input, options)
    }
    return new ApiPromise(call())
  }

  /** Makes a call as {@link call} does, and returns its data with the HTTP response. */
  async respond<E extends CallEndpoint>(
    endpoint: E,
    input: CallInput | (() => CallInput),
    options: RequestOptions | undefined,
    lookUp?: Reconciler | Promise<Reconciler>,
  ): Promise<WithResponse<ResponseOf<E>>> {
    const { context } = this
    const { inFlight, diagnostics, schemas } = context
    inFlight.start(endpoint.id, this.#isInner)
    try {
      // The input is copied now, because the caller may change its objects later.
      const given = takeInput(endpoint, typeof input === 'function' ? input() : input, options)
      const signal = given.options.signal === undefined ? undefined : checkedSignal(given.options.signal)
      if (signal?.aborted === true) throw signal.reason
      // Waits only if the schemas are not loaded yet. The time limit of the call starts after this wait.
      const checks = given.needsChecks ? (schemas.value ?? (await schemas.load())) : undefined
      const request = prepare(endpoint, given, context.options, checks)
      const reconciler = lookUp && (await lookUp)
      const deadline = new Deadline(context.options.clock, request.remainingMs, signal)
      const call: Call = {
        endpoint,
        given,
        request,
        reconciler,
        retry: endpoint.retry,
        reconcile: reconciler && endpoint.reconcile,
        maxRetries: request.maxRetries,
        deadline,
        isPaced: true,
        retries: 0,
        replays: 0,
        budgetTaken: 0,
        outcomeBefore: 'not-sent',
        token: '',
        turn: 0,
        sends: 0,
        sentAt: undefined,
        lostAt: undefined,
        isRecovered: false,
      }
      const response = await (diagnostics.channels.hasSubscribers === false
        ? run(context, call)
        : diagnostics.trace(call, () => run(context, call)))
      // The contract defines this type. A response may differ from it. `strict` validation rejects most such responses,
      // but never the response to an order.
      return response as WithResponse<ResponseOf<E>>
    } finally {
      inFlight.end()
    }
  }

  /** Checks the input of a call and sends nothing. */
  async check(endpoint: Endpoint, input: CallInput, options: RequestOptions | undefined): Promise<void> {
    const given = takeInput(endpoint, input, options)
    prepare(endpoint, given, this.context.options, await this.context.schemas.load())
  }

  /**
   * Runs several calls as one operation. The operation is rejected if the client is closed. A later `close()` does not
   * interrupt the operation.
   *
   * @param operation - Name of the operation in errors.
   * @param runAll - Makes the calls with the given `ApiClient`.
   */
  async composite<T>(operation: string, runAll: (inner: ApiClient) => Promise<T>): Promise<T> {
    const { inFlight } = this.context
    inFlight.start(operation)
    try {
      return await runAll(this.inner)
    } finally {
      inFlight.end()
    }
  }
}
