import { INSPECT } from '../common/inspect.js'
import { ownOptions } from '../common/known-options.js'
import { SafeLogger } from '../common/logger.js'
import { endpoints } from '../contract/endpoints.js'
import { tokenManager } from './auth/token-assembly.js'
import { loadTokenDecoder } from './auth/token-response.js'
import { ApiClient, type CallContext } from './call/api-client.js'
import { Diagnostics } from './call/diagnostics.js'
import { RequestHeaders } from './call/headers.js'
import { RequestChecker } from './call/request-checker.js'
import type { ResolvedOptions } from './call/resolved-options.js'
import { ResponseReader } from './call/response.js'
import { SharedSignals } from './core/abort.js'
import { Deadline } from './core/deadline.js'
import { InFlight } from './core/in-flight.js'
import { loaded } from './core/lazy-import.js'
import { ProgressReporter } from './core/progress.js'
import { RateLimitPause } from './core/rate-limit-pause.js'
import { RetryBudget } from './core/retry-budget.js'
import { Semaphore } from './core/semaphore.js'
import { ServerClock } from './core/server-clock.js'
import { mayBePrivate } from './documents/document-address.js'
import type { ClientOptions } from './options.js'
import { OPTION_NAMES, resolveOptions } from './resolve-options.js'
import { Biomarkers, Bundles, Prices, Tests, Vendors } from './resources/catalogue.js'
import { Centres } from './resources/centres.js'
import { Providers } from './resources/providers.js'
import { Referrals } from './resources/referrals.js'
import { Results } from './resources/results.js'
import { Webhooks } from './resources/webhooks.js'
import { FetchTransport } from './transport/fetch.js'
import type { Transport } from './transport/transport.js'
import { DispatcherTransport } from './transport/undici.js'

/**
 * The client of the pathology referral and results service. One for each set of credentials, kept for the life of the
 * process: it holds the access token and the connections.
 *
 * ```ts
 * const client = new PathologyClient() // from the environment
 * const order = await client.referrals.create({ … })
 * ```
 */
export class PathologyClient implements AsyncDisposable {
  /** Orders and their referrals (§4.1). */
  readonly referrals: Referrals
  /** Laboratory results (§4.2). */
  readonly results: Results
  /** Tests that can be ordered (§4.3). */
  readonly tests: Tests
  /** The biomarker catalogue (§4.3). */
  readonly biomarkers: Biomarkers
  /** Bundles of tests (§4.3). */
  readonly bundles: Bundles
  /** The price calculator (§4.3). */
  readonly prices: Prices
  /** Medicare provider records and routing (§4.4). */
  readonly providers: Providers
  /** Laboratory companies (§4.4). */
  readonly vendors: Vendors
  /** The directory of collection centres (§4.5). */
  readonly centres: Centres
  /** Webhook subscriptions (§4.6). */
  readonly webhooks: Webhooks
  readonly #pipeline: ApiClient

  /** @throws {@link ConfigurationError} naming the option and its rule. Nothing is sent. */
  constructor(options: ClientOptions = {}) {
    const api = new ApiClient(assemble(options))
    this.#pipeline = api
    this.referrals = new Referrals(api)
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
   * Does ahead what the first call would otherwise wait for: loads code, gets an access token, opens a connection. For
   * the start-up phase of serverless functions, and of processes that live long: it loads also what only
   * renewals and documents need, so that nothing of this client is read from `node_modules` later, when a deployment may
   * have replaced it or file descriptors have run out.
   *
   * @throws {@link TokenError} when there is no token to be had.
   * @throws {@link ConfigurationError} when something cannot be loaded.
   */
  async warmUp(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const { signal: given } = ownOptions('warmUp', options, new Set(['signal']))
    const { tokens, requests, transport, signals, options: resolved } = this.#pipeline.context
    const signal = signals.of(given)
    given?.throwIfAborted()
    const deadline = new Deadline(resolved.clock, Number.POSITIVE_INFINITY, signal)
    const load = (): Promise<unknown> =>
      Promise.all([tokens.get(), requests.load(), transport.load(), loaded(loadTokenDecoder())])
    try {
      await this.#pipeline.composite('client.warmUp', async (inner) => {
        await deadline.race(load())
        await inner.call(endpoints.webhooks.eventNames, {}, { signal: given })
      })
    } catch (error) {
      given?.throwIfAborted()
      throw error
    } finally {
      deadline.dispose()
    }
  }

  /**
   * Lets running calls finish, with their retries, their tokens and the search for an order whose answer was lost, and
   * then closes the client's own connections. What begins afterwards is refused: a `ConnectionError` with the reason
   * `closed` and the outcome `not-sent`. So are the next pages of a list, whose error has the `cursor` to go on with, and a
   * download that has not begun. A given `dispatcher` stays yours.
   *
   * It takes as long as the last of the calls, each of which ends at its own `timeout`; an order whose answer is lost
   * another `orderRecoveryTimeout` and ten seconds later, another write that is looked up after as much time again. To have it
   * end sooner, abort the calls by their `signal`.
   */
  async close(): Promise<void> {
    const { transport, inFlight: activity } = this.#pipeline.context
    await activity.close()
    await transport.close()
  }

  /** The same as {@link PathologyClient.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @internal Nothing of the credentials or the token. */
  [INSPECT](): string {
    const { base, apiVersion } = this.#pipeline.context.options
    return `PathologyClient { baseUrl: '${base.origin}${base.prefix}', apiVersion: '${apiVersion}' }`
  }

  /** Nothing of the credentials or the token. */
  toJSON(): Record<string, unknown> {
    const { base, apiVersion } = this.#pipeline.context.options
    return { baseUrl: `${base.origin}${base.prefix}`, apiVersion }
  }
}

function assemble(clientOptions: ClientOptions): CallContext {
  const given = ownOptions('PathologyClient', clientOptions, OPTION_NAMES)
  const options = resolveOptions(given, globalThis.process?.env ?? {})
  const logger = new SafeLogger(given.logger)
  const { clock } = options
  const transport: Transport =
    given.fetch === undefined
      ? new DispatcherTransport({
          given: given.dispatcher,
          maxSockets: options.maxSockets,
          isAllowed: (hostname) => mayBePrivate(hostname, options),
        })
      : new FetchTransport(given.fetch)
  const serverClock = new ServerClock(clock)
  const budget = new RetryBudget()
  return {
    options,
    transport,
    tokens: tokenManager(given, options, { transport, budget, logger }),
    requests: new RequestChecker(),
    headers: new RequestHeaders(options.userAgent),
    reader: new ResponseReader(options.responseValidation, options.maxResponseBytes, logger),
    budget,
    rateLimitPause: new RateLimitPause(clock, options.random),
    permits: new Semaphore(options.maxConcurrency, 'its turn (maxConcurrency)'),
    inFlight: new InFlight(mostCalls(given, options)),
    serverClock: serverClock,
    signals: new SharedSignals(),
    diagnostics: new Diagnostics(clock),
    progress: new ProgressReporter(logger),
    logger,
  }
}

/** Calls that may run or wait: as many as have a turn and a connection of the client's own, and the queue behind them. */
function mostCalls(
  { dispatcher, fetch }: ClientOptions,
  { maxConcurrency, maxSockets, maxQueue }: ResolvedOptions,
): number {
  const hasOwnSockets = dispatcher === undefined && fetch === undefined
  return maxQueue + (hasOwnSockets ? Math.min(maxConcurrency, maxSockets) : maxConcurrency)
}
