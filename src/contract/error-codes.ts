// §7
/** One row of the service's error table. */
export interface ErrorCodeRow {
  /** The HTTP status; `null` if not documented. */
  readonly status: number | null
  /** The code's meaning for the caller. */
  readonly meaning: string
}

// §7
/** All documented error codes of the API, each with its HTTP status and meaning. The service may return other codes. */
export const ERROR_CODES = {
  MISSING_AUTHORIZATION_HEADER: { status: 401, meaning: 'the request has no Authorization header' },
  INVALID_JWT: { status: 401, meaning: 'the access token is invalid or has expired' },
  INVALID_JWT_SIGNATURE: {
    status: 401,
    meaning: 'the access token was not signed by this environment: check that the credentials belong to it',
  },
  INVALID_PARAMETER: { status: 400, meaning: 'a path or query parameter is invalid' },
  INVALID_PAYLOAD: { status: 400, meaning: 'the body is invalid' },
  REFERRAL_NOT_FOUND: { status: 404, meaning: 'the organisation has no referral with this id' },
  RESULT_NOT_FOUND: { status: 404, meaning: 'the organisation has no result with this id' },
  COLLECTION_CENTRE_NOT_FOUND: { status: 404, meaning: 'no collection centre has this id' },
  WEBHOOK_NOT_FOUND: { status: 404, meaning: 'the organisation has no webhook with this id' },
  DUPLICATE_WEBHOOK_SUBSCRIPTION: {
    status: 409,
    meaning: 'another webhook of the organisation already sends one of these events to this URL',
  },
  PROVIDER_HAS_ACTIVE_ROUTING: {
    status: 409,
    meaning: 'a laboratory still routes results for this provider, so the provider cannot be retired',
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
  MISSING_PROVIDER_NUMBER: { status: 400, meaning: 'Medicare tests require an ordering practitioner' },
  INVALID_PROVIDER_NUMBER: {
    status: null,
    meaning: 'the provider number is malformed or not registered to the organisation',
  },
  MISSING_PROVIDER_SIGNATURE: { status: null, meaning: 'the provider has no stored Medicare signature' },
  INVALID_BUNDLE_ID: { status: null, meaning: 'the organisation has no bundle with this id' },
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
  MISSING_SIGNATURE: { status: null, meaning: 'routing requires a stored signature of the provider' },
  INVALID_PROVIDER_DETAILS: { status: null, meaning: 'a provider requires a name and an address' },
  MISSING_ATTESTATION: {
    status: null,
    meaning: 'a routing request requires attestedBy and a valid doctorSignedAt',
  },
  NO_VENDORS_SELECTED: { status: null, meaning: 'a routing request requires at least one vendor' },
  UNKNOWN_VENDOR: { status: null, meaning: 'a vendor id is unknown or not enabled' },
} as const satisfies Record<string, ErrorCodeRow>

// §7
/** An error code of the API known to this version of the package. */
export type KnownErrorCode = keyof typeof ERROR_CODES

/** Returns `true` when `value` is an error code known to this version of the package. */
export function isKnownErrorCode(value: string): value is KnownErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value)
}

// §5
/** All documented errors of the token service: the numeric code as text, with its type and meaning. */
export const TOKEN_ERROR_CODES = {
  '102': { type: 'UserNotFound', meaning: 'the account does not exist' },
  '108': { type: 'RefreshTokenInvalid', meaning: 'the refresh token is invalid or has expired' },
  '109': { type: 'InvalidGrantType', meaning: 'the grant type is not supported' },
  '110': { type: 'InvalidClientId', meaning: 'the client id is invalid or unknown' },
  '111': { type: 'MissingClientId', meaning: 'the client id is missing' },
  '117': { type: 'AuthorizationTokenNotFound', meaning: 'the authorisation token was not found' },
  '118': { type: 'AuthorizationHeaderInvalid', meaning: 'the Authorization header is malformed' },
  '123': { type: 'InvalidCredentials', meaning: 'the client secret is invalid' },
} as const satisfies Record<string, { readonly type: string; readonly meaning: string }>

// §5
/**
 * Codes of the token service for invalid credentials, such as those of another environment. `invalid_client` comes from
 * a gateway. The HTTP status is not defined.
 */
export const CREDENTIAL_ERROR_CODES: ReadonlySet<string> = /* @__PURE__ */ new Set([
  '102',
  '110',
  '123',
  'invalid_client',
])

// §5
/** An error code of the token service known to this version of the package. */
export type KnownTokenErrorCode = keyof typeof TOKEN_ERROR_CODES

/** Returns `true` when `value` is an error code of the token service known to this version of the package. */
export function isKnownTokenErrorCode(value: string): value is KnownTokenErrorCode {
  return typeof value === 'string' && Object.hasOwn(TOKEN_ERROR_CODES, value)
}
