import type { Dispatcher } from 'undici'

import type { Clock } from '../common/clock.js'
import type { Logger } from '../common/logger.js'
import type { ApiVersion } from '../contract/versions.js'
import type { TokenLock } from './auth/token-lock.js'
import type { TokenStore } from './auth/token-store.js'
import type { ResponseValidation } from './call/response.js'
import type { FetchLike } from './transport/fetch.js'

/** How to set up a client. A default is read from the environment where one is named. */
export interface ClientOptions {
  /**
   * Where the API is, without `/v1`; a path prefix is kept. https, or http on a loopback address.
   * @defaultValue `process.env.PATHOLOGY_BASE_URL`
   */
  readonly baseUrl?: string | undefined
  /**
   * Where tokens are got, without `/oauth/token` (§5).
   * @defaultValue `process.env.PATHOLOGY_AUTH_URL`
   */
  readonly authUrl?: string | undefined
  /**
   * The id of your credentials, which are of one environment (§5).
   * @defaultValue `process.env.PATHOLOGY_CLIENT_ID`
   */
  readonly clientId?: string | undefined
  /**
   * The secret of your credentials (§5).
   * @defaultValue `process.env.PATHOLOGY_CLIENT_SECRET`
   */
  readonly clientSecret?: string | undefined
  /**
   * The API version asked for with the Accept header of every call (§9).
   * @defaultValue `'1.1.0'`
   */
  readonly apiVersion?: ApiVersion | undefined
  /**
   * How the client proves itself to the token service: a Basic header or form fields (§5).
   * @defaultValue `'basic'`
   */
  readonly clientAuthentication?: 'basic' | 'body' | undefined
  /**
   * Milliseconds a call may take in all: queueing, token, connecting, every attempt, the answer's body.
   * @defaultValue 30,000; placing an order 120,000, because it can take more than ten seconds (§4.1)
   */
  readonly timeout?: number | undefined
  /**
   * Retries after the first attempt, where a repeat is harmless. 0 means none. A 429 does not count while the service
   * accepts other calls, except for an order.
   * @defaultValue 2
   */
  readonly maxRetries?: number | undefined
  /**
   * Calls at work at the same time; further ones wait their turn within their time limit.
   * @defaultValue no limit
   */
  readonly maxConcurrency?: number | undefined
  /**
   * Calls that may wait for their turn: for `maxConcurrency`, or for one of `maxSockets` connections. A call beyond them
   * fails at once, with a `ConnectionError` with reason `queue-full`, and sends nothing. 0 means that none waits.
   * @defaultValue 10,000
   */
  readonly maxQueue?: number | undefined
  /**
   * Connections the client's own wire opens to one host. Not used with `dispatcher` or `fetch`.
   * @defaultValue 128
   */
  readonly maxSockets?: number | undefined
  /**
   * Bytes of the largest request body.
   * @defaultValue 1 MiB
   */
  readonly maxRequestBytes?: number | undefined
  /**
   * Bytes of the largest answer, decoded.
   * @defaultValue 10 MiB; a page of a list 64 MiB
   */
  readonly maxResponseBytes?: number | undefined
  /**
   * Bytes of the largest PDF.
   * @defaultValue 32 MiB
   */
  readonly maxDocumentBytes?: number | undefined
  /**
   * Host names from which PDFs may be downloaded although they are private or resolve to private addresses, such as those
   * of a store behind a private endpoint. Exact names, without a port.
   * @defaultValue `[]`: public hosts only
   */
  readonly documentHosts?: readonly string[] | undefined
  /**
   * Milliseconds to look for an order whose answer was lost, before giving up with `OrderOutcomeUnknownError`.
   * @defaultValue 20,000
   */
  readonly orderRecoveryTimeout?: number | undefined
  /**
   * Answers that differ from the contract: reported once per place (`warn`), thrown (`strict`), not looked for (`off`).
   * New fields, enum values and event names are no difference. The answer to an order, and the list in which a
   * lost one is looked for, are reported even where they would be thrown: the order must not be lost over a field.
   * @defaultValue `'warn'`
   */
  readonly responseValidation?: ResponseValidation | undefined
  /**
   * Where tokens are shared between processes, so that a fleet has one at a time. Any Keyv instance fits.
   * @defaultValue this process's memory
   */
  readonly tokenStore?: TokenStore | undefined
  /**
   * Lets the processes that share `tokenStore` take turns at getting tokens, exactly.
   * @defaultValue claims in the store, which nearly always let one process at a time through
   */
  readonly tokenLock?: TokenLock | undefined
  /** An undici Dispatcher to send through: a proxy, mutual TLS, the fake. Only its `dispatch` is called; you close it. */
  readonly dispatcher?: Dispatcher | undefined
  /** A `fetch` function to send through instead of undici: for MSW and other runtimes. */
  readonly fetch?: FetchLike | undefined
  /** Where warnings go; console, pino and winston fit as they are. Nothing personal is ever logged. */
  readonly logger?: Logger | undefined
  /** Names your application in the User-Agent header. */
  readonly appInfo?: AppInfo | undefined
  /**
   * Time and timers, for tests: one on which pauses are quick, for example. It is not the fake's clock, which the client
   * never reads.
   */
  readonly clock?: Clock | undefined
  /** Random numbers from 0 up to 1, for tests. */
  readonly random?: (() => number) | undefined
}

/** Your application, for the User-Agent header. Visible ASCII characters only. */
export interface AppInfo {
  /** The application's name. */
  readonly name: string
  /** The application's version. */
  readonly version?: string | undefined
  /** Where to read about the application. */
  readonly url?: string | undefined
}
