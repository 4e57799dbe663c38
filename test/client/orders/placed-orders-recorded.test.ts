import { ORDER_KEY_FIELD, type ReferralEvent } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { rejection } from '../../support/clients.js'
import { medicareOrder, referral, result, UUID } from '../../support/samples.js'
import { KEY, labOrder, ledgerWorld } from '../ledger/ledger-world.js'

const HOUR_MS = 3_600_000
const withKey = { metadata: { [ORDER_KEY_FIELD]: KEY } }

describe('referrals.recordOrder', () => {
  it('records an order whose response was lost as placed, by its referral.created event (§6)', async () => {
    const world = await ledgerWorld()
    const client = world.newProcess()
    const { referrals } = await world.placeElsewhere()
    await world.died({ agoMs: HOUR_MS })
    const [{ uuid, metadata }] = referrals
    const event: ReferralEvent = { eventName: 'referral.created', data: { uuid, metadata } }
    expect(await client.referrals.recordOrder(event)).toBe(true)
    expect(await client.referrals.recordOrder(event)).toBe(true)
    const lists = world.lists()
    expect(await client.referrals.create(labOrder(), { orderKey: KEY })).toMatchObject({
      recovered: true,
      referrals: [{ uuid }],
    })
    expect(world.lists()).toBe(lists)
    expect(world.posts()).toBe(1)
  })

  it('records both referrals of an order by their own events', async () => {
    const world = await ledgerWorld()
    await world.saveProvider()
    const client = world.newProcess()
    const { referrals } = await world.placeElsewhere(medicareOrder({ tests: ['tsh'] }))
    await world.died({ agoMs: HOUR_MS })
    for (const each of referrals) expect(await client.referrals.recordOrder(each)).toBe(true)
    expect(await world.state()).toMatchObject({
      state: 'placed',
      referrals: referrals.map(({ uuid }) => uuid),
    })
  })

  it('returns false for a key without an entry, for no key and for other events, and creates no entry', async () => {
    const world = await ledgerWorld()
    const { referrals } = world.newProcess()
    const data = { uuid: UUID, ...withKey }
    expect(await referrals.recordOrder(referral(data))).toBe(false)
    expect(await referrals.recordOrder(referral({ uuid: UUID }))).toBe(false)
    expect(await referrals.recordOrder({ eventName: 'result.created', data })).toBe(false)
    expect(await referrals.recordOrder({ eventName: 'referral.issued', data: withKey })).toBe(false)
    // The ledger gets only the key.
    expect(world.ledger.count('resolve')).toBe(1)
    expect(await world.state()).toMatchObject({ state: 'new' })
  })

  it('rejects data that is not a referral, such as a result with the key', async () => {
    const world = await ledgerWorld()
    const { referrals } = world.newProcess()
    for (const other of [result({ ...withKey }), undefined, null, {}, 'text', { uuid: 'x' }]) {
      const error = await rejection(referrals.recordOrder(other as never))
      expect(String(error)).toBe(
        'InvalidRequestError: referrals.recordOrder: nothing was sent, because referralOrEvent must be a referral or a webhook event about a referral [field: referralOrEvent]',
      )
    }
    expect(world.ledger.count('resolve')).toBe(0)
  })

  it('fails when the ledger fails, so that the event is sent again', async () => {
    const world = await ledgerWorld()
    world.ledger.next('resolve', 'fails')
    const error = await rejection(
      world.newProcess().referrals.recordOrder(referral({ uuid: UUID, ...withKey })),
    )
    expect(error).toMatchObject({ name: 'OrderLedgerError', operation: 'resolve', retryable: true })
  })

  it('is rejected after close()', async () => {
    const world = await ledgerWorld()
    const client = world.newProcess()
    await client.close()
    const error = await rejection(client.referrals.recordOrder(referral({ uuid: UUID, ...withKey })))
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'closed' })
  })
})
