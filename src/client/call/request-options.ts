import type { ApiVersion } from '../../contract/versions.js'

/** Options of a single call; every method takes them last. */
export interface RequestOptions {
  /** Ends the call early: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds this call may take in all. */
  readonly timeout?: number | undefined
  /** Retries of this call. */
  readonly maxRetries?: number | undefined
  /** Further headers; none that the client sets itself. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The API version of this call (§9). */
  readonly apiVersion?: ApiVersion | undefined
}

/** Names of the options that every method takes. */
export const CALL_OPTIONS: ReadonlySet<string> = new Set<keyof RequestOptions>([
  'signal',
  'timeout',
  'maxRetries',
  'headers',
  'apiVersion',
])
