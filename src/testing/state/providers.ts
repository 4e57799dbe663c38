import type { KnownConnectionStatus } from '../../contract/enums.js'
import type { Organisation } from './orders.js'

/** Attestation of a routing request. */
export interface AttestationRecord {
  /** Name of the person who attested that the doctor signed. */
  readonly attestedBy: string
  /** Time of the doctor's signature, ISO 8601 as it was sent. */
  readonly doctorSignedAt: string
  /** The caller's own reference; `null` if the request has none. */
  readonly reference: string | null
}

/** One laboratory's routing of a provider's results (§2.10, §3.3). */
export interface ConnectionRecord {
  readonly vendorId: string
  status: KnownConnectionStatus
  consentedAt: string
  confirmedAt: string | null
  actionNeededReason: string | null
  attestation: AttestationRecord
}

/** One Medicare provider record (§2.10). */
export interface ProviderRecord {
  /** Increases with every record, so that lists do not need sorting. */
  readonly sequence: number
  readonly organisation: Organisation
  readonly source: 'api' | 'portal'
  readonly providerNumber: string
  name: string
  address: string
  title: string | null
  phone: string | null
  email: string | null
  /** The signature as a data URI of a base64 PNG; `null` without a signature. */
  signature: string | null
  signatureSignedAt: string | null
  readonly createdAt: string
  updatedAt: string
  /** Connections, in the order of the requests. */
  readonly connections: ConnectionRecord[]
}

export interface ProvidersState {
  /**
   * Records of the caller's organisation and of another organisation, oldest first. Retired records and their
   * signatures are deleted.
   */
  readonly records: ProviderRecord[]
  nextSequence: number
  /** Disabled vendors: not listed and not accepted (§4.4). */
  disabledVendors: string[]
}

export function createProvidersState(records: ProviderRecord[]): ProvidersState {
  return { records, nextSequence: records.length + 1, disabledVendors: [] }
}

/** Ignores records of another organisation. */
export function findProvider(state: ProvidersState, providerNumber: string): ProviderRecord | undefined {
  return state.records.find(
    (record) => record.providerNumber === providerNumber && record.organisation === 'own',
  )
}
