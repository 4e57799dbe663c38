import { AccessTokens } from '../auth/access-tokens.js'
import { TokenService } from '../auth/token-service.js'
import { DocumentDoor } from '../domain/documents.js'
import { FaultInjector } from '../faults/fault-injector.js'
import type { FakeOptions } from '../options/fake-options.js'
import { Activity } from '../server/activity.js'
import { ApiDoor } from '../server/api.js'
import { type ClockStep, createClock, stepMs } from '../server/clock.js'
import type { FakeContext, FakeState, Job } from '../server/context.js'
import { type HandleParts, handle } from '../server/handle.js'
import type { FakeAnswer, FakeRequest } from '../server/http.js'
import { createRandom } from '../server/random.js'
import { createRouter } from '../server/router.js'
import { sleep } from '../server/runtime.js'
import { Scheduler } from '../server/scheduler.js'
import { DeliverySender } from '../transports/delivery-sender.js'
import { createFakeState, emitEvent, HANDLERS, JOBS, restoreDomain, seedDomain } from './registry.js'

/** Where each part of the service is reached. */
export interface Origins {
  readonly api: string
  /** The token endpoint is at `/oauth/token` under it. */
  readonly auth: string
  readonly documents: string
}

/** One fake: its state, its clock, and the one way through it that every door shares. */
export class FakeCore {
  readonly options: FakeOptions
  readonly context: FakeContext
  readonly faults: FaultInjector
  readonly tokens: TokenService
  readonly accessTokens: AccessTokens
  readonly sender: DeliverySender
  readonly #scheduler: Scheduler
  readonly #activity = new Activity()
  readonly #parts: HandleParts
  readonly #listeners = new Set<() => void>()
  readonly #inFlight = new Set<Promise<void>>()
  #origins: Origins
  #state: FakeState
  #generation = 0
  #stopped = new AbortController()

  constructor(options: FakeOptions, origins: Origins) {
    this.options = options
    this.#origins = origins
    this.#state = createFakeState(options)
    const kernel = (): FakeState['kernel'] => this.#state.kernel
    const clock = createClock(() => kernel().clock)
    const random = createRandom(() => kernel().random)
    this.sender = new DeliverySender(options.webhookTimeoutMs)
    this.#scheduler = new Scheduler({
      state: kernel,
      clock,
      run: (job) => this.#run(job),
      settled: async () => {
        await this.#activity.quiet()
        await this.settled()
      },
    })
    this.faults = new FaultInjector(() => kernel().faults, clock)
    this.accessTokens = new AccessTokens(options, () => kernel().tokens, clock, random)
    this.tokens = new TokenService(options, () => kernel().tokens, clock, random, this.accessTokens)
    this.context = this.#createContext({ clock, random })
    const documents = new DocumentDoor(this.context, () => this.#origins.documents)
    this.#documentUrl = (ref) => documents.urlOf(ref)
    this.#parts = {
      options,
      clock,
      router: createRouter(),
      faults: this.faults,
      api: new ApiDoor({
        context: this.context,
        handlers: HANDLERS,
        accessTokens: this.accessTokens,
        wait: (ms) => this.#activity.outside(this.#scheduler.wait(ms)),
      }),
      tokens: this.tokens,
      documents,
      journal: () => kernel().requests,
      afterwards: () => this.#afterwards(),
      sleep: (ms) => this.#activity.outside(sleep(ms, this.#stopped.signal)),
    }
    seedDomain(this.context)
  }

  /** The state itself, not a copy. */
  get state(): FakeState {
    return this.#state
  }

  get origins(): Origins {
    return this.#origins
  }

  set origins(origins: Origins) {
    this.#origins = origins
  }

  /** Aborted when the fake stops: whatever waits on its behalf ends. */
  get stopped(): AbortSignal {
    return this.#stopped.signal
  }

  /** Answers one request, through whichever door it came. */
  handle(request: FakeRequest): Promise<FakeAnswer> {
    return this.#activity.during(() => handle(this.#parts, request))
  }

  /** Runs a driver as one step: what it sets off runs right after it. */
  step<T>(work: (context: FakeContext) => T): T {
    const result = work(this.context)
    this.#afterwards()
    return result
  }

  /** Moves the clock ahead; everything due on the way runs in time order, deliveries included. */
  async advance(step: ClockStep): Promise<void> {
    await this.#scheduler.advance(stepMs(step))
    this.#announce()
  }

  /** Resolves once no delivery is on its way over the network. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight)
  }

  /** Puts another state in the place of this one. */
  replaceState(state: FakeState): void {
    this.#adopt(state)
    restoreDomain(this.context)
    this.#afterwards()
  }

  /** Begins anew, as if just constructed. */
  reset(): void {
    this.#adopt(createFakeState(this.options))
    seedDomain(this.context)
    this.#afterwards()
  }

  /** Calls back after every step that may have changed something; returns how to end that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Lets go of everything that waits; the state stays readable. */
  async stop(): Promise<void> {
    this.#generation += 1
    this.#stopped.abort()
    this.#scheduler.stop()
    this.#listeners.clear()
    await this.sender.close()
  }

  #documentUrl: FakeContext['documentUrl']

  #createContext(parts: Pick<FakeContext, 'clock' | 'random'>): FakeContext {
    const core = this
    return {
      ...parts,
      options: this.options,
      get state() {
        return core.#state
      },
      schedule: (afterMs, job) => this.#scheduler.schedule(afterMs, job),
      emit: (eventName, entityUuid, data) => {
        emitEvent(this.context, eventName, entityUuid, data)
      },
      documentUrl: (ref) => this.#documentUrl(ref),
      send: (delivery, settled) => this.#send(delivery, settled),
    }
  }

  #send: FakeContext['send'] = (delivery, settled) => {
    const generation = this.#generation
    const work = this.#attempt(delivery).then((outcome) => {
      this.#inFlight.delete(work)
      if (generation === this.#generation) this.step(() => settled(outcome))
    })
    this.#inFlight.add(work)
  }

  #attempt: DeliverySender['send'] = (delivery) => {
    if (this.options.sendWebhooks) return this.sender.send(delivery)
    return Promise.resolve({ delivered: false, status: null, error: 'not sent', durationMs: 0 })
  }

  #run({ kind, argument }: Job): void {
    const runner = JOBS[kind]
    if (runner === undefined) throw new Error(`the fake has no job '${kind}'`)
    runner(this.context, argument)
  }

  #adopt(state: FakeState): void {
    this.#generation += 1
    this.#state = state
    this.#scheduler.restart()
  }

  #afterwards(): void {
    this.#scheduler.runDue()
    this.#announce()
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
