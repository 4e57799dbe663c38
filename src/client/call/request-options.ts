import type { ApiVersion } from '../../contract/versions.js'
import type { TokenOptions } from '../auth/token-request.js'
import type { ResolvedProxy } from '../transport/addresses.js'
import type { ResponseValidation } from './response.js'

/** Options of a single call, the last argument of the methods that call the service. */
export interface RequestOptions {
  /**
   * Ends the call early: the call rejects with the signal's reason. The service may still carry out a request that was
   * sent before.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Time limit of this call, in milliseconds.
   * @defaultValue the client's `timeout`
   */
  readonly timeout?: number | undefined
  /**
   * Maximum number of retries of this call.
   * @defaultValue the client's `maxRetries`
   */
  readonly maxRetries?: number | undefined
  /**
   * Additional headers, with values of printable ASCII. A `ConfigurationError` is thrown for an invalid header, and for
   * a header that the client reserves, such as `authorization` or `accept`.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * API version of this call.
   * @defaultValue the client's `apiVersion`
   */
  readonly apiVersion?: ApiVersion | undefined
}

/** Names of the options in {@link RequestOptions}. */
export const CALL_OPTIONS: ReadonlySet<string> = new Set<keyof RequestOptions>([
  'signal',
  'timeout',
  'maxRetries',
  'headers',
  'apiVersion',
])

/** Checked options of a client, with defaults. */
export interface ResolvedOptions extends TokenOptions {
  readonly apiVersion: ApiVersion
  /** `undefined` means the default of each endpoint. */
  readonly timeoutMs: number | undefined
  readonly maxRetries: number
  readonly maxSockets: number
  readonly maxRequestBytes: number
  readonly maxResponseBytes: number | undefined
  readonly maxDocumentBytes: number
  readonly proxy: ResolvedProxy | undefined
  /** Host names in the form of `URL.hostname`. */
  readonly documentHosts: ReadonlySet<string>
  readonly orderRecoveryTimeoutMs: number
  readonly responseValidation: ResponseValidation
}
