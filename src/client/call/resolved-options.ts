import type { ApiVersion } from '../../contract/versions.js'
import type { TokenOptions } from '../auth/token-request.js'
import type { ResponseValidation } from './response.js'

/** The options of a client, checked and complete. */
export interface ResolvedOptions extends TokenOptions {
  readonly apiVersion: ApiVersion
  /** `undefined` leaves each endpoint its own default. */
  readonly timeoutMs: number | undefined
  readonly maxRetries: number
  readonly maxConcurrency: number
  readonly maxQueue: number
  readonly maxSockets: number
  readonly maxRequestBytes: number
  readonly maxResponseBytes: number | undefined
  readonly maxDocumentBytes: number
  /** Host names as `URL.hostname` has them. */
  readonly documentHosts: ReadonlySet<string>
  readonly orderRecoveryTimeoutMs: number
  readonly responseValidation: ResponseValidation
}
