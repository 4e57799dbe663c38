import { ServerClock } from '../common/clock.js'
import { INSPECT } from '../common/errors.js'
import { ownOptions } from '../common/known-options.js'
import { Lazy, loaded } from '../common/lazy-import.js'
import { ProgressReporter, SafeLogger } from '../common/logger.js'
import { waitWithin } from '../common/time-limit.js'
import { endpoints } from '../contract/endpoints.js'
import { createTokenManager } from './auth/create-token-manager.js'
import { loadTokenDecoder } from './auth/token-response.js'
import { ApiClient, type CallContext } from './call/api-client.js'
import type { ApiPromise } from './call/api-promise.js'
import { InFlightCalls } from './call/call.js'
import { Diagnostics } from './call/diagnostics.js'
import { type RequestContents, type RequestMethod, rawRequest } from './call/raw-request.js'
import type { RequestOptions } from './call/request-options.js'
import { ResponseReader } from './call/response.js'
import { checkedSignal } from './core/deadline.js'
import { RateLimiter } from './core/rate-limiter.js'
import { RetryBudget } from './core/retry.js'
import { resolveLedgerOptions } from './ledger/ledger-options.js'
import type { ClientOptions } from './options.js'
import { Orders } from './orders/orders.js'
import { OPTION_NAMES, resolveOptions } from './resolve-options.js'
import { Biomarkers, Bundles, Prices, Tests, Vendors } from './resources/catalogue.js'
import { Centres } from './resources/centres.js'
import { loadReconcilers } from './resources/lost-write.js'
import { Providers } from './resources/providers.js'
import { Referrals } from './resources/referrals.js'
import { Results } from './resources/results.js'
import { Webhooks } from './resources/webhooks.js'
import { ignoredProxyHint, mayBePrivate } from './transport/addresses.js'
import { LazyTransport, type Transport } from './transport/transport.js'
import { DispatcherTransport } from './transport/undici.js'

/**
 * Client of the pathology referral and results service. Create one client for each set of credentials, and keep it for
 * the life of the process: the client holds the access token and the connections.
 *
 * ```ts
 * const client = new PathologyClient() // options from the environment
 * const order = await client.referrals.create({ … })
 * ```
 */
export class PathologyClient implements AsyncDisposable {
  /** Orders and their referrals. */
  readonly referrals: Referrals
  /** Laboratory results. */
  readonly results: Results
  /** Tests that can be ordered. */
  readonly tests: Tests
  /** Catalogue of biomarkers. */
  readonly biomarkers: Biomarkers
  /** Bundles of tests. */
  readonly bundles: Bundles
  /** Price calculator. */
  readonly prices: Prices
  /** Medicare provider records and routing. */
  readonly providers: Providers
  /** Laboratory companies. */
  readonly vendors: Vendors
  /** Directory of collection centres. */
  readonly centres: Centres
  /** Webhook subscriptions. */
  readonly webhooks: Webhooks
  readonly #api: ApiClient
  readonly #orders: Orders
  readonly #closing = new AbortController()

  /**
   * Creates a client and sends nothing.
   *
   * @throws {@link ConfigurationError} for a missing or invalid option. The message names the option and its rule.
   */
  constructor(options: ClientOptions = {}) {
    const given = ownOptions('PathologyClient', options, OPTION_NAMES)
    const api = new ApiClient(createContext(given, this.#closing.signal))
    const orders = new Orders(api, resolveLedgerOptions(given, api.context.options))
    this.#api = api
    this.#orders = orders
    this.referrals = new Referrals(api, orders)
    this.results = new Results(api)
    this.tests = new Tests(api)
    this.biomarkers = new Biomarkers(api)
    this.bundles = new Bundles(api)
    this.prices = new Prices(api)
    this.providers = new Providers(api)
    this.vendors = new Vendors(api)
    this.centres = new Centres(api)
    this.webhooks = new Webhooks(api)
  }

  /**
   * Sends a request for which this package has no method, with the client's token, API version, time limit, retries and
   * errors. The fields of the body and of the response are not checked. GET and HEAD are retried. Requests with other
   * methods are sent again only when the first request was not sent, or was rejected with 401 or 429.
   *
   * @param path - Path below the base URL, such as `/v1/results`, without a query.
   * @returns Parsed JSON of the response; `undefined` for an empty body.
   * @throws {@link InvalidRequestError} when the method, path, query or body is invalid, or a GET or HEAD has a body.
   * Also for `POST /v1/referrals`: use `referrals.create`, which protects against a second order.
   *
   * @example
   * ```ts
   * const page = await client.request('GET', '/v1/results', { query: { count: 5 } })
   * ```
   */
  request(
    method: RequestMethod,
    path: string,
    contents: RequestContents = {},
    options?: RequestOptions,
  ): ApiPromise<unknown> {
    return this.#api.raw(() => rawRequest(method, path, contents), options)
  }

  /**
   * Loads all modules, requests an access token and opens a connection, so that the first call does not wait
   * for them. Use it at the start of serverless functions and of long-lived processes. Afterwards the client does not
   * read files of `node_modules`, so a deployment may replace these files.
   *
   * @throws {@link TokenError} when the token service does not issue a token.
   * @throws {@link ConfigurationError} when a module fails to load.
   * @throws The errors of a call, because a request for the names of the webhook events opens the connection.
   */
  async warmUp(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const { signal } = ownOptions('warmUp', options, new Set(['signal']))
    const { tokens, schemas, transport } = this.#api.context
    const checked = checkedSignal(signal)
    signal?.throwIfAborted()
    const load = (): Promise<unknown> => {
      const modules = [
        loaded(loadTokenDecoder()),
        loaded(import('./documents/document.js')),
        loaded(loadReconcilers()),
        loaded(import('./resources/wait-for.js')),
        this.#orders.load(),
      ]
      return Promise.all([tokens.get(), schemas.load(), transport.load(), ...modules])
    }
    await this.#api.composite('client.warmUp', async (inner) => {
      await waitWithin(load(), { signal: checked })
      await inner.call(endpoints.webhooks.eventNames, {}, { signal })
    })
  }

