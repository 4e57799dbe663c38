import { describe, expect, it } from 'vitest'

import { fieldOf, MEDICARE, order, startFake, type TestFake } from './orders-support.js'

const rejection = async (fake: TestFake, changes: Record<string, unknown>) => {
  const response = await fake.call('POST', '/v1/referrals', { body: order(changes), version: '1.1.0' })
  return {
    status: response.status,
    code: fieldOf(response.body, 'code'),
    errorList: fieldOf(response.body, 'errorList'),
  }
}

const OF_ANOTHER_ORGANISATION = '9900117H'
const doctor = (providerNumber: string) => ({ ...MEDICARE.orderingPractitioner, providerNumber })

describe('orders under Medicare', () => {
  it('an order with medicareTests creates a commercial and a Medicare referral (§4.1 rule 4)', async () => {
    const fake = await startFake()
    const [commercial, medicare, ...others] = await fake.order({
      ...MEDICARE,
      tests: ['urate'],
      dvaNumber: 'NX123456',
      clinicalNotes: 'Tired.',
      metadata: { orderId: '7' },
    })
    expect(others).toEqual([])
    expect(commercial).toMatchObject({
      medicare: false,
      tests: ['urate'],
      orderingPractitioner: null,
      medicareCardNumber: null,
      dvaNumber: null,
      orderingPractitionerClinicalNotes: null,
      routingMessage: null,
      metadata: { orderId: '7' },
      referenceNumber: 'REF-1',
    })
    expect(medicare).toMatchObject({
      medicare: true,
      tests: ['lipid-panel'],
      productId: null,
      productName: null,
      orderingPractitioner: {
        name: 'Dr Amelia Hartono',
        address: 'Suite 4, 120 Collins Street, Melbourne VIC 3000',
        providerNumber: '5731046F',
      },
      medicareCardNumber: '29518731251',
      dvaNumber: 'NX123456',
      orderingPractitionerClinicalNotes: 'Tired.',
      metadata: { orderId: '7' },
      referenceNumber: 'REF-1',
    })
    expect(medicare?.uuid).not.toBe(commercial?.uuid)
    expect(medicare?.reference).not.toBe(commercial?.reference)
  })

  it('createShape: medicare-only returns a list when there are medicareTests (§4.1 rule 4)', async () => {
    const fake = await startFake({ createShape: 'medicare-only' })
    const response = await fake.call('POST', '/v1/referrals', {
      body: order({ ...MEDICARE, tests: undefined }),
    })
    expect(response.body).toEqual([expect.objectContaining({ medicare: true })])
  })

  it('medicareTests alone create the Medicare referral only (§4.1 rule 4)', async () => {
    const fake = await startFake()
    for (const tests of [undefined, []]) {
      const referrals = await fake.order({ ...MEDICARE, tests })
      expect(referrals.map(({ medicare }) => medicare)).toEqual([true])
    }
  })

  it('the same test may be in both lists, and duplicates inside one are removed (§4.1 rule 4)', async () => {
    const fake = await startFake()
    const referrals = await fake.order({
      ...MEDICARE,
      tests: ['lipid-panel'],
      medicareTests: ['lipid-panel', 'urate', 'lipid-panel'],
    })
    expect(referrals.map(({ tests }) => tests)).toEqual([['lipid-panel'], ['lipid-panel', 'urate']])
  })

  it('the product of a bundle is on the commercial referral (§4.1 rule 4)', async () => {
    const fake = await startFake()
    const referrals = await fake.order({ ...MEDICARE, tests: undefined, bundleId: 'iron-check' })
    expect(referrals.map(({ medicare, productName }) => [medicare, productName])).toEqual([
      [false, 'Iron check'],
      [true, null],
    ])
  })

  it('one email has both PDFs of a Medicare order (§4.1 rule 4)', async () => {
    const fake = await startFake({ issueTiming: 'manual' })
    const [commercial, medicare] = await fake.order({ ...MEDICARE })
    fake.referrals.issue(commercial?.uuid ?? '')
    expect((await fake.referral(commercial?.uuid ?? '')).emailSentAt).toBeNull()
    await fake.advance({ seconds: 5 })
    fake.referrals.issue(medicare?.uuid ?? '')
    expect((await fake.referral(commercial?.uuid ?? '')).emailSentAt).toMatch(/^2026-03-02T01:00:05\.0/)
    expect((await fake.referral(medicare?.uuid ?? '')).emailSentAt).toMatch(/^2026-03-02T01:00:05\.0/)
    const [email, ...others] = fake.referrals.emails()
    expect(others).toEqual([])
    expect([...(email?.referralUuids ?? [])].sort()).toEqual([commercial?.uuid, medicare?.uuid].sort())
  })

  it('the email does not wait for a referral that was deleted (§4.1 rule 4)', async () => {
    const fake = await startFake({ issueTiming: 'manual' })
    const [commercial, medicare] = await fake.order({ ...MEDICARE })
    await fake.call('DELETE', `/v1/referrals/${commercial?.uuid}`)
    fake.referrals.issue(medicare?.uuid ?? '')
    expect(fake.referrals.emails()).toEqual([
      { sentAt: expect.stringMatching(/^2026-03-02T01:00:00\.0/), referralUuids: [medicare?.uuid] },
    ])
  })

  it('a reissued PDF is not emailed again (§2.4)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    await fake.advance({ hours: 1 })
    await fake.call('PATCH', `/v1/referrals/${uuid}`, { body: { firstName: 'Wirri' } })
    expect(await fake.referral(uuid)).toMatchObject({
      status: 'ISSUED',
      emailSentAt: expect.stringMatching(/^2026-03-02T01:00:00\.0/),
    })
    expect(fake.referrals.emails()).toHaveLength(1)
  })

  it('an option names the field bulkBilled, as an older description does (§2.4)', async () => {
    const fake = await startFake({ medicareFieldName: 'bulkBilled' })
    const [, medicare] = await fake.order({ ...MEDICARE })
    expect(medicare).toHaveProperty('bulkBilled', true)
    expect(medicare).not.toHaveProperty('medicare')
  })
})

