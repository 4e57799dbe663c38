import { describe, expect, it } from 'vitest'

import { fieldOf, listOf, MEDICARE, order, startFake, toReferral } from './orders-support.js'

const NOWHERE = '00000000-0000-4000-8000-000000000000'

const ENDPOINTS = [
  ['GET', undefined],
  ['PATCH', { firstName: 'Wirri' }],
  ['DELETE', undefined],
  ['PUT', undefined],
] as const

describe('one referral', () => {
  it.each(ENDPOINTS)('§4.1 %s with an id that is not a uuid: 400 INVALID_PARAMETER', async (method, body) => {
    const fake = await startFake()
    const response = await fake.call(method, '/v1/referrals/not-a-uuid', { body })
    expect(response).toMatchObject({ status: 400, body: { error: true, code: 'INVALID_PARAMETER' } })
    expect(fieldOf(response.body, 'errorList')).toEqual([expect.stringContaining('[field: uuid]')])
  })

  it.each(ENDPOINTS)('§4.1 %s of a referral that does not exist: 404', async (method, body) => {
    const fake = await startFake()
    const response = await fake.call(method, `/v1/referrals/${NOWHERE}`, { body })
    expect(response).toMatchObject({ status: 404, body: { error: true, code: 'REFERRAL_NOT_FOUND' } })
  })

  it.each(ENDPOINTS)("§1 %s of another organisation's referral: 404", async (method, body) => {
    const fake = await startFake({ seedReferrals: 16 })
    const [foreign] = fake.referrals.ofOtherOrganisation()
    const response = await fake.call(method, `/v1/referrals/${foreign?.uuid}`, { body })
    expect(response).toMatchObject({ status: 404, body: { code: 'REFERRAL_NOT_FOUND' } })
  })

  it("§1 the list does not show another organisation's referrals", async () => {
    const fake = await startFake({ seedReferrals: 16 })
    const foreign = fake.referrals.ofOtherOrganisation().map(({ uuid }) => uuid)
    expect(foreign).toHaveLength(2)
    const list = JSON.stringify((await fake.call('GET', '/v1/referrals')).body)
    expect(foreign.filter((uuid) => list.includes(uuid))).toEqual([])
  })

  it('§2.4 every read signs a new URL, and the old one expires', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const first = (await fake.referral(uuid)).referralAttachment ?? ''
    await fake.advance({ minutes: 14 })
    expect((await fetch(first)).status).toBe(200)
    await fake.advance({ minutes: 2 })
    expect((await fetch(first)).status).toBe(403)
    const second = (await fake.referral(uuid)).referralAttachment ?? ''
    expect(second).not.toBe(first)
    expect((await fetch(second)).status).toBe(200)
  })

  it('a uuid in capitals is the same one', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    expect((await fake.referral(uuid.toUpperCase())).uuid).toBe(uuid)
  })
})

describe('GET /v1/referrals', () => {
  const placed = async (count: number) => {
    const fake = await startFake()
    const uuids: string[] = []
    for (let place = 0; place < count; place += 1) {
      uuids.push((await fake.orderOne({ referenceNumber: `REF-${place}` })).uuid)
      await fake.advance({ seconds: 1 })
    }
    const page = async (query: string) => {
      const { body } = await fake.call('GET', `/v1/referrals${query}`)
      return {
        uuids: listOf(body, 'referrals').map((row) => fieldOf(row, 'uuid')),
        cursor: fieldOf(body, 'cursor'),
      }
    }
    return { fake, uuids, page }
  }

  it('§4.1 oldest first by default and with asc, newest first with desc', async () => {
    const { uuids, page } = await placed(3)
    expect((await page('')).uuids).toEqual(uuids)
    expect((await page('?sort=asc')).uuids).toEqual(uuids)
    expect((await page('?sort=desc')).uuids).toEqual(uuids.toReversed())
  })

  it('§4.7 returns pages by the cursor until one is shorter than its count', async () => {
    const { uuids, page } = await placed(5)
    const first = await page('?count=2')
    expect(first.uuids).toEqual(uuids.slice(0, 2))
    expect(first.cursor).toEqual({ cursor: expect.any(String), count: 2, resultCount: 2 })
    const second = await page(`?count=2&cursor=${fieldOf(first.cursor, 'cursor')}`)
    expect(second.uuids).toEqual(uuids.slice(2, 4))
    const third = await page(`?count=2&cursor=${fieldOf(second.cursor, 'cursor')}`)
    expect(third.uuids).toEqual(uuids.slice(4))
    expect(third.cursor).toEqual({ cursor: expect.any(String), count: 2, resultCount: 1 })
    const fourth = await page(`?count=2&cursor=${fieldOf(third.cursor, 'cursor')}`)
    expect(fourth).toEqual({ uuids: [], cursor: undefined })
  })

  it('§4.7 a new referral between pages moves no page', async () => {
    const { fake, uuids, page } = await placed(4)
    const first = await page('?count=2&sort=desc')
    await fake.orderOne()
    const second = await page(`?count=2&sort=desc&cursor=${fieldOf(first.cursor, 'cursor')}`)
    expect([...first.uuids, ...second.uuids]).toEqual(uuids.toReversed())
  })

  it('§8 more than 20 is reduced, and the cursor has the applied size', async () => {
    const { page } = await placed(22)
    const capped = await page('?count=500')
    expect(capped.uuids).toHaveLength(20)
    expect(fieldOf(capped.cursor, 'count')).toBe(20)
    const byDefault = await page('')
    expect(fieldOf(byDefault.cursor, 'count')).toBe(20)
  })

  it.each(['count=-1', 'count=0', 'count=1.5', 'count=x', 'sort=newest', 'cursor=x', 'colour=red'])(
    '§4.7 rejects %s with the problem in errorList',
    async (query) => {
      const fake = await startFake()
      const response = await fake.call('GET', `/v1/referrals?${query}`)
      expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } })
      expect(fieldOf(response.body, 'errorList')).toEqual([
        expect.stringContaining(`[field: ${query.split('=')[0]}]`),
      ])
    },
  )

  it('§4.7 a cursor works only with its own list and sort', async () => {
    const { fake, page } = await placed(3)
    const cursor = fieldOf((await page('?count=1')).cursor, 'cursor')
    for (const path of [`/v1/referrals?sort=desc&cursor=${cursor}`, `/v1/results?cursor=${cursor}`]) {
      expect(await fake.call('GET', path)).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } })
    }
  })
})

