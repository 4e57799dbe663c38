import type { PreparedRequest } from './prepare.js'

/** Writes the headers of requests. What stays the same from call to call is put together once a token. */
export class RequestHeaders {
  readonly #userAgent: string
  #token = ''
  #accept = ''
  #common: readonly string[] = []

  constructor(userAgent: string) {
    this.#userAgent = userAgent
  }

  /** Names and values in turn; the list is the caller's to change. */
  of(token: string, { accept, body, extraHeaders }: PreparedRequest): string[] {
    if (token !== this.#token || accept !== this.#accept) this.#prepare(token, accept)
    const headers = this.#common.slice()
    if (body !== undefined) headers.push('content-type', 'application/json')
    if (extraHeaders.length > 0) headers.push(...extraHeaders)
    return headers
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
