import type { Vendor } from '../../contract/types.js'
import { VENDORS, type VendorSeed } from '../seed/brands.js'
import type { FakeContext, HandlerTable } from '../server/context.js'

/** `GET /v1/vendors` (§4.4). */
export const handlers: HandlerTable = { 'vendors.list': listVendors }

function listVendors(context: FakeContext): unknown {
  return { vendors: enabledVendors(context).map(vendorView) }
}

function vendorView(vendor: VendorSeed): Vendor {
  return { object: 'vendor', id: vendor.id, name: vendor.name, route: vendor.route }
}

/** The laboratories that are reachable at present: those listed, and those a routing request may name (§4.4). */
export function enabledVendors(context: FakeContext): VendorSeed[] {
  const { disabledVendors } = context.state.providers
  return VENDORS.filter((vendor) => !disabledVendors.includes(vendor.id))
}

/** What happens to vendors beside the API (§4.4). */
export const vendorDrivers = {
  /**
   * Makes a laboratory reachable or not; connections that exist are kept either way. Throws a RangeError when there is
   * no such vendor.
   */
  setEnabled(context: FakeContext, vendorId: string, enabled: boolean): void {
    if (!VENDORS.some((vendor) => vendor.id === vendorId)) {
      throw new RangeError(
        `no vendor '${vendorId}'; there are ${VENDORS.map((vendor) => vendor.id).join(', ')}`,
      )
    }
    if (typeof enabled !== 'boolean') throw new RangeError('enabled must be true or false')
    const { providers } = context.state
    const others = providers.disabledVendors.filter((id) => id !== vendorId)
    providers.disabledVendors = enabled ? others : [...others, vendorId]
  },
} as const
