import type { FailureKind } from '../core/retry-policy.js'
import type { GivenCall } from './request.js'

/** Request that may or may not have been carried out. */
export interface LostRequest extends GivenCall {
  readonly kind: FailureKind
  /** Creates the error to throw when the outcome remains unknown, from the present state of the call. */
  readonly toPublic: () => Error
  readonly attempts: number
  /** Time of the first request whose response was lost, by the server clock, in milliseconds. */
  readonly startedAt: () => number
}

/** Data of a request that was carried out, or `'repeat'` when the request may be sent again. */
export type Reconciled = { readonly data: unknown } | 'repeat'

/** Looks up whether a lost request was carried out. Throws when the outcome remains unknown. */
export type Reconciler = (lost: LostRequest) => Promise<Reconciled>
