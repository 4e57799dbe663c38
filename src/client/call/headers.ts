import type { PreparedRequest } from './request.js'

/** Writes the headers of requests. What stays the same from call to call is put together once a token. */
export class RequestHeaders {
  readonly #userAgent: string
  #token = ''
  #accept = ''
  #common: string[] = []

  constructor(userAgent: string) {
    this.#userAgent = userAgent
  }

  /** Names and values in turn; not to be changed, for other requests have the same list. */
  of(token: string, { accept, body, extraHeaders }: PreparedRequest): string[] {
    if (token !== this.#token || accept !== this.#accept) this.#prepare(token, accept)
    if (body === undefined && extraHeaders.length === 0) return this.#common
    const type = body === undefined ? [] : ['content-type', 'application/json']
    return [...this.#common, ...type, ...extraHeaders]
  }

  #prepare(token: string, accept: string): void {
    this.#token = token
    this.#accept = accept
    this.#common = [
      'authorization',
      `Bearer ${token}`,
      'accept',
      accept,
      'accept-encoding',
      'identity',
      'user-agent',
      this.#userAgent,
    ]
  }
}
