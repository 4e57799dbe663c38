import type { Reconciliation, RetryClass } from '../../contract/endpoint.js'

/** What kind of failure an attempt met. */
export type FailureKind =
  /** Certainly not sent. */
  | 'not-sent'
  /** 429: turned away before any work. */
  | 'rate-limited'
  /** 408. */
  | 'request-timeout'
  /** 500. */
  | 'server-error'
  /** 502, 503, 504, and a proxy's own such as 520 to 524: perhaps after the work was done. */
  | 'gateway'
  /** Sent, and no usable response: reset, timeout, cut, not JSON, an error envelope with a success status, no list. */
  | 'ambiguous'
  /** Answered with success and something that another try would not mend: too large, not what was asked. */
  | 'unusable'
  /** A redirect, which is not followed: it can be where what was done is to be seen. */
  | 'redirect'
  /** A refusal of a repeat that shows that an earlier attempt was carried out; see {@link showsDoneBefore}. */
  | 'done-before'
  /** Answered for good, or not worth another try. */
  | 'final'

/** What to do about it. */
export type RetryAction =
  /** Try again after a pause. */
  | 'retry'
  /** Find out first whether it was carried out. */
  | 'reconcile'
  | 'throw'

/** What a row says: `2` retries at most twice. */
type Cell = 'retry' | 'throw' | 2

type Row = Readonly<Record<FailureKind, Cell>>

/** A request that does the same however often it arrives. */
const HARMLESS: Row = {
  'not-sent': 'retry',
  'rate-limited': 'retry',
  'request-timeout': 'retry',
  'server-error': 'retry',
  gateway: 'retry',
  ambiguous: 'retry',
  unusable: 'throw',
  redirect: 'throw',
  'done-before': 'throw',
  final: 'throw',
}

/** What may be repeated, by retry class (§4.1, §8). 401 is not here: it is replayed once, whatever the row. */
export const RETRY_TABLE: Readonly<Record<RetryClass, Row>> = {
  safe: HARMLESS,
  repeatable: HARMLESS,
  once: {
    'not-sent': 'retry',
    'rate-limited': 2,
    'request-timeout': 'throw',
    'server-error': 'throw',
    gateway: 'throw',
    ambiguous: 'throw',
    unusable: 'throw',
    redirect: 'throw',
    'done-before': 'throw',
    final: 'throw',
  },
}

/** Failures of a request that may run only once after which its outcome is looked up, by how it is looked up. */
export const RECONCILE_TABLE: Readonly<Record<Reconciliation, ReadonlySet<FailureKind>>> = {
  order: new Set(['request-timeout', 'server-error', 'gateway', 'ambiguous', 'unusable', 'redirect']),
  update: new Set(['request-timeout', 'server-error', 'gateway', 'ambiguous', 'unusable', 'done-before']),
  subscription: new Set(['server-error', 'gateway', 'ambiguous', 'unusable', 'done-before']),
  gone: new Set(['done-before']),
}

/** How the service refuses a repeat of what was carried out before; not every code's status is shown (§3.1, §4.6, §7). */
const DONE_BEFORE: Readonly<
  Record<Reconciliation, { readonly status?: number; readonly codes: readonly string[] }>
> = {
  order: { codes: [] },
  update: { codes: ['INVALID_STATUS'] },
  subscription: { status: 409, codes: ['DUPLICATE_WEBHOOK_SUBSCRIPTION'] },
  gone: { status: 404, codes: ['REFERRAL_NOT_FOUND', 'PROVIDER_NOT_FOUND', 'WEBHOOK_NOT_FOUND'] },
}

/** Tells whether a refusal shows that an earlier attempt was carried out. */
export function showsDoneBefore(settle: Reconciliation, status: number, code: string | undefined): boolean {
  const shown = DONE_BEFORE[settle]
  return status === shown.status || (code !== undefined && shown.codes.includes(code))
}

/** The facts a retry decision goes by. */
export interface RetryFacts {
  readonly retry: RetryClass
  readonly reconcile: Reconciliation | undefined
  readonly failure: FailureKind
  /** Retries made so far. */
  readonly retries: number
  readonly maxRetries: number
}

/** What to do after a failed attempt. A pure function of its facts. */
export function decideRetry(facts: RetryFacts): RetryAction {
  const { retry, reconcile: settle, failure, retries, maxRetries } = facts
  if (settle !== undefined && RECONCILE_TABLE[settle].has(failure)) return 'reconcile'
  const cell = RETRY_TABLE[retry][failure]
  const action = cell === 2 ? 'retry' : cell
  const allowed = cell === 2 ? Math.min(2, maxRetries) : maxRetries
  return retries < allowed ? action : 'throw'
}

/** The kind of failure that an HTTP status stands for. */
export function failureOfStatus(status: number): FailureKind {
  if (status === 429) return 'rate-limited'
  if (status === 408) return 'request-timeout'
  if (status >= 300 && status < 400) return 'redirect'
  if (status < 500) return 'final'
  return status === 500 ? 'server-error' : 'gateway'
}
