import { createHmac } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { type Delivered, fieldOf, startFake, startReceiver } from './orders-support.js'

const SECRET = 'a secret of this test'

const signatureOf = (raw: string, secret = SECRET): string =>
  createHmac('sha256', secret).update(raw, 'utf8').digest('hex')

const uuidsOf = (received: readonly Delivered[]): unknown[] =>
  received.map(({ json }) => fieldOf(json, 'eventUuid'))

/** A fake with one webhook. Its receiver responds with these statuses, then with 200. */
async function subscribed(
  responses: Parameters<typeof startReceiver>[0],
  events = ['referral.created'],
  options: Parameters<typeof startFake>[0] = {},
) {
  const fake = await startFake({ signingSecret: SECRET, ...options })
  const receiver = await startReceiver(responses)
  const webhook = await fake.subscribe(receiver.url, events)
  return { fake, receiver, webhook }
}

describe('a delivery (§6)', () => {
  it('a delivery is a POST of JSON, signed over its exact bytes, with the time it was sent (§6)', async () => {
    const { fake, receiver } = await subscribed([])
    await fake.orderOne({ metadata: { note: 'Zoë – “quoted” 漢字 🧪' } })
    await fake.settle()
    const [delivery] = receiver.received
    expect(delivery?.headers['content-type']).toBe('application/json')
    expect(delivery?.headers['x-svc-hmac-sha256']).toBe(signatureOf(delivery?.raw ?? ''))
    expect(delivery?.headers['x-svc-delivery-time']).toMatch(/^2026-03-02T01:00:00\.0/)
    expect(delivery?.headers['authorization']).toBeUndefined()
    expect(fieldOf(fieldOf(delivery?.json, 'data'), 'metadata')).toEqual({ note: 'Zoë – “quoted” 漢字 🧪' })
  })

  it.each([
    ...[200, 204, 299].map((status) => [status, 'delivered', null] as const),
    ...[300, 307, 400, 410, 503].map((status) => [status, 'waiting', `status ${status}`] as const),
  ])('a delivery with the response %i is %s (§6)', async (response, status, failure) => {
    const { fake, receiver } = await subscribed([response])
    await fake.orderOne()
    await fake.settle()
    expect(receiver.received).toHaveLength(1)
    expect(fake.deliveries[0]).toMatchObject({ status, attempts: [{ number: 1, status: response, failure }] })
  })

  it('an event goes to each webhook that subscribed to it, and a failing one does not delay another (§6)', async () => {
    const { fake, receiver } = await subscribed([500, 500, 500, 500, 500])
    const other = await startReceiver()
    await fake.subscribe(other.url, ['referral.created', 'referral.issued'])
    await fake.orderOne()
    await fake.settle()
    expect(receiver.names()).toEqual(['referral.created'])
    expect(other.names()).toEqual(['referral.created', 'referral.issued'])
  })

  it('an event follows the response that caused it, so the order is in the list by then (§6)', async () => {
    const { fake, receiver } = await subscribed([], ['referral.issued'])
    const { uuid } = await fake.orderOne()
    await fake.settle()
    expect(fieldOf(fieldOf(receiver.received[0]?.json, 'data'), 'uuid')).toBe(uuid)
    expect((await fake.referral(uuid)).referralAttachment).toMatch(/^http/)
  })
})

