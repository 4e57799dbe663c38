import type { ApiVersion } from '../../contract/versions.js'
import type { TokenOptions } from '../auth/token-request.js'
import type { ResponseValidation } from './response.js'

/** Checked options of a client, with defaults. */
export interface ResolvedOptions extends TokenOptions {
  readonly apiVersion: ApiVersion
  /** `undefined` means the default of each endpoint. */
  readonly timeoutMs: number | undefined
  readonly maxRetries: number
  readonly maxConcurrency: number
  readonly maxQueue: number
  readonly maxSockets: number
  readonly maxRequestBytes: number
  readonly maxResponseBytes: number | undefined
  readonly maxDocumentBytes: number
  /** Host names in the form of `URL.hostname`. */
  readonly documentHosts: ReadonlySet<string>
  readonly orderRecoveryTimeoutMs: number
  readonly responseValidation: ResponseValidation
}
