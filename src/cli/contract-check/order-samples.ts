import type { Order } from '../../contract/types.js'
import type { ListRecords } from './lists.js'

type Fields = Readonly<Record<string, unknown>>

/** Medicare card number with a valid check digit and an IRN. The card does not belong to a patient. */
export const SAMPLE_CARD = '29502756611'

/** Metadata of every order that a check places. */
export const CHECK_METADATA = { contractCheck: 'pathology-sdk' } as const

/** Records of the checked environment that the sample orders contain. */
export interface OrderParts {
  readonly test: string
  readonly bundle: string | undefined
  /** A provider with a signature, for Medicare orders. */
  readonly practitioner: Order['orderingPractitioner']
}

/**
 * Chooses a bundle, a provider, and the cheapest test that is medicareListed. Every API version accepts such a test.
 * Returns `undefined` if no test is medicareListed.
 */
export function orderParts(records: ListRecords): OrderParts | undefined {
  const tests = [...(records.get('tests.list') ?? [])].filter(({ medicareListed }) => medicareListed === true)
  const [test] = tests.sort((one, other) => Number(one['priceCents']) - Number(other['priceCents']))
  if (test === undefined) return undefined
  const [bundle] = records.get('bundles.list') ?? []
  const provider = records.get('providers.list')?.find(({ hasSignature }) => hasSignature === true)
  return {
    test: String(test['id']),
    bundle: bundle === undefined ? undefined : String(bundle['id']),
    practitioner: provider && practitionerOf(provider),
  }
}

function practitionerOf({
  name,
  address,
  providerNumber,
}: Fields): NonNullable<Order['orderingPractitioner']> {
  return { name: String(name), address: String(address), providerNumber: String(providerNumber) }
}

/** Returns an order for a patient who does not exist. The service sends no email for this order. */
export function sampleOrder(change: Readonly<Partial<Order>>): Order {
  return {
    firstName: 'Contract',
    lastName: 'Check',
    email: 'contract-check@example.com',
    phone: '0491570156',
    address: {
      addressLine1: '1 Example Street',
      city: 'Sydney',
      state: 'NSW',
      postCode: '2000',
      country: 'Australia',
    },
    dob: '1980-01-31',
    gender: 'female',
    referenceNumber: 'contract-check',
    emailReferralToCustomer: false,
    metadata: { ...CHECK_METADATA },
    ...change,
  }
}

/** Returns an order without one of its fields. */
export function without(order: Order, name: keyof Order): Fields {
  return Object.fromEntries(Object.entries(order).filter(([each]) => each !== name))
}
