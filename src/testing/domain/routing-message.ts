import { vendorSeed } from '../seed/brands.js'
import type { FakeContext } from '../server/context.js'
import type { ReferralRow } from '../state/orders.js'
import { findProvider } from '../state/providers.js'

/** Whether and from where this doctor's Medicare results route back by themselves (§2.4); it never blocks. */
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
    return `Routing for provider ${number} is under way with ${under} of the laboratories and not confirmed yet: until then results do not route back automatically.`
  }
  return `No laboratory routes results of provider ${number} back automatically. Request routing at POST /v1/providers/${number}/routing; the referral is valid without it.`
}
