import type { PathParametersOf } from './path-parameters.js'
import type { RequestSchemaName, ResponseSchemaName } from './schemas/index.js'
import type { ApiVersion } from './versions.js'

/**
 * Whether a request may be repeated.
 *
 * - `safe`: it changes nothing.
 * - `repeatable`: a second run leaves the service as the first did.
 * - `once`: a second run could do it twice; repeated only when it certainly did not run.
 */
export type RetryClass = 'safe' | 'repeatable' | 'once'

/**
 * How the outcome of a request that may or may not have run is found out.
 *
 * - `order`: look for the order among the newest referrals.
 * - `update`: read the referral and compare.
 * - `subscription`: look for the webhook in the list.
 * - `gone`: on a repeat, "not found" means that the first attempt did it.
 */
export type Reconciliation = 'order' | 'update' | 'subscription' | 'gone'

/** How a success body holds its content. */
export type Wrapper =
  /** The object itself. */
  | { readonly kind: 'one'; readonly schema: ResponseSchemaName }
  /** An object under `key`. */
  | { readonly kind: 'under'; readonly key: string; readonly schema: ResponseSchemaName }
  /** A list under `key`. */
  | {
      readonly kind: 'list'
      readonly key: string
      readonly schema: ResponseSchemaName
      /** The field that identifies a record. */
      readonly identity: RecordIdentity
      /** Page sizes of a list whose pages carry a cursor; `false` for a list with one page. */
      readonly paged: PageSizes | false
      /** Whether the specification shows the wrapper. */
      readonly documented: boolean
    }

/** The fields that identify the records of the lists (§2). */
export type RecordIdentity = 'uuid' | 'id' | 'providerNumber'

/** Records a page of a list holds (§8). */
export interface PageSizes {
  /** Without a `count`. */
  readonly byDefault: number
  readonly atMost: number
}

/** One endpoint of the service (§4). */
export interface Endpoint {
  /** The name used in diagnostics: resource and method. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path template, relative to the base URL. */
  readonly path: `/v1/${string}`
  /** The section of the specification. */
  readonly section: string
  readonly retry: RetryClass
  readonly reconcile?: Reconciliation
  readonly query?: RequestSchemaName
  /** A boolean option that is sent as a query parameter without a value when it is `true`. */
  readonly flag?: string
  readonly body?: RequestSchemaName
  readonly response: Wrapper
  /** The first version that has it. */
  readonly since: ApiVersion
  /** Absent in production. */
  readonly stagingOnly?: true
  /** Answers that differ from the contract are reported and never thrown. */
  readonly lenient?: true
  /** A time limit of its own, in milliseconds, where the usual one would be too short. */
  readonly timeoutMs?: number
}

/** An endpoint that returns a list. */
export interface ListEndpoint extends Endpoint {
  readonly response: Extract<Wrapper, { readonly kind: 'list' }>
}

/** The path parameters an endpoint takes, by name. */
export type PathInput<E extends Endpoint> = { readonly [Name in PathParametersOf<E['path']>]: string }

/** The token endpoint, relative to the authorisation URL (§5). */
export const TOKEN_PATH = '/oauth/token'