describe('the ordering practitioner (§4.1 rule 5)', () => {
  it.each([
    ['of another organisation', OF_ANOTHER_ORGANISATION],
    ['not of six digits first', 'ABCDEFGH'],
  ])('a provider number %s gives INVALID_PROVIDER_NUMBER (§4.1 rule 5)', async (_name, number) => {
    const fake = await startFake()
    const rejected = await rejection(fake, { ...MEDICARE, orderingPractitioner: doctor(number) })
    expect(rejected).toEqual({
      status: 400,
      code: 'INVALID_PROVIDER_NUMBER',
      errorList: [expect.stringContaining('[field: orderingPractitioner.providerNumber]')],
    })
  })

  it('after its record gets a signature a number can order, and not any more after it is retired (§4.4)', async () => {
    const fake = await startFake()
    const record = {
      providerNumber: '2448301T',
      name: 'Dr New',
      address: '1 High Street',
      encodedSignature:
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
    }
    expect(await fake.call('POST', '/v1/providers', { body: record })).toMatchObject({ status: 200 })
    expect(await fake.order({ ...MEDICARE, orderingPractitioner: doctor('2448301T') })).toHaveLength(2)
    await fake.call('DELETE', '/v1/providers/2448301T')
    const rejected = await rejection(fake, { ...MEDICARE, orderingPractitioner: doctor('2448301T') })
    expect(rejected.code).toBe('INVALID_PROVIDER_NUMBER')
  })

  it('a practitioner without a provider number gives INVALID_PAYLOAD (§2.3)', async () => {
    const fake = await startFake()
    const orderingPractitioner = { ...MEDICARE.orderingPractitioner, providerNumber: undefined }
    expect(await rejection(fake, { ...MEDICARE, orderingPractitioner })).toEqual({
      status: 400,
      code: 'INVALID_PAYLOAD',
      errorList: [expect.stringContaining('[field: orderingPractitioner.providerNumber]')],
    })
  })
})

