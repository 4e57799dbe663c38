import type { PreparedRequest } from './request.js'

/** Writes the request headers. Headers that do not change are cached for each token. */
export class RequestHeaders {
  readonly #userAgent: string
  #token = ''
  #accept = ''
  #common: string[] = []

  constructor(userAgent: string) {
    this.#userAgent = userAgent
  }

  /** Returns names and values in turn. Requests share the list: do not change it. */
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
