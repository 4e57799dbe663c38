import { catalogueDrivers } from '../domain/catalogue-drivers.js'
import { centreDrivers } from '../domain/centres-drivers.js'
import { deliveryDrivers } from '../domain/deliveries-drivers.js'
import { providerDrivers } from '../domain/providers-drivers.js'
import { referralDrivers } from '../domain/referrals-drivers.js'
import { resultDrivers } from '../domain/results-drivers.js'
import { routingDrivers } from '../domain/routing-drivers.js'
import { vendorDrivers } from '../domain/vendors.js'
import { webhookDrivers } from '../domain/webhooks-drivers.js'

/** Every driver of the domain, by group: methods of the fake, and actions of the control interface. */
export const DRIVER_GROUPS = {
  referrals: referralDrivers,
  results: resultDrivers,
  routing: routingDrivers,
  providers: providerDrivers,
  vendors: vendorDrivers,
  catalogue: catalogueDrivers,
  centres: centreDrivers,
  webhooks: webhookDrivers,
  deliveries: deliveryDrivers,
} as const

export type DriverGroup = keyof typeof DRIVER_GROUPS
