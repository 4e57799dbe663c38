import type { Order } from '../../contract/types.js'

/** Medicare card number with a valid check digit and an IRN. The card does not belong to a patient. */
export const SAMPLE_CARD = '29502756611'

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
    metadata: { contractCheck: 'pathology-sdk' },
    ...change,
  }
}
