import type { HttpHandler } from 'msw'
import type { EventName } from '../contract/events.js'
import {
  assertNoUnusedFaults,
  type Bound,
  bindMethods,
  CONTROL_METHODS,
  withMethods,
} from './control/control-methods.js'
import { TokenMethods } from './control/token-methods.js'
import { FakeCore } from './core/fake-core.js'
import { type FakeSnapshot, restoreSnapshot, takeSnapshot } from './core/snapshot.js'
import type { DeliveryRecord, TriggerRequest } from './domain/deliveries-methods.js'
import type { FaultInjector } from './faults/fault-injector.js'
import { type FakeOptions, resolveFakeOptions } from './options/fake-options.js'
import type { ClockStep } from './server/clock.js'
import type { JournalEntry } from './server/journal.js'
import { type ListenOptions, type RunningServers, startServers } from './servers.js'
import type { DeliveryReceiver } from './transports/delivery-sender.js'
import { createFetch } from './transports/fetch.js'
import { TEST_ORIGINS } from './transports/in-process.js'
import { createMswHandlers } from './transports/msw.js'

type Methods = typeof CONTROL_METHODS

/** Options of `PathologyClient` that connect it to a fake. */
export interface FakeClientOptions {
  /** Base URL of the API, without `/v1`. */
  readonly baseUrl: string
  /** Base URL of the token service, without `/oauth/token`. */
  readonly authUrl: string
  /** Client id that the fake accepts. */
  readonly clientId: string
  /** Client secret that the fake accepts. */
  readonly clientSecret: string
  /** {@link FakePathologyService.fetch}. Present only without an HTTP server. */
  readonly fetch?: typeof globalThis.fetch
}

/** The fake's clock. Only durations, `webhookTimeoutMs`, and `latencyMs` and `drip` of faults are in real time. */
export interface FakeClock {
  /** Returns the current time in milliseconds since the epoch. */
  now(): number
  /** Returns the current time as an ISO 8601 string. */
  iso(): string
  /**
   * Advances the clock and runs everything that becomes due, in order of time: status changes of referrals, deliveries
   * and their retries, refreshes, and delayed responses. Waits until the sent deliveries and the current requests end.
   * Does not wait for a request that the clock or the latency of a fault still delays.
   *
   * @throws RangeError - `step` is not an object, goes past the year 9999, or has a negative, infinite or unknown part.
   */
  advance(step: ClockStep): Promise<void>
}

/** The stored deliveries, oldest first, with methods to resend deliveries and to add faults. */
export type FakeDeliveries = readonly DeliveryRecord[] &
  Omit<Bound<Methods['deliveries']>, 'list' | 'trigger'>

/** The stored requests, oldest first. */
export type FakeRequests = readonly JournalEntry[] & {
  /** Number of all requests, including requests that are no longer stored. */
  readonly count: number
}

/** Options of `FakePathologyService.start()`: the fake's options, and where to listen. */
export type FakeStartOptions = FakeOptions & ListenOptions

/**
 * A fake of the complete service: one state behind an HTTP server ({@link FakePathologyService.start}), a
 * `fetch` and MSW handlers. All data of the fake is invented. The fake sends only deliveries to the
 * network: to webhooks that a test creates, and to `webhookUrl`.
 *
 * @example
 * ```ts
 * const fake = new FakePathologyService({ startTime: '2026-03-02T09:00:00Z' })
 * const client = new PathologyClient(fake.clientOptions())
 * ```
 */
export class FakePathologyService {
  readonly #core: FakeCore
  #servers: RunningServers | undefined