describe('PATCH /v1/referrals/{uuid}', () => {
  const patchable = async (metadata?: Record<string, unknown>) => {
    const fake = await startFake({ reissueTiming: { afterMs: 60_000 } })
    const { uuid } = await fake.orderOne({ metadata })
    const patch = (body: unknown) => fake.call('PATCH', `/v1/referrals/${uuid}`, { body })
    return { fake, uuid, patch }
  }

  it('§3.1 returns SCHEDULED_REISSUE without a PDF; after the PDF is generated, ISSUED', async () => {
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

  it('§4.1 changes the given fields and no others', async () => {
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

  it('§4.1 an address is replaced completely', async () => {
    const { patch } = await patchable()
    const address = { addressLine1: '2 New Road', city: 'Perth', state: 'WA', country: 'Australia' }
    const after = toReferral((await patch({ address })).body)
    expect(after.person.address).toEqual({ ...address, addressLine2: null })
  })

  it('§4.1 metadata is merged; a key set to null is removed', async () => {
    const { patch } = await patchable({ keep: 1, change: 'old', remove: true })
    const after = toReferral((await patch({ metadata: { change: 'new', remove: null, add: [2] } })).body)
    expect(after.metadata).toEqual({ keep: 1, change: 'new', add: [2] })
  })

  it('§4.1 metadata is merged into missing metadata too', async () => {
    const { patch } = await patchable()
    expect(toReferral((await patch({ metadata: { a: 1, b: null } })).body).metadata).toEqual({ a: 1 })
  })

  it('§4.1 all fields are optional', async () => {
    const { patch } = await patchable()
    expect(await patch({})).toMatchObject({ status: 200, body: { status: 'SCHEDULED_REISSUE' } })
  })

  it.each([
    ['firstName', 'W'],
    ['lastName', 'T'],
    ['phone', '12345'],
    ['dob', '2001-02-29'],
    ['gender', 'x'],
    ['email', 'nobody'],
    ['address', 'x'],
    ['metadata', 7],
    ['referenceNumber', 'REF-2'],
    ['firstName', null],
  ])('§4.1, §8 rejects %s %j, as <message> [field: <name>]', async (field, value) => {
    const { fake, uuid, patch } = await patchable()
    const response = await patch({ [field]: value })
    expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_PAYLOAD' } })
    expect(fieldOf(response.body, 'errorList')).toEqual([
      expect.stringMatching(new RegExp(`^\\S.* \\[field: ${field}\\]$`)),
    ])
    expect((await fake.referral(uuid)).status).toBe('ISSUED')
  })

  it('§4.1 names every problem', async () => {
    const { patch } = await patchable()
    const response = await patch({ firstName: 'W', phone: '1', dob: 'x' })
    expect(fieldOf(response.body, 'errorList')).toHaveLength(3)
  })

  it('§3.1 a CREATED referral can be changed as well', async () => {
    const fake = await startFake({ issueTiming: 'manual' })
    const { uuid } = await fake.orderOne()
    const response = await fake.call('PATCH', `/v1/referrals/${uuid}`, { body: { firstName: 'Wirri' } })
    expect(response).toMatchObject({ status: 200, body: { status: 'SCHEDULED_REISSUE' } })
    expect(await fake.referral(uuid)).toMatchObject({ status: 'ISSUED', person: { firstName: 'Wirri' } })
  })

  it('§3.1 the first issue, if it is still due, does not end a reissue early', async () => {
    const fake = await startFake({ issueTiming: { afterMs: 1_000 }, reissueTiming: { afterMs: 60_000 } })
    const { uuid } = await fake.orderOne()
    await fake.call('PATCH', `/v1/referrals/${uuid}`, { body: { firstName: 'Wirri' } })
    await fake.advance({ seconds: 30 })
    expect((await fake.referral(uuid)).status).toBe('SCHEDULED_REISSUE')
  })

  it('§3.1 a deleted referral cannot be changed', async () => {
    const { fake, uuid, patch } = await patchable()
    await fake.call('DELETE', `/v1/referrals/${uuid}`)
    expect(await patch({ firstName: 'Wirri' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_STATUS' },
    })
  })
})

describe('DELETE /v1/referrals/{uuid}', () => {
  it('§3.1 sets deletedAt, clears the PDF, keeps the status; the referral stays readable', async () => {
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

  it('§4.1 a second delete returns the same as the first', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const first = await fake.call('DELETE', `/v1/referrals/${uuid}`)
    await fake.advance({ minutes: 1 })
    expect(await fake.call('DELETE', `/v1/referrals/${uuid}`)).toEqual(first)
  })

  it('a deleted referral without its PDF is not issued', async () => {
    const fake = await startFake({ issueTiming: { afterMs: 1_000 } })
    const { uuid } = await fake.orderOne()
    await fake.call('DELETE', `/v1/referrals/${uuid}`)
    await fake.advance({ seconds: 2 })
    expect(await fake.referral(uuid)).toMatchObject({ status: 'CREATED', referralAttachment: null })
  })

  it('an option: a deleted referral is gone', async () => {
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

describe('§3.1 the statuses in which an order ends', () => {
  it('§3.1 billing fails: BILLING_FAILED, no PDF, no email; the next order succeeds again', async () => {
    const fake = await startFake()
    fake.referrals.nextOrders('billing-failed')
    const failed = await fake.orderOne()
    expect(failed).toMatchObject({ status: 'BILLING_FAILED', referralAttachment: null, emailSentAt: null })
    expect((await fake.referral(failed.uuid)).status).toBe('BILLING_FAILED')
    const next = await fake.orderOne()
    expect((await fake.referral(next.uuid)).status).toBe('ISSUED')
  })

  it('§4.1 rule 4 Medicare tests are not billed to the organisation, so their referral is issued', async () => {
    const fake = await startFake({ orderOutcome: 'billing-failed' })
    const [commercial, medicare] = await fake.order({ ...MEDICARE })
    expect(commercial?.status).toBe('BILLING_FAILED')
    expect(await fake.referral(medicare?.uuid ?? '')).toMatchObject({
      status: 'ISSUED',
      emailSentAt: expect.stringMatching(/^2026-03-02T01:00:00\.0/),
    })
  })

  it('§3.1 an incomplete profile: PENDING_VERIFICATION, then ISSUED after the verification', async () => {
    const fake = await startFake({ orderOutcome: 'pending-verification' })
    const { uuid, status } = await fake.orderOne()
    expect(status).toBe('PENDING_VERIFICATION')
    expect(await fake.referral(uuid)).toMatchObject({
      status: 'PENDING_VERIFICATION',
      referralAttachment: null,
    })
    fake.referrals.verify(uuid)
    expect(await fake.referral(uuid)).toMatchObject({
      status: 'ISSUED',
      referralAttachment: expect.stringMatching(/^http/),
    })
  })

  it('§3.1 a PENDING_VERIFICATION or BILLING_FAILED referral cannot be changed', async () => {
    const fake = await startFake()
    for (const outcome of ['pending-verification', 'billing-failed'] as const) {
      fake.referrals.nextOrders(outcome)
      const { uuid } = await fake.orderOne()
      const response = await fake.call('PATCH', `/v1/referrals/${uuid}`, { body: { firstName: 'Wirri' } })
      expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_STATUS' } })
    }
  })

  it('§8 an order can take over ten seconds', async () => {
    const fake = await startFake({ orderLatencyMs: 12_000 })
    const response = fake.call('POST', '/v1/referrals', { body: order() })
    for (let tries = 0; fake.referrals.all().length === 0 && tries < 100; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      await fake.advance({ seconds: 12 })
    }
    expect((await response).status).toBe(200)
    expect(fake.referrals.all()).toHaveLength(1)
  })
})
