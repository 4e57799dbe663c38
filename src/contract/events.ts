import type { KnownProvenance, KnownReferralStatus, KnownResultStatus, OpenEnum } from './enums.js'
import { knownGuard } from './read.js'

// §6
/** Events about a referral. */
export const REFERRAL_EVENT_NAMES = [
  'referral.created',
  'referral.updated',
  'referral.billing_failed',
  'referral.pending_verification',
  'referral.complete',
  'referral.insufficient_data',
  'referral.refunded',
  'referral.failed_test',
  'referral.partial_results',
  'referral.transferred',
  'referral.issued',
  'referral.scheduled_reissue',
] as const

// §6
/** Events about a result. */
export const RESULT_EVENT_NAMES = [
  'result.created',
  'result.updated',
  'result.complete',
  'result.in_review',
  'result.partial_results',
] as const

// §6
/** Events about the collection centre directory. */
export const CENTRE_EVENT_NAMES = ['collection_centres.updated'] as const

// §6
/** Names of all events known to this version of the package. */
export const EVENT_NAMES: readonly KnownEventName[] = /* @__PURE__ */ [
  REFERRAL_EVENT_NAMES,
  RESULT_EVENT_NAMES,
  CENTRE_EVENT_NAMES,
].flat()

/** The name of an event about a referral. */
export type ReferralEventName = (typeof REFERRAL_EVENT_NAMES)[number]
/** The name of an event about a result. */
export type ResultEventName = (typeof RESULT_EVENT_NAMES)[number]
/** The name of an event about the collection centre directory. */
export type CentreEventName = (typeof CENTRE_EVENT_NAMES)[number]
/** An event name known to this version of the package. */
export type KnownEventName = ReferralEventName | ResultEventName | CentreEventName
/** An event name. The service may send names unknown to this version of the package. */
export type EventName = OpenEnum<KnownEventName>

/** Returns `true` when a value is an event name known to this version of the package. */
export const isKnownEventName = /* @__PURE__ */ knownGuard(EVENT_NAMES)

// §6
/** Name of the header with the signature of a delivery, in lower case. */
export const SIGNATURE_HEADER = 'x-svc-hmac-sha256'
// §6
/** Name of the header with the time of a delivery, in lower case. The signature does not cover this header. */
export const DELIVERY_TIME_HEADER = 'x-svc-delivery-time'

// §6
/** The documented version of the envelope. */
export const EVENT_VERSION = '1.0'

// §6
/**
 * Data of a referral event. The service documents all fields only for `referral.created` and `referral.updated`, so
 * every field is optional for the other events.
 */
export interface ReferralEventData {
  /** The referral's id, a UUID. */
  readonly uuid?: string
  /** The referral's status. */
  readonly status?: OpenEnum<KnownReferralStatus>
  /** Time of issue, ISO 8601; `null` or absent unless issued. */
  readonly issuedAt?: string | null
  /** Your own data from the order and later changes; `null` or absent if there is none. */
  readonly metadata?: Readonly<Record<string, unknown>> | null
  /** Creation time, ISO 8601. */
  readonly createdAt?: string
  /** The service's own eight-digit reference. */
  readonly reference?: string
  /** Time of the last change, ISO 8601. */
  readonly updatedAt?: string
  /** The id of the patient's profile, a UUID. */
  readonly profileUuid?: string | null
  /** The id of your organisation, a UUID. */
  readonly organisationUuid?: string
  readonly [field: string]: unknown
}

// §6
/** Data of `referral.created` and `referral.updated`. The fields below are required in these events. */
export interface FullReferralEventData extends ReferralEventData {
  readonly uuid: string
  readonly status: OpenEnum<KnownReferralStatus>
  readonly createdAt: string
  readonly updatedAt: string
}

// §6
/**
 * Data of a result event. The service documents all fields only for `result.created` and `result.updated`, so every
 * field is optional for the other events.
 */
