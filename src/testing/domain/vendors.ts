import type { Vendor } from '../../contract/types.js'
import { VENDORS, type VendorSeed } from '../seed/brands.js'
import type { HandlerTable } from '../server/context.js'
import type { FakeContext } from '../state/context.js'

/** Handler of `GET /v1/vendors` (§4.4). */
export const handlers: HandlerTable<FakeContext> = { 'vendors.list': listVendors }

function listVendors(context: FakeContext): unknown {
  return { vendors: enabledVendors(context).map(vendorView) }
}

function vendorView(vendor: VendorSeed): Vendor {
  return { object: 'vendor', id: vendor.id, name: vendor.name, route: vendor.route }
}

/** Returns the enabled vendors. The API lists only these vendors, and accepts only these in routing requests (§4.4). */
export function enabledVendors(context: FakeContext): VendorSeed[] {
  const { disabledVendors } = context.state.providers
  return VENDORS.filter((vendor) => !disabledVendors.includes(vendor.id))
}

/** Control methods of vendors (§4.4). */
export const vendorMethods = {
  /**
   * Enables or disables a vendor. Existing connections do not change. Throws a RangeError for an unknown vendor, and if
   * `enabled` is not a boolean.
   */
  setEnabled(context: FakeContext, vendorId: string, enabled: boolean): void {
    if (!VENDORS.some((vendor) => vendor.id === vendorId)) {
      throw new RangeError(
        `the fake has no vendor '${vendorId}'; its vendors: ${VENDORS.map((vendor) => vendor.id).join(', ')}`,
      )
    }
    if (typeof enabled !== 'boolean') throw new RangeError('enabled must be true or false')
    const { providers } = context.state
    const others = providers.disabledVendors.filter((id) => id !== vendorId)
    providers.disabledVendors = enabled ? others : [...others, vendorId]
  },
} as const
