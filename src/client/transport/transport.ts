import type { Deadline } from '../core/deadline.js'

/** One HTTP request. */
export interface TransportRequest {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Alternating names and values. Requests share this list: do not change it. */
  readonly headers: string[]
  readonly body: string | undefined
  readonly deadline: Deadline
  /** Maximum size of the response body, both as received and as decoded, in bytes. */
  readonly maxBytes: number
  /** Checked after the wait for a connection: `true` when the request must not be sent now. */
  readonly isHeldBack?: (() => boolean) | undefined
  /** Checked when the first byte is about to leave: `true` when the request must not be sent any more. */
  readonly isStale?: (() => boolean) | undefined
  /** `true` when a dispatcher's interceptor must not start the request a second time. */
  readonly isSentOnce?: boolean | undefined
}

/** Response headers, with names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Response with its complete body. */
export interface TransportResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: string
}

/** Response with a body to read. */
export interface StreamedResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: AsyncIterable<Uint8Array>
  /** Releases the connection without reading the rest. */
  discard(): void
}

/** Sends requests and reads responses, complete or as a stream. Failures are `TransportFailure`s. */
export interface Transport {
  /** Loads all modules that requests may need. */
  load(): Promise<unknown>
  send(request: TransportRequest): Promise<TransportResponse>
  open(request: TransportRequest): Promise<StreamedResponse>
  /** Closes the transport's own connections and drops open requests. Called when all calls have ended. */
  close(): Promise<void>
}

/** The request was not sent, because `isHeldBack` or `isStale` returned `true`. */
export class HeldBack extends Error {}