  /** Changes and reads referrals. A change throws an Error if the status or the deletion does not permit the change. */
  readonly referrals: Bound<Methods['referrals']>
  /** Creates INCOMING results; changes and reads all results. A change throws an Error if the status forbids it. */
  readonly results: Bound<Methods['results']>
  /** Changes routing connections, and reads their attestations. */
  readonly routing: Bound<Methods['routing']>
  /** Saves provider records as the portal does, and reads all provider records. */
  readonly providers: Bound<Methods['providers']>
  /** Enables and disables vendors. */
  readonly vendors: Bound<Methods['vendors']>
  /** Adds tests and bundles to the catalogue. */
  readonly catalogue: Bound<Methods['catalogue']>
  /** Refreshes the directory of collection centres, and reads centres and refreshes. */
  readonly centres: Bound<Methods['centres']>
  /** Adds webhooks as the portal does, and reads the signing secret and the emails to owners. */
  readonly webhooks: Bound<Methods['webhooks']>
  /** Issues and revokes tokens, changes their key and closes the account, without requests to the token endpoint. */
  readonly tokens: TokenMethods
  /** The fake's clock. */
  readonly clock: FakeClock
  /** A `fetch` that reaches only this fake, without sockets. It follows redirects to this fake only. */
  readonly fetch: typeof globalThis.fetch

  /**
   * Creates a fake in this process. Opens no socket.
   *
   * @throws RangeError - An option is unknown, or its value is invalid.
   */
  constructor(options: FakeOptions = {}) {
    const core = new FakeCore(resolveFakeOptions(options), TEST_ORIGINS)
    this.#core = core
    this.referrals = bindMethods(core, CONTROL_METHODS.referrals)
    this.results = bindMethods(core, CONTROL_METHODS.results)
    this.routing = bindMethods(core, CONTROL_METHODS.routing)
    this.providers = bindMethods(core, CONTROL_METHODS.providers)
    this.vendors = bindMethods(core, CONTROL_METHODS.vendors)
    this.catalogue = bindMethods(core, CONTROL_METHODS.catalogue)
    this.centres = bindMethods(core, CONTROL_METHODS.centres)
    this.webhooks = bindMethods(core, CONTROL_METHODS.webhooks)
    this.tokens = new TokenMethods(core)
    this.fetch = createFetch(core)
    const { clock } = core.context
    this.clock = { now: () => clock.now(), iso: () => clock.iso(), advance: (step) => core.advance(step) }
  }

  /**
   * Creates a fake with HTTP servers on this machine: the API and the token service on one port, documents on a second,
   * the control API on a third.
   *
   * @throws Error - A port cannot be used (`EADDRINUSE` or `EACCES`), or the host is not an address of this machine.
   * @throws RangeError - An option is unknown, or its value is invalid.
   */
  static async start(options: FakeStartOptions = {}): Promise<FakePathologyService> {
    const { port, documentsPort, controlPort, host, allowedHosts, ...fakeOptions } = options
    const fake = new FakePathologyService(fakeOptions)
    try {
      fake.#servers = await startServers(fake.#core, { port, documentsPort, controlPort, host, allowedHosts })
    } catch (error) {
      await fake.close()
      throw error
    }
    return fake
  }

  /** Base URL of the API. */
  get baseUrl(): string {
    return this.#core.origins.api
  }

  /** Base URL of the token service. The endpoint is `/oauth/token` below it. */
  get authUrl(): string {
    return this.#core.origins.auth
  }

  /** URL of the control API, which offers the control methods over HTTP; `undefined` without an HTTP server. */
  get controlUrl(): string | undefined {
    return this.#core.controlUrl
  }

  /** Secret that signs the deliveries. */
  get signingSecret(): string {
    return this.webhooks.signingSecret()
  }

  /** Returns the options with which `new PathologyClient()` reaches this fake, with or without an HTTP server. */
  clientOptions(): FakeClientOptions {
    const { clientId, clientSecret } = this.#core.options
    const common = { baseUrl: this.baseUrl, authUrl: this.authUrl, clientId, clientSecret }
    return this.#servers === undefined ? { ...common, fetch: this.fetch } : common
  }

