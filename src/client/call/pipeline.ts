import type { SafeLogger } from '../../common/logger.js'
import type { Endpoint } from '../../contract/endpoint.js'
import type { RequestOptions } from '../client-options.js'
import type { ResolvedOptions } from '../options.js'
import type { TokenManager } from '../tokens/tokens.js'
import type { Transport } from '../wire/transport.js'
import type { Activity } from './activity.js'
import type { AnswerReader } from './answer-reader.js'
import { ApiPromise, Reply } from './api-promise.js'
import type { CoolDown } from './cool-down.js'
import type { Diagnostics } from './diagnostics.js'
import { type CallInput, type PreparedRequest, prepare } from './prepare.js'
import type { ProgressReporter } from './progress.js'
import type { RequestChecker } from './request-checker.js'
import type { RequestHeaders } from './request-headers.js'
import type { RetryBudget } from './retry-budget.js'
import { Run, type RunFacts } from './run.js'
import type { ServiceClock } from './service-clock.js'
import type { SharedSignals } from './shared-signals.js'
import type { Turnstile } from './turnstile.js'

/** What all calls of a client share. */
export interface PipelineParts {
  readonly options: ResolvedOptions
  readonly transport: Transport
  readonly tokens: TokenManager
  readonly requests: RequestChecker
  readonly headers: RequestHeaders
  readonly reader: AnswerReader
  readonly budget: RetryBudget
  readonly coolDown: CoolDown
  readonly turnstile: Turnstile
  readonly activity: Activity
  readonly serviceClock: ServiceClock
  readonly signals: SharedSignals
  readonly diagnostics: Diagnostics
  readonly progress: ProgressReporter
  readonly logger: SafeLogger
}

/** What a failed attempt left, for the one who finds out whether it was carried out. */
export interface Unsettled {
  /** The error to throw when it cannot be found out. */
  readonly error: Error
  readonly attempts: number
  /** When the call began, by the service's clock as far as it is known by now, in milliseconds. */
  readonly startedAt: () => number
}

/** What finding out brought: the answer after all, or that the request may be sent again. */
export type Settled = { readonly data: unknown } | 'repeat'

/** Finds out whether a request was carried out whose answer was lost. Throws when it cannot. */
export type Settler = (unsettled: Unsettled) => Promise<Settled>

/** The one way of every request: check, token, attempts, answer. */
export class Pipeline {
  readonly parts: PipelineParts
  /** For calls that belong to something under way: they go through when the client is closed meanwhile. */
  readonly inner: Pipeline

  constructor(parts: PipelineParts, isInner = false) {
    this.parts = parts
    this.inner = isInner ? this : new Pipeline(parts, true)
  }

  /**
   * Makes a call; nothing is sent before its input has been checked.
   *
   * @param input - The input, or what makes it: what that throws rejects the call.
   * @param settle - For endpoints whose row says that they settle: how.
   */
  call<T>(
    endpoint: Endpoint,
    input: CallInput | (() => CallInput) = {},
    call: RequestOptions = {},
    settle?: Settler,
  ): ApiPromise<T> {
    const reply = new Reply<T>()
    const promise = new ApiPromise(reply)
    try {
      this.#start(endpoint, input, call, settle, reply)
    } catch (error) {
      reply.refuse(error)
    }
    return promise
  }

  /**
   * Runs what takes several calls as if it were one: refused on a closed client, and once it runs let to its end.
   *
   * @param what - Names it in the refusal.
   */
  async whole<T>(what: string, run: (inner: Pipeline) => Promise<T>): Promise<T> {
    const { activity } = this.parts
    activity.refuseIfClosed(what)
    return activity.hold(() => run(this.inner))
  }

  /** Checks a call's input as `call` would, and sends nothing. */
  async check(endpoint: Endpoint, input: CallInput, call: RequestOptions): Promise<void> {
    await prepare(endpoint, input, call, this.parts)
  }

  #start<T>(
    endpoint: Endpoint,
    input: CallInput | (() => CallInput),
    call: RequestOptions,
    settle: Settler | undefined,
    reply: Reply<T>,
  ): void {
    const { parts } = this
    if (this.inner !== this) parts.activity.refuseIfClosed(endpoint.id, call?.signal)
    const signal = parts.signals.of(call?.signal)
    if (signal?.aborted === true) throw signal.reason
    const request = prepare(endpoint, typeof input === 'function' ? input() : input, call, parts)
    // The contract's rows give each endpoint its type; the answer has been held against it.
    const rest = { parts, endpoint, settle, signal, reply: reply as Reply<unknown> }
    if (request instanceof Promise) startLater(request, rest)
    else new Run(rest, request).start()
  }
}

/** Starts a call when its request has been prepared; it counts as one on its way from now on. */
function startLater(request: Promise<PreparedRequest>, facts: RunFacts): void {
  const started = facts.parts.activity.hold(async () => new Run(facts, await request).start())
  started.catch((error: unknown) => facts.reply.refuse(error))
}