export interface ResultEventData {
  /** The result's id, a UUID. */
  readonly uuid?: string
  /** The result's status. */
  readonly status?: OpenEnum<KnownResultStatus>
  /** Source of the result: `ORDERED`, `INCOMING` (sent by a laboratory without a referral) or `UPLOADED`. */
  readonly provenance?: OpenEnum<KnownProvenance>
  /** A copy of the referral's metadata; `null` or absent if there is none. */
  readonly metadata?: Readonly<Record<string, unknown>> | null
  /** Creation time, ISO 8601. */
  readonly createdAt?: string
  /** Time of the last change, ISO 8601. */
  readonly updatedAt?: string
  /** The id of the patient's profile, a UUID. */
  readonly profileUuid?: string | null
  /** The referral's id, a UUID; `null` for an INCOMING result. */
  readonly referralUuid?: string | null
  /** The id of your organisation, a UUID. */
  readonly organisationUuid?: string
  readonly [field: string]: unknown
}

// §6
/** Data of `result.created` and `result.updated`. The fields below are required in these events. */
export interface FullResultEventData extends ResultEventData {
  readonly uuid: string
  readonly status: OpenEnum<KnownResultStatus>
  readonly createdAt: string
  readonly updatedAt: string
}

// §6
/** Changes of a directory refresh, by kind. */
export interface CentreChangeKinds<T> {
  /** New centres. */
  readonly created: T
  /** Centres with changed details. */
  readonly updated: T
  /** Missing centres that are listed again. A centre with changed details is also in `updated`. */
  readonly revived: T
  /** Centres that their laboratory no longer lists. */
  readonly missing: T
  /** Centres that are retired because their laboratory did not list them for three weeks. */
  readonly retired: T
}

// §6
/** Data of `collection_centres.updated`. */
export interface CentresUpdatedData {
  /** The refresh's id. A repeated delivery has the same id. */
  readonly runUuid: string
  /**
   * Time of the refresh, ISO 8601. Do not update a copy of the directory from this time: the changes of a missed
   * event would be skipped. Use `nextSince` of your last `client.centres.changes()` instead.
   */
  readonly ranAt: string
  /** Numbers of changed centres, by kind. */
  readonly counts: CentreChangeKinds<number>
  /** The ids (UUIDs) of the changed centres, by kind. */
  readonly changed: CentreChangeKinds<readonly string[]>
  /** Always absent: the event is not about a referral or a result. */
  readonly uuid?: undefined
  readonly [field: string]: unknown
}

// §6
/** Envelope of a delivery. */
export interface EventEnvelope<Name extends string, Data> {
  /** The event's name. */
  readonly eventName: Name
  /** The event's id. Every delivery of one event has the same id: use it for de-duplication. */
  readonly eventUuid: string
  /** Version of the envelope; `1.0` is the only documented version. */
  readonly version: string
  /** Only the most important fields, such as ids and statuses. Fetch the details from the API. */
  readonly data: Data
}

// §6
/** Data types of the known events, by name. */
export type EventDataByName = {
  [Name in ReferralEventName]: Name extends 'referral.created' | 'referral.updated'
    ? FullReferralEventData
    : ReferralEventData
} & {
  [Name in ResultEventName]: Name extends 'result.created' | 'result.updated'
    ? FullResultEventData
    : ResultEventData
} & { [Name in CentreEventName]: CentresUpdatedData }

// §6
/** A known event, discriminated by `eventName`. */
export type KnownEvent = {
  [Name in KnownEventName]: EventEnvelope<Name, EventDataByName[Name]>
}[KnownEventName]

// §6
/** The known event with this name. */
export type EventOf<Name extends KnownEventName> = Extract<KnownEvent, { readonly eventName: Name }>

declare const unknownName: unique symbol
/**
 * An event name unknown to this version of the package. The brand excludes the known names. The template makes the type
 * a literal type, because TypeScript narrows a `switch` only by literal types.
 */
export type UnknownEventName = `${string}.${string}` & { readonly [unknownName]: true }

// §6
/**
 * An event with a name unknown to this version of the package. Respond to such an event with 200, because the service
 * may add names at any time.
 */
export type UnknownEvent = EventEnvelope<UnknownEventName, UnknownEventData>

// §6
/** Data of an event with a name unknown to this version of the package. */
export interface UnknownEventData {
  /** UUID of the event's record, such as a referral; absent if the service does not send a UUID. */
  readonly uuid?: string
  readonly [field: string]: unknown
}

/** Any event. Narrow it with `isKnownEvent(event)`, then with `event.eventName`. */
export type WebhookEvent = KnownEvent | UnknownEvent
