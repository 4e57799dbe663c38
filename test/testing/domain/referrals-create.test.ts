import { describe, expect, it } from 'vitest'

import { fieldOf, order, startFake } from './orders-support.js'

const ADDRESS = { addressLine1: '1 Road', city: 'Darwin', state: 'NT', country: 'Australia' }
const errorOf = (body: unknown): unknown[] => [fieldOf(body, 'code'), fieldOf(body, 'errorList')]

describe('POST /v1/referrals', () => {
  it('an order returns the complete referral, CREATED, with its tests and without later fields (§4.1)', async () => {
    const fake = await startFake()
    const response = await fake.call('POST', '/v1/referrals', {
      body: order({ metadata: { orderId: 'A-17', nested: { deep: [1, null] } } }),
      version: '1.0.0',
    })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      object: 'referral',
      status: 'CREATED',
      person: {
        firstName: 'Wirra',
        lastName: 'Testlake',
        email: 'wirra@patients.example',
        phone: '0491 570 006',
        address: {
          addressLine1: '1 Wattle Street',
          addressLine2: null,
          city: 'Darwin',
          state: 'NT',
          postCode: '0800',
          country: 'Australia',
        },
        dob: '1980-02-29',
        gender: 'female',
      },
      tests: ['full-blood-count'],
      productId: null,
      productName: null,
      origin: 'API',
      referralType: 'blood',
      reference: expect.stringMatching(/^[1-9]\d{7}$/),
      referenceNumber: 'REF-1',
      referralAttachment: null,
      emailSentAt: null,
      createdAt: '2026-03-02T01:00:00.000Z',
      updatedAt: '2026-03-02T01:00:00.000Z',
      deletedAt: null,
      resultsUuid: null,
      metadata: { orderId: 'A-17', nested: { deep: [1, null] } },
      medicare: false,
      orderingPractitioner: null,
      medicareCardNumber: null,
      dvaNumber: null,
      orderingPractitionerClinicalNotes: null,
      routingMessage: null,
    })
  })

  it('an order is ISSUED right after, with a PDF and the time of the email (§3.1)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const referral = await fake.referral(uuid)
    expect(referral.status).toBe('ISSUED')
    expect(referral.emailSentAt).toMatch(/^2026-03-02T01:00:00\.0/)
    const pdf = await fetch(referral.referralAttachment ?? '')
    expect(pdf.status).toBe(200)
    expect((await pdf.text()).startsWith('%PDF-')).toBe(true)
  })

  it('an order with emailReferralToCustomer: false sends no email (§2.4)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne({ emailReferralToCustomer: false })
    expect(await fake.referral(uuid)).toMatchObject({ status: 'ISSUED', emailSentAt: null })
  })

  it('each referral has its own eight-digit reference (§2.4)', async () => {
    const fake = await startFake()
    const references = new Set<string>()
    for (let count = 0; count < 20; count += 1) references.add((await fake.orderOne()).reference)
    expect(references.size).toBe(20)
  })

  it('metadata is null when the order has none (§2.4)', async () => {
    const fake = await startFake()
    expect((await fake.orderOne()).metadata).toBeNull()
  })

  describe('rule 2: the tests on the referral', () => {
    it('a referral for tests has those, each once, in their order (§4.1 rule 2)', async () => {
      const fake = await startFake()
      const referral = await fake.orderOne({ tests: ['urate', 'full-blood-count', 'urate'] })
      expect(referral.tests).toEqual(['urate', 'full-blood-count'])
      expect(referral).not.toHaveProperty('bundleId')
    })

    it('a referral for a bundle has its tests and its product (§4.1 rule 2)', async () => {
      const fake = await startFake()
      const [referral, ...others] = await fake.order({ tests: [], bundleId: 'iron-check' })
      expect(others).toEqual([])
      expect(referral).toMatchObject({
        tests: ['iron-studies', 'full-blood-count'],
        bundleId: 'iron-check',
        productId: 'product-iron-check',
        productName: 'Iron check',
      })
    })

    it('a bundle and extra tests are on one referral, duplicates removed (§4.1 rule 2)', async () => {
      const fake = await startFake()
      const referrals = await fake.order({
        tests: ['urate', 'full-blood-count', 'urate'],
        bundleId: 'iron-check',
      })
      expect(referrals.map(({ tests }) => tests)).toEqual([['iron-studies', 'full-blood-count', 'urate']])
      expect(referrals[0]?.productName).toBe('Iron check')
    })
  })

  describe('rule 3: fields that require v1.1.0', () => {
    it('a bundle of another organisation counts as unknown (§1)', async () => {
      const fake = await startFake()
      const response = await fake.call('POST', '/v1/referrals', {
        body: order({ tests: undefined, bundleId: 'elsewhere-essentials' }),
      })
      expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_BUNDLE_ID' } })
    })

    it('a PRIVATE bundle can be ordered by its id (§2.9)', async () => {
      const fake = await startFake()
      const [referral] = await fake.order({ tests: undefined, bundleId: 'partner-clinic-trial' })
      expect(referral?.tests).toEqual(['lipid-panel', 'hba1c'])
    })

    it('version 1.0.0 accepts only blood tests, 1.1.0 others too (§9)', async () => {
      const fake = await startFake()
      const body = order({ tests: ['calprotectin'] })
      const rejected = await fake.call('POST', '/v1/referrals', { body, version: '1.0.0' })
      expect(rejected).toMatchObject({ status: 400, body: { code: 'INVALID_PAYLOAD' } })
      expect(JSON.stringify(fieldOf(rejected.body, 'errorList'))).toContain('[field: tests[0]]')
      const [referral] = await fake.order({ tests: ['calprotectin'] })
      expect(referral).toMatchObject({ tests: ['calprotectin'], referralType: 'stool' })
    })
  })

  describe('the shape of the response', () => {
    it('createShape: medicare-only returns one object for an order without medicareTests (§4.1)', async () => {
      const fake = await startFake({ createShape: 'medicare-only' })
      const one = await fake.call('POST', '/v1/referrals', { body: order() })
      expect(one.body).toMatchObject({ object: 'referral' })
    })

    it('createShape: object-when-one returns an object whenever there is one referral (§4.1)', async () => {
      const fake = await startFake({ createShape: 'object-when-one' })
      const one = await fake.call('POST', '/v1/referrals', { body: order() })
      expect(one.body).toMatchObject({ object: 'referral' })
    })

    it('createdStatus: ISSUED shows ISSUED in the response (§3.1)', async () => {
      const fake = await startFake({ createdStatus: 'ISSUED' })
      const referral = await fake.orderOne()
      expect(referral.status).toBe('ISSUED')
      expect(referral.referralAttachment).toMatch(/^http/)
    })
  })

  describe('the body', () => {
    it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
      ['no addressLine2', { address: ADDRESS }, { address: { ...ADDRESS, addressLine2: null } }],
      ['an addressLine2', { address: { ...ADDRESS, addressLine2: 'Rear' } }, {}],
      ['letters of other scripts', { firstName: '明美', lastName: "O'Müller-Ñandú" }, {}],
      ['a leap day', { dob: '2000-02-29', gender: 'male' }, {}],
    ])('the person of a referral is that of the order, with %s (§2.2)', async (_name, sent, changed) => {
      const fake = await startFake()
      expect((await fake.orderOne(sent)).person).toMatchObject({ ...sent, ...changed })
    })

    it('an email address that is none is rejected (§4.1)', async () => {
      const fake = await startFake()
      const { body } = await fake.call('POST', '/v1/referrals', { body: order({ email: 'wirra' }) })
      expect(errorOf(body)).toEqual(['INVALID_PAYLOAD', [expect.stringContaining('[field: email]')]])
    })
  })
})
