import { INSPECT } from '../../common/errors.js'
import type { ResponseHeaders } from '../transport/transport.js'

/** Metadata of an HTTP response. */
export interface ResponseInfo {
  /**
   * HTTP status code. There are two special cases:
   * - The response was lost, but a lookup showed that the request was carried out. The status is then the status of the
   *   failed response, such as 504. If no complete response arrived, the status is 200.
   * - An earlier call placed the order. The status is then 200.
   */
  readonly status: number
  /** Headers, with names in lower case; empty if the response was lost, or if an earlier call placed the order. */
  readonly headers: ResponseHeaders
  /**
   * Request ID of the service; `undefined` if the response has none, or one that is not safe to show. Also `undefined`
   * if the response was lost, or if an earlier call placed the order.
   */
  readonly requestId: string | undefined
  /**
   * Number of attempts to send the request, including attempts that did not reach the service; 0 if an earlier call
   * placed the order.
   */
  readonly attempts: number
}

/** Data of a call with its HTTP response. */
export interface WithResponse<T> {
  /** Data that the call returns without `withResponse()`. */
  readonly data: T
  /** Status, headers, request ID and number of attempts. */
  readonly response: ResponseInfo
}

/**
 * Promise of a call's data. {@link ApiPromise.withResponse} adds the status and the headers. `console.log` and
 * `util.inspect` do not show the data, unless `customInspect` is `false`, as in `console.dir`.
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #full: Promise<WithResponse<T>>

  static {
    // With this constructor, `then` returns a plain promise, and `await` does not create another promise.
    ApiPromise.prototype.constructor = Promise
  }

  constructor(full: Promise<WithResponse<T>>) {
    super((resolve, reject) => {
      // Two steps: the stack trace of an error has the caller's lines only if `resolve` itself is the handler.
      full.then(({ data }) => data).then(resolve, reject)
    })
    this.#full = full
  }

  /** Returns the data with the response's status, headers, request ID and number of attempts. */
  withResponse(): Promise<WithResponse<T>> {
    return this.then(() => this.#full)
  }

  /** Overrides the type: the reason is `unknown` instead of `any`. */
  override catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return super.catch(onRejected)
  }

  /** @internal Hides the data, because a promise may be logged by mistake. */
  [INSPECT](): string {
    return 'ApiPromise {}'
  }

  /** Returns a promise of the converted data, with the same HTTP response. */
  map<U>(convert: (data: T) => U | Promise<U>): ApiPromise<U> {
    return new ApiPromise(
      this.withResponse().then(async ({ data, response }) => ({ data: await convert(data), response })),
    )
  }
}
