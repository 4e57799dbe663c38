// §9
/** The API versions that this package supports, oldest first. */
export const API_VERSIONS = ['1.0.0', '1.1.0'] as const
/** An API version that this package supports. */
export type ApiVersion = (typeof API_VERSIONS)[number]

// §9
/** The service's version for requests without a version in the Accept header. */
export const SERVICE_DEFAULT_VERSION: ApiVersion = '1.0.0'

/** This package's default API version: the newest, which has all features of the older versions. */
export const SDK_DEFAULT_VERSION: ApiVersion = '1.1.0'

// §9
/** The first version with bundles, Medicare tests and orders that return a list. */
export const MULTI_REFERRAL_VERSION: ApiVersion = '1.1.0'

// §9
/** Values of the Accept header, by the version that they select. */
export const ACCEPT_HEADERS: Readonly<Record<ApiVersion, string>> = {
  '1.0.0': 'application/vnd.svc.v1.0.0+json',
  '1.1.0': 'application/vnd.svc.v1.1.0+json',
}

export function isApiVersion(value: unknown): value is ApiVersion {
  return API_VERSIONS.some((version) => version === value)
}
