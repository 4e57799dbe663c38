import { describe, expect, it } from 'vitest'

import { fieldOf, listOf, MEDICARE, startFake, toReferral } from './orders-support.js'

const ENDPOINTS = [
  ['GET', undefined],
  ['PATCH', { firstName: 'Wirri' }],
  ['DELETE', undefined],
  ['PUT', undefined],
] as const

describe('one referral', () => {
  it.each(ENDPOINTS)("%s of another organisation's referral gives 404 (§1)", async (method, body) => {
    const fake = await startFake({ seedReferrals: 16 })
    const [foreign] = fake.referrals.ofOtherOrganisation()
    const response = await fake.call(method, `/v1/referrals/${foreign?.uuid}`, { body })
    expect(response).toMatchObject({ status: 404, body: { code: 'REFERRAL_NOT_FOUND' } })
  })

  it("the list of referrals does not show another organisation's referrals (§1)", async () => {
    const fake = await startFake({ seedReferrals: 16 })
    const foreign = fake.referrals.ofOtherOrganisation().map(({ uuid }) => uuid)
    expect(foreign).toHaveLength(2)
    const list = JSON.stringify((await fake.call('GET', '/v1/referrals')).body)
    expect(foreign.filter((uuid) => list.includes(uuid))).toEqual([])
  })

  it('a uuid in capitals is the same one (§4.1)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    expect((await fake.referral(uuid.toUpperCase())).uuid).toBe(uuid)
  })
})

