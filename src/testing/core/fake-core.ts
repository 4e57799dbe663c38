import { setMaxListeners } from 'node:events'
import { AccessTokens, resetTokenState, type TokenState } from '../auth/access-tokens.js'
import { TokenService } from '../auth/token-service.js'
import { resumeDeliveries } from '../domain/deliveries.js'
import { respondWithDocument } from '../domain/documents.js'
import { createIntercept } from '../faults/fault-effects.js'
import { FaultInjector } from '../faults/fault-injector.js'
import { RateLimit } from '../faults/rate-limit.js'
import { changedOptions, type FakeOptions, type ResolvedFakeOptions } from '../options/fake-options.js'
import { Api } from '../server/api.js'
import { type Clock, type ClockStep, createClock, stepMs } from '../server/clock.js'
import type { Job } from '../server/context.js'
import type { FakeRequest, FakeResponse, FakeServer, Origins } from '../server/http.js'
import { entriesOf, type JournalEntry } from '../server/journal.js'
import { interrupted, type PipelineParts, runPipeline } from '../server/pipeline.js'
import { createRandom } from '../server/random.js'
import { createRouter } from '../server/router.js'
import { sleep } from '../server/runtime.js'
import { InFlightRequests, Scheduler } from '../server/scheduler.js'
import type { FakeContext, FakeState } from '../state/context.js'
import { DeliverySender } from '../transports/delivery-sender.js'
import { createFakeState, HANDLERS, JOBS, seedDomain } from './registry.js'

/** One fake: its state, its clock and its request handling, without a transport. */
export class FakeCore implements FakeServer {
  readonly options: ResolvedFakeOptions
  readonly context: FakeContext
  readonly faults: FaultInjector
  readonly tokens: TokenService
  readonly accessTokens: AccessTokens
  readonly sender: DeliverySender
  /** Base URLs. They change when an HTTP server starts. */
  origins: Origins
  /** `true` when the servers listen on every address: document URLs then have the host name of the request. */
  followsHost = false
  /** URL of the control API; `undefined` without an HTTP server. */
  controlUrl: string | undefined
  readonly #scheduler: Scheduler
  readonly #requests = new InFlightRequests()
  readonly #pipeline: PipelineParts
  readonly #listeners = new Set<() => void>()
  readonly #inFlightDeliveries = new Set<Promise<void>>()
  readonly #closed = new AbortController()
  #requestHost: string | undefined
  #state: FakeState
  #generation = 0

