import type { Dispatcher } from 'undici'
import type { Clock } from '../common/clock.js'
import type { Logger } from '../common/logger.js'
import type { ApiVersion } from '../contract/versions.js'
import type { TokenLock, TokenStore } from './auth/token-store.js'
import type { ResponseValidation } from './call/response.js'
import type { OrderLedger } from './ledger/order-ledger.js'
import type { FetchLike } from './transport/fetch.js'

/** Options of a client: those that most programs set, then the others. Some defaults come from the environment. */
export interface ClientOptions {
  // Daily.

  /**
   * Base URL of the API, without `/v1`; a path prefix is kept. https, or http on a loopback address.
   * @defaultValue `process.env.PATHOLOGY_BASE_URL`
   */
  readonly baseUrl?: string | undefined
  /**
   * Base URL of the token service, without `/oauth/token`. https, or http on a loopback address.
   * @defaultValue `process.env.PATHOLOGY_AUTH_URL`
   */
  readonly authUrl?: string | undefined
  /**
   * ID of your credentials, which are valid in one environment.
   * @defaultValue `process.env.PATHOLOGY_CLIENT_ID`
   */
  readonly clientId?: string | undefined
  /**
   * Secret of your credentials.
   * @defaultValue `process.env.PATHOLOGY_CLIENT_SECRET`
   */
  readonly clientSecret?: string | undefined
  /**
   * Time limit of a call in milliseconds: waiting in queues, the token, connecting, all attempts and reading
   * the response. In a list, the limit applies to each page. `waitFor` has a `timeout` of its own.
   * @defaultValue 30,000; 120,000 for an order, for `findByOrderKey` and for a PDF download. An order can take more
   * than ten seconds
   */
  readonly timeout?: number | undefined
  /**
   * Maximum number of retries of a call. The client retries only when a repeat is safe. 0 means none, also after a 429.
   * - A repetition with a new token after a 401 does not count.
   * - A request that could have an effect twice, such as an order, is repeated at most twice after a 429.
   * - Token requests have their own retries, at most two.
   * @defaultValue 2
   */
  readonly maxRetries?: number | undefined
  /**
   * Record of orders with your own `orderKey`: `postgresOrderLedger`, `redisOrderLedger` or your own. Processes that
   * share a ledger place each order only once, except with `resendAfter`.
   * @defaultValue the memory of this client
   */
  readonly orderLedger?: OrderLedger | undefined
  /** Logger for warnings; console, pino and winston are suitable. Patients' details are never logged. Default: none. */
  readonly logger?: Logger | undefined
  /** Name, version and URL of your application, in the User-Agent header. */
  readonly appInfo?:
    | {
        /** Name of the application. At least one character, as `version` and `url`; all printable ASCII. */
        readonly name: string
        /** Version of the application. */
        readonly version?: string | undefined
        /** URL of a page about the application. */
        readonly url?: string | undefined
      }
    | undefined
  /**
   * Proxy for the API, the token service and documents. The value is the proxy's URL, or `'env'` for the variables
   * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. The URL may contain a user name and a password. A variable in lower
   * case, such as `https_proxy`, has priority. Without `HTTPS_PROXY`, `HTTP_PROXY` also applies to https. Not together
   * with `dispatcher` or `fetch`.
   * @defaultValue no proxy, even if the environment names one. The client then warns of an unused `HTTPS_PROXY`
   */
  readonly proxy?: 'env' | URL | string | undefined

  // Advanced: the defaults are right for most programs.

