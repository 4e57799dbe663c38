import { INSPECT } from '../../common/inspect.js'
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

/** Brings an answer to its promise, and keeps what came with it for those who ask. */
export class Reply<T> {
  #resolve: ((data: T) => void) | undefined
  #reject: ((error: unknown) => void) | undefined
  #answered: Answered<T> | undefined

  /** Whom to tell. */
  tell(resolve: (data: T) => void, reject: (error: unknown) => void): void {
    this.#resolve = resolve
    this.#reject = reject
  }

  /** Its `response` is asked for by nearly nobody. */
  answer(answered: Answered<T>): void {
    this.#answered = answered
    this.#resolve?.(answered.data)
  }

  refuse(error: unknown): void {
    this.#reject?.(error)
  }

  /** What came with the answer, together with it. */
  with(data: T): Answered<T> {
    if (this.#answered === undefined) throw new Error('nothing was answered')
    return { data, response: this.#answered.response }
  }
}

/**
 * The promise of an answer's content; {@link ApiPromise.withResponse} adds the status and the headers. Node's console
 * and `inspect` show nothing of the content, save where they are told to show any object as it is: `console.dir`.
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #reply: Reply<T>

  static {
    // `await` takes it as it is, where it would wrap a promise of another class; and what `then` makes is a plain one.
    ApiPromise.prototype.constructor = Promise
  }

  constructor(reply: Reply<T>) {
    super((resolve, reject) => reply.tell(resolve, reject))
    this.#reply = reply
  }

  /** The content with the response's status, headers, request id and number of attempts. */
  withResponse(): Promise<Answered<T>> {
    return this.then((data) => this.#reply.with(data))
  }

  /** That of any promise; the reason is `unknown`, where the platform's types say `any`. */
  override catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return super.catch(onRejected)
  }

  /** @internal Nothing of the content: a promise of it may be logged by mistake. */
  [INSPECT](): string {
    return 'ApiPromise {}'
  }

  /** The same promise with its content changed on the way. */
  map<U>(change: (data: T) => U | Promise<U>): ApiPromise<U> {
    return promiseOf(
      this.withResponse().then(async ({ data, response }) => ({ data: await change(data), response })),
    )
  }
}

/** The promise of the content of an answer. */
export function promiseOf<T>(answered: Promise<Answered<T>>): ApiPromise<T> {
  const reply = new Reply<T>()
  const promise = new ApiPromise(reply)
  answered.then(
    (answer) => reply.answer(answer),
    (error: unknown) => reply.refuse(error),
  )
  return promise
}
