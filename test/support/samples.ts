import { randomUUID } from 'node:crypto'
import type { Order, Provider, Referral, Result, Webhook } from 'pathology-sdk'
import { CANARIES } from './canary-values.js'

const NOW = '2026-03-02T01:02:03.000Z'

export const UUID = '0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60'
export const PROVIDER_NUMBER = '2426621B'
export const WEBHOOK_ID = 'wh_0001'

/** Returns an order of one test with canaries in all fields. */
export function order(change: Partial<Order> = {}): Order {
  return {
    firstName: CANARIES.firstName,
    lastName: CANARIES.lastName,
    email: CANARIES.email,
    phone: CANARIES.phone,
    address: {
      addressLine1: CANARIES.street,
      city: 'Hobart',
      state: 'TAS',
      postCode: '0700',
      country: 'AU',
    },
    dob: CANARIES.dob,
    gender: 'female',
    referenceNumber: 'ref-77',
    tests: ['fbc'],
    ...change,
  }
}

/** Returns an order with two referrals (§4.1 rule 4). */
export function medicareOrder(change: Partial<Order> = {}): Order {
  return order({
    medicareTests: ['tsh'],
    medicareCardNumber: CANARIES.medicareCard,
    orderingPractitioner: { name: 'Dr Ada Roe', address: '1 Clinic Road', providerNumber: PROVIDER_NUMBER },
    clinicalNotes: CANARIES.clinicalNotes,
    ...change,
  })
}

/** Returns a referral that follows the contract (§2.4). */
export function referral(change: Partial<Referral> = {}): Referral {
  return {
    uuid: randomUUID(),
    object: 'referral',
    status: 'ISSUED',
    person: {
      firstName: CANARIES.firstName,
      lastName: CANARIES.lastName,
      email: CANARIES.email,
      phone: CANARIES.phone,
      address: {
        addressLine1: CANARIES.street,
        city: 'Hobart',
        state: 'TAS',
        postCode: '0700',
        country: 'AU',
      },
      dob: CANARIES.dob,
      gender: 'female',
    },
    tests: ['fbc'],
    productId: null,
    productName: null,
    origin: 'API',
    referralType: 'blood',
    reference: '12345678',
    referenceNumber: 'ref-77',
    referralAttachment: null,
    emailSentAt: null,
    createdAt: NOW,
    updatedAt: change.createdAt ?? NOW,
    deletedAt: null,
    resultsUuid: null,
    metadata: null,
    medicare: false,
    orderingPractitioner: null,
    medicareCardNumber: null,
    dvaNumber: null,
    orderingPractitionerClinicalNotes: null,
    routingMessage: null,
    ...change,
  }
}

/** Returns a result that follows the contract (§2.5). */
export function result(change: Partial<Result> = {}): Result {
  return {
    uuid: randomUUID(),
    object: 'result',
    provenance: 'ORDERED',
    referralUuid: UUID,
    referenceNumber: 'ref-77',
    reference: '12345678',
    status: 'COMPLETE',
    person: referral().person,
    labPatient: null,
    productId: null,
    productName: null,
    resultAttachment: null,
    report: null,
    createdAt: NOW,
    updatedAt: change.createdAt ?? NOW,
    deletedAt: null,
    resultDate: NOW,
    reviewedBy: null,
    metadata: null,
    biomarkerSummary: null,
    biomarkers: [],
    ...change,
  }
}

/** Returns a webhook that follows the contract (§2.12). */
export function webhook(change: Partial<Webhook> = {}): Webhook {
  return {
    object: 'webhook',
    id: WEBHOOK_ID,
    url: 'https://hooks.example.com/in/',
    events: ['referral.issued'],
    active: true,
    createdAt: NOW,
    updatedAt: change.createdAt ?? NOW,
    ...change,
  }
}

/** Returns a provider record that follows the contract (§2.10). */
export function provider(change: Partial<Provider> = {}): Provider {
  return {
    object: 'provider',
    providerNumber: PROVIDER_NUMBER,
    name: 'Dr Ada Roe',
    address: '1 Clinic Road',
    hasSignature: true,
    createdAt: NOW,
    updatedAt: change.createdAt ?? NOW,
    connections: [],
    ...change,
  }
}

/** A price that follows the contract (§2.13). */
export const PRICE = {
  testsTotal: 1_000,
  tests: [{ name: 'FBC', price: 1_000 }],
  discounts: [],
  fees: [],
  tax: [],
  subTotal: 1_000,
  totalWithoutMarkup: 1_000,
  grandTotal: 1_000,
  grandTotalIncTax: 1_100,
  grandTotalIncTaxWithoutBulkDiscounts: 1_100,
  grandTotalWithoutBulkDiscounts: 1_000,
}

/** Returns a list page in its documented wrapper (§4.7). */
export function page(key: string, items: readonly unknown[], next?: string): Record<string, unknown> {
  if (items.length === 0) return { [key]: items }
  const count = next === undefined ? items.length + 1 : items.length
  return { [key]: items, cursor: { cursor: next ?? 'end', count, resultCount: items.length } }
}
