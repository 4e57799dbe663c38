import type { KnownErrorCode } from '../../contract/error-codes.js'

/** Options about requests, responses and the clock, with defaults applied. */
export interface ServerOptions {
  /** Seed of every generated id, name and random choice: an integer of at least 0. Default 1. */
  readonly seed: number
  /**
   * Initial time of the clock, in milliseconds since the epoch. A Date and an ISO 8601 string are also accepted; a
   * string without an offset is in UTC. With this option, the clock moves only by `clock.advance()`, and by 1 ms if two
   * changes would have the same time. Default: the clock follows the system clock.
   */
  readonly startTime: number | undefined
  /** `production` does not have `PUT /v1/referrals/{uuid}`, which generates dummy results. Default `staging`. */
  readonly environment: 'staging' | 'production'
  /**
   * HTTP statuses (400 to 599) by error code. Default: the documented status. Default of a code without a documented
   * status: 404 for PROVIDER_NOT_FOUND, 409 for PROVIDER_NUMBER_IN_USE, and 400 for any other code.
   */
  readonly errorStatuses: Readonly<Partial<Record<KnownErrorCode, number>>>
  /**
   * Handling of body fields that the endpoint does not have. Default `reject`: the response is INVALID_PAYLOAD.
   * `ignore` does not apply to webhooks, for which the rejection is documented.
   */
  readonly unknownBodyFields: 'reject' | 'ignore'
  /**
   * Handling of query parameters that the endpoint does not have. Default `reject`: the response is INVALID_PARAMETER.
   * `ignore` does not apply to the list of collection centres, for which the rejection is documented.
   */
  readonly unknownQueryParameters: 'reject' | 'ignore'
  /**
   * Handling of an Accept header with the service's media type, but with a missing, malformed or unknown version.
   * Default `reject`: the response is 400 INVALID_PARAMETER. `ignore`: the response has version 1.0.0.
   */
  readonly unknownVersion: 'reject' | 'ignore'
  /** Maximum size of a request body in bytes; a larger body gets 413. Default 8 MiB. */
  readonly maxBodyBytes: number
  /**
   * `true` when the fake compresses JSON of 1 KB or more with gzip over HTTP, for clients that accept gzip. Default
   * `true`.
   */
  readonly compression: boolean
  /**
   * Milliseconds on the fake's clock before `POST /v1/referrals` places the order and responds. With `startTime`, the
   * request waits for `clock.advance()`. Default 0.
   */
  readonly orderLatencyMs: number
  /**
   * Wrapper of the lists of `GET /v1/tests` and `GET /v1/biomarkers`. The service does not document this wrapper.
   * Default `keyed`: an object with the list under `tests` or `biomarkers`. `data`: under `data`. `array`: the list
   * without an object.
   */
  readonly listWrapper: 'keyed' | 'array' | 'data'
  /**
   * Adds an unknown field to every object in successful API responses, except in `metadata`, as the service may do
   * without notice. Default `false`.
   */
  readonly extraFields: boolean
  /**
   * Replaces enum values in successful API responses by values that this package does not know. The fields are
   * `status`, `origin`, `provenance`, `visibility` and `valueType`, except in `metadata`. Default `false`.
   */
  readonly unknownEnums: boolean
  /**
   * Maximum number of entries in each journal, 0 to 1,000,000. The journals are the lists of requests, events,
   * deliveries and emails. Above this number, the fake removes the oldest entries, but never a delivery that is not
   * finished. Default 1,000.
   */
  readonly journalLimit: number
}