describe('retries (§6)', () => {
  const failing = [500, 500, 500, 500, 500]

  it('a delivery has five attempts, 1, 4, 9 and 16 minutes after the previous one, and not a sixth (§6)', async () => {
    const { fake, receiver } = await subscribed([...failing, 500])
    await fake.orderOne()
    await fake.settle()
    const seen = [receiver.received.length]
    for (const minutes of [1, 4, 9, 16]) {
      await fake.advance({ minutes: minutes - 1, seconds: 59 })
      seen.push(receiver.received.length)
      await fake.advance({ seconds: 1 })
      seen.push(receiver.received.length)
    }
    expect(seen).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5])
    await fake.advance({ days: 2 })
    expect(receiver.received).toHaveLength(5)
    expect(fake.deliveries[0]).toMatchObject({ status: 'failed', nextAttemptAt: null })
  })

  it('every attempt has the same bytes and signature, and its own time, and the journal has its outcome (§6)', async () => {
    const { fake, receiver } = await subscribed([500])
    await fake.orderOne()
    await fake.advance({ minutes: 5 })
    const signature = signatureOf(receiver.received[0]?.raw ?? '')
    expect(new Set(receiver.received.map(({ raw }) => raw)).size).toBe(1)
    const times = receiver.received.map(({ headers }) => headers['x-svc-delivery-time'])
    expect(times).toEqual(fake.deliveries[0]?.attempts.map(({ startedAt }) => startedAt))
    expect(fake.deliveries[0]?.attempts).toMatchObject([
      {
        number: 1,
        startedAt: expect.stringMatching(/^2026-03-02T01:00:00\.0/),
        signature,
        status: 500,
        failure: 'status 500',
      },
      {
        number: 2,
        startedAt: expect.stringMatching(/^2026-03-02T01:01:00\.0/),
        signature,
        status: 200,
        failure: null,
      },
    ])
  })

  it('an option lets retries start on full minutes of the clock (§6)', async () => {
    const fake = await startFake({ deliveryPickUp: 'whole-minutes', startTime: '2026-03-02T01:00:30.000Z' })
    const receiver = await startReceiver([500])
    await fake.subscribe(receiver.url, ['referral.created'])
    await fake.orderOne()
    await fake.settle()
    await fake.advance({ seconds: 89 })
    expect(receiver.received).toHaveLength(1)
    await fake.advance({ seconds: 1 })
    expect(receiver.received).toHaveLength(2)
  })
})

describe('the order of deliveries (§6)', () => {
  const both = ['referral.created', 'referral.issued', 'referral.updated', 'referral.scheduled_reissue']

  it('later events of the same entity wait for a failing one (§6)', async () => {
    const { fake, receiver } = await subscribed([500], both)
    await fake.orderOne()
    await fake.settle()
    expect(receiver.names()).toEqual(['referral.created'])
    await fake.advance({ minutes: 1 })
    expect(receiver.names()).toEqual(['referral.created', 'referral.created', 'referral.issued'])
  })

  it('events of other entities do not wait for a failing one (§6)', async () => {
    const { fake, receiver } = await subscribed([500], ['referral.created'])
    const first = await fake.orderOne()
    await fake.settle()
    const second = await fake.orderOne()
    await fake.settle()
    expect(receiver.received.map(({ json }) => fieldOf(fieldOf(json, 'data'), 'uuid'))).toEqual([
      first.uuid,
      second.uuid,
    ])
  })

  it('after the last attempt of an event, the next one is sent (§6)', async () => {
    const { fake, receiver } = await subscribed([500, 500, 500, 500, 500], both)
    await fake.orderOne()
    await fake.advance({ minutes: 29 })
    expect(new Set(receiver.names())).toEqual(new Set(['referral.created']))
    await fake.advance({ minutes: 1 })
    expect(receiver.names().slice(-2)).toEqual(['referral.created', 'referral.issued'])
  })

  it('created is sent before updated, with any number of events (§6)', async () => {
    const { fake, receiver } = await subscribed([], both)
    const { uuid } = await fake.orderOne()
    await fake.call('PATCH', `/v1/referrals/${uuid}`, { body: { firstName: 'Wirri' } })
    await fake.settle()
    expect(receiver.names()).toEqual([
      'referral.created',
      'referral.issued',
      'referral.updated',
      'referral.scheduled_reissue',
      'referral.issued',
    ])
  })
})

