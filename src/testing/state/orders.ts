import type {
  KnownProvenance,
  KnownReferralOrigin,
  KnownReferralStatus,
  KnownResultStatus,
} from '../../contract/enums.js'
import type { Doctor, LabPatient, OrderingPractitioner, Person } from '../../contract/types.js'
import type { OrderOutcome } from '../options/orders-options.js'

/** Owner of a record: the client's organisation, or another organisation. */
export type Organisation = 'own' | 'other'

/** A transition that happens after the referral is read a number of times. */
export interface PendingTransition {
  readonly name: 'issue' | 'verify'
  readsLeft: number
}

/** One referral (§2.4). Attachments are not stored: every read signs a new URL. */
export interface ReferralRow {
  readonly sequence: number
  readonly organisation: Organisation
  readonly uuid: string
  status: KnownReferralStatus
  person: Person
  readonly tests: readonly string[]
  readonly bundleId: string | null
  readonly productId: string | null
  readonly productName: string | null
  readonly origin: KnownReferralOrigin
  readonly referralType: string
  readonly reference: string
  readonly referenceNumber: string
  /** `true` when a PDF exists. A deleted referral has no PDF, even if the value is `true`. */
  hasDocument: boolean
  readonly emailsPatient: boolean
  emailSentAt: string | null
  readonly createdAt: string
  updatedAt: string
  issuedAt: string | null
  deletedAt: string | null
  resultsUuid: string | null
  metadata: Readonly<Record<string, unknown>> | null
  readonly medicare: boolean
  readonly orderingPractitioner: OrderingPractitioner | null
  readonly medicareCardNumber: string | null
  readonly dvaNumber: string | null
  readonly clinicalNotes: string | null
  readonly profileUuid: string
  /** The other referral of the same order; one email contains both PDFs (§4.1 rule 4). */
  siblingUuid: string | null
  pending: PendingTransition | null
  /** Number of transitions so far. A planned transition is cancelled if another transition happens first. */
  transitions: number
}

export interface LaboratoryMessage {
  /** Number of biomarkers reported so far, including this message. */
  readonly reported: number
  readonly receivedAt: string
  /** A corrected message changes values that were reported before. */
  readonly kind: 'interim' | 'final' | 'corrected'
  /** The result's `values` when the message arrived. A later correction does not change this message's text. */
  readonly values: Readonly<Record<string, string>>
}

/** Status of a result by its received messages, without regard to a hold for review. */
export type ArrivedStatus = 'PARTIAL_RESULTS' | 'COMPLETE'

/** One result (§2.5). Biomarkers are not stored: they are computed from the other fields. */
export interface ResultRow {
  readonly sequence: number
  readonly organisation: Organisation
  readonly uuid: string
  readonly provenance: KnownProvenance
  readonly referralUuid: string | null
  readonly referenceNumber: string | null
  readonly reference: string
  /** `null` before the first message. */
  arrived: ArrivedStatus | null
  /** `true` when the result is held for review: its status is IN_REVIEW until the release. */
  held: boolean
  readonly person: Person
  readonly labPatient: LabPatient | null
  readonly productId: string | null
  readonly productName: string | null
  /** Ids of all tests of the result. */
  readonly tests: readonly string[]
  /** Messages so far, in the order received. */
  messages: LaboratoryMessage[]
  /** Seed of the generated values. */
  valueSeed: number
  /** Values that the user of the fake has set, by biomarker id. They replace generated values. */
  values: Readonly<Record<string, string>>
  /** `false` for an old result whose report text the service did not store (§2.5). */
  readonly keepsReport: boolean
  /** `true`: report text without biomarkers (§2.5). */
  readonly reportOnly: boolean
  readonly createdAt: string
  updatedAt: string
  deletedAt: string | null
  resultDate: string
  reviewedBy: Doctor | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly profileUuid: string
}

/** An email to a patient: one for each order, with every PDF. */
export interface SentEmail {
  /** Time of sending, ISO 8601 on the fake's clock. */
  readonly sentAt: string
  /** UUIDs of the referrals whose PDFs are attached. */
  readonly referralUuids: readonly string[]
}

/** Referrals and results. Lists are in order of creation, so that a page does not need sorting. */
export interface OrdersState {
  readonly organisationUuids: Readonly<Record<Organisation, string>>
  nextSequence: number
  readonly referrals: Map<string, ReferralRow>
  readonly results: Map<string, ResultRow>
  readonly referralLists: Readonly<Record<Organisation, ReferralRow[]>>
  readonly resultLists: Readonly<Record<Organisation, ResultRow[]>>
  readonly references: Set<string>
  /** Outcomes of the next orders, first order first. Later orders have the outcome of the option `orderOutcome`. */
  nextOrderOutcomes: OrderOutcome[]
  /** The newest emails, oldest first. */
  readonly emails: SentEmail[]
}

export function createOrdersState(organisationUuids: OrdersState['organisationUuids']): OrdersState {
  return {
    organisationUuids,
    nextSequence: 1,
    referrals: new Map(),
    results: new Map(),
    referralLists: { own: [], other: [] },
    resultLists: { own: [], other: [] },
    references: new Set(),
    nextOrderOutcomes: [],
    emails: [],
  }
}

/** Returns the status of a result in responses (§3.2). A held result is always IN_REVIEW. */
export function resultStatus(row: ResultRow): KnownResultStatus {
  if (row.arrived === null) return 'CREATED'
  return row.held ? 'IN_REVIEW' : row.arrived
}