  /**
   * Returns MSW request handlers for this fake: `setupServer(...fake.handlers())`.
   *
   * `setupServer()` intercepts `globalThis.fetch` and `node:http`, but not undici. Pass `fetch: globalThis.fetch` to
   * the client: `{ ...fake.clientOptions(), fetch: globalThis.fetch }`.
   *
   * @throws Error - msw, an optional peer dependency, is not installed.
   */
  handlers(): HttpHandler[] {
    return createMswHandlers(this.#core, this.fetch)
  }

  /** Faults for requests. */
  get faults(): FaultInjector {
    return this.#core.faults
  }

  /** Copies of the last `journalLimit` requests, without secrets and tokens. */
  get requests(): FakeRequests {
    const { count } = this.#core.state.server.requests
    return withMethods(structuredClone(this.#core.requests()), { count })
  }

  /** Copies of the stored deliveries with their attempts, and methods to resend deliveries and to add faults. */
  get deliveries(): FakeDeliveries {
    const { list, events, resend, fault, clearFaults, unusedFaults } = bindMethods(
      this.#core,
      CONTROL_METHODS.deliveries,
    )
    return withMethods(list(), { events, resend, fault, clearFaults, unusedFaults })
  }

  /**
   * Sends an event to its subscribed webhooks, without a change of the event's entity. Returns the event's UUID.
   *
   * @throws Error - `request.data` is missing, and the fake cannot generate it for an unknown event or entity.
   * @throws RangeError - The event is misspelt, or a field of `request` is unknown or invalid.
   */
  trigger(eventName: EventName, request: TriggerRequest = {}): string {
    return bindMethods(this.#core, CONTROL_METHODS.deliveries).trigger(eventName, request)
  }

  /**
   * Passes deliveries for `url` to `receiver` instead of the network, for example to a webhook receiver's `fetch`. The
   * webhook can be created later. Deliveries to a URL without a receiver use the network.
   *
   * @throws TypeError - `url` is not a URL, or `receiver` is not a function.
   */
  deliverTo(url: string, receiver: DeliveryReceiver): void {
    this.#core.sender.receiveAt(url, receiver)
  }

  /** Resolves when no delivery is being sent. Does not wait for retries, which are due later on the fake's clock. */
  settled(): Promise<void> {
    return this.#core.settled()
  }

  /** Returns a copy of the state of the fake: records, clock, tokens, faults, journals. Options are not included. */
  snapshot(): FakeSnapshot {
    return takeSnapshot(this.#core)
  }

  /**
   * Returns the fake to the state of a snapshot. A snapshot can be restored several times.
   *
   * @throws RangeError - The value is not a snapshot of this format.
   */
  restore(snapshot: FakeSnapshot): void {
    restoreSnapshot(this.#core, snapshot)
  }

  /**
   * Changes options of this fake. `undefined` sets an option to its default. `reset()` keeps the changes. These options
   * cannot change: `seed`, `startTime`, `environment`, `clientId`, `clientSecret`, `signingSecret`, `seedReferrals`,
   * `centreCount`, `centreRefresh` and `webhookUrl`.
   *
   * @throws RangeError - An option is unknown or cannot change, or its value is invalid.
   */
  changeOptions(options: FakeOptions): void {
    this.#core.changeOptions(options)
  }

  /**
   * Deletes all data and starts again with the same options. Running servers stay open. Refresh tokens become invalid.
   * Access tokens stay valid until they expire. Revoked tokens and tokens that were signed with an earlier key stay
   * invalid.
   */
  reset(): void {
    this.#core.reset()
  }

  /**
   * Asserts that every fault was applied as often as its `times` requires; `Infinity` requires one application.
   *
   * @throws Error - Lists the faults that were applied too few times.
   */
  assertNoUnusedFaults(): void {
    assertNoUnusedFaults(this.#core)
  }

  /**
   * Closes the servers and every connection, and ends every pending wait. Current requests fail as on a closed
   * connection. Later requests fail with `ECONNREFUSED`, also through `fetch`. No more deliveries
   * are sent. The journals stay readable.
   */
  async close(): Promise<void> {
    await Promise.all([this.#core.close(), this.#servers?.close()])
  }

  /** Calls {@link FakePathologyService.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
