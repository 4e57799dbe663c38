import { catalogueDrivers } from '../domain/catalogue-methods.js'
import { centreDrivers } from '../domain/centres-methods.js'
import { deliveryDrivers } from '../domain/deliveries-methods.js'
import { providerDrivers } from '../domain/providers-methods.js'
import { referralDrivers } from '../domain/referrals-methods.js'
import { resultDrivers } from '../domain/results-methods.js'
import { routingDrivers } from '../domain/routing-methods.js'
import { vendorDrivers } from '../domain/vendors.js'
import { webhookDrivers } from '../domain/webhooks-methods.js'

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