describe('tests that can be ordered under Medicare (§4.1 rule 6)', () => {
  it.each([
    ['two such tests', ['calprotectin', 'lipoprotein-a']],
    ['the same test twice', ['calprotectin', 'calprotectin']],
  ])(
    'medicareTests with %s still give INVALID_MEDICARE_TEST, with a problem for each place (§4.1 rule 6)',
    async (_name, medicareTests) => {
      const fake = await startFake()
      expect(await rejection(fake, { ...MEDICARE, medicareTests })).toEqual({
        status: 400,
        code: 'INVALID_MEDICARE_TEST',
        errorList: [
          expect.stringContaining('[field: medicareTests[0]]'),
          expect.stringContaining('[field: medicareTests[1]]'),
        ],
      })
    },
  )

  it('an unknown test in medicareTests has another code than one that is not listed (§4.1 rule 6)', async () => {
    const fake = await startFake()
    expect(await rejection(fake, { ...MEDICARE, medicareTests: ['no-such-test'] })).toMatchObject({
      status: 400,
      code: 'INVALID_PAYLOAD',
    })
  })
})

describe('the Medicare card (§4.1 rule 7)', () => {
  it.each([
    ['with issue number 0', '29518731201'],
    ['with IRN 0', '29518731250'],
    ['of nine digits', '295187312'],
    ['with spaces', '2951 87312 5 1'],
    ['empty', ''],
  ])('a card %s gives INVALID_MEDICARE_NUMBER (§4.1 rule 7)', async (_name, medicareCardNumber) => {
    const fake = await startFake()
    expect(await rejection(fake, { ...MEDICARE, medicareCardNumber })).toEqual({
      status: 400,
      code: 'INVALID_MEDICARE_NUMBER',
      errorList: [expect.stringContaining('[field: medicareCardNumber]')],
    })
  })

  it('ten digits with medicareTests give INVALID_PAYLOAD by rule 7, INVALID_MEDICARE_NUMBER by §7 (§4.1 rule 7)', async () => {
    const short = { ...MEDICARE, medicareCardNumber: '2951873125' }
    const byRule = await startFake()
    expect(await rejection(byRule, short)).toMatchObject({ status: 400, code: 'INVALID_PAYLOAD' })
    const byTable = await startFake({ shortMedicareCardCode: 'INVALID_MEDICARE_NUMBER' })
    expect(await rejection(byTable, short)).toMatchObject({ status: 400, code: 'INVALID_MEDICARE_NUMBER' })
  })

  it.each([
    ['none', undefined],
    ['ten digits', '2951873125'],
    ['eleven digits', '29518731251'],
  ])('a commercial order accepts %s (§4.1 rule 7)', async (_name, medicareCardNumber) => {
    const fake = await startFake()
    const [referral] = await fake.order({ medicareCardNumber })
    expect(referral).toMatchObject({ medicare: false, medicareCardNumber: null })
  })

  it('the checksum of a card is checked on a commercial order too, in both versions (§4.1 rule 7)', async () => {
    const fake = await startFake()
    const body = order({ medicareCardNumber: '2951873135' })
    for (const version of ['1.0.0', '1.1.0'] as const) {
      const response = await fake.call('POST', '/v1/referrals', { body, version })
      expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_MEDICARE_NUMBER' } })
    }
  })
})

describe('the routing message is only advice (§4.1 rule 9)', () => {
  it.each([
    ['connected laboratories', '5731046F', /Lowanna/],
    ['routing under way', '3187452A', /no confirmed routing/],
    ['no routing', '6183272X', /No laboratory/],
  ])(
    'with %s the referral is created, and the routing message says so (§4.1 rule 9)',
    async (_name, number, message) => {
      const fake = await startFake()
      const [, medicare] = await fake.order({ ...MEDICARE, orderingPractitioner: doctor(number) })
      expect(medicare?.status).toBe('CREATED')
      expect(medicare?.routingMessage).toMatch(message)
    },
  )

  it('the routing message is null on every response but that of the order (§2.4)', async () => {
    const fake = await startFake()
    const [, medicare] = await fake.order({ ...MEDICARE })
    const uuid = medicare?.uuid ?? ''
    expect((await fake.referral(uuid)).routingMessage).toBeNull()
    const list = await fake.call('GET', '/v1/referrals')
    expect(JSON.stringify(list.body).match(/"routingMessage":null/g)).toHaveLength(2)
    const patched = await fake.call('PATCH', `/v1/referrals/${uuid}`, { body: { firstName: 'Wirri' } })
    expect(fieldOf(patched.body, 'routingMessage')).toBeNull()
    const deleted = await fake.call('DELETE', `/v1/referrals/${uuid}`)
    expect(fieldOf(deleted.body, 'routingMessage')).toBeNull()
  })
})
