import { CATALOGUE_RULES } from './catalogue.js'
import { CENTRES_RULES } from './centres.js'
import { MEDICARE_RULES } from './medicare.js'
import { ORDERS_RULES } from './orders.js'
import { PROVIDERS_RULES } from './providers.js'
import { RECORDS_RULES } from './records.js'
import { REQUESTS_RULES } from './requests.js'
import type { ServiceRule } from './rule.js'
import { WEBHOOKS_RULES } from './webhooks.js'

/** Every rule of the interface, in the order of its sections. */
export const SERVICE_RULES: readonly ServiceRule[] = [
  ...[...RECORDS_RULES, ...ORDERS_RULES, ...MEDICARE_RULES, ...CATALOGUE_RULES, ...PROVIDERS_RULES],
  ...[...CENTRES_RULES, ...WEBHOOKS_RULES, ...REQUESTS_RULES],
].sort((one, other) => one.section.localeCompare(other.section, 'en', { numeric: true }))
