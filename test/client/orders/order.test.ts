import { isMedicareReferral, type Order } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { expectedReferrals } from '../../../src/client/orders/order.js'
import { CANARIES } from '../../support/canaries.js'
import { rejection } from '../../support/clients.js'
import { medicareOrder, order, PROVIDER_NUMBER, referral } from '../../support/samples.js'
import { setUp } from './order-world.js'

describe('how many referrals an order makes (§4.1 rule 4)', () => {
  const tests = ['fbc']
  const bundleId = 'heart'
  const medicareTests = ['tsh']

  it.each<[Partial<Order>, number]>([
    [{ tests }, 1],
    [{ tests: undefined, bundleId }, 1],
    [{ tests, bundleId }, 1],
    [{ tests: undefined, medicareTests }, 1],
    [{ tests: [], medicareTests }, 1],
    [{ tests, medicareTests: [] }, 1],
    [{ tests, medicareTests }, 2],
    [{ tests: undefined, bundleId, medicareTests }, 2],
    [{ tests: [], bundleId, medicareTests }, 2],
  ])('%j: %i', (change, expected) => {
    expect(expectedReferrals(order(change))).toBe(expected)
  })
})

describe('which referral is the Medicare one (§2.4)', () => {
  it.each([
    [{ medicare: true }, true],
    [{ medicare: false, bulkBilled: true }, false],
    [{ medicare: undefined, bulkBilled: true }, true],
    [{ medicare: undefined, bulkBilled: false }, false],
    [{ medicare: undefined, bulkBilled: undefined }, false],
  ])('%j: %s', (change, expected) => {
    expect(isMedicareReferral({ ...referral(), ...change } as ReturnType<typeof referral>)).toBe(expected)
  })
})

describe('an order as it is sent (§4.1)', () => {
  it('has card and provider numbers without spaces, and the given order is not changed', async () => {
    const { client, book } = await setUp()
    const given = medicareOrder({
      medicareCardNumber: '2951 87312 5 1',
      orderingPractitioner: { name: 'Dr Ada Roe', address: '1 Clinic Road', providerNumber: '2426 621b' },
    })
    const before = structuredClone(given)
    await client.referrals.create(given)
    expect(book.orders[0]).toMatchObject({
      medicareCardNumber: CANARIES.medicareCard,
      orderingPractitioner: { name: 'Dr Ada Roe', address: '1 Clinic Road', providerNumber: PROVIDER_NUMBER },
    })
    expect(given).toEqual(before)
  })

  it.each([
    ['null', null],
    ['a text', 'order'],
    ['a number', 7],
    ['nothing', undefined],
  ])('%s for an order: rejected, and nothing is sent', async (_, given) => {
    const { client, server } = await setUp()
    const refused = await rejection(client.referrals.create(given as unknown as Order))
    expect(refused).toMatchObject({ name: 'InvalidRequestError', code: 'INVALID_PAYLOAD' })
    expect(server.requests).toHaveLength(0)
  })

  it.each([
    ['a list', [1]],
    ['null', null],
    ['a text', 'clinic'],
    ['a number', 0],
    ['a time', new Date(0)],
    ['bytes', new Uint8Array([7])],
  ])('%s for metadata: rejected, and no key is put into it', async (_, metadata) => {
    const { client, server } = await setUp()
    const refused = await rejection(client.referrals.create({ ...order(), metadata } as unknown as Order))
    expect(refused).toMatchObject({ name: 'InvalidRequestError', issues: [{ field: 'metadata' }] })
    expect(server.requests).toHaveLength(0)
  })
})

describe('an order that is only validated (§4.1)', () => {
  it('is returned unchanged, and nothing is sent', async () => {
    const { client, server } = await setUp()
    const given: unknown = { ...medicareOrder(), medicareCardNumber: '2123 45670 1/1' }
    expect(await client.referrals.validate(given)).toBe(given)
    expect(server.requests).toEqual([])
  })

  it('is rejected with every problem and its field, as by create', async () => {
    const { client, server } = await setUp()
    const bad = { ...order(), dob: '1986-02-30', gender: 'unknown', tests: [7] } as unknown
    const checked = await rejection(client.referrals.validate(bad))
    const created = await rejection(client.referrals.create(bad as Order))
    expect(checked).toMatchObject({
      name: 'InvalidRequestError',
      message: expect.stringMatching(/^referrals\.validate: /),
      issues: (created as { issues: unknown }).issues,
    })
    expect(checked).toMatchObject({ issues: [{ field: 'dob' }, { field: 'gender' }, { field: 'tests[0]' }] })
    expect(server.requests).toEqual([])
  })

  it('is validated against its API version (§9)', async () => {
    const { client } = await setUp()
    const refused = await rejection(client.referrals.validate(medicareOrder(), { apiVersion: '1.0.0' }))
    expect(refused).toMatchObject({ name: 'InvalidRequestError' })
  })
})
