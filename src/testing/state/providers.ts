import type { KnownConnectionStatus } from '../../contract/enums.js'
import { seedProviders } from '../seed/providers.js'
import type { SeedContext } from '../server/context.js'
import type { Organisation } from './orders.js'

/** What the person who asked for routing attested (§4.4). */
export interface AttestationRecord {
  /** Who attested that the doctor signed. */
  readonly attestedBy: string
  /** When the doctor signed, ISO 8601 as it was sent. */
  readonly doctorSignedAt: string
  /** The caller's own reference; `null` without one. */
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
  /** Grows with every record, so that lists need no sorting. */
  readonly sequence: number
  readonly organisation: Organisation
  readonly source: 'api' | 'portal'
  readonly providerNumber: string
  name: string
  address: string
  title: string | null
  phone: string | null
  email: string | null
  /** A data URI of a base64 PNG; `null` without one. */
  signature: string | null
  signatureSignedAt: string | null
  readonly createdAt: string
  updatedAt: string
  /** In the order they were asked for. */
  readonly connections: ConnectionRecord[]
}

/** Medicare provider records. */
export interface ProvidersState {
  /** Both organisations' records, oldest first. A retired one is gone, and its signature with it. */
  readonly records: ProviderRecord[]
  nextSequence: number
  /** Vendors that are not reachable at present: neither listed nor accepted (§4.4). */
  disabledVendors: string[]
}

/** The seeded records. */
export function createProvidersState(seed: SeedContext): ProvidersState {
  const records = seedProviders(seed.clock.now())
  return { records, nextSequence: records.length + 1, disabledVendors: [] }
}

/** The organisation's record with that number; what another organisation holds is not found. */
export function findProvider(state: ProvidersState, providerNumber: string): ProviderRecord | undefined {
  return state.records.find(
    (record) => record.providerNumber === providerNumber && record.organisation === 'own',
  )
}
