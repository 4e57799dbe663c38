import type { Provider, ProviderConnection } from '../../contract/types.js'
import { vendorSeed } from '../seed/brands.js'
import type { FakeContext } from '../state/context.js'
import type { ReferralRow } from '../state/orders.js'
import { type ConnectionRecord, findProvider, type ProviderRecord } from '../state/providers.js'

/** Returns a provider record as every endpoint returns it (§2.10). */
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

/** Returns a connection as the service returns it, without the attestation (§2.10). */
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

/** Lists the laboratories that send results of this doctor's Medicare orders to the doctor (§2.4). */
export function routingMessage(context: FakeContext, row: ReferralRow): string {
  const number = row.orderingPractitioner?.providerNumber ?? ''
  const connections = findProvider(context.state.providers, number)?.connections ?? []
  const connected = connections
    .filter(({ status }) => status === 'CONNECTED')
    .map(({ vendorId }) => vendorSeed(vendorId)?.name ?? vendorId)
  const under = connections.length - connected.length
  if (connected.length > 0) {
    return `Results of provider ${number} route back automatically from: ${connected.join(', ')}. For other laboratories, request routing at POST /v1/providers/${number}/routing.`
  }
  if (under > 0) {
    return `Routing for provider ${number} is not confirmed yet by ${under} laboratories: until then results do not route back automatically.`
  }
  return `No laboratory routes results of provider ${number} back automatically. Request routing at POST /v1/providers/${number}/routing; the referral is valid without it.`
}
