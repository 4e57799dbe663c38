import type { KnownErrorCode, KnownTokenErrorCode } from '../../contract/error-codes.js'

/** The fake's options about requests, tokens, the clock, the directory and documents, all with a value. */
export interface KernelOptions {
  /** Decides every id, name and random choice. A whole number. Default 1. */
  readonly seed: number
  /**
   * Milliseconds since the epoch; an ISO 8601 string or a Date will do too. Given: the clock stands there and moves only
   * by `clock.advance()`. Default: it follows the system's clock, ahead by what it was advanced.
   */
  readonly startTime: number | undefined
  /** `production` has no `PUT /v1/referrals/{uuid}` (§9). Default `staging`: the dummy results are for tests. */
  readonly environment: 'staging' | 'production'
  /** The client id that the token service accepts (§5). Default `fake-client-id`. */
  readonly clientId: string
  /** The client secret that the token service accepts (§5). Default `fake-client-secret`. */
  readonly clientSecret: string
  /** The secret that deliveries are signed with (§6). Default `fake-signing-secret`. */
  readonly signingSecret: string
  /** Life of an access token in seconds. Default 3600, as in the reference response (§5). */
  readonly accessTokenSeconds: number
  /** Life of a refresh token in seconds. Default 2592000, as in the reference response (§5). */
  readonly refreshTokenSeconds: number
  /**
   * HTTP statuses of the token service's errors, which §5 does not show. Defaults: 400 for what is wrong with the
   * request (108, 109, 111), as OAuth has it; 401 for who is asking (102, 110, 117, 118, 123).
   */
  readonly tokenErrorStatuses: Readonly<Record<KnownTokenErrorCode, number>>
  /**
   * HTTP statuses of error codes. For codes whose status §7 leaves empty the default is 400, save
   * PROVIDER_NOT_FOUND (404, as the other "not found" codes) and PROVIDER_NUMBER_IN_USE (409, a conflict).
   */
  readonly errorStatuses: Readonly<Partial<Record<KnownErrorCode, number>>>
  /** Fields that no request of §4 has. Default `refuse` with INVALID_PAYLOAD, as §4.6 says for webhooks. */
  readonly unknownBodyFields: 'refuse' | 'ignore'
  /** Query parameters that the endpoint does not have. Default `refuse` with INVALID_PARAMETER, as §7 says of the code. */
  readonly unknownQueryParameters: 'refuse' | 'ignore'
  /**
   * An Accept header of the service's own type whose version is malformed or unknown (§9). Default `refuse` with
   * 400 INVALID_PARAMETER, so that a slip shows; `ignore` answers as 1.0.0.
   */
  readonly unknownVersion: 'refuse' | 'ignore'
  /** Largest request body in bytes; more is 413. Default 8 MiB: above any body that §4 describes. */
  readonly maxBodyBytes: number
  /** Milliseconds on the fake's clock that `POST /v1/referrals` takes to answer (§8). Default 0. */
  readonly orderLatencyMs: number
  /** How `GET /v1/tests` and `GET /v1/biomarkers` wrap their lists, which §4.3 does not show. Default `keyed`. */
  readonly listWrapper: 'keyed' | 'array' | 'data'
  /** Add a field that no schema knows to every object, as §9 allows the service to. Default `false`. */
  readonly extraFields: boolean
  /** Answer with enum values that this package does not know. Default `false`. */
  readonly unknownEnums: boolean
  /** Life of a signed document URL in milliseconds; §8 says only that it is limited. Default 15 minutes. */
  readonly documentUrlLifetimeMs: number
  /** The status of a deleted document's URL. Default 410: it was there and is gone. */
  readonly deletedDocumentStatus: 404 | 410
  /** A webhook for every event, there from the start. Default none. */
  readonly webhookUrl: string | undefined
  /** `false` queues and signs deliveries but sends none: every attempt counts as failed. Default `true`. */
  readonly sendWebhooks: boolean
  /** Milliseconds of real time that a receiver has to answer. Default 3000 (§6). */
  readonly webhookTimeoutMs: number
}
