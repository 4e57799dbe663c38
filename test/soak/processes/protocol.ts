/** Ledger that the processes share. */
export type LedgerKind = 'postgres' | 'redis'

/** Points of a call at which a process is killed with SIGKILL, or stopped with SIGSTOP. */
export const POINTS = [
  'before-claim',
  'after-claim',
  'before-mark',
  'after-mark',
  'before-dispatch',
  'after-dispatch',
  'after-response-head',
  'before-record',
  'after-record',
  'in-lookup',
] as const

export type Point = (typeof POINTS)[number]

/** Name of the environment variable with the point, the number of the visit that counts, and the action. */
export const POINT_VARIABLE = 'SOAK_POINT'

/** Action at a point. A stopped process continues when the coordinator resumes it. */
export interface Interruption {
  readonly point: Point
  /** 1 is the first visit. */
  readonly visit: number
  readonly action: 'kill' | 'stop'
}

/** Settings of a process, in the environment variable `SOAK_MEMBER`. */
export interface MemberSettings {
  readonly client: {
    readonly baseUrl: string
    readonly authUrl: string
    readonly clientId: string
    readonly clientSecret: string
    readonly timeout: number
    readonly orderRecoveryTimeout: number
    readonly resendAfter?: number
  }
  readonly ledger: {
    readonly kind: LedgerKind
    readonly url: string
    readonly library: 'node-redis' | 'ioredis'
  }
  /** Longest lease of a claim, in milliseconds. Default: that of the client. */
  readonly longestLeaseMs?: number
  /** Difference between the clock of the process and the real time. */
  readonly clockShiftMs: number
}

/** Order that one process places. */
export interface Job {
  /** Name of this call, which its requests carry. */
  readonly call: string
  readonly key: string
  /**
   * Whether an earlier order with the key may be two days old. Then no ledger vouches for the key, and the
   * order is looked up first.
   */
  readonly isOld: boolean
}

/** Header with the name of the call. */
export const CALL_HEADER = 'x-soak-call'

export type MemberOrder =
  | { readonly job: Job }
  | { readonly interruption: Interruption }
  | { readonly do: 'stop-interruptions' | 'close' }

/** Result of a call, as the client reported it. */
export interface Report extends Job {
  readonly said: 'placed' | 'not placed' | 'unknown' | 'something else'
  readonly uuids: readonly string[]
  readonly isRecovered: boolean
  readonly error: string | undefined
  readonly retryAfterMs: number | undefined
}

export type MemberMessage =
  | { readonly is: 'ready' | 'stopping' }
  | { readonly is: 'report'; readonly report: Report }
