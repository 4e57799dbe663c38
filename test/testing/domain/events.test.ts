import { describe, expect, it } from 'vitest'

import { EVENT_NAMES } from '../../../src/contract/events.js'
import { fieldOf, MEDICARE, startFake, startReceiver, type TestFake } from './orders-support.js'

/** The names of the events that happened, in order. */
const names = (fake: TestFake): string[] => fake.deliveries.events().map(({ eventName }) => eventName)

/** The names of the events after those of `before`. */
async function namesOf(fake: TestFake, work: () => unknown): Promise<string[]> {
  const before = names(fake).length
  await work()
  return names(fake).slice(before)
}

describe('which operation emits which event (§6)', () => {
  it('an order emits referral.created, then referral.issued (§6)', async () => {
    const fake = await startFake()
    await fake.orderOne()
    expect(names(fake)).toEqual(['referral.created', 'referral.issued'])
  })

  it('an order whose profile is incomplete emits pending_verification, and issued after the verification (§6)', async () => {
    const fake = await startFake({ orderOutcome: 'pending-verification' })
    const { uuid } = await fake.orderOne()
    expect(names(fake)).toEqual(['referral.created', 'referral.pending_verification'])
    expect(await namesOf(fake, () => fake.referrals.verify(uuid))).toEqual(['referral.issued'])
  })

  it('an order whose billing fails emits billing_failed, and no other event (§6)', async () => {
    const fake = await startFake({ orderOutcome: 'billing-failed' })
    await fake.orderOne()
    await fake.advance({ days: 1 })
    expect(names(fake)).toEqual(['referral.created', 'referral.billing_failed'])
  })

  it('a Medicare order emits both events for each referral (§6)', async () => {
    const fake = await startFake()
    const referrals = await fake.order({ ...MEDICARE })
    for (const { uuid } of referrals) {
      const own = fake.deliveries.events().filter(({ entityUuid }) => entityUuid === uuid)
      expect(own.map(({ eventName }) => eventName)).toEqual(['referral.created', 'referral.issued'])
    }
  })

  it('an update emits updated, scheduled_reissue, then issued (§6)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const body = { firstName: 'Wirri' }
    const events = await namesOf(fake, () => fake.call('PATCH', `/v1/referrals/${uuid}`, { body }))
    expect(events).toEqual(['referral.updated', 'referral.scheduled_reissue', 'referral.issued'])
  })

  it('a DELETE emits no event, because the specification shows none (§6)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    expect(await namesOf(fake, () => fake.call('DELETE', `/v1/referrals/${uuid}`))).toEqual([])
  })

  it('generated results emit the events of the result first, then those of the referral (§6)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    expect(await namesOf(fake, () => fake.call('PUT', `/v1/referrals/${uuid}?partial`))).toEqual([
      'result.created',
      'result.partial_results',
      'referral.partial_results',
    ])
    expect(await namesOf(fake, () => fake.call('PUT', `/v1/referrals/${uuid}?partial`))).toEqual([
      'result.updated',
      'result.partial_results',
      'referral.partial_results',
    ])
    expect(await namesOf(fake, () => fake.call('PUT', `/v1/referrals/${uuid}`))).toEqual([
      'result.updated',
      'result.complete',
      'referral.complete',
    ])
  })

  it('an INCOMING result emits events of the result, and none of a referral (§6)', async () => {
    const fake = await startFake()
    const { uuid } = fake.results.receiveIncoming({ tests: ['full-blood-count'], partial: true })
    fake.results.complete(uuid)
    expect(names(fake)).toEqual([
      'result.created',
      'result.partial_results',
      'result.updated',
      'result.complete',
    ])
  })

  it('a result held in review emits in_review, and complete when it is released (§6)', async () => {
    const fake = await startFake({ reviewHold: true })
    const { uuid } = await fake.orderOne()
    const { resultsUuid } = fake.referrals.complete(uuid)
    expect(names(fake).slice(2)).toEqual(['result.created', 'result.in_review', 'referral.complete'])
    expect(await namesOf(fake, () => fake.results.review(resultsUuid ?? ''))).toEqual(['result.updated'])
    expect(await namesOf(fake, () => fake.results.release(resultsUuid ?? ''))).toEqual(['result.complete'])
  })

  it('a rejected request emits no event (§6)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    const body = { firstName: 'W' }
    expect(await namesOf(fake, () => fake.call('PATCH', `/v1/referrals/${uuid}`, { body }))).toEqual([])
  })
})

