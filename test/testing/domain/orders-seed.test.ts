import { describe, expect, it } from 'vitest'

import { REFERRAL_STATUSES } from '../../../src/contract/enums.js'
import { checkMedicareCardNumber } from '../../../src/contract/identifier-checks.js'
import { fieldOf, listOf, startFake, type TestFake } from './orders-support.js'

async function everyItem(fake: TestFake, path: string, key: string): Promise<readonly unknown[]> {
  const items: unknown[] = []
  let query = '?count=20'
  for (let pages = 0; pages < 100; pages += 1) {
    const { body } = await fake.call('GET', `${path}${query}`)
    items.push(...listOf(body, key))
    const cursor = fieldOf(body, 'cursor')
    if (cursor === undefined) return items
    query = `?count=20&cursor=${fieldOf(cursor, 'cursor')}`
  }
  throw new Error('the list does not end')
}

describe('the initial records', () => {
  it('by default a fake starts with some dozens of referrals, and ordered and incoming results', async () => {
    const fake = await startFake({ seedReferrals: undefined })
    const referrals = await everyItem(fake, '/v1/referrals', 'referrals')
    const results = await everyItem(fake, '/v1/results', 'results')
    expect(referrals.length).toBeGreaterThan(40)
    expect(new Set(results.map((one) => fieldOf(one, 'provenance')))).toEqual(
      new Set(['ORDERED', 'INCOMING']),
    )
  })

  it('with enough initial records every status occurs', async () => {
    const fake = await startFake({ seedReferrals: 600 })
    const statuses = new Set(fake.referrals.all().map(({ status }) => status))
    expect([...statuses].sort()).toEqual([...REFERRAL_STATUSES].sort())
  })

  it('initial referrals and results agree with each other', async () => {
    const fake = await startFake({ seedReferrals: 300 })
    const results = new Map(fake.results.all().map((result) => [result.uuid, result]))
    let linked = 0
    for (const referral of fake.referrals.all()) {
      const reported = referral.status === 'COMPLETE' || referral.status === 'PARTIAL_RESULTS'
      expect(referral.resultsUuid !== null).toBe(reported)
      const result = results.get(referral.resultsUuid ?? '')
      if (result === undefined) continue
      linked += 1
      expect(result).toMatchObject({
        referralUuid: referral.uuid,
        reference: referral.reference,
        status: referral.status,
        person: referral.person,
      })
    }
    expect(linked).toBeGreaterThan(100)
  })

  it('initial Medicare referrals have a doctor and a card that follow the rules', async () => {
    const fake = await startFake({ seedReferrals: 300 })
    const medicare = fake.referrals.all().filter((referral) => referral.medicare)
    expect(medicare.length).toBeGreaterThan(10)
    for (const referral of medicare) {
      expect(checkMedicareCardNumber(referral.medicareCardNumber).valid).toBe(true)
      expect(referral.medicareCardNumber).toHaveLength(11)
      expect(referral.orderingPractitioner?.providerNumber).toHaveLength(8)
    }
  })

  it('seedReferrals 0 means no initial records', async () => {
    const fake = await startFake({ seedReferrals: 0 })
    expect((await fake.call('GET', '/v1/referrals')).body).toEqual({ referrals: [] })
  })

  it('the initial records cause no request and no event', async () => {
    const fake = await startFake({ seedReferrals: 60 })
    expect(fake.deliveries.events()).toEqual([])
    expect(fake.deliveries).toHaveLength(0)
  })

  it('a page from the middle of ten thousand referrals has the right ones', async () => {
    const fake = await startFake({ seedReferrals: 10_000 })
    const all = fake.referrals.all().map(({ uuid }) => uuid)
    expect(all.length).toBeGreaterThan(8_000)
    const { body } = await fake.call('GET', '/v1/referrals?sort=desc&count=20')
    expect(listOf(body, 'referrals').map((row) => fieldOf(row, 'uuid'))).toEqual(all.slice(-20).toReversed())
  })
})
