import type { Provider, ProviderConnection } from '../../contract/types.js'
import { vendorSeed } from '../seed/brands.js'
import type { FakeContext } from '../state/context.js'
import type { ReferralRow } from '../state/orders.js'
import { type ConnectionRecord, findProvider, type ProviderRecord } from '../state/providers.js'

/** Converts a provider record to the service's response. DELETE and routing have other responses (§2.10, §4.4). */
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

/** Converts a connection to the service's response, which does not contain the attestation (§2.10). */
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

/**
 * Returns the text about the laboratories that route results of this doctor's Medicare orders to the organisation
 * (§2.4).
 */
export function routingMessage(context: FakeContext, row: ReferralRow): string {
  const number = row.orderingPractitioner?.providerNumber ?? ''
  const connections = findProvider(context.state.providers, number)?.connections ?? []
  const connected = connections
    .filter(({ status }) => status === 'CONNECTED')
    .map(({ vendorId }) => vendorSeed(vendorId)?.name ?? vendorId)
  const requested = connections.length - connected.length
  if (connected.length > 0) {
    return `These laboratories send results of provider ${number} to the organisation automatically: ${connected.join(', ')}. For other laboratories, request routing at POST /v1/providers/${number}/routing.`
  }
  if (requested > 0) {
    return `Provider ${number} has no confirmed routing (requested laboratories: ${requested}). Until a laboratory confirms, no laboratory sends results to the organisation automatically.`
  }
  return `No laboratory sends results of provider ${number} to the organisation automatically. Request routing at POST /v1/providers/${number}/routing. The referral is also valid without routing.`
}
