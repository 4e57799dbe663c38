import { describe, expect, it } from 'vitest'

import { listOf, startFake, toReferral } from './orders-support.js'

const put = '/v1/referrals'

describe('PUT /v1/referrals/{uuid}', () => {
  it('§4.1 without the flag: COMPLETE, with the result of the referral', async () => {
    const fake = await startFake()
    const { uuid, reference } = await fake.orderOne({ metadata: { orderId: 'A-17' } })
    const response = await fake.call('PUT', `${put}/${uuid}`)
    expect(response.status).toBe(200)
    const referral = toReferral(response.body)
    expect(referral.status).toBe('COMPLETE')
    const result = await fake.result(referral.resultsUuid)
    expect(result).toMatchObject({
      uuid: referral.resultsUuid,
      object: 'result',
      provenance: 'ORDERED',
      referralUuid: uuid,
      referenceNumber: 'REF-1',
      reference,
      status: 'COMPLETE',
      person: referral.person,
      metadata: { orderId: 'A-17' },
      deletedAt: null,
    })
    expect(result.biomarkers).toHaveLength(15)
  })

  it.each(['?partial', '?partial=', '?partial=true'])(
    '§4.1 with %s: PARTIAL_RESULTS, some biomarkers',
    async (flag) => {
      const fake = await startFake()
      const { uuid } = await fake.orderOne()
      const referral = toReferral((await fake.call('PUT', `${put}/${uuid}${flag}`)).body)
      expect(referral.status).toBe('PARTIAL_RESULTS')
      const result = await fake.result(referral.resultsUuid)
      expect(result.status).toBe('PARTIAL_RESULTS')
      expect(result.biomarkers.length).toBeGreaterThan(0)
      expect(result.biomarkers.length).toBeLessThan(15)
    },
  )

  it('§3.1 partial, partial again, then the rest: one result that gets more values and keeps its values', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const seen = []
    for (const query of ['?partial', '?partial', '']) {
      const referral = toReferral((await fake.call('PUT', `${put}/${uuid}${query}`)).body)
      const result = await fake.result(referral.resultsUuid)
      seen.push({
        status: referral.status,
        uuid: result.uuid,
        values: result.biomarkers.map(({ value }) => value),
      })
    }
    const [first, second, third] = seen
    expect(seen.map(({ status }) => status)).toEqual(['PARTIAL_RESULTS', 'PARTIAL_RESULTS', 'COMPLETE'])
    expect(new Set(seen.map((one) => one.uuid)).size).toBe(1)
    expect(second?.values.length).toBeGreaterThan(first?.values.length ?? 0)
    expect(third?.values).toHaveLength(15)
    expect(third?.values.slice(0, first?.values.length)).toEqual(first?.values)
    expect(third?.values.slice(0, second?.values.length)).toEqual(second?.values)
  })

  it('§4.1 the results are random: two patients have different ones', async () => {
    const fake = await startFake()
    const values = []
    for (let place = 0; place < 2; place += 1) {
      const { uuid } = await fake.orderOne()
      const { resultsUuid } = toReferral((await fake.call('PUT', `${put}/${uuid}`)).body)
      values.push((await fake.result(resultsUuid)).biomarkers.map(({ value }) => value))
    }
    expect(values[0]).not.toEqual(values[1])
  })

  it('§4.1 again on a COMPLETE referral: other values in the same result; rejected with an option', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const first = toReferral((await fake.call('PUT', `${put}/${uuid}`)).body)
    const values = (await fake.result(first.resultsUuid)).biomarkers.map(({ value }) => value)
    const second = toReferral((await fake.call('PUT', `${put}/${uuid}`)).body)
    expect(second).toMatchObject({ status: 'COMPLETE', resultsUuid: first.resultsUuid })
    const again = await fake.result(first.resultsUuid)
    expect(again.biomarkers.map(({ value }) => value)).not.toEqual(values)
    const strict = await startFake({ repeatedResults: 'reject' })
    const once = await strict.orderOne()
    await strict.call('PUT', `${put}/${once.uuid}`)
    const rejected = await strict.call('PUT', `${put}/${once.uuid}`)
    expect(rejected).toMatchObject({
      status: 400,
      body: {
        code: 'INVALID_STATUS',
        message: expect.stringMatching(/status ISSUED or PARTIAL_RESULTS or INSUFFICIENT_DATA$/),
      },
    })
  })

  it.each([
    ['CREATED', { issueTiming: 'manual' }],
    ['PENDING_VERIFICATION', { orderOutcome: 'pending-verification' }],
    ['BILLING_FAILED', { orderOutcome: 'billing-failed' }],
  ] as const)('§3.1 rejects a referral that is %s, because it was not issued', async (status, settings) => {
    const fake = await startFake(settings)
    const { uuid } = await fake.orderOne()
    expect((await fake.referral(uuid)).status).toBe(status)
    const response = await fake.call('PUT', `${put}/${uuid}`)
    expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_STATUS' } })
    expect(listOf((await fake.call('GET', '/v1/results')).body, 'results')).toEqual([])
  })

  it('rejects a deleted referral', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    await fake.call('DELETE', `${put}/${uuid}`)
    expect(await fake.call('PUT', `${put}/${uuid}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_STATUS', message: expect.stringMatching(/not deleted and .* or COMPLETE$/) },
    })
  })

  it('§9 does not exist in production: 404', async () => {
    const fake = await startFake({ environment: 'production' })
    const { uuid } = await fake.orderOne()
    expect((await fake.call('PUT', `${put}/${uuid}`)).status).toBe(404)
    expect((await fake.referral(uuid)).status).toBe('ISSUED')
  })

  it('§7 rejects an unknown query parameter', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const response = await fake.call('PUT', `${put}/${uuid}?parts`)
    expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } })
  })
})
