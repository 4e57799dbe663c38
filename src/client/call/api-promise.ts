import { ignore } from '../../common/ignore.js'
import type { WireHeaders } from '../wire/transport.js'

/** What came with an answer. */
export interface ResponseInfo {
  /** The HTTP status. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: WireHeaders
  /** The service's id of the request, when it gave one. */
  readonly requestId: string | undefined
  /** How many times the request was sent. */
  readonly attempts: number
}

/** An answer's content together with its status and headers. */
export interface Answered<T> {
  /** The answer's content. */
  readonly data: T
  /** Its status, headers, request id and number of attempts. */
  readonly response: ResponseInfo
}

/** The promise of an answer's content; {@link ApiPromise.withResponse} adds the status and the headers. */
export class ApiPromise<T> extends Promise<T> {
  readonly #answered: Promise<Answered<T>>

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  constructor(answered: Promise<Answered<T>>) {
    // This promise itself never settles: `then` is answered by the other one, so that a rejection is seen once.
    super(ignore)
    this.#answered = answered
  }

  /** The content with the response's status, headers, request id and number of attempts. */
  withResponse(): Promise<Answered<T>> {
    return this.#answered
  }

  /** The same promise with its content changed on the way. */
  map<U>(change: (data: T) => U | Promise<U>): ApiPromise<U> {
    return new ApiPromise(
      this.#answered.then(async ({ data, response }) => ({ data: await change(data), response })),
    )
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has one
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    // Without a handler the content itself is passed on, which then is what the caller asked for.
    const pass = onFulfilled ?? ((data: T) => data as unknown as A)
    return this.#answered.then(({ data }) => pass(data), onRejected)
  }

  override catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected)
  }

  override finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally)
  }
}
