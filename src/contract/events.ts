import type { KnownProvenance, KnownReferralStatus, KnownResultStatus } from './enums.js'
import { knownGuard, type OpenEnum } from './open.js'

/** Events about a referral (§6). */
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

/** Events about a result (§6). */
export const RESULT_EVENT_NAMES = [
  'result.created',
  'result.updated',
  'result.complete',
  'result.in_review',
  'result.partial_results',
] as const

/** Events about the collection centre directory (§6). */
export const CENTRE_EVENT_NAMES = ['collection_centres.updated'] as const

/** Every event that a webhook can subscribe to, as far as this version knows (§6). */
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
/** An event name known to this version. */
export type KnownEventName = ReferralEventName | ResultEventName | CentreEventName
/** An event name; the service may send names this version does not know. */
export type EventName = OpenEnum<KnownEventName>

/** Tells whether a value is an event name known to this version. */
export const isKnownEventName = /* @__PURE__ */ knownGuard(EVENT_NAMES)

/** The header that holds a delivery's signature, in lower case (§6). */
export const SIGNATURE_HEADER = 'x-svc-hmac-sha256'
/** The header that tells when a delivery was sent, in lower case; not signed (§6). */
export const DELIVERY_TIME_HEADER = 'x-svc-delivery-time'

/** The envelope version the specification shows (§6). */
export const EVENT_VERSION = '1.0'

/**
 * What a referral event carries. Only `referral.created` and `referral.updated` are shown in full by the
 * specification; of the other events nothing but the envelope is certain, so every field is optional (§6).
 */
export interface ReferralEventData {
  /** The referral's id, a UUID. */
  readonly uuid?: string
  /** Where the referral stands (§3.1). */
  readonly status?: OpenEnum<KnownReferralStatus>
  /** When the referral was issued, ISO 8601; `null` or absent while it is not. */
  readonly issuedAt?: string | null
  /** Data of yours, from the order and later changes; `null` or absent when there is none. */
  readonly metadata?: Readonly<Record<string, unknown>> | null
  /** When the referral was made, ISO 8601. */
  readonly createdAt?: string
  /** The service's own eight-digit reference. */
  readonly reference?: string
  /** When the referral last changed, ISO 8601. */
  readonly updatedAt?: string
  /** The id of the patient's profile, a UUID. */
  readonly profileUuid?: string | null
  /** The id of your organisation, a UUID. */
  readonly organisationUuid?: string
  readonly [field: string]: unknown
}

/** `referral.created` and `referral.updated`: the fields the specification shows (§6). */
export interface FullReferralEventData extends ReferralEventData {
  readonly uuid: string
  readonly status: OpenEnum<KnownReferralStatus>
  readonly createdAt: string
  readonly updatedAt: string
}

/** What a result event carries (§6); see {@link ReferralEventData} on optional fields. */
export interface ResultEventData {
  /** The result's id, a UUID. */
  readonly uuid?: string
  /** How far the result has come (§3.2). */
  readonly status?: OpenEnum<KnownResultStatus>
  /** How the result reached the organisation. */
  readonly provenance?: OpenEnum<KnownProvenance>
  /** A copy of the referral's metadata; `null` or absent when there is none. */
  readonly metadata?: Readonly<Record<string, unknown>> | null
  /** When the result was made, ISO 8601. */
  readonly createdAt?: string
  /** When the result last changed, ISO 8601. */
  readonly updatedAt?: string
  /** The id of the patient's profile, a UUID. */
  readonly profileUuid?: string | null
  /** The referral's id, a UUID; `null` for an INCOMING result. */
  readonly referralUuid?: string | null
  /** The id of your organisation, a UUID. */
  readonly organisationUuid?: string
  readonly [field: string]: unknown
}

/** `result.created` and `result.updated`: the fields the specification shows (§6). */
export interface FullResultEventData extends ResultEventData {
  readonly uuid: string
  readonly status: OpenEnum<KnownResultStatus>
  readonly createdAt: string
  readonly updatedAt: string
}

/** What a directory refresh changed, by kind (§6). */
export interface CentreChangeKinds<T> {
  /** Centres that are new. */
  readonly created: T
  /** Centres whose details changed. */
  readonly updated: T
  /** Centres back after having been missing; with new details, also among `updated`. */
  readonly revived: T
  /** Centres that their laboratory's listing left out. */
  readonly missing: T
  /** Centres retired, after having been missing for three weeks (§3.4). */
  readonly retired: T
}

/** `collection_centres.updated` (§6). */
export interface CentresUpdatedData {
  /** The refresh's id: the same on a delivery sent again. */
  readonly runUuid: string
  /** When this refresh began, ISO 8601. A copy walks from its own `nextSince`, which covers missed events as well. */
  readonly ranAt: string
  /** How many centres changed, by kind. */
  readonly counts: CentreChangeKinds<number>
  /** The ids (UUIDs) of the changed centres, by kind. */
  readonly changed: CentreChangeKinds<readonly string[]>
  readonly [field: string]: unknown
}

/** A delivery's envelope (§6). */
export interface EventEnvelope<Name extends string, Data> {
  /** What happened. */
  readonly eventName: Name
  /** The same on every delivery of one event: de-duplicate by it. */
  readonly eventUuid: string
  /** `1.0` as far as the specification shows. */
  readonly version: string
  /** What the event is about: ids and states, not the details, which are fetched. */
  readonly data: Data
}

/** The data of each known event, by name (§6). */
export type EventDataByName = {
  [Name in ReferralEventName]: Name extends 'referral.created' | 'referral.updated'
    ? FullReferralEventData
    : ReferralEventData
} & {
  [Name in ResultEventName]: Name extends 'result.created' | 'result.updated'
    ? FullResultEventData
    : ResultEventData
} & { [Name in CentreEventName]: CentresUpdatedData }

/** One known event, discriminated by `eventName` (§6). */
export type KnownEvent = {
  [Name in KnownEventName]: EventEnvelope<Name, EventDataByName[Name]>
}[KnownEventName]

/** The known event of one name (§6). */
export type EventOf<Name extends KnownEventName> = Extract<KnownEvent, { readonly eventName: Name }>

declare const unknownName: unique symbol
/**
 * An event name that this version does not know. The mark keeps it apart from the known names; the pattern,
 * which every name has so far, makes TypeScript count it as a literal, without which no `switch` narrows.
 */
export type UnknownEventName = `${string}.${string}` & { readonly [unknownName]: true }

/** An event whose name this version does not know: acknowledge it, and read what you recognise (§6). */
export type UnknownEvent = EventEnvelope<UnknownEventName, Readonly<Record<string, unknown>>>

/** Any event: narrow it by `isKnownEvent(event)`, then by `event.eventName`. */
export type WebhookEvent = KnownEvent | UnknownEvent
