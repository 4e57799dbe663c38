/** One row of the service's error table (§7). */
export interface ErrorCodeRow {
  /** The HTTP status, or `null` where the specification shows none. */
  readonly status: number | null
  /** What the code means for the caller, in this package's words. */
  readonly meaning: string
}

/** Every error code of the API (§7). */
export const ERROR_CODES = {
  MISSING_AUTHORIZATION_HEADER: { status: 401, meaning: 'the request carried no Authorization header' },
  INVALID_JWT: { status: 401, meaning: 'the access token is invalid or has expired' },
  INVALID_JWT_SIGNATURE: {
    status: 401,
    meaning: 'the access token was not signed by this environment (credentials of the other environment?)',
  },
  INVALID_PARAMETER: { status: 400, meaning: 'a path or query parameter is not acceptable' },
  INVALID_PAYLOAD: { status: 400, meaning: 'the body is not acceptable' },
  REFERRAL_NOT_FOUND: { status: 404, meaning: 'the organisation has no such referral' },
  RESULT_NOT_FOUND: { status: 404, meaning: 'the organisation has no such result' },
  COLLECTION_CENTRE_NOT_FOUND: { status: 404, meaning: 'there has never been such a collection centre' },
  WEBHOOK_NOT_FOUND: { status: 404, meaning: 'the organisation has no such webhook' },
  DUPLICATE_WEBHOOK_SUBSCRIPTION: {
    status: 409,
    meaning: 'another webhook of the organisation already sends one of these events to this URL',
  },
  PROVIDER_HAS_ACTIVE_ROUTING: {
    status: 409,
    meaning: 'a laboratory still routes results for this provider, so it cannot be retired',
  },
  INVALID_WEBHOOK_URL: {
    status: 400,
    meaning: 'the webhook URL must be a public https URL without credentials',
  },
  INVALID_WEBHOOK_EVENTS: { status: 400, meaning: 'the event list is empty or names an unknown event' },
  INVALID_MEDICARE_NUMBER: {
    status: 400,
    meaning: 'the Medicare card number is missing, fails its check digit or lacks the IRN',
  },
  MISSING_PROVIDER_NUMBER: { status: 400, meaning: 'Medicare tests need an ordering practitioner' },
  INVALID_PROVIDER_NUMBER: {
    status: null,
    meaning: 'the provider number is malformed or not registered to the organisation',
  },
  MISSING_PROVIDER_SIGNATURE: { status: null, meaning: 'the provider has no Medicare signature on file' },
  INVALID_BUNDLE_ID: { status: null, meaning: 'the organisation has no such bundle' },
  INVALID_STATUS: { status: null, meaning: 'only a CREATED or ISSUED referral can be updated' },
  INVALID_MEDICARE_TEST: {
    status: null,
    meaning: 'only pathology (blood) tests can be ordered under Medicare',
  },
  PROVIDER_NUMBER_IN_USE: {
    status: null,
    meaning: 'the provider number is registered to another organisation',
  },
  PROVIDER_NOT_FOUND: { status: null, meaning: 'the organisation has no provider with that number' },
  INVALID_SIGNATURE: { status: null, meaning: 'the signature must be a base64 PNG that is not too large' },
  MISSING_SIGNATURE: { status: null, meaning: 'the provider needs a signature before routing' },
  INVALID_PROVIDER_DETAILS: { status: null, meaning: 'a provider needs both a name and an address' },
  MISSING_ATTESTATION: {
    status: null,
    meaning: 'a routing request needs attestedBy and a valid doctorSignedAt',
  },
  NO_VENDORS_SELECTED: { status: null, meaning: 'a routing request needs at least one vendor' },
  UNKNOWN_VENDOR: { status: null, meaning: 'a vendor id is unknown or not enabled' },
} as const satisfies Record<string, ErrorCodeRow>

/** An error code of the API known to this version (§7). */
export type KnownErrorCode = keyof typeof ERROR_CODES

/** Tells whether `value` is an error code known to this version. */
export function isKnownErrorCode(value: string): value is KnownErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value)
}

/** Every error of the token service: numeric code, type and meaning (§5). */
export const TOKEN_ERROR_CODES = {
  '102': { type: 'UserNotFound', meaning: 'the account does not exist' },
  '108': { type: 'RefreshTokenInvalid', meaning: 'the refresh token is invalid or has expired' },
  '109': { type: 'InvalidGrantType', meaning: 'the grant type is not supported' },
  '110': { type: 'InvalidClientId', meaning: 'the client id is invalid or unknown' },
  '111': { type: 'MissingClientId', meaning: 'the client id is missing' },
  '117': { type: 'AuthorizationTokenNotFound', meaning: 'the authorisation token was not found' },
  '118': { type: 'AuthorizationHeaderInvalid', meaning: 'the Authorization header is malformed' },
  '123': { type: 'InvalidCredentials', meaning: 'the client secret is wrong' },
} as const satisfies Record<string, { readonly type: string; readonly meaning: string }>

/** An error code of the token service known to this version (§5). */
export type KnownTokenErrorCode = keyof typeof TOKEN_ERROR_CODES

/** Tells whether `value` is a token-service error code known to this version. */
export function isKnownTokenErrorCode(value: string): value is KnownTokenErrorCode {
  return typeof value === 'string' && Object.hasOwn(TOKEN_ERROR_CODES, value)
}
