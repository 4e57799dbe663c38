import type { RequestSchemaName, ResponseSchemaName } from './schemas/index.js'

/**
 * Rule for sending a request again.
 *
 * - `safe`: the request changes nothing.
 * - `repeatable`: a second request leaves the service in the same state.
 * - `once`: a second request could have a second effect. Such a request is retried only if the first request definitely
 * failed, or if the reconciliation did not find an effect of the first request.
 */
export type RetryClass = 'safe' | 'repeatable' | 'once'

/**
 * Method to reconcile a lost request, whose effect is unknown.
 *
 * - `order`: look up the order among the newest referrals.
 * - `update`: read the referral and compare it with the update.
 * - `subscription`: look up the webhook in the list of webhooks.
 * - `gone`: on a retry, "not found" means that an earlier attempt succeeded.
 */
export type Reconciliation = 'order' | 'update' | 'subscription' | 'gone'

/** Location of the data in the body of a successful response. */
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
      /** Page sizes of a list whose pages have a cursor; `false` for a list with one page. */
      readonly paged: PageSizes | false
      /** Order of a request without `sort`; `undefined` for a list that cannot be sorted. */
      readonly sort: ListSort | undefined
      /** `true` when the specification documents `key`. */
      readonly documented: boolean
      /** How to recognise a record of the list; only if `key` is not documented. */
      readonly marks: RecordMarks | undefined
    }

// §4.7
/** Default order of a list by time of creation. */
export interface ListSort {
  readonly byDefault: 'asc' | 'desc'
  readonly documented: boolean
}

// §2
/** Marks of a record: its `object`, and fields of which a record without `object` has at least one. */
export interface RecordMarks {
  readonly object: string
  readonly fields: readonly string[]
}

// §2
/** The fields that identify the records of the lists. */
export type RecordIdentity = 'uuid' | 'id' | 'providerNumber'

// §8
/** Number of records on a page of a list. */
export interface PageSizes {
  /** Page size of a request without `count`. */
  readonly byDefault: number
  readonly atMost: number
}

// §4
/** One endpoint of the service. */
export interface Endpoint {
  /** The name used in diagnostics: resource and method. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path template, relative to the base URL. */
  readonly path: `/v1/${string}`
  readonly retry: RetryClass
  readonly reconcile?: Reconciliation
  readonly query?: RequestSchemaName
  /** Name of a boolean option. If the option is `true`, the query has a parameter of this name without a value. */
  readonly flag?: string
  readonly body?: RequestSchemaName
  readonly response: Wrapper
  /** `true` when the endpoint exists only in the staging environment. */
  readonly stagingOnly?: true
  /** `true`: the client only reports a field that differs from the contract, even with strict response validation. */
  readonly lenient?: true
  /** Default timeout of this endpoint in milliseconds; absent if the client's default timeout applies. */
  readonly timeoutMs?: number
}

export interface ListEndpoint extends Endpoint {
  readonly response: Extract<Wrapper, { readonly kind: 'list' }>
}

// §5
/** Path of the token endpoint, relative to the client's `authUrl`. */
export const TOKEN_PATH = '/oauth/token'
