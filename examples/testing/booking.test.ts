import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exampleOrder } from '../support/orders.js'
import { abnormalValues, book } from './booking.js'

let fake: FakePathologyService
let client: PathologyClient

beforeEach(() => {
  fake = new FakePathologyService({ startTime: '2026-03-02T09:00:00Z', centreCount: 10, seedReferrals: 0 })
  client = new PathologyClient(fake.clientOptions())
})
afterEach(async () => {
  fake.assertNoUnusedFaults()
  await client.close()
  await fake.close()
})

describe('book', () => {
  const order = exampleOrder({ tests: ['ferritin'] })

  it('book() places an order', async () => {
    const booking = await book(client, '1', order)
    expect(booking).toEqual({ state: 'ordered', referrals: fake.referrals.all().map(({ uuid }) => uuid) })
  })

  it('book() reports the invalid fields of an order', async () => {
    const booking = await book(client, '2', { ...order, email: 'nobody', dob: '1986-02-30' })
    expect(booking).toEqual({ state: 'rejected', fields: ['email', 'dob'] })
  })

  it('book() orders once when the response is lost', async () => {
    fake.faults.next('POST /v1/referrals', { loseResponse: true })
    const booking = await book(client, '3', order)
    expect(booking.state).toBe('ordered')
    expect(fake.referrals.all()).toHaveLength(1)
  })

  it('book() orders once when the job runs twice', async () => {
    const first = await book(client, '4', order)
    expect(await book(client, '4', order)).toEqual(first)
    expect(fake.referrals.all()).toHaveLength(1)
  })
})

it('abnormalValues() returns the names of the abnormal biomarkers when there is a result', async () => {
  await book(client, '5', exampleOrder({ tests: ['ferritin'] }))
  const uuid = fake.referrals.all()[0]?.uuid ?? ''
  await client.referrals.waitFor(uuid, { status: 'ISSUED' })
  expect(await abnormalValues(client, uuid)).toBeUndefined()

  fake.referrals.complete(uuid, { values: { ferritin: '3' } })
  expect(await abnormalValues(client, uuid)).toEqual(['Ferritin'])
})
