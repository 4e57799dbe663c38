import type { Endpoint } from '../../contract/endpoint.js'
import type { endpoints } from '../../contract/endpoints.js'
import type { EventName } from '../../contract/events.js'
import type { ApiVersion } from '../../contract/versions.js'
import type { FakeOptions } from '../options/fake-options.js'
import type { CatalogueState } from '../state/catalogue.js'
import type { CentresState } from '../state/centres.js'
import type { OrdersState } from '../state/orders.js'
import type { ProvidersState } from '../state/providers.js'
import type { WebhooksState } from '../state/webhooks.js'
import type { KernelState } from './state.js'

/** Everything the fake remembers, as plain data: a structured clone of it is a snapshot. */
export interface FakeState {
  kernel: KernelState
  catalogue: CatalogueState
  orders: OrdersState
  providers: ProvidersState
  centres: CentresState
  webhooks: WebhooksState
}

/** Something to do later on the fake's clock, as plain data so that a snapshot holds it. */
export interface Job {
  /** Which job runner; each domain file registers its own. */
  readonly kind: string
  readonly argument: Readonly<Record<string, string | number | boolean>>
}

/** The fake's clock as the domain sees it. */
export interface DomainClock {
  /** Milliseconds since the Unix epoch, on the fake's clock. */
  now(): number
  /** The same as an ISO 8601 string in UTC with milliseconds. */
  iso(): string
}

/** Random choices that a seed decides and a snapshot keeps. */
export interface DomainRandom {
  /** A version 4 UUID. */
  uuid(): string
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number
  /** A number from 0 up to, but not including, 1. */
  fraction(): number
  pick<T>(list: readonly T[]): T
}

/** What a signed document URL is for. */
export interface DocumentRef {
  readonly kind: 'referral' | 'result'
  readonly uuid: string
}

/** A webhook delivery, ready to go out (§6). */
export interface OutgoingDelivery {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The exact bytes that the signature covers, as UTF-8 text. */
  readonly body: string
}

/** What became of one attempt at a delivery (§6). */
export interface DeliveryOutcome {
  /** `true` for a 2xx answer within the time limit. */
  readonly delivered: boolean
  /** The receiver's HTTP status; `null` when there was no answer. */
  readonly status: number | null
  /** Why there was no answer: a short word such as `timeout` or `ECONNREFUSED`; `null` when there was one. */
  readonly error: string | null
  /** Milliseconds in real time from the first byte to the answer. */
  readonly durationMs: number
}

/** What a state slice is made from. Every slice has a random stream of its own. */
export interface SeedContext {
  readonly options: FakeOptions
  readonly clock: DomainClock
  readonly random: DomainRandom
  /** The organisation behind the credentials. */
  readonly organisationUuid: string
  /** Another organisation: what it owns is not found, and its provider numbers are taken (§1). */
  readonly otherOrganisationUuid: string
}

/** What every domain function works on; its first parameter, always. */
export interface FakeContext {
  readonly state: FakeState
  readonly options: FakeOptions
  readonly clock: DomainClock
  readonly random: DomainRandom
  /** Runs `job` once, `afterMs` milliseconds from now on the fake's clock; 0 runs it after the current answer. */
  schedule(afterMs: number, job: Job): void
  /** Sends an event to the webhooks that want it (§6). `entityUuid` is what the delivery order goes by. */
  emit(eventName: EventName, entityUuid: string, data: Record<string, unknown>): void
  /** A fresh signed, time-limited URL of a document on the second origin. */
  documentUrl(ref: DocumentRef): string
  /**
   * Sends one attempt at a delivery over the network, at once and without waiting; redirects are not followed
   * and the time limit is `options.webhookTimeoutMs`. `settled` is called later, as a step of its own, with the
   * clock where it then stands; never after a `restore()` or `reset()` that happened in between.
   */
  send(delivery: OutgoingDelivery, settled: (outcome: DeliveryOutcome) => void): void
}

/** One authenticated request that matched an endpoint. */
export interface FakeCall {
  readonly endpoint: Endpoint
  /** Path parameters, decoded; not yet checked. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The parsed JSON body; `undefined` when there was none. */
  readonly body: unknown
  readonly version: ApiVersion
}

/** Answers a call with the JSON body of a 200, or throws `FakeApiError`. Synchronous: one call is one step. */
export type Handler = (context: FakeContext, call: FakeCall) => unknown

/** Runs one kind of job. */
export type JobRunner = (context: FakeContext, argument: Job['argument']) => void

type Endpoints = typeof endpoints

/** The id of an endpoint row: `referrals.create`, … */
export type EndpointId = {
  [Group in keyof Endpoints]: Endpoints[Group][keyof Endpoints[Group]] extends infer Row
    ? Row extends { readonly id: infer Id extends string }
      ? Id
      : never
    : never
}[keyof Endpoints]

/** The handlers of one domain file. */
export type HandlerTable = { readonly [Id in EndpointId]?: Handler }

/** The job runners of one domain file, by kind. */
export type JobTable = Readonly<Record<string, JobRunner>>