describe('changes while deliveries are queued (§3.5, §4.6)', () => {
  it('deleting a webhook stops new events; queued deliveries are still sent (§4.6)', async () => {
    const { fake, receiver, webhook } = await subscribed([500], ['referral.created', 'referral.issued'])
    await fake.orderOne()
    await fake.settle()
    await fake.call('DELETE', `/v1/webhooks/${webhook.id}`)
    await fake.orderOne()
    await fake.advance({ minutes: 1 })
    expect(receiver.names()).toEqual(['referral.created', 'referral.created', 'referral.issued'])
  })

  it('pausing a webhook stops new events; queued deliveries are still sent (§3.5)', async () => {
    const { fake, receiver, webhook } = await subscribed([500])
    await fake.orderOne()
    await fake.settle()
    await fake.call('PATCH', `/v1/webhooks/${webhook.id}`, { body: { active: false } })
    await fake.orderOne()
    await fake.advance({ minutes: 1 })
    expect(receiver.received).toHaveLength(2)
    expect(new Set(uuidsOf(receiver.received)).size).toBe(1)
  })

  it('with pausedDeliveries: dropped a paused webhook receives nothing, and nothing is sent after the pause (§3.5)', async () => {
    const events = ['referral.created', 'referral.issued']
    const { fake, receiver, webhook } = await subscribed([500], events, { pausedDeliveries: 'dropped' })
    await fake.orderOne()
    await fake.settle()
    await fake.call('PATCH', `/v1/webhooks/${webhook.id}`, { body: { active: false } })
    await fake.advance({ minutes: 1 })
    expect(fake.deliveries.map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ['failed', 1],
      ['failed', 0],
    ])
    await fake.call('PATCH', `/v1/webhooks/${webhook.id}`, { body: { active: true } })
    await fake.advance({ minutes: 40 })
    expect(receiver.names()).toEqual(['referral.created'])
    await fake.orderOne()
    await fake.settle()
    expect(receiver.names()).toEqual(['referral.created', ...events])
  })

  it('with pausedDeliveries: dropped a retry after a short pause is sent (§3.5)', async () => {
    const { fake, receiver, webhook } = await subscribed([500], undefined, { pausedDeliveries: 'dropped' })
    await fake.orderOne()
    await fake.settle()
    await fake.call('PATCH', `/v1/webhooks/${webhook.id}`, { body: { active: false } })
    await fake.advance({ seconds: 30 })
    await fake.call('PATCH', `/v1/webhooks/${webhook.id}`, { body: { active: true } })
    await fake.advance({ minutes: 1 })
    expect(receiver.names()).toEqual(['referral.created', 'referral.created'])
  })
})

describe('resend', () => {
  it('a resend is a duplicate with the same bytes, eventUuid and signature (§6)', async () => {
    const { fake, receiver } = await subscribed([])
    await fake.orderOne()
    await fake.settle()
    const [eventUuid] = uuidsOf(receiver.received)
    expect(fake.deliveries.resend(String(eventUuid))).toBe(1)
    await fake.settle()
    const [first, second] = receiver.received
    expect(second?.raw).toBe(first?.raw)
    expect(second?.headers['x-svc-hmac-sha256']).toBe(first?.headers['x-svc-hmac-sha256'])
    expect(fake.deliveries.resend(String(eventUuid))).toBe(1)
    await fake.settle()
    expect(receiver.received).toHaveLength(3)
  })

  it('a resend goes to every webhook that got the event, also after its last attempt', async () => {
    const { fake, receiver } = await subscribed([500, 500, 500, 500, 500])
    const other = await startReceiver()
    await fake.subscribe(other.url, ['referral.created'])
    await fake.orderOne()
    await fake.advance({ hours: 1 })
    const [eventUuid] = uuidsOf(receiver.received)
    expect(fake.deliveries.resend(String(eventUuid))).toBe(2)
    await fake.settle()
    expect(receiver.received).toHaveLength(6)
    expect(other.received).toHaveLength(2)
  })

  it('a resend goes to the current URL of a webhook, and to the last URL of a deleted webhook', async () => {
    const { fake, receiver, webhook } = await subscribed([])
    const other = await startReceiver()
    await fake.orderOne()
    await fake.settle()
    const eventUuid = String(uuidsOf(receiver.received)[0])
    await fake.call('PATCH', `/v1/webhooks/${webhook.id}`, { body: { url: other.url } })
    fake.deliveries.resend(eventUuid)
    await fake.settle()
    expect([receiver.received.length, other.received.length]).toEqual([1, 1])
    await fake.call('DELETE', `/v1/webhooks/${webhook.id}`)
    fake.deliveries.resend(eventUuid)
    await fake.settle()
    expect([receiver.received.length, other.received.length]).toEqual([1, 2])
  })

  it('a resend of an event that was never sent is rejected', async () => {
    const fake = await startFake()
    expect(() => fake.deliveries.resend('00000000-0000-4000-8000-000000000000')).toThrow(/no delivery/)
  })
})

