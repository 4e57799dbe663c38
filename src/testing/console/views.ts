import type { KnownReferralStatus, KnownResultStatus } from '../../contract/enums.js'
import type { CentreChangeKinds } from '../../contract/events.js'
import type { Referral, Result } from '../../contract/types.js'
import type { BiomarkerFlag } from '../../display/display-text.js'
import type { PendingFault } from '../faults/fault-injector.js'
import type { JournalEntry } from '../server/journal.js'
import type { DeliveryAttempt, DeliveryFault, DeliveryFaultKind, DeliveryStatus } from '../state/webhooks.js'

/** A possible change of a record: a `POST` to `path`. */
export interface RecordAction {
  readonly name: string
  readonly path: string
  readonly description: string
}

/** A referral in a list. */
export interface ReferralSummary {
  readonly position: number
  readonly uuid: string
  readonly status: KnownReferralStatus
  readonly name: string
  readonly reference: string
  readonly referenceNumber: string
  readonly tests: number
  readonly medicare: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly deleted: boolean
}

/** A result in a list. */
export interface ResultSummary {
  readonly position: number
  readonly uuid: string
  readonly status: KnownResultStatus
  readonly name: string
  readonly provenance: string
  readonly reference: string
  readonly referralUuid: string | null
  readonly resultDate: string
  readonly updatedAt: string
  readonly deleted: boolean
}

/** A delivery in a timeline. */
export interface TimelineDelivery {
  readonly id: number
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly repeat: 'resend' | 'duplicate' | null
  readonly queuedAt: string
}

/** A past or planned change of a record. */
export interface TimelineEntry {
  readonly at: string
  readonly kind: 'fact' | 'event' | 'request' | 'planned'
  readonly title: string
  readonly detail: string
  /** The number of the request in the journal. */
  readonly request?: number
  readonly deliveries?: readonly TimelineDelivery[]
}

/** A referral with its history and possible changes. */
export interface ReferralDetail {
  readonly referral: Referral
  readonly actions: readonly RecordAction[]
  readonly timeline: readonly TimelineEntry[]
  /** The other referral of the same order. */
  readonly siblingUuid: string | null
}

/** Texts of one biomarker, in the canonical unit if there is a canonical value. */
export interface BiomarkerText {
  readonly range: string
  readonly flag: BiomarkerFlag
  /** Texts of the additional ranges, in their order. */
  readonly additional: readonly string[]
}

/** A result with its history and possible changes. */
export interface ResultDetail {
  readonly result: Result
  /** Texts of each biomarker, in their order. */
  readonly texts: readonly BiomarkerText[]
  readonly actions: readonly RecordAction[]
  readonly timeline: readonly TimelineEntry[]
}

/** A delivery in a list. */
export interface DeliverySummary {
  readonly position: number
  readonly eventName: string
  readonly eventUuid: string
  readonly entityUuid: string
  readonly url: string
  readonly status: DeliveryStatus
  readonly attempts: number
  /** The HTTP status of the last attempt. */
  readonly lastStatus: number | null
  readonly failure: string | null
  readonly nextAttemptAt: string | null
  readonly emittedAt: string
  /** Reason for a repeated delivery. */
  readonly repeat: 'resend' | 'duplicate' | null
  readonly queuedAt: string
  readonly faults: readonly DeliveryFaultKind[]
}

/** An attempt, and whether its signature is valid for the body and the secret. */
export interface SignedAttempt extends DeliveryAttempt {
  readonly isSignatureValid: boolean
}

/** One delivery with its attempts. */
export interface DeliveryDetail extends DeliverySummary {
  readonly attemptList: readonly SignedAttempt[]
  /** The exact text that the signature covers. */
  readonly body: string
  /** View of the console that shows the event's entity; `null` if no view shows it. */
  readonly entity: 'referrals' | 'results' | null
  /** The earlier delivery for which this one waits; `null` if it waits for none. */
  readonly blockedBy: { readonly position: number; readonly eventName: string } | null
}

/** A request in a list. */
export type RequestSummary = Omit<JournalEntry, 'headers' | 'body' | 'responseHeaders' | 'responseBody'> & {
  readonly position: number
}

