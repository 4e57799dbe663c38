import type { HttpHandler } from 'msw'
import type { Dispatcher } from 'undici'

import type { EventName } from '../contract/events.js'
import { type Bound, bindDrivers, withMethods } from './control/bind.js'
import { DRIVER_GROUPS } from './control/drivers.js'
import { TokenDrivers } from './control/token-methods.js'
import { FakeCore } from './core/fake-core.js'
import { type FakeSnapshot, restoreSnapshot, takeSnapshot } from './core/snapshot.js'
import type { DeliveryRecord, TriggerRequest } from './domain/deliveries-methods.js'
import type { FaultInjector } from './faults/fault-injector.js'
import { type FakeSettings, resolveFakeOptions } from './options/fake-options.js'
import type { ClockStep } from './server/clock.js'
import { entriesOf, type JournalEntry } from './server/journal.js'
import { type ListenOptions, type RunningServers, startServers } from './servers.js'
import type { DeliveryReceiver } from './transports/delivery-sender.js'
import { createDispatcher } from './transports/dispatcher.js'
import { createFetch } from './transports/fetch.js'
import { TEST_ORIGINS } from './transports/in-process.js'
import { createMswHandlers } from './transports/msw.js'

type Drivers = typeof DRIVER_GROUPS

/** What a client needs to reach a fake; the options of `PathologyClient`. */
export interface FakeClientOptions {
  /** Where the fake's API is, without `/v1`. */
  readonly baseUrl: string
  /** Where the fake's tokens are got, without `/oauth/token`. */
  readonly authUrl: string
  /** The client id that the fake accepts. */
  readonly clientId: string
  /** The client secret that the fake accepts. */
  readonly clientSecret: string
  /** Only of a fake that no server was started for: requests then stay in this process. */
  readonly dispatcher?: Dispatcher
}

/** The fake's clock: everything in it takes its time from here. */
export interface FakeClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** ISO 8601. */
  iso(): string
  /**
   * Moves the clock ahead. Everything due on the way happens in time order: PDFs, deliveries and their retries,
   * refreshes, expiries. What goes over the network on the way is waited for.
   *
   * @throws RangeError - A part of the step is negative or unknown.
   */
  advance(step: ClockStep): Promise<void>
}

/** Deliveries still kept, oldest first, and what can be done about them. */
export type FakeDeliveries = readonly DeliveryRecord[] &
  Omit<Bound<Drivers['deliveries']>, 'list' | 'trigger'>

/** The last requests, oldest first. */
export type FakeRequests = readonly JournalEntry[] & {
  /** How many there ever were, dropped ones included. */
  readonly count: number
}

/** What `start()` takes: the fake's options, and where to listen. */
export type FakeStartOptions = FakeSettings & ListenOptions

/**
 * The whole service, faked: one state behind a real HTTP server ({@link FakePathologyService.start}), an undici
 * dispatcher, a `fetch` and MSW handlers. Everything in it is invented, and nothing it does leaves this machine,
 * save deliveries to webhooks that a test subscribed.
 *
 * @example
 * ```ts
 * const fake = new FakePathologyService({ startTime: '2026-03-02T09:00:00Z' })
 * const client = new PathologyClient(fake.clientOptions())
 * ```
 */
export class FakePathologyService {
  readonly #core: FakeCore
  readonly #dispatcher: Dispatcher
  #servers: RunningServers | undefined

  /** Moves that the service and laboratories make on referrals (§3.1). */
  readonly referrals: Bound<Drivers['referrals']>
  /** Moves of results (§3.2), and results that laboratories send by themselves. */
  readonly results: Bound<Drivers['results']>
  /** Moves of routing connections (§3.3). */
  readonly routing: Bound<Drivers['routing']>
  /** Provider records made in the portal (§4.4). */
  readonly providers: Bound<Drivers['providers']>
  /** Laboratories that become reachable or not (§4.4). */
  readonly vendors: Bound<Drivers['vendors']>
  /** Tests and bundles of your own (§2.7, §2.9). */
  readonly catalogue: Bound<Drivers['catalogue']>
  /** The collection centre directory (§3.4, §6). */
  readonly centres: Bound<Drivers['centres']>
  /** Webhooks made in the portal, and what owners are told (§4.6). */
  readonly webhooks: Bound<Drivers['webhooks']>
  /** The token service beside its endpoint (§5). */
  readonly tokens: TokenDrivers
  /** The fake's clock: stands still or runs, and moves ahead with `advance()`. */
  readonly clock: FakeClock
  /** A `fetch` that reaches this fake and nothing else, without sockets. */
  readonly fetch: typeof globalThis.fetch

  /**
   * A fake in this process; no socket is opened.
   *
   * @throws RangeError - An option is unknown, or its value is not one it takes.
   */
  constructor(settings: FakeSettings = {}) {
    const core = new FakeCore(resolveFakeOptions(settings), TEST_ORIGINS)
    this.#core = core
    this.#dispatcher = createDispatcher(core)
    this.referrals = bindDrivers(core, DRIVER_GROUPS.referrals)
    this.results = bindDrivers(core, DRIVER_GROUPS.results)
    this.routing = bindDrivers(core, DRIVER_GROUPS.routing)
    this.providers = bindDrivers(core, DRIVER_GROUPS.providers)
    this.vendors = bindDrivers(core, DRIVER_GROUPS.vendors)
    this.catalogue = bindDrivers(core, DRIVER_GROUPS.catalogue)
    this.centres = bindDrivers(core, DRIVER_GROUPS.centres)
    this.webhooks = bindDrivers(core, DRIVER_GROUPS.webhooks)
    this.tokens = new TokenDrivers(core)
    this.fetch = createFetch(core)
    this.clock = {
      now: () => core.context.clock.now(),
      iso: () => core.context.clock.iso(),
      advance: (step) => core.advance(step),
    }
  }