describe('delivery faults', () => {
  it('the fault bad-signature signs one attempt with another secret, and the next is valid', async () => {
    const { fake, receiver } = await subscribed([400])
    fake.deliveries.fault({ kind: 'bad-signature' })
    await fake.orderOne()
    await fake.advance({ minutes: 1 })
    const valid = receiver.received.map(
      ({ headers, raw }) => headers['x-svc-hmac-sha256'] === signatureOf(raw),
    )
    expect(valid).toEqual([false, true])
    expect(receiver.received[0]?.headers['x-svc-hmac-sha256']).toMatch(/^[0-9a-f]{64}$/)
  })

  it('the fault duplicate sends a delivered event once more', async () => {
    const { fake, receiver } = await subscribed([])
    fake.deliveries.fault({ kind: 'duplicate' })
    await fake.orderOne()
    await fake.settle()
    expect(receiver.received).toHaveLength(2)
    expect(new Set(uuidsOf(receiver.received)).size).toBe(1)
  })

  it('the fault lost lets no attempt arrive, and the entity’s later events wait for the fifth', async () => {
    const { fake, receiver } = await subscribed([], ['referral.created', 'referral.issued'])
    fake.deliveries.fault({ kind: 'lost', eventName: 'referral.created' })
    await fake.orderOne()
    await fake.advance({ minutes: 29 })
    expect(receiver.received).toEqual([])
    await fake.advance({ minutes: 2 })
    expect(receiver.names()).toEqual(['referral.issued'])
    const [lost] = fake.service.deliveries
    expect(lost?.attempts.map(({ failure }) => failure)).toEqual(Array(5).fill('lost'))
    expect(lost?.status).toBe('failed')
  })

  it('the fault reorder sends the entity’s next event first', async () => {
    const { fake, receiver } = await subscribed([], ['referral.created', 'referral.issued'])
    fake.deliveries.fault({ kind: 'reorder', eventName: 'referral.created' })
    await fake.orderOne()
    await fake.settle()
    expect(receiver.names()).toEqual(['referral.issued', 'referral.created'])
  })

  it('an event delayed by the fault reorder waits for the next event of the entity, even while that event fails', async () => {
    const { fake, receiver } = await subscribed([500], ['referral.created', 'referral.issued'])
    fake.deliveries.fault({ kind: 'reorder', eventName: 'referral.created' })
    await fake.orderOne()
    await fake.advance({ minutes: 1 })
    expect(receiver.names()).toEqual(['referral.issued', 'referral.issued', 'referral.created'])
  })

  it('a resend of an earlier event is not the next event that the fault reorder waits for', async () => {
    const { fake, receiver } = await subscribed(
      [],
      ['referral.created', 'referral.issued', 'referral.refunded'],
      {
        issueTiming: 'manual',
      },
    )
    const { uuid } = await fake.orderOne()
    await fake.settle()
    const [created] = uuidsOf(receiver.received)
    fake.deliveries.fault({ kind: 'reorder', eventName: 'referral.issued' })
    fake.referrals.issue(uuid)
    fake.deliveries.resend(String(created))
    fake.referrals.refund(uuid)
    await fake.settle()
    expect(receiver.names()).toEqual([
      'referral.created',
      'referral.refunded',
      'referral.issued',
      'referral.created',
    ])
  })

  it('without a next event the fault reorder sends the event a minute later', async () => {
    const { fake, receiver } = await subscribed([])
    fake.deliveries.fault({ kind: 'reorder' })
    await fake.orderOne()
    await fake.advance({ seconds: 59 })
    expect(receiver.received).toEqual([])
    await fake.advance({ seconds: 1 })
    expect(receiver.names()).toEqual(['referral.created'])
  })

  it('a resend during the minute of the fault reorder does not extend it', async () => {
    const { fake, receiver } = await subscribed([], ['referral.created', 'referral.issued'], {
      issueTiming: 'manual',
    })
    const { uuid } = await fake.orderOne()
    await fake.settle()
    fake.deliveries.fault({ kind: 'reorder' })
    fake.referrals.issue(uuid)
    await fake.advance({ seconds: 30 })
    fake.deliveries.resend(String(uuidsOf(receiver.received)[0]))
    await fake.advance({ seconds: 30 })
    expect(receiver.names()).toEqual(['referral.created', 'referral.issued', 'referral.created'])
  })

  it('a delivery fault applies to the named events, the given number of times, and then ends', async () => {
    const { fake, receiver } = await subscribed([], ['referral.created', 'referral.issued'])
    fake.deliveries.fault({ kind: 'duplicate', eventName: 'referral.issued', times: 2 })
    for (let place = 0; place < 3; place += 1) {
      await fake.orderOne()
      await fake.settle()
    }
    expect(receiver.names().filter((name) => name === 'referral.created')).toHaveLength(3)
    expect(receiver.names().filter((name) => name === 'referral.issued')).toHaveLength(5)
    expect(fake.deliveries.unusedFaults()).toEqual([])
  })

  it('a delivery fault that was not applied is reported', async () => {
    const { fake, webhook } = await subscribed([])
    fake.deliveries.fault({ kind: 'duplicate', entityUuid: 'nobody', webhookId: webhook.id })
    await fake.orderOne()
    expect(fake.deliveries.unusedFaults()).toEqual([
      { kind: 'duplicate', eventName: null, entityUuid: 'nobody', webhookId: webhook.id, timesLeft: 1 },
    ])
    expect(() => fake.service.assertNoUnusedFaults()).toThrow(/duplicate/)
  })

  it('an invalid delivery fault is rejected', async () => {
    const fake = await startFake()
    expect(() => fake.deliveries.fault({ kind: 'duplicate', times: 0 })).toThrow(RangeError)
    expect(() => fake.deliveries.fault(JSON.parse('{"kind":"vanish"}'))).toThrow(
      /bad-signature, duplicate, reorder, lost/,
    )
  })
})

