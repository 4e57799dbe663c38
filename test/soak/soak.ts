import { getEventListeners } from 'node:events'
import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import { Agent, fetch as undiciFetch } from 'undici'
import { ShiftedClock } from '../support/shifted-clock.js'
import { type Catalogue, readCatalogue } from './catalogue.js'
import { Dice } from './dice.js'
import { Ledger, type OrderEntry } from './ledger.js'
import { OPERATIONS } from './operations/index.js'
import { walkResults } from './operations/lists.js'
import { type ServiceAudit, SoakService } from './service.js'
import { Session } from './session.js'
import { Surroundings } from './surroundings.js'
import { type Finding, judge } from './verdict.js'

export interface SoakOptions {
  readonly calls: number
  readonly seed: number
  /** Sessions that work at the same time. */
  readonly concurrency: number
  /** Part of the requests that get a fault. */
  readonly faults: number
}

export interface SoakReport {
  readonly ledger: Ledger
  readonly audit: ServiceAudit
  readonly findings: readonly Finding[]
}

/** Factor by which the clients' clock is faster: their pauses of seconds take milliseconds. */
const SPEED = 50

/**
 * Time limit on that clock in milliseconds: long enough for a busy machine, and short enough that a missing
 * response does not delay the run.
 */
const TIMEOUT_MS = 3_000 * SPEED

/** Calls of one round. Between two rounds some minutes pass in the service and in the clients. */
const ROUND_CALLS = 500
const BETWEEN_ROUNDS_MS = 10 * 60_000

/**
 * Unknown orders that are looked up at the same time after the faults, and the maximum number of lookups of
 * each.
 */
const ASKED_TOGETHER = 50
const RECOVERIES = 5

/** Number of calls between two revocations of tokens. */
const CALLS_PER_REVOCATION = 120
const REVOCATIONS = [
  { order: 'revoke', weight: 4 },
  { order: 'revoke-refresh', weight: 2 },
  { order: 'rotate-key', weight: 1 },
] as const

/** Half of the life of the fake's tokens: they are refreshed before they expire. */
const SHORTEST_LIFE_MS = 600_000

/** Calls the service with many faults, and then compares all results with the state of the service. */
export async function soak(options: SoakOptions, onProgress: (calls: number) => void): Promise<SoakReport> {
  const surroundings = new Surroundings()
  const service = await SoakService.start(options.seed)
  const run = new SoakRun(service, options, onProgress)
  try {
    await run.callWithFaults()
    await run.recoverOrders()
    const audit = await service.audit()
    const findings = judge(run.ledger, audit, run.tokenBound)
    await run.close()
    await service.stop()
    return {
      ledger: run.ledger,
      audit,
      findings: [...findings, run.listeners(), ...(await surroundings.findings())],
    }
  } catch (error) {
    await service.stop()
    throw error
  }
}

class SoakRun {
  readonly ledger = new Ledger()
  readonly #service: SoakService
  readonly #options: SoakOptions
  readonly #onProgress: (calls: number) => void
  readonly #dice: Dice
  readonly #clock = new ShiftedClock({ speed: SPEED })
  readonly #agent = new Agent()
  readonly #clients: readonly PathologyClient[]
  readonly #sessions: readonly Session[]
  readonly #signal = new AbortController().signal
  #revocations = 0

  constructor(service: SoakService, options: SoakOptions, onProgress: (calls: number) => void) {
    this.#service = service
    this.#options = options
    this.#onProgress = onProgress
    this.#dice = new Dice(options.seed)
    this.#clients = [this.#client({}), this.#client({ fetch: this.#fetch() })]
    this.#sessions = Array.from({ length: options.concurrency }, (_, index) => this.#session(index))
  }

  get tokenBound() {
    const aged = Math.ceil(this.#clock.monotonic() / SHORTEST_LIFE_MS)
    return { clients: this.#clients.length, generations: 1 + this.#revocations + aged }
  }

  /** Makes rounds of calls while the service has faults. */
  async callWithFaults(): Promise<void> {
    const { calls, faults } = this.#options
    const catalogue = await readCatalogue(this.#first)
    await this.#service.tell({ do: 'start-faults', share: faults })
    while (this.ledger.calls < calls) {
      const until = Math.min(calls, this.ledger.calls + ROUND_CALLS)
      await Promise.all(this.#sessions.map((session) => this.#work(session, catalogue, until)))
      this.#clock.advance(BETWEEN_ROUNDS_MS)
      await this.#service.tell({ do: 'advance', ms: BETWEEN_ROUNDS_MS })
    }
    for (const session of this.#sessions.slice(0, 2)) await walkResults(session)
  }

  /** Ends the faults and looks up the orders with an unknown outcome. */
  async recoverOrders(): Promise<void> {
    await this.#service.tell({ do: 'stop-faults' })
    const unknown = this.ledger.orders.filter(({ said, error }) => said === 'unknown' && error !== undefined)
    for (let first = 0; first < unknown.length; first += ASKED_TOGETHER) {
      await Promise.all(unknown.slice(first, first + ASKED_TOGETHER).map((entry) => this.#recover(entry)))
    }
  }

  /** The list is long by now: on a busy machine, one lookup can take longer than its time limit. */
  async #recover(entry: OrderEntry): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const found = await entry.error?.recover()
        if (found === undefined) return
        entry.said = 'done'
        entry.uuids = found.referrals.map(({ uuid }) => uuid)
        return
      } catch (error) {
        if (attempt < RECOVERIES) continue
        this.ledger.problems.push(`${entry.referenceNumber}: recover() failed with ${String(error)}`)
        return
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()))
    await this.#agent.close()
  }

  listeners(): Finding {
    const left = getEventListeners(this.#signal, 'abort').length
    return {
      rule: "no listener is left on the callers' signal",
      broken: left === 0 ? [] : [`${left} listeners`],
    }
  }

  get #first(): PathologyClient {
    const [client] = this.#clients
    if (client === undefined) throw new RangeError('no client')
    return client
  }

  async #work(session: Session, catalogue: Catalogue, until: number): Promise<void> {
    while (this.ledger.calls < until) {
      await session.dice.weighted(OPERATIONS).run(session, catalogue)
      this.#onProgress(this.ledger.calls)
      if (this.ledger.calls >= (this.#revocations + 1) * CALLS_PER_REVOCATION) await this.#revoke()
    }
  }

  async #revoke(): Promise<void> {
    this.#revocations += 1
    await this.#service.tell({ do: this.#dice.weighted(REVOCATIONS).order })
  }

  #session(index: number): Session {
    const client = this.#clients[index % 4 === 3 ? 1 : 0] ?? this.#first
    const { now } = this.#clock
    return new Session({
      client,
      dice: this.#dice.fork(),
      ledger: this.ledger,
      index,
      signal: this.#signal,
      now,
    })
  }

  #client(options: ClientOptions): PathologyClient {
    return new PathologyClient({
      ...this.#service.ready,
      clock: this.#clock,
      random: this.#dice.fork().fraction,
      timeout: TIMEOUT_MS,
      responseValidation: 'strict',
      ...options,
    })
  }

  /** A fetch whose connections can be closed in the end. */
  #fetch(): ClientOptions['fetch'] {
    return (url, { body, method, headers, signal, redirect }) =>
      undiciFetch(url, {
        body: body === null ? null : String(body),
        method,
        headers,
        signal,
        redirect,
        dispatcher: this.#agent,
      } as Parameters<typeof undiciFetch>[1]) as unknown as Promise<Response>
  }
}
