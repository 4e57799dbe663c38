import type { Order } from 'pathology-sdk'

/** Returns an order for a fictional patient. */
export function exampleOrder(change: Partial<Order> = {}): Order {
  return {
    firstName: 'Alex',
    lastName: 'Example',
    email: 'alex@example.com',
    phone: '0400 000 000',
    address: {
      addressLine1: '1 Example Street',
      city: 'Fremantle',
      state: 'WA',
      postCode: '6160',
      country: 'AU',
    },
    dob: '1986-04-23',
    gender: 'female',
    referenceNumber: 'example-1',
    emailReferralToCustomer: false,
    ...change,
  }
}