describe('a lower journalLimit', () => {
  it('a lower journalLimit applies to all stored events, deliveries, emails and notices at the next one', async () => {
    const { fake, receiver } = await subscribed([])
    for (let count = 0; count < 20; count += 1) {
      await fake.orderOne()
      await fake.subscribe(`${receiver.url}/${count}`, ['result.created'])
    }
    await fake.settle()
    fake.service.changeOptions({ journalLimit: 5 })
    await fake.orderOne()
    await fake.settle()
    await fake.subscribe(`${receiver.url}/20`, ['result.created'])
    expect([
      fake.deliveries.events().length,
      fake.deliveries.length,
      fake.referrals.emails().length,
      fake.webhooks.ownerNotices().length,
    ]).toEqual([5, 5, 5, 5])
  })
})

describe('a snapshot', () => {
  it('a snapshot has queued deliveries and their retries', async () => {
    const { fake, receiver } = await subscribed([500])
    await fake.orderOne()
    await fake.settle()
    const snapshot = fake.service.snapshot()
    await fake.advance({ minutes: 1 })
    expect(receiver.received).toHaveLength(2)
    fake.service.restore(snapshot)
    await fake.advance({ minutes: 1 })
    expect(receiver.received).toHaveLength(3)
    expect(new Set(uuidsOf(receiver.received)).size).toBe(1)
  })
})

it('the journals have a maximum length, and a delivery in progress is never dropped', async () => {
  const fake = await startFake({ journalLimit: 3 })
  const receiver = await startReceiver([500, 500, 500, 500, 500, 500])
  await fake.subscribe(receiver.url, ['referral.created'])
  const waiting = await fake.orderOne()
  await fake.settle()
  const other = await startReceiver()
  await fake.subscribe(other.url, ['referral.issued'])
  for (let place = 0; place < 6; place += 1) await fake.orderOne()
  await fake.settle()
  expect(fake.deliveries.events()).toHaveLength(3)
  expect(fake.deliveries.some(({ entityUuid }) => entityUuid === waiting.uuid)).toBe(true)
  expect(other.received).toHaveLength(6)
})
