/** The API versions this package speaks, oldest first (§9). */
export const API_VERSIONS = ['1.0.0', '1.1.0'] as const
/** A version of the API that this package speaks. */
export type ApiVersion = (typeof API_VERSIONS)[number]

/** The version the service assumes when the Accept header names none (§9). */
export const SERVICE_DEFAULT_VERSION: ApiVersion = '1.0.0'

/** The version this package asks for when the caller names none: the newest, and a superset. */
export const SDK_DEFAULT_VERSION: ApiVersion = '1.1.0'

/** The first version with bundles, Medicare tests and list answers to an order (§9). */
export const MULTI_REFERRAL_VERSION: ApiVersion = '1.1.0'

/** The Accept header that chooses `version` (§9). */
export function acceptHeader(version: ApiVersion): string {
  return ACCEPT[version]
}

const ACCEPT: Readonly<Record<ApiVersion, string>> = {
  '1.0.0': 'application/vnd.svc.v1.0.0+json',
  '1.1.0': 'application/vnd.svc.v1.1.0+json',
}

/** Tells whether `value` is a version this package speaks. */
export function isApiVersion(value: unknown): value is ApiVersion {
  return API_VERSIONS.some((version) => version === value)
}