/** A webhook of the organisation. */
export interface WebhookSummary {
  readonly id: string
  readonly url: string
  readonly events: number
  readonly active: boolean
}

/** A planned job of the fake. */
export interface PlannedJob {
  readonly dueAt: string
  readonly kind: string
  /** Name of the event that the job sends; `null` for a job without an event. */
  readonly eventName: string | null
}

/** One refresh of the directory, with counts. */
export interface RefreshSummary {
  readonly runUuid: string
  readonly ranAt: string
  readonly counts: CentreChangeKinds<number>
}

/** A provider record and its routing. */
export interface ProviderSummary {
  readonly providerNumber: string
  readonly name: string
  readonly signed: boolean
  readonly connections: readonly { readonly vendorId: string; readonly status: string }[]
}

/** A collection centre with its opening hours as text. */
export interface CentreSummary {
  readonly uuid: string
  readonly name: string
  readonly place: string
  readonly hours: string
}

/** The directory: centres by status, refreshes newest first, providers. */
export interface DirectoryView {
  readonly centres: Readonly<Record<string, number>>
  /** The first centres by name. */
  readonly firstCentres: readonly CentreSummary[]
  readonly refreshes: readonly RefreshSummary[]
  readonly providers: readonly ProviderSummary[]
  readonly providerCount: number
}

/** Data that all views of the console share. */
export interface Overview {
  readonly baseUrl: string
  readonly authUrl: string
  readonly documentsUrl: string
  readonly clientId: string
  readonly environment: string
  readonly now: string
  readonly clock: 'running' | 'stopped'
  readonly counts: {
    readonly referrals: number
    readonly results: number
    readonly deliveries: number
    readonly requests: number
    readonly faults: number
  }
  /** Number of deliveries that failed or wait for a retry. */
  readonly failingDeliveries: number
  readonly next: PlannedJob | null
  /** The next jobs, earliest first. */
  readonly planned: readonly PlannedJob[]
  /** The last events, newest first. */
  readonly lastEvents: readonly RecentEvent[]
  /** The newest delivery that a receiver rejected; `null` if there is none. */
  readonly rejection: Rejection | null
}

/** An event, for the overview. */
export interface RecentEvent {
  readonly eventName: string
  readonly eventUuid: string
  readonly emittedAt: string
  readonly entityUuid: string
  /** View of the console that shows the entity; `null` if no view shows it. */
  readonly entity: 'referrals' | 'results' | null
}

/** A failed attempt of a delivery, with the reason in the receiver's response. */
export interface Rejection {
  readonly delivery: number
  readonly attempt: number
  readonly eventName: string
  /** Status of the response; `null` without a response. */
  readonly status: number | null
  /** Why the attempt failed, such as `ECONNREFUSED`. */
  readonly failure: string
  readonly isSignatureValid: boolean
  /** Reason in the response: a field of its JSON, or its text. Empty for a response without text. */
  readonly reason: string
}

/** Pending faults, and the request limit. */
export interface FaultsView {
  readonly faults: readonly PendingFault[]
  readonly deliveryFaults: readonly DeliveryFault[]
  readonly quota: { readonly limit: number; readonly perMs: number; readonly used: number } | null
}

/** An option of the fake and whether it differs from the default. */
export interface OptionView {
  readonly name: string
  readonly value: string
  readonly changed: boolean
  /** `true` when a running fake can change the option. */
  readonly changeable: boolean
  /** The possible values, as JSON; empty if the option has no list of values. */
  readonly choices: readonly string[]
}

/** A test or a bundle that can be ordered. */
export interface Orderable {
  readonly id: string
  readonly name: string
  readonly medicareListed: boolean
}

/** Values for the forms of the console. The page reads them when it loads, so it does not show tests added later. */
export interface Choices {
  readonly routes: readonly string[]
  readonly referralStatuses: readonly string[]
  readonly resultStatuses: readonly string[]
  readonly events: readonly string[]
  readonly tests: readonly Orderable[]
  readonly bundles: readonly Orderable[]
}
