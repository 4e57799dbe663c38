import type { Endpoint } from '../../contract/endpoint.js'
import type { endpoints } from '../../contract/endpoints.js'
import type { ApiVersion } from '../../contract/versions.js'
import type { Clock } from './clock.js'
import type { Random } from './random.js'

/** Work for later on the fake's clock. Plain data, so that a snapshot holds it. */
export interface Job {
  /** Selects the job runner. */
  readonly kind: string
  readonly argument: Readonly<Record<string, string | number | boolean>>
}

/** Passed to every handler and job as the first argument. */
export interface ServerContext<State, Options> {
  readonly state: State
  readonly options: Options
  readonly clock: Clock
  readonly random: Random
  /** Runs `job` once, `afterMs` milliseconds from now on the fake's clock; 0 runs it after the current response. */
  schedule(afterMs: number, job: Job): void
}

/** One authenticated request that matched an endpoint. */
export interface FakeCall {
  readonly endpoint: Endpoint
  /** Path parameters, decoded. Handlers check them. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The parsed JSON body; `undefined` without one. */
  readonly body: unknown
  readonly version: ApiVersion
}

/** Returns the JSON body of a 200, or throws `FakeApiError`. Synchronous, so that one call is one step. */
export type Handler<Context> = (context: Context, call: FakeCall) => unknown

type Endpoints = typeof endpoints

/** The id of an endpoint row: `referrals.create`, … */
export type EndpointId = {
  [Group in keyof Endpoints]: Endpoints[Group][keyof Endpoints[Group]] extends infer Row
    ? Row extends { readonly id: infer Id extends string }
      ? Id
      : never
    : never
}[keyof Endpoints]

/** Handlers by endpoint. */
export type HandlerTable<Context> = { readonly [Id in EndpointId]?: Handler<Context> }

/** Job runners by kind. */
export type JobTable<Context> = Readonly<
  Record<string, (context: Context, argument: Job['argument']) => void>
>
