import { knownGuard } from './read.js'

// §3.1
/** Referral statuses known to this version of the package. */
export const REFERRAL_STATUSES = [
  'PENDING_VERIFICATION',
  'CREATED',
  'ISSUED',
  'SCHEDULED_REISSUE',
  'PARTIAL_RESULTS',
  'COMPLETE',
  'INSUFFICIENT_DATA',
  'REFUNDED',
  'FAILED_TEST',
  'BILLING_FAILED',
  'TRANSFERRED',
] as const
/** A referral status known to this version of the package. */
export type KnownReferralStatus = (typeof REFERRAL_STATUSES)[number]
/** Returns `true` when a value is a referral status known to this version of the package. */
export const isKnownReferralStatus = /* @__PURE__ */ knownGuard(REFERRAL_STATUSES)

// §3.1, §4.1
/** Statuses of referrals that can be updated. */
export const UPDATABLE_REFERRAL_STATUSES = ['CREATED', 'ISSUED'] as const satisfies KnownReferralStatus[]
/** Returns `true` when a referral with this status can be updated. */
export const isUpdatableReferralStatus = /* @__PURE__ */ knownGuard(UPDATABLE_REFERRAL_STATUSES)

// §2.4
/** Origins of referrals known to this version of the package. */
export const REFERRAL_ORIGINS = [
  'CONSUMER_WEBSITE',
  'BUNDLE_PURCHASE',
  'API',
  'STORE_INTEGRATION',
  'UNKNOWN',
] as const
/** A referral origin known to this version of the package. */
export type KnownReferralOrigin = (typeof REFERRAL_ORIGINS)[number]
/** Returns `true` when a value is a referral origin known to this version of the package. */
export const isKnownReferralOrigin = /* @__PURE__ */ knownGuard(REFERRAL_ORIGINS)

// §3.2
/** Result statuses known to this version of the package. */
export const RESULT_STATUSES = ['CREATED', 'IN_REVIEW', 'PARTIAL_RESULTS', 'COMPLETE'] as const
/** A result status known to this version of the package. */
export type KnownResultStatus = (typeof RESULT_STATUSES)[number]
/** Returns `true` when a value is a result status known to this version of the package. */
export const isKnownResultStatus = /* @__PURE__ */ knownGuard(RESULT_STATUSES)

// §1, §2.5
/** Sources of results: ordered, incoming from a laboratory, or uploaded. */
export const PROVENANCES = ['ORDERED', 'INCOMING', 'UPLOADED'] as const
/** A provenance known to this version of the package. */
export type KnownProvenance = (typeof PROVENANCES)[number]
/** Returns `true` when a value is a provenance known to this version of the package. */
export const isKnownProvenance = /* @__PURE__ */ knownGuard(PROVENANCES)

// §3.3
/** Statuses of a provider's routing connections. */
export const CONNECTION_STATUSES = [
  'NOT_SUBMITTED',
  'PENDING_CONFIRMATION',
  'CONNECTED',
  'ACTION_NEEDED',
  'STOP_REQUESTED',
] as const
/** A routing connection status known to this version of the package. */
export type KnownConnectionStatus = (typeof CONNECTION_STATUSES)[number]
/** Returns `true` when a value is a routing connection status known to this version of the package. */
export const isKnownConnectionStatus = /* @__PURE__ */ knownGuard(CONNECTION_STATUSES)

// §3.4
/** Collection centre statuses. */
export const CENTRE_STATUSES = ['ACTIVE', 'MISSING', 'RETIRED'] as const
/** A collection centre status known to this version of the package. */
export type KnownCentreStatus = (typeof CENTRE_STATUSES)[number]
/** Returns `true` when a value is a collection centre status known to this version of the package. */
export const isKnownCentreStatus = /* @__PURE__ */ knownGuard(CENTRE_STATUSES)

// §2.11, §4.5
/** Kinds of testing that a centre offers. The centre search can filter by them. */
export const TESTING_TYPES = ['PATHOLOGY', 'IMAGING'] as const
/** A testing type known to this version of the package. */
export type KnownTestingType = (typeof TESTING_TYPES)[number]
/** Returns `true` when a value is a testing type known to this version of the package. */
export const isKnownTestingType = /* @__PURE__ */ knownGuard(TESTING_TYPES)

// §4.5
/** Abbreviations of Australian states and territories for the centre search. */
export const AUSTRALIAN_STATES = ['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'NT', 'ACT'] as const
/** Abbreviation of a state or territory. */
export type AustralianState = (typeof AUSTRALIAN_STATES)[number]
/** Returns `true` when a value is the abbreviation of a state or territory. */
export const isAustralianState = /* @__PURE__ */ knownGuard(AUSTRALIAN_STATES)

// §2.11
/** Days of the week in the order of a centre's opening hours. */
export const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const
/** A day of the week known to this version of the package. */
export type KnownDay = (typeof DAYS)[number]
/** Returns `true` when a value is a day of the week known to this version of the package. */
export const isKnownDay = /* @__PURE__ */ knownGuard(DAYS)

// §2.11
/** Statuses of one day's opening hours. */
export const DAY_STATUSES = ['OPEN', 'CLOSED', 'UNKNOWN'] as const
/** A status of a day's opening hours known to this version of the package. */
export type KnownDayStatus = (typeof DAY_STATUSES)[number]
/** Returns `true` when a value is a status of a day's opening hours known to this version of the package. */
export const isKnownDayStatus = /* @__PURE__ */ knownGuard(DAY_STATUSES)

// §2.9
/** Bundle visibilities. */
export const BUNDLE_VISIBILITIES = ['PUBLIC', 'PRIVATE'] as const
/** A bundle visibility known to this version of the package. */
export type KnownBundleVisibility = (typeof BUNDLE_VISIBILITIES)[number]
/** Returns `true` when a value is a bundle visibility known to this version of the package. */
export const isKnownBundleVisibility = /* @__PURE__ */ knownGuard(BUNDLE_VISIBILITIES)

// §2.2, §4.1
/** Genders accepted in an order and in an update of a referral. */
export const GENDERS = ['male', 'female'] as const
/** A gender accepted in an order and in an update of a referral. */
export type Gender = (typeof GENDERS)[number]

// §4
/** Sort orders of every list that sorts by time. */
export const SORT_ORDERS = ['asc', 'desc'] as const
/** `asc` returns the oldest first, `desc` the newest. */
export type SortOrder = (typeof SORT_ORDERS)[number]

// §4.3
/** Optional data that the test list can include. */
export const TEST_INCLUDES = ['biomarkers'] as const
/** Optional data that the test list can include. */
export type TestInclude = (typeof TEST_INCLUDES)[number]

// §2.6
/** Documented statuses of canonical values; others exist. */
export const CANONICAL_STATUSES = ['already-standard'] as const
/** A canonical-value status known to this version of the package. */
export type KnownCanonicalStatus = (typeof CANONICAL_STATUSES)[number]
/** Returns `true` when a value is a canonical-value status known to this version of the package. */
export const isKnownCanonicalStatus = /* @__PURE__ */ knownGuard(CANONICAL_STATUSES)

/**
 * A value from a set that the service may extend. Editors suggest the known values, and the type accepts any other
 * string.
 */
export type OpenEnum<Known extends string> = Known | (string & {})