  constructor(options: ResolvedFakeOptions, origins: Origins) {
    this.options = options
    this.origins = origins
    this.#state = createFakeState(options)
    allowManyListeners(this.#closed.signal)
    // Parts get a function that returns their state, because reset() and replaceState() replace the state object.
    const clock = createClock(() => this.#state.server.clock)
    const random = createRandom(() => this.#state.server.random)
    const tokenState = (): TokenState => this.#state.tokens
    const rateLimit = new RateLimit(() => this.#state.faults, clock)
    this.sender = new DeliverySender(() => options.webhookTimeoutMs)
    this.#scheduler = this.#createScheduler(clock)
    this.context = this.#createContext({ clock, random })
    this.accessTokens = new AccessTokens(options, tokenState, clock, random)
    this.tokens = new TokenService(options, tokenState, clock, random, this.accessTokens)
    this.faults = new FaultInjector(() => this.#state.faults, rateLimit, {
      clearDeliveries: () => this.#state.webhooks.faults.splice(0),
      changed: () => this.#notify(),
    })
    this.#pipeline = this.#createPipeline(rateLimit)
    seedDomain(this.context)
  }

  /** The state itself, not a copy: later requests change it. */
  get state(): FakeState {
    return this.#state
  }

  /** Aborts when the fake closes. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** Handles one request of any transport. */
  handleRequest(request: FakeRequest): Promise<FakeResponse> {
    return this.#requests.track(() => runPipeline(this.#pipeline, request))
  }

  /** Runs `work`, and then every job that is due. */
  step<T>(work: (context: FakeContext) => T): T {
    const result = work(this.context)
    this.#afterwards()
    return result
  }

  /** Advances the clock and runs every job that becomes due, in order of time, including deliveries. */
  async advance(step: ClockStep): Promise<void> {
    await this.#scheduler.advance(stepMs(step))
    this.#notify()
  }

  /** Resolves when no delivery is being sent. */
  async settled(): Promise<void> {
    while (this.#inFlightDeliveries.size > 0) await Promise.all(this.#inFlightDeliveries)
  }

  /** Returns the last `journalLimit` requests, oldest first. */
  requests(): JournalEntry[] {
    return entriesOf(this.#state.server.requests, this.options.journalLimit)
  }

  /**
   * Replaces the state. The numbers of access tokens continue, so `revokeAll()` also revokes tokens that were issued
   * before the replacement.
   */
  replaceState(state: FakeState): void {
    state.tokens.sequence = Math.max(state.tokens.sequence, this.#state.tokens.sequence)
    this.#useState(state)
    resumeDeliveries(this.context)
    this.#afterwards()
  }

  /** Returns to the state of a new fake with the same options. Valid access tokens stay valid. */
  reset(): void {
    const tokens = resetTokenState(this.#state.tokens)
    this.#useState({ ...createFakeState(this.options), tokens })
    seedDomain(this.context)
    this.#afterwards()
  }

  /** Changes options of a running fake; see `isChangeable`. `undefined` sets an option to its default. */
  changeOptions(changes: FakeOptions): void {
    const changed = changedOptions(this.options, changes)
    this.step(() => Object.assign(this.options, changed))
  }

  /**
   * Calls `listener` after requests, control methods, scheduled jobs and delivery attempts that can change the state.
   * Returns a function that removes the listener.
   */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends every pending wait and every running delivery attempt. The state stays readable. */
  async close(): Promise<void> {
    this.#generation += 1
    this.#closed.abort()
    this.#scheduler.close()
    this.#listeners.clear()
    await this.sender.close()
  }

  #createContext(parts: Pick<FakeContext, 'clock' | 'random'>): FakeContext {
    const core = this
    return {
      ...parts,
      options: this.options,
      get state() {
        return core.#state
      },
      get origins() {
        return core.#visibleOrigins()
      },
      schedule: (afterMs, job) => this.#scheduler.schedule(afterMs, job),
      send: (delivery, done) => this.#send(delivery, done),
    }
  }

  #createScheduler(clock: Clock): Scheduler {
    return new Scheduler({
      state: () => this.#state.server,
      clock,
      run: (job) => this.#run(job),
      idle: async () => {
        await this.#requests.idle()
        await this.settled()
      },
      timerRan: () => this.#notify(),
    })
  }

  #createPipeline(rateLimit: RateLimit): PipelineParts {
    const api = new Api({
      context: this.context,
      handlers: HANDLERS,
      checkToken: (token) => this.accessTokens.check(token),
      wait: (ms) => this.#wait(ms),
      forHost: (host, work) => this.#forHost(host, work),
    })
    const pause = (ms: number): Promise<void> => this.#requests.pause(sleep(ms, this.#closed.signal))
    return {
      options: this.options,
      clock: this.context.clock,
      router: createRouter(),
      intercept: createIntercept(this.faults, rateLimit, pause),
      responders: {
        api: (routed) => api.respondFromEndpoint(routed),
        auth: ({ request }) => this.tokens.respondWithTokens(request),
        documents: ({ request, params }) => respondWithDocument(this.context, request, params['name'] ?? ''),
      },
      journal: () => this.#state.server.requests,
      generation: () => this.#generation,
      afterwards: () => this.#afterwards(),
    }
  }

  /** Lets a request wait on the fake's clock. Throws if the fake is reset, restored or closed during the wait. */
  async #wait(ms: number): Promise<void> {
    const generation = this.#generation
    await this.#requests.pause(this.#scheduler.wait(ms))
    if (generation !== this.#generation) throw interrupted()
  }

  /**
   * Sets the host for document URLs while `work` runs. `work` is synchronous, so other requests do not get this host.
   */
  #forHost<T>(host: string | undefined, work: () => T): T {
    this.#requestHost = host
    try {
      return work()
    } finally {
      this.#requestHost = undefined
    }
  }

  #visibleOrigins(): Origins {
    const host = this.#requestHost
    if (!this.followsHost || host === undefined || !URL.canParse(`http://${host}`)) return this.origins
    const documents = new URL(this.origins.documents)
    documents.hostname = new URL(`http://${host}`).hostname
    return { ...this.origins, documents: documents.origin }
  }

  #send: FakeContext['send'] = (delivery, done) => {
    const generation = this.#generation
    const work = this.#attempt(delivery).then((outcome) => {
      this.#inFlightDeliveries.delete(work)
      if (generation === this.#generation) this.step(() => done(outcome))
    })
    this.#inFlightDeliveries.add(work)
  }

  #attempt: DeliverySender['send'] = (delivery) => {
    if (this.options.sendWebhooks && !this.closed.aborted) return this.sender.send(delivery)
    return Promise.resolve({
      delivered: false,
      status: null,
      error: 'not sent',
      durationMs: 0,
      responseHeaders: {},
      responseBody: null,
    })
  }

  #run({ kind, argument }: Job): void {
    const runner = JOBS[kind]
    if (runner === undefined) throw new Error(`the fake has no job '${kind}'`)
    runner(this.context, argument)
  }

  #useState(state: FakeState): void {
    this.#generation += 1
    this.#state = state
    this.#scheduler.restart()
  }

  #afterwards(): void {
    this.#scheduler.runDue()
    this.#notify()
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Every waiting request adds a listener to the signal. Node.js would print a warning from the eleventh listener. */
function allowManyListeners(signal: AbortSignal): void {
  try {
    setMaxListeners(0, signal)
  } catch {
    // The signal of a test runner's environment, such as happy-dom, has no limit, and Node.js refuses it.
  }
}