  /**
   * API version in the Accept header of each call.
   * @defaultValue `'1.1.0'`
   */
  readonly apiVersion?: ApiVersion | undefined
  /**
   * Client authentication at the token service: a Basic header, or form fields. A `clientId` with a colon requires
   * `'body'`.
   * @defaultValue `'basic'`
   */
  readonly clientAuthentication?: 'basic' | 'body' | undefined
  /**
   * Time to look up an order whose response was lost, in milliseconds, in addition to `timeout`. If the order is not
   * found in this time, the call throws `OrderOutcomeUnknownError`. The last lookup may take up to ten seconds more.
   * @defaultValue 20,000
   */
  readonly orderRecoveryTimeout?: number | undefined
  /**
   * Time in milliseconds after which a repeated `create` sends an order again. The order must have an unknown outcome,
   * and the service must not list it. The time starts with the last request. Use this option with your own `orderKey`
   * if every order must be placed in the end. At least the `timeout` of an order plus 60,000, because the service may
   * still place the order until then. If the service lists the first order only after the second request, the order was
   * placed twice. A call sends and retries the order for at most `resendAfter` minus 60,000 milliseconds, even if the
   * call's `timeout` is longer.
   * @defaultValue never: `create` throws `OrderOutcomeUnknownError` until the order appears or you call
   * `orderLedger.resolve`
   */
  readonly resendAfter?: number | undefined
  /**
   * Handling of responses that differ from the documented shape: `warn` logs each difference once, `strict` throws,
   * `off` does not check. Without a `logger`, only the first difference is shown, as a process warning. New fields,
   * enum values and event names do not count as differences. A response without the expected object or list is an error
   * with each setting.
   *
   * `strict` never throws for the response to an order, or for the list in which a lost order is looked up. The client
   * logs the differences of these responses instead, so that no order is lost because of a field. With `warn` and
   * `strict`, the client also logs a record with another identifier than the requested one.
   * @defaultValue `'warn'`
   */
  readonly responseValidation?: ResponseValidation | undefined
  /**
   * Store for tokens that several processes share: `redisTokenStore`, `postgresTokenStore` or a Keyv instance with an
   * adapter for a database. Without `tokenLock`, only access tokens are stored.
   * @defaultValue the memory of this client
   */
  readonly tokenStore?: TokenStore | undefined
  /**
   * Lock that lets only one process at a time request tokens for the same `tokenStore`, so that the processes share one
   * refresh token: `redisTokenLock` or `postgresTokenLock`. Requires `tokenStore`.
   * @defaultValue no lock: each process that finds no access token requests one with the credentials
   */
  readonly tokenLock?: TokenLock | undefined
  /**
   * Maximum number of connections to one host; further calls wait within their time limit. PDFs have connections of
   * their own, with the same limit. Not used with `dispatcher` or `fetch`, which limit concurrent requests themselves.
   * @defaultValue 128
   */
  readonly maxSockets?: number | undefined
  /**
   * Maximum size of a request body, in bytes.
   * @defaultValue 1 MiB
   */
  readonly maxRequestBytes?: number | undefined
  /**
   * Maximum size of a response of the API, in bytes, both as received and as decoded.
   * @defaultValue 10 MiB; 64 MiB for a page of a list and for `client.request`
   */
  readonly maxResponseBytes?: number | undefined
  /**
   * Maximum size of a PDF, in bytes.
   * @defaultValue 32 MiB
   */
  readonly maxDocumentBytes?: number | undefined
  /**
   * Hosts with private names or private addresses from which PDFs may be downloaded, such as storage behind a private
   * endpoint. Exact names, without a port. The client rejects any other name that resolves to a private address, except
   * with `proxy`, `dispatcher` or `fetch`.
   * @defaultValue `[]`: public hosts only; with a `baseUrl` on a loopback address, loopback addresses too
   */
  readonly documentHosts?: readonly string[] | undefined
  /**
   * undici dispatcher for all requests, for example for mutual TLS, or for the fake of `pathology-sdk/testing`.
   * The client calls only `dispatch`, and never closes the dispatcher. Not together with `fetch` or `proxy`.
   */
  readonly dispatcher?: Dispatcher | undefined
  /**
   * `fetch` function for all requests in place of undici: for MSW and other runtimes. Not together with `dispatcher` or
   * `proxy`.
   */
  readonly fetch?: FetchLike | undefined
  /** Clock and timers for tests, for example to shorten pauses. Independent of the clock of `pathology-sdk/testing`. */
  readonly clock?: Clock | undefined
  /** Random numbers from 0 up to, but not including, 1, for tests. */
  readonly random?: (() => number) | undefined
}