  /**
   * A fake with a real HTTP server on this machine: the API and the token service on one port, documents on a
   * second, the control interface on a third.
   *
   * @throws Error - A port is taken (`code` is `EADDRINUSE`), or the host is not this machine's.
   */
  static async start(options: FakeStartOptions = {}): Promise<FakePathologyService> {
    const { port, documentsPort, controlPort, host, ...settings } = options
    const fake = new FakePathologyService(settings)
    try {
      fake.#servers = await startServers(
        { fake, core: fake.#core },
        { port, documentsPort, controlPort, host },
      )
    } catch (error) {
      await fake.stop()
      throw error
    }
    return fake
  }

  /** The API's base URL. */
  get baseUrl(): string {
    return this.#core.origins.api
  }

  /** The token service's base URL; its endpoint is `/oauth/token` under it. */
  get authUrl(): string {
    return this.#core.origins.auth
  }

  /** The control interface, which does over HTTP what these methods do; `undefined` without a server. */
  get controlUrl(): string | undefined {
    return this.#servers?.controlUrl
  }

  /** The secret that deliveries are signed with (§6). */
  get signingSecret(): string {
    return this.webhooks.signingSecret()
  }

  /** What `new PathologyClient()` needs to talk to this fake, whether a server was started or not. */
  clientOptions(): FakeClientOptions {
    const { clientId, clientSecret } = this.#core.options
    const { baseUrl, authUrl } = this
    const common = { baseUrl, authUrl, clientId, clientSecret }
    return this.#servers === undefined ? { ...common, dispatcher: this.#dispatcher } : common
  }

  /** An undici dispatcher that reaches this fake and nothing else, without sockets; always the same one. */
  dispatcher(): Dispatcher {
    return this.#dispatcher
  }

  /**
   * MSW request handlers for this fake: `setupServer(...fake.handlers())`.
   *
   * `setupServer()` sees `globalThis.fetch` and `node:http`, not undici: give the client `fetch: globalThis.fetch`.
   *
   * @throws Error - msw, an optional peer dependency, is not installed.
   */
  handlers(): HttpHandler[] {
    return createMswHandlers(this.#core, this.fetch)
  }

  /** Faults to put in the way of requests. */
  get faults(): FaultInjector {
    return this.#core.faults
  }

  /** The last `journalLimit` requests, without secrets and tokens. Copies. */
  get requests(): FakeRequests {
    const { requests } = this.#core.state.kernel
    const entries = structuredClone(entriesOf(requests, this.#core.options.journalLimit))
    return withMethods(entries, { count: requests.count })
  }

  /** The last deliveries with their attempts, and how to resend one or make coming ones go wrong. Copies. */
  get deliveries(): FakeDeliveries {
    const { list, events, resend, fault, unusedFaults } = bindDrivers(this.#core, DRIVER_GROUPS.deliveries)
    return withMethods(list(), { events, resend, fault, unusedFaults })
  }

  /**
   * Sends any event of §6, without changing what it is about.
   *
   * @returns The event's UUID.
   */
  trigger(eventName: EventName, request: TriggerRequest = {}): string {
    return bindDrivers(this.#core, DRIVER_GROUPS.deliveries).trigger(eventName, request)
  }

  /**
   * Hands deliveries for `url` to `receiver`, a webhook receiver's `fetch` for example, instead of the network. The webhook
   * may come later: a URL that none has is no mistake here, and deliveries to any other URL go over the network.
   */
  deliverTo(url: string, receiver: DeliveryReceiver): void {
    this.#core.sender.receiveAt(url, receiver)
  }

  /** Resolves once no delivery is on its way. */
  settled(): Promise<void> {
    return this.#core.settled()
  }

  /** Everything the fake remembers, as a copy: state, clock, tokens, faults, journals. */
  snapshot(): FakeSnapshot {
    return takeSnapshot(this.#core)
  }

  /**
   * Puts the fake back to a snapshot, as often as you like.
   *
   * @throws RangeError - It is no snapshot of this version.
   */
  restore(snapshot: FakeSnapshot): void {
    restoreSnapshot(this.#core, snapshot)
  }

  /**
   * Begins anew with the same options, as if just constructed. A started server keeps running, and access tokens
   * issued before stay good until they expire: they are JWTs.
   */
  reset(): void {
    this.#core.reset()
  }

  /**
   * Makes sure that every fault was met by a request, and every delivery fault by a delivery.
   *
   * @throws Error - Naming each that was not.
   */
  assertNoUnusedFaults(): void {
    this.#core.faults.assertNoneUnused()
    const unused = this.deliveries.unusedFaults()
    if (unused.length === 0) return
    throw new Error(
      `${unused.length} delivery faults were never met: ${unused.map(({ kind }) => kind).join(', ')}`,
    )
  }

  /** Closes the servers and every connection, and lets go of what waits. The journals stay readable. */
  async stop(): Promise<void> {
    await this.#core.stop()
    await this.#servers?.close()
  }

  /** The same as {@link FakePathologyService.stop}: a client is closed by that name too. */
  close(): Promise<void> {
    return this.stop()
  }

  /** The same as {@link FakePathologyService.stop}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}
