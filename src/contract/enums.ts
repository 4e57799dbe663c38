import { knownGuard } from './open.js'

/** Referral statuses known to this version (§3.1). */
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
/** A referral status known to this version. */
export type KnownReferralStatus = (typeof REFERRAL_STATUSES)[number]
/** Tells whether a value is a referral status known to this version. */
export const isKnownReferralStatus = /* @__PURE__ */ knownGuard(REFERRAL_STATUSES)

/** Statuses in which a referral can still be updated (§3.1, §4.1). */
export const UPDATABLE_REFERRAL_STATUSES = ['CREATED', 'ISSUED'] as const satisfies KnownReferralStatus[]
/** Tells whether a referral with this status can still be updated (§3.1, §4.1). */
export const isUpdatableReferralStatus = /* @__PURE__ */ knownGuard(UPDATABLE_REFERRAL_STATUSES)

/** Where a referral came from (§2.4). */
export const REFERRAL_ORIGINS = [
  'CONSUMER_WEBSITE',
  'BUNDLE_PURCHASE',
  'API',
  'STORE_INTEGRATION',
  'UNKNOWN',
] as const
/** A referral origin known to this version. */
export type KnownReferralOrigin = (typeof REFERRAL_ORIGINS)[number]
/** Tells whether a value is a referral origin known to this version. */
export const isKnownReferralOrigin = /* @__PURE__ */ knownGuard(REFERRAL_ORIGINS)

/** Result statuses (§3.2). */
export const RESULT_STATUSES = ['CREATED', 'IN_REVIEW', 'PARTIAL_RESULTS', 'COMPLETE'] as const
/** A result status known to this version. */
export type KnownResultStatus = (typeof RESULT_STATUSES)[number]
/** Tells whether a value is a result status known to this version. */
export const isKnownResultStatus = /* @__PURE__ */ knownGuard(RESULT_STATUSES)

/** How a result reached the organisation (§1, §2.5). */
export const PROVENANCES = ['ORDERED', 'INCOMING', 'UPLOADED'] as const
/** A provenance known to this version. */
export type KnownProvenance = (typeof PROVENANCES)[number]
/** Tells whether a value is a provenance known to this version. */
export const isKnownProvenance = /* @__PURE__ */ knownGuard(PROVENANCES)

/** Provider routing connection statuses (§3.3). */
export const CONNECTION_STATUSES = [
  'NOT_SUBMITTED',
  'PENDING_CONFIRMATION',
  'CONNECTED',
  'ACTION_NEEDED',
  'STOP_REQUESTED',
] as const
/** A routing connection status known to this version. */
export type KnownConnectionStatus = (typeof CONNECTION_STATUSES)[number]
/** Tells whether a value is a routing connection status known to this version. */
export const isKnownConnectionStatus = /* @__PURE__ */ knownGuard(CONNECTION_STATUSES)

/** Collection centre statuses (§3.4). */
export const CENTRE_STATUSES = ['ACTIVE', 'MISSING', 'RETIRED'] as const
/** A collection centre status known to this version. */
export type KnownCentreStatus = (typeof CENTRE_STATUSES)[number]
/** Tells whether a value is a collection centre status known to this version. */
export const isKnownCentreStatus = /* @__PURE__ */ knownGuard(CENTRE_STATUSES)

/** Testing types a centre can offer and a search can ask for (§2.11, §4.5). */
export const TESTING_TYPES = ['PATHOLOGY', 'IMAGING'] as const
/** A testing type known to this version. */
export type KnownTestingType = (typeof TESTING_TYPES)[number]
/** Tells whether a value is a testing type known to this version. */
export const isKnownTestingType = /* @__PURE__ */ knownGuard(TESTING_TYPES)

/** Australian states and territories, as the centre search takes them (§4.5). */
export const AUSTRALIAN_STATES = ['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'NT', 'ACT'] as const
/** A state or territory by its abbreviation. */
export type AustralianState = (typeof AUSTRALIAN_STATES)[number]
/** Tells whether a value is the abbreviation of a state or territory. */
export const isAustralianState = /* @__PURE__ */ knownGuard(AUSTRALIAN_STATES)

/** Days of the week in the order of a centre's opening hours (§2.11). */
export const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const
/** A day of the week known to this version. */
export type KnownDay = (typeof DAYS)[number]
/** Tells whether a value is a day of the week known to this version. */
export const isKnownDay = /* @__PURE__ */ knownGuard(DAYS)

/** What is known of one day's opening hours (§2.11). */
export const DAY_STATUSES = ['OPEN', 'CLOSED', 'UNKNOWN'] as const
/** A status of a day's opening hours known to this version. */
export type KnownDayStatus = (typeof DAY_STATUSES)[number]
/** Tells whether a value is a status of a day's opening hours known to this version. */
export const isKnownDayStatus = /* @__PURE__ */ knownGuard(DAY_STATUSES)

/** Bundle visibilities (§2.9). */
export const BUNDLE_VISIBILITIES = ['PUBLIC', 'PRIVATE'] as const
/** A bundle visibility known to this version. */
export type KnownBundleVisibility = (typeof BUNDLE_VISIBILITIES)[number]
/** Tells whether a value is a bundle visibility known to this version. */
export const isKnownBundleVisibility = /* @__PURE__ */ knownGuard(BUNDLE_VISIBILITIES)

/** Genders an order takes (§2.2, §4.1). */
export const GENDERS = ['male', 'female'] as const
/** A gender that an order takes. */
export type Gender = (typeof GENDERS)[number]

/** Sort orders of every list that sorts by time (§4). */
export const SORT_ORDERS = ['asc', 'desc'] as const
/** `asc`: oldest first. */
export type SortOrder = (typeof SORT_ORDERS)[number]

/** Additions that the test list can be asked to include (§4.3). */
export const TEST_INCLUDES = ['biomarkers'] as const
/** An addition to the test list. */
export type TestInclude = (typeof TEST_INCLUDES)[number]

/** The canonical-value status the specification shows; others exist (§2.6). */
export const CANONICAL_STATUSES = ['already-standard'] as const
/** A canonical-value status known to this version. */
export type KnownCanonicalStatus = (typeof CANONICAL_STATUSES)[number]
/** Tells whether a value is a canonical-value status known to this version. */
export const isKnownCanonicalStatus = /* @__PURE__ */ knownGuard(CANONICAL_STATUSES)
