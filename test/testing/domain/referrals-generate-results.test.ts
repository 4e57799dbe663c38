import { describe, expect, it } from 'vitest'

import { listOf, startFake, toReferral } from './orders-support.js'

const put = '/v1/referrals'

describe('PUT /v1/referrals/{uuid}', () => {
  it('a PUT without the flag makes the referral COMPLETE, with its result (§4.1)', async () => {
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
    'a PUT with %s gives PARTIAL_RESULTS and some biomarkers (§4.1)',
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

  it('partial, partial again, then the rest give one result that gets more values and keeps its values (§3.1)', async () => {
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

  it('generated results are random: two patients have different ones (§4.1)', async () => {
    const fake = await startFake()
    const values = []
    for (let place = 0; place < 2; place += 1) {
      const { uuid } = await fake.orderOne()
      const { resultsUuid } = toReferral((await fake.call('PUT', `${put}/${uuid}`)).body)
      values.push((await fake.result(resultsUuid)).biomarkers.map(({ value }) => value))
    }
    expect(values[0]).not.toEqual(values[1])
  })

  it('a PUT on a COMPLETE referral gives other values in the same result, or is rejected by an option (§4.1)', async () => {
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
  ] as const)(
    'results of a referral that is %s are rejected, because it was not issued (§3.1)',
    async (status, settings) => {
      const fake = await startFake(settings)
      const { uuid } = await fake.orderOne()
      expect((await fake.referral(uuid)).status).toBe(status)
      const response = await fake.call('PUT', `${put}/${uuid}`)
      expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_STATUS' } })
      expect(listOf((await fake.call('GET', '/v1/results')).body, 'results')).toEqual([])
    },
  )

  it('results of a deleted referral are rejected', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    await fake.call('DELETE', `${put}/${uuid}`)
    expect(await fake.call('PUT', `${put}/${uuid}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_STATUS', message: expect.stringMatching(/not deleted and .* or COMPLETE$/) },
    })
  })

  it('production has no results to generate: 404 (§9)', async () => {
    const fake = await startFake({ environment: 'production' })
    const { uuid } = await fake.orderOne()
    expect((await fake.call('PUT', `${put}/${uuid}`)).status).toBe(404)
    expect((await fake.referral(uuid)).status).toBe('ISSUED')
  })
})