  /**
   * Waits for running calls and downloads, with their retries, token requests and lookups of lost orders, and then
   * closes the client's own connections. Calls that start later are rejected with a `ConnectionError`, reason `closed`
   * and outcome `not-sent`. Further pages of a list, and downloads that have not started, are rejected in the same way.
   * The error of a list has the `cursor` to continue with. A `dispatcher` that you passed stays open.
   *
   * The wait ends with the last call, at the latest at its `timeout`, with these exceptions. The lookup of a lost order
   * can add `orderRecoveryTimeout` and ten seconds, in rare cases twice; a `lookupTimeout` adds its own time and ten
   * seconds. For any other lost write, each request of the lookup can add the `timeout` of the call once more. An
   * `orderLedger` that fails or does not respond can add seven seconds. To end the wait earlier, abort the calls by
   * their `signal`.
   *
   * `close` ends a token request that no call needs any more, such as a refresh in the background.
   */
  async close(): Promise<void> {
    const { transport, inFlight } = this.#api.context
    await inFlight.close()
    await this.#orders.close()
    // Also ends the pause before the retry of a token request: its timer would keep the process running.
    this.#closing.abort()
    await transport.close()
  }

  /** Closes the client as {@link PathologyClient.close} does, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @internal Formats the client for `util.inspect`, without credentials and token. */
  [INSPECT](): string {
    const { baseUrl, apiVersion } = this.toJSON()
    return `PathologyClient { baseUrl: '${baseUrl}', apiVersion: '${apiVersion}' }`
  }

  /** Returns the base URL and the API version, without credentials and token. */
  toJSON(): Record<string, unknown> {
    const { base, apiVersion } = this.#api.context.options
    return { baseUrl: `${base.origin}${base.prefix}`, apiVersion }
  }
}

function createContext(given: ClientOptions, closing: AbortSignal): CallContext {
  const environment = globalThis.process?.env ?? {}
  const options = resolveOptions(given, environment)
  const { clock, maxSockets } = options
  const logger = new SafeLogger(given.logger)
  const hasOwnSockets = given.dispatcher === undefined && given.fetch === undefined
  const { fetch } = given
  const transport: Transport =
    fetch === undefined
      ? new DispatcherTransport({
          given: given.dispatcher,
          maxSockets,
          proxy: options.proxy,
          timeoutMs: options.timeoutMs,
          isAllowed: (hostname) => mayBePrivate(hostname, options),
        })
      : new LazyTransport(async () => new (await import('./transport/fetch.js')).FetchTransport(fetch))
  if (hasOwnSockets && given.proxy === undefined) {
    const hint = ignoredProxyHint(new URL(options.base.origin), environment)
    if (hint !== undefined && logger.isSet) logger.warn(`pathology-sdk: ${hint}`)
    else if (hint !== undefined) globalThis.process?.emitWarning?.(hint, 'PathologyWarning')
  }
  const budget = new RetryBudget()
  return {
    options,
    transport,
    tokens: createTokenManager(given, options, { transport, budget, logger, closing }),
    schemas: new Lazy(() => import('../contract/check-request.js')),
    reader: new ResponseReader(options.responseValidation, logger),
    budget,
    rateLimiter: new RateLimiter(clock, options.random),
    inFlight: new InFlightCalls(),
    serverClock: new ServerClock(clock),
    diagnostics: new Diagnostics(clock),
    progress: new ProgressReporter(logger),
    logger,
  }
}
