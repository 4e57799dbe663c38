import type { Endpoint } from '../../contract/endpoint.js'
import type { endpoints } from '../../contract/endpoints.js'
import type { ApiVersion } from '../../contract/versions.js'
import type { Clock, ClockState } from './clock.js'
import type { JournalState } from './journal.js'
import type { ServerOptions } from './options.js'
import { type Random, type RandomState, seedRandom } from './random.js'

/** Work that runs later on the fake's clock. It is plain data, so that a snapshot can contain it. */
export interface Job {
  /** Selects the job runner. */
  readonly kind: string
  readonly argument: Readonly<Record<string, string | number | boolean>>
}

/** First argument of every handler and job. */
export interface ServerContext<State, Options> {
  readonly state: State
  readonly options: Options
  readonly clock: Clock
  readonly random: Random
  /**
   * Runs `job` once, `afterMs` milliseconds from now on the fake's clock. With 0 in a request, the job runs when the
   * response is ready, before it is sent. With 0 in a control method, the job runs at the end of the method.
   */
  schedule(afterMs: number, job: Job): void
}

/** One authenticated request that matched an endpoint. */
export interface FakeCall {
  readonly endpoint: Endpoint
  /** Path parameters, decoded. UUIDs are already checked; the handler checks other parameters. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The parsed JSON body; `undefined` if the endpoint has no body. */
  readonly body: unknown
  readonly version: ApiVersion
}

/**
 * Handles a request: returns the JSON body of a 200 response, or throws `FakeApiError`. A handler is synchronous, so
 * that no other request sees half of its changes.
 */
export type Handler<Context> = (context: Context, call: FakeCall) => unknown

type Endpoints = typeof endpoints

/** Id of an endpoint, such as `referrals.create`. */
export type EndpointId = {
  [Group in keyof Endpoints]: Endpoints[Group][keyof Endpoints[Group]] extends infer Row
    ? Row extends { readonly id: infer Id extends string }
      ? Id
      : never
    : never
}[keyof Endpoints]

export type HandlerTable<Context> = { readonly [Id in EndpointId]?: Handler<Context> }

export type JobTable<Context> = Readonly<
  Record<string, (context: Context, argument: Job['argument']) => void>
>

/** A job and its due time, in milliseconds since the epoch on the fake's clock. */
export interface ScheduledJob {
  readonly dueAt: number
  /** Number of the job. Jobs with the same due time run in order of their numbers. */
  readonly order: number
  readonly job: Job
}

/** State of the server: clock, random numbers, jobs and requests. */
export interface ServerState {
  readonly random: RandomState
  readonly clock: ClockState
  /** Scheduled jobs, by due time, earliest first. */
  readonly jobs: ScheduledJob[]
  /** Number of jobs ever scheduled. */
  jobCount: number
  readonly requests: JournalState
}

export function createServerState(options: Pick<ServerOptions, 'seed' | 'startTime'>): ServerState {
  return {
    random: seedRandom(options.seed, 'server'),
    clock: { stoppedAt: options.startTime ?? null, offsetMs: 0, changedAt: Number.NEGATIVE_INFINITY },
    jobs: [],
    jobCount: 0,
    requests: { count: 0, entries: [] },
  }
}