describe('the contents of an event (§6)', () => {
  it('the envelope of an event has eventName, eventUuid, version 1.0 and data (§6)', async () => {
    const fake = await startFake()
    const receiver = await startReceiver()
    await fake.subscribe(receiver.url, ['referral.created'])
    await fake.orderOne()
    await fake.settle()
    expect(receiver.received[0]?.json).toEqual({
      eventName: 'referral.created',
      eventUuid: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      version: '1.0',
      data: expect.any(Object),
    })
  })

  it('the data of an event of a referral are the fields of the table and no others (§6)', async () => {
    const fake = await startFake()
    const { uuid, reference } = await fake.orderOne({ metadata: { orderId: '9' } })
    const [created, issued] = fake.deliveries.events()
    const data = {
      uuid,
      status: 'CREATED',
      issuedAt: null,
      metadata: { orderId: '9' },
      createdAt: '2026-03-02T01:00:00.000Z',
      reference,
      updatedAt: expect.stringMatching(/^2026-03-02T01:00:00\.0/),
      profileUuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organisationUuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    }
    expect(created?.data).toEqual(data)
    expect(issued?.data).toEqual({
      ...data,
      status: 'ISSUED',
      issuedAt: expect.stringMatching(/^2026-03-02T01:00:00\.0/),
    })
  })

  it('the data of an event of a result are the fields of the table, and provenance (§6)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne({ metadata: { orderId: '9' } })
    const { resultsUuid } = fake.referrals.complete(uuid)
    const created = fake.deliveries.events().find(({ eventName }) => eventName === 'result.created')
    expect(created?.data).toEqual({
      uuid: resultsUuid,
      status: 'CREATED',
      metadata: { orderId: '9' },
      createdAt: expect.stringMatching(/^2026-03-02T01:00:00\.0/),
      updatedAt: expect.stringMatching(/^2026-03-02T01:00:00\.0/),
      profileUuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      referralUuid: uuid,
      organisationUuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      provenance: 'ORDERED',
    })
  })

  it('the data of an event of an INCOMING result have no referral (§6)', async () => {
    const fake = await startFake()
    fake.results.receiveIncoming()
    expect(fake.deliveries.events()[0]?.data).toMatchObject({ referralUuid: null, provenance: 'INCOMING' })
  })

  it('all events of one order belong to one profile and one organisation (§6)', async () => {
    const fake = await startFake()
    const [first] = await fake.order({ ...MEDICARE })
    fake.referrals.complete(first?.uuid ?? '')
    for (const field of ['profileUuid', 'organisationUuid']) {
      const seen = new Set(fake.deliveries.events().map(({ data }) => data[field]))
      expect(seen.size).toBe(1)
    }
  })

  it('an option reduces events that the table does not show to the UUID (§6)', async () => {
    const fake = await startFake({ undocumentedPayloads: 'uuid-only' })
    const { uuid } = await fake.orderOne()
    const [created, issued] = fake.deliveries.events()
    expect(Object.keys(created?.data ?? {})).toHaveLength(9)
    expect(issued?.data).toEqual({ uuid })
  })

  it('events do not contain details of the patient (§6)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    fake.referrals.complete(uuid)
    const text = JSON.stringify(fake.deliveries.events())
    for (const canary of ['Wirra', 'Testlake', 'wirra@', '0491', '1980-02-29'])
      expect(text).not.toContain(canary)
  })
})

describe('trigger: any event manually', () => {
  it('every event that is triggered reaches a webhook that subscribed to it (§6)', async () => {
    const fake = await startFake()
    const { uuid } = await fake.orderOne()
    fake.referrals.complete(uuid)
    const receiver = await startReceiver()
    await fake.subscribe(receiver.url, EVENT_NAMES)
    const eventUuids = EVENT_NAMES.map((eventName) => fake.service.trigger(eventName))
    await fake.settle()
    const byUuid = new Map(receiver.received.map(({ json }) => [fieldOf(json, 'eventUuid'), json]))
    for (const [index, eventName] of EVENT_NAMES.entries())
      expect(byUuid.get(eventUuids[index])).toMatchObject({ eventName, version: '1.0' })
    expect(receiver.received).toHaveLength(EVENT_NAMES.length)
  })

  it('a triggered event with your own data is sent unchanged', async () => {
    const fake = await startFake()
    const data = {
      runUuid: '3d3f2a66-5f2e-4a43-9c59-1b7f5d7f3a10',
      ranAt: '2026-03-01T00:00:00.000Z',
      counts: { created: 1, updated: 0, revived: 0, missing: 0, retired: 0 },
      changed: {
        created: ['3d3f2a66-5f2e-4a43-9c59-1b7f5d7f3a11'],
        updated: [],
        revived: [],
        missing: [],
        retired: [],
      },
    }
    fake.service.trigger('collection_centres.updated', { data })
    expect(fake.deliveries.events()[0]).toMatchObject({ data, entityUuid: data.runUuid })
  })

  it('a trigger with an event name that the service does not have requires data', async () => {
    const fake = await startFake()
    expect(() => fake.service.trigger('referral.teleported')).toThrow(/pass .data./)
    expect(() => fake.service.trigger('referral.issued')).toThrow(/pass .data./)
    fake.service.trigger('referral.teleported', { data: { uuid: 'x' } })
    expect(fieldOf(fake.deliveries.events()[0], 'eventName')).toBe('referral.teleported')
  })
})