describe('PATCH /v1/referrals/{uuid}', () => {
  const patchable = async (metadata?: Record<string, unknown>) => {
    const fake = await startFake({ reissueTiming: { afterMs: 60_000 } })
    const { uuid } = await fake.orderOne({ metadata })
    const patch = (body: unknown) => fake.call('PATCH', `/v1/referrals/${uuid}`, { body })
    return { fake, uuid, patch }
  }

  it('an update returns SCHEDULED_REISSUE without a PDF, and ISSUED after the PDF is generated (§3.1)', async () => {
    const { fake, uuid, patch } = await patchable()
    await fake.advance({ seconds: 1 })
    const response = await patch({ firstName: 'Wirri' })
    expect(response).toMatchObject({
      status: 200,
      body: {
        status: 'SCHEDULED_REISSUE',
        referralAttachment: null,
        createdAt: '2026-03-02T01:00:00.000Z',
        updatedAt: expect.stringMatching(/^2026-03-02T01:00:01\.0/),
      },
    })
    await fake.advance({ seconds: 59 })
    expect((await fake.referral(uuid)).status).toBe('SCHEDULED_REISSUE')
    await fake.advance({ seconds: 1 })
    const issued = await fake.referral(uuid)
    expect(issued.status).toBe('ISSUED')
    expect((await fetch(issued.referralAttachment ?? '')).status).toBe(200)
  })

  it('an update changes the given fields and no others (§4.1)', async () => {
    const { fake, uuid, patch } = await patchable({ keep: 1 })
    const before = await fake.referral(uuid)
    const changes = {
      firstName: 'Wi',
      lastName: 'Te',
      email: 'new@patients.example',
      dob: '1981-12-31',
      gender: 'male',
      phone: '123456',
    }
    const after = toReferral((await patch(changes)).body)
    expect(after.person).toEqual({ ...before.person, ...changes })
    expect(after.metadata).toEqual({ keep: 1 })
    expect(after.tests).toEqual(before.tests)
  })

  it('an update replaces an address completely (§4.1)', async () => {
    const { patch } = await patchable()
    const address = { addressLine1: '2 New Road', city: 'Perth', state: 'WA', country: 'Australia' }
    const after = toReferral((await patch({ address })).body)
    expect(after.person.address).toEqual({ ...address, addressLine2: null })
  })

  it.each([
    [undefined, { a: 'x', b: null }, { a: 'x' }],
    [{ a: 1 }, { a: 2, b: [1] }, { a: 2, b: [1] }],
    [{ a: 1, b: 2 }, { a: null }, { b: 2 }],
    [{ a: 1 }, { missing: null }, { a: 1 }],
    [{ a: 1 }, { a: null }, {}],
    [{ a: { x: 1 } }, { b: { y: 2 } }, { a: { x: 1 }, b: { y: 2 } }],
  ])('an update of metadata %j with %j gives %j (§4.1)', async (had, sent, merged) => {
    const { patch } = await patchable(had)
    expect(toReferral((await patch({ metadata: sent })).body).metadata).toEqual(merged)
  })

  it('every field of an update is optional (§4.1)', async () => {
    const { patch } = await patchable()
    expect(await patch({})).toMatchObject({ status: 200, body: { status: 'SCHEDULED_REISSUE' } })
  })

  it.each([
    ['email', 'nobody'],
    ['referenceNumber', 'REF-2'],
  ])('an update of %s to %j is rejected, as <message> [field: <name>] (§4.1, §8)', async (field, value) => {
    const { fake, uuid, patch } = await patchable()
    const response = await patch({ [field]: value })
    expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_PAYLOAD' } })
    expect(fieldOf(response.body, 'errorList')).toEqual([
      expect.stringMatching(new RegExp(`^\\S.* \\[field: ${field}\\]$`)),
    ])
    expect((await fake.referral(uuid)).status).toBe('ISSUED')
  })

  it('the first issue, if it is still due, does not end a reissue early (§3.1)', async () => {
    const fake = await startFake({ issueTiming: { afterMs: 1_000 }, reissueTiming: { afterMs: 60_000 } })
    const { uuid } = await fake.orderOne()
    await fake.call('PATCH', `/v1/referrals/${uuid}`, { body: { firstName: 'Wirri' } })
    await fake.advance({ seconds: 30 })
    expect((await fake.referral(uuid)).status).toBe('SCHEDULED_REISSUE')
  })

  it('a deleted referral cannot be updated (§3.1)', async () => {
    const { fake, uuid, patch } = await patchable()
    await fake.call('DELETE', `/v1/referrals/${uuid}`)
    expect(await patch({ firstName: 'Wirri' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_STATUS' },
    })
  })
})

describe('DELETE /v1/referrals/{uuid}', () => {
  it('DELETE of a referral sets deletedAt, clears the PDF and keeps the status; the referral stays readable (§3.1)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const attachment = (await fake.referral(uuid)).referralAttachment ?? ''
    await fake.advance({ minutes: 1 })
    const response = await fake.call('DELETE', `/v1/referrals/${uuid}`)
    const expected = {
      uuid,
      status: 'ISSUED',
      deletedAt: expect.stringMatching(/^2026-03-02T01:01:00\.0/),
      referralAttachment: null,
    }
    expect(response).toMatchObject({ status: 200, body: expected })
    expect(await fake.referral(uuid)).toMatchObject(expected)
    expect(listOf((await fake.call('GET', '/v1/referrals')).body, 'referrals')).toHaveLength(1)
    expect((await fetch(attachment)).status).toBe(410)
  })

  it('a second DELETE returns the same as the first (§4.1)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const first = await fake.call('DELETE', `/v1/referrals/${uuid}`)
    await fake.advance({ minutes: 1 })
    expect(await fake.call('DELETE', `/v1/referrals/${uuid}`)).toEqual(first)
  })

  it('a deleted referral without its PDF is not issued (§3.1)', async () => {
    const fake = await startFake({ issueTiming: { afterMs: 1_000 } })
    const { uuid } = await fake.orderOne()
    await fake.call('DELETE', `/v1/referrals/${uuid}`)
    await fake.advance({ seconds: 2 })
    expect(await fake.referral(uuid)).toMatchObject({ status: 'CREATED', referralAttachment: null })
  })

  it('an option hides a deleted referral (§3.1)', async () => {
    const fake = await startFake({ deletedReferrals: 'gone' })
    const { uuid } = await fake.orderOne()
    const kept = await fake.orderOne()
    await fake.call('DELETE', `/v1/referrals/${uuid}`)
    for (const [method, body] of ENDPOINTS) {
      const response = await fake.call(method, `/v1/referrals/${uuid}`, { body })
      expect(response).toMatchObject({ status: 404, body: { code: 'REFERRAL_NOT_FOUND' } })
    }
    const list = listOf((await fake.call('GET', '/v1/referrals')).body, 'referrals')
    expect(list).toEqual([expect.objectContaining({ uuid: kept.uuid })])
  })
})

describe('the statuses in which an order ends (§3.1)', () => {
  it('a failed billing gives BILLING_FAILED, no PDF and no email, and the next order succeeds again (§3.1)', async () => {
    const fake = await startFake()
    fake.referrals.nextOrders('billing-failed')
    const failed = await fake.orderOne()
    expect(failed).toMatchObject({ status: 'BILLING_FAILED', referralAttachment: null, emailSentAt: null })
    expect((await fake.referral(failed.uuid)).status).toBe('BILLING_FAILED')
    const next = await fake.orderOne()
    expect((await fake.referral(next.uuid)).status).toBe('ISSUED')
  })

  it('Medicare tests are not billed to the organisation, so their referral is issued (§4.1 rule 4)', async () => {
    const fake = await startFake({ orderOutcome: 'billing-failed' })
    const [commercial, medicare] = await fake.order({ ...MEDICARE })
    expect(commercial?.status).toBe('BILLING_FAILED')
    expect(await fake.referral(medicare?.uuid ?? '')).toMatchObject({
      status: 'ISSUED',
      emailSentAt: expect.stringMatching(/^2026-03-02T01:00:00\.0/),
    })
  })
})
