/** Bodies with the size and shape of the service's responses. All persons are fictional. */

const address = {
  addressLine1: '1 Example Street',
  addressLine2: null,
  city: 'Fremantle',
  state: 'WA',
  postCode: '6160',
  country: 'AU',
}

/** @param {number} index */
export function referral(index) {
  const uuid = `0b0e8f1c-1111-4222-8333-${String(index).padStart(12, '0')}`
  return {
    uuid,
    object: 'referral',
    status: 'ISSUED',
    person: {
      firstName: 'Alex',
      lastName: 'Example',
      email: 'alex@example.com',
      phone: '0400000000',
      address,
      dob: '1986-04-23',
      gender: 'female',
    },
    tests: ['full-blood-count', 'lipid-studies', 'iron-studies'],
    productId: null,
    productName: null,
    origin: 'API',
    referralType: 'blood',
    reference: '12345678',
    referenceNumber: `bench-${index}`,
    referralAttachment: `https://documents.example/referral.pdf?signature=${'f'.repeat(300)}`,
    emailSentAt: null,
    createdAt: '2026-01-05T00:00:00.000Z',
    updatedAt: '2026-01-05T00:00:00.000Z',
    deletedAt: null,
    resultsUuid: null,
    metadata: { note: 'n'.repeat(700) },
    medicare: false,
    orderingPractitioner: null,
    medicareCardNumber: null,
    dvaNumber: null,
    orderingPractitionerClinicalNotes: null,
    routingMessage: null,
  }
}

const PAGE = 20

/**
 * @param {number} page
 * @param {number} count
 */
export function listPage(page, count) {
  if (page >= count) return { referrals: [] }
  const referrals = Array.from({ length: PAGE }, (_, index) => referral(page * PAGE + index))
  return { referrals, cursor: { cursor: String(page + 1), count: PAGE, resultCount: PAGE } }
}

/**
 * Returns a page of referrals in the pagination format of the clients stripe and openai.
 * @param {number} after
 */
export function peerPage(after) {
  const data = Array.from({ length: PAGE }, (_, index) => ({
    ...referral(after + index),
    id: String(after + index + 1),
  }))
  return { object: 'list', url: '/v1/customers', has_more: after + PAGE < 295 * PAGE, data }
}

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']

/** @param {number} index */
export function centre(index) {
  return {
    object: 'collectionCentre',
    uuid: `1c0e8f1c-1111-4222-8333-${String(index).padStart(12, '0')}`,
    pathologyProviderId: 'example-pathology',
    pathologyProviderName: 'Example Pathology',
    vendorId: 'example-health',
    vendorName: 'Example Health',
    name: `Centre ${index}`,
    venueName: null,
    address: '1 Example Street',
    city: 'Fremantle',
    state: 'WA',
    country: 'AU',
    postcode: '6160',
    lat: -32 + index / 100_000,
    lng: 115.75,
    phone: '08 9000 0000',
    notes: null,
    bookingUrl: null,
    services: ['Blood collection', 'ECG'],
    openingHours: DAYS.map((day) => ({
      day,
      status: 'OPEN',
      periods: [
        { opens: '08:00', closes: '12:00' },
        { opens: '13:00', closes: '17:00' },
      ],
      text: null,
    })),
    testingTypes: ['PATHOLOGY'],
    status: 'ACTIVE',
    lastSeenAt: '2026-01-05T00:00:00.000Z',
  }
}

export const CENTRES = 5_900

export function centres() {
  return Array.from({ length: CENTRES }, (_, index) => centre(index))
}

export function bigPage() {
  const cursor = { cursor: 'end', count: 10_000, resultCount: CENTRES }
  return JSON.stringify({ collectionCentres: centres(), totalResults: CENTRES, cursor })
}

export function token() {
  return {
    access_token: 't'.repeat(700),
    refresh_token: 'r'.repeat(700),
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_expires_in: 2_592_000,
  }
}
