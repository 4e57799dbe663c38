import { requestId } from '../errors/answer-error.js'
import type { WireHeaders } from '../wire/transport.js'
import type { Answered, ResponseInfo } from './api-promise.js'

/** A content with what came with it: all that a promise keeps of its call. */
export class Received implements Answered<unknown> {
  readonly data: unknown
  readonly status: number
  readonly #headers: WireHeaders
  readonly #attempts: number

  constructor(data: unknown, status: number, headers: WireHeaders, attempts: number) {
    this.data = data
    this.status = status
    this.#headers = headers
    this.#attempts = attempts
  }

  /** Put together when asked for. */
  get response(): ResponseInfo {
    const headers = this.#headers
    return { status: this.status, headers, requestId: requestId(headers), attempts: this.#attempts }
  }
}
