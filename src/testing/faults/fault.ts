import type { RandomState } from '../server/random.js'

/** What goes wrong with one exchange. Without any of these the request is answered as usual. */
export interface Fault {
  /** Answer with this HTTP status, 200 to 999, instead of doing the work. */
  readonly status?: number | undefined
  /** The body of that answer: a string goes out as it is, anything else as JSON. Default: the envelope of §7. */
  readonly body?: unknown
  /** The `code` of the default body. Default: `INTERNAL_ERROR`, or `TOO_MANY_REQUESTS` with status 429. */
  readonly code?: string | undefined
  /** More response headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The `Retry-After` header: seconds, or any text as it is. */
  readonly retryAfter?: number | string | undefined
  /** Milliseconds of real time before anything happens. */
  readonly latencyMs?: number | undefined
  /** Reset the connection: `before` anything is done or sent, or `mid-body` once half the answer is out. */
  readonly reset?: 'before' | 'mid-body' | undefined
  /** Close the connection in order after half the body, with the length of the whole one promised. */
  readonly truncate?: boolean | undefined
  /** `http`: send what is no HTTP. `json`: cut the JSON text short, with the right length. */
  readonly malformed?: 'http' | 'json' | undefined
  /** Never answer (`headers`), or stop after half the body (`body`), with the connection kept open. */
  readonly stall?: 'headers' | 'body' | undefined
  /** Send the body a few bytes at a time. */
  readonly drip?:
    | {
        /** Bytes at a time. */
        readonly bytes: number
        /** Milliseconds of real time between them. */
        readonly everyMs: number
      }
    | undefined
  /**
   * Do the work, then lose the answer: the effect is there, and nobody is told. The connection is reset in its
   * place, unless `status` (a gateway's 502 after the order went through) or `stall` says otherwise.
   */
  readonly loseAnswer?: boolean | undefined
}

/** Which requests a fault meets. */
export interface FaultWhen {
  /** How many matching requests meet it; `Infinity` for all. Default 1. */
  readonly times?: number | undefined
  /** The first matching request to meet it, counted from 1. Default 1. */
  readonly nth?: number | undefined
  /** The chance that a matching request meets it, from 0 to 1, drawn from the seed. Default 1. */
  readonly probability?: number | undefined
}

/** A fault in waiting. */
export interface FaultRule {
  readonly id: number
  /** `GET /v1/referrals/{uuid}`, with the template or a real path; `*` for a method, a path or all. */
  readonly route: string
  readonly fault: Fault
  readonly probability: number
  /** Matching requests still to let pass. */
  skip: number
  /** Requests still to meet it; `null` for all. */
  left: number | null
  /** Requests that met it. */
  used: number
}

/** A limit on requests to the API (§8): what is above it gets 429. */
export interface Quota {
  /** Requests answered in each period; 0 answers none. */
  readonly limit: number
  /** The period, in milliseconds of the fake's clock. */
  readonly perMs: number
}

/** What the fault injector remembers. */
export interface FaultState {
  rules: FaultRule[]
  sequence: number
  quota: (Quota & { windowStart: number; used: number }) | null
  readonly random: RandomState
}
