import { isPathologyError } from '../../common/errors.js'
import { LeaseLostError } from '../work/work-table.js'

/** What a failed read means for its work. */
export type FetchFailure =
  /** Another attempt after a delay. Counted, and dead at the end. */
  | { readonly kind: 'retry' }
  /** The rate limit of the organisation: another attempt later, not counted. */
  | { readonly kind: 'rate-limit'; readonly delayMs: number }
  /** The credentials are rejected: the organisation is paused. */
  | { readonly kind: 'rejected' }
  /** The worker stops, or the database failed: due again soon, not counted. */
  | { readonly kind: 'interrupted' }

/** Wait after a 429 without a requested time. */
const RATE_LIMIT_MS = 5_000

/** Statuses of the token service that mean rejected credentials. */
const TOKEN_REJECTED: ReadonlySet<unknown> = new Set([400, 401, 403])

/** Classes of the server's errors that do not concern the record: connection, rollback, resources, intervention. */
const DATABASE_STATE = /^(08|25|40|53|55|57|58)[0-9A-Z]{3}$/

/** Classifies the error of a read, or of the transaction that stores it. */
export function classifyFailure(error: unknown, signal: AbortSignal): FetchFailure {
  if (signal.aborted || error instanceof LeaseLostError) return { kind: 'interrupted' }
  if (!isPathologyError(error)) return { kind: isDatabaseState(error) ? 'interrupted' : 'retry' }
  const status: unknown = Reflect.get(error, 'status')
  switch (error.name) {
    case 'AuthenticationError':
    case 'PermissionError':
      return { kind: 'rejected' }
    case 'TokenError':
      return { kind: TOKEN_REJECTED.has(status) ? 'rejected' : 'retry' }
    case 'RateLimitError': {
      const retryAfter: unknown = Reflect.get(error, 'retryAfter')
      return { kind: 'rate-limit', delayMs: typeof retryAfter === 'number' ? retryAfter : RATE_LIMIT_MS }
    }
    default:
      return { kind: 'retry' }
  }
}

/** Whether the service has no such record. A 404 without this code can come from an invalid base URL. */
export function isNotFound(error: unknown): boolean {
  return isPathologyError(error, 'REFERRAL_NOT_FOUND') || isPathologyError(error, 'RESULT_NOT_FOUND')
}

function isDatabaseState(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' && (DATABASE_STATE.test(code) || /^E[A-Z]+$/.test(code))
}
