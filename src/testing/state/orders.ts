import type { KnownProvenance, KnownReferralOrigin, KnownReferralStatus } from '../../contract/enums.js'
import type { Doctor, LabPatient, OrderingPractitioner, Person } from '../../contract/types.js'
import type { SeedContext } from '../server/context.js'

/** Whose a record is: of the organisation behind the credentials, or of the one that shares nothing with it. */
export type Organisation = 'own' | 'other'

/** A move that waits until the referral has been read so many times more. */
export interface PendingMove {
  readonly move: 'issue' | 'verify'
  readsLeft: number
}

/** One referral as the fake keeps it (§2.4). Attachments are not kept: every read signs a fresh URL. */
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
  /** Whether a PDF exists now. */
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
  /** The other referral of the same order; one email carries both (§4.1 rule 4). */
  siblingUuid: string | null
  pending: PendingMove | null
  /** How many moves it has made: a planned move is void once another came first. */
  moves: number
}

/** One message of the laboratory. */
export interface LaboratoryMessage {
  /** How many of the result's biomarkers had been reported with this message, those before it included. */
  readonly reported: number
  readonly receivedAt: string
}

/** A result's status without the hold; `null` while nothing has arrived. */
export type ArrivedStatus = 'PARTIAL_RESULTS' | 'COMPLETE'

/** One result as the fake keeps it (§2.5). Biomarkers are not kept: they follow from what is. */
export interface ResultRow {
  readonly sequence: number
  readonly organisation: Organisation
  readonly uuid: string
  readonly provenance: KnownProvenance
  readonly referralUuid: string | null
  readonly referenceNumber: string | null
  readonly reference: string
  arrived: ArrivedStatus | null
  /** Held for review: the status shows IN_REVIEW until released. */
  held: boolean
  readonly person: Person
  readonly labPatient: LabPatient | null
  readonly productId: string | null
  readonly productName: string | null
  /** Every test that was ordered. */
  readonly tests: readonly string[]
  /** What has arrived so far, in the order received. */
  messages: LaboratoryMessage[]
  /** Decides the values; another one gives other values. */
  valueSeed: number
  /** Values that a test of yours wants, by biomarker id; they win over the made ones. */
  values: Record<string, string>
  /** `false`: results from before report text was collected have none (§2.5). */
  readonly keepsReport: boolean
  /** `true`: report text and no biomarkers (§2.5). */
  readonly reportOnly: boolean
  readonly createdAt: string
  updatedAt: string
  deletedAt: string | null
  resultDate: string
  reviewedBy: Doctor | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly profileUuid: string
}

/** How a new order ends (§3.1). */
export type OrderOutcome = 'accepted' | 'pending-verification' | 'billing-failed'

/** An email the service sent to a patient: one for an order, with every PDF. */
export interface SentEmail {
  /** When it was sent, ISO 8601 on the fake's clock. */
  readonly sentAt: string
  /** Ids (UUIDs) of the referrals whose PDFs it carried. */
  readonly referralUuids: readonly string[]
}

/** Referrals and results. Lists are in order of creation, so that a page needs no sorting. */
export interface OrdersState {
  readonly organisationUuids: Readonly<Record<Organisation, string>>
  nextSequence: number
  readonly referrals: Map<string, ReferralRow>
  readonly results: Map<string, ResultRow>
  readonly referralLists: Readonly<Record<Organisation, ReferralRow[]>>
  readonly resultLists: Readonly<Record<Organisation, ResultRow[]>>
  readonly references: Set<string>
  /** What is to become of the next orders, first in first out; orders beyond it follow the options. */
  nextOrderOutcomes: OrderOutcome[]
  /** The newest emails, oldest first. */
  readonly emails: SentEmail[]
}

/** An empty state; `seedOrders` fills it. */
export function createOrdersState(seed: SeedContext): OrdersState {
  return {
    organisationUuids: { own: seed.organisationUuid, other: seed.otherOrganisationUuid },
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
