import type { Provider, ProviderConnection } from '../../contract/types.js'
import { vendorSeed } from '../seed/brands.js'
import type { FakeContext } from '../server/context.js'
import type { ConnectionRecord, ProviderRecord } from '../state/providers.js'

/** A provider record as the service shows it, on every endpoint alike (§2.10). */
export function providerView(context: FakeContext, record: ProviderRecord): Provider {
  const absent = context.options.absentProviderDetails === 'empty' ? '' : null
  return {
    object: 'provider',
    providerNumber: record.providerNumber,
    name: record.name,
    address: record.address,
    title: record.title ?? absent,
    phone: record.phone ?? absent,
    email: record.email ?? absent,
    hasSignature: record.signature !== null,
    signatureSignedAt: record.signatureSignedAt,
    encodedSignature: record.signature,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    connections: record.connections.map(connectionView),
  }
}

/** A connection as the service shows it (§2.10); the attestation is not part of it. */
export function connectionView(connection: ConnectionRecord): ProviderConnection {
  return {
    object: 'providerConnection',
    vendorId: connection.vendorId,
    vendorName: vendorSeed(connection.vendorId)?.name ?? connection.vendorId,
    status: connection.status,
    consentedAt: connection.consentedAt,
    confirmedAt: connection.confirmedAt,
    actionNeededReason: connection.actionNeededReason,
  }
}
