import { describe, expect, it } from 'vitest'

import { fieldOf, listOf, startFake, startReceiver } from './orders-support.js'

const URL = 'https://hooks.example.com/pathology'
const referral = (name: string): string => `referral.${name}`

describe('POST /v1/webhooks', () => {
  it('a created webhook is returned, active by default (§2.12, §4.6)', async () => {
    const fake = await startFake()
    const body = { url: URL, events: ['referral.issued', 'result.complete'] }
    expect(await fake.call('POST', '/v1/webhooks', { body })).toEqual({
      status: 200,
      body: {
        object: 'webhook',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        url: URL,
        events: ['referral.issued', 'result.complete'],
        active: true,
        createdAt: '2026-03-02T01:00:00.000Z',
        updatedAt: '2026-03-02T01:00:00.000Z',
      },
    })
  })

  it('a webhook can be created inactive (§4.6)', async () => {
    const fake = await startFake()
    expect((await fake.subscribe(URL, ['referral.issued'], false)).active).toBe(false)
  })

  it('a webhook stores each event once (§4.6)', async () => {
    const fake = await startFake()
    const { events } = await fake.subscribe(URL, ['result.created', 'referral.issued', 'result.created'])
    expect(events).toEqual(['result.created', 'referral.issued'])
  })

  it('an own id or an unlisted field is never ignored, also with unknownBodyFields: ignore (§4.6)', async () => {
    const fake = await startFake({ unknownBodyFields: 'ignore' })
    const { id } = await fake.subscribe(URL, ['referral.issued'])
    for (const extra of [{ id: 'mine' }, { secret: 'x' }]) {
      for (const [method, path, body] of [
        ['POST', '/v1/webhooks', { url: URL, events: ['result.created'], ...extra }],
        ['PATCH', `/v1/webhooks/${id}`, { active: false, ...extra }],
      ] as const) {
        const response = await fake.call(method, path, { body })
        expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_PAYLOAD' } })
      }
    }
  })

  it('several problems of a webhook are each named, and its url decides between their codes (§7)', async () => {
    const fake = await startFake()
    const body = { url: 'http://hooks.example.com', events: ['x'] }
    const response = await fake.call('POST', '/v1/webhooks', { body: { ...body, id: '1' } })
    expect(fieldOf(response.body, 'code')).toBe('INVALID_PAYLOAD')
    expect(fieldOf(response.body, 'errorList')).toHaveLength(3)
    const both = await fake.call('POST', '/v1/webhooks', { body })
    expect(fieldOf(both.body, 'code')).toBe('INVALID_WEBHOOK_URL')
    expect(fieldOf(both.body, 'errorList')).toHaveLength(2)
  })

  it('one event reaches a URL from one webhook only: 409 (§4.6)', async () => {
    const fake = await startFake()
    await fake.subscribe(URL, ['referral.issued', 'referral.created'])
    const body = { url: URL, events: ['result.created', 'referral.created'] }
    const response = await fake.call('POST', '/v1/webhooks', { body })
    expect(response).toMatchObject({ status: 409, body: { code: 'DUPLICATE_WEBHOOK_SUBSCRIPTION' } })
    expect(JSON.stringify(fieldOf(response.body, 'errorList'))).toContain('referral.created')
    expect(listOf((await fake.call('GET', '/v1/webhooks')).body, 'webhooks')).toHaveLength(1)
  })

  it('duplicates are found among the URLs as they are stored (§2.12)', async () => {
    const fake = await startFake()
    await fake.subscribe('https://Hooks.Example.COM', ['referral.issued'])
    for (const url of ['https://hooks.example.com/', 'https://HOOKS.example.com:443']) {
      const response = await fake.call('POST', '/v1/webhooks', { body: { url, events: ['referral.issued'] } })
      expect(response.status).toBe(409)
    }
  })

  it('webhooks with other events, or another path, are no duplicates (§4.6)', async () => {
    const fake = await startFake()
    await fake.subscribe(URL, ['referral.issued'])
    await fake.subscribe(URL, ['referral.created'])
    await fake.subscribe(`${URL}/other`, ['referral.issued'])
    expect(listOf((await fake.call('GET', '/v1/webhooks')).body, 'webhooks')).toHaveLength(3)
  })

  it('a paused webhook keeps its subscriptions (§4.6)', async () => {
    const fake = await startFake()
    await fake.subscribe(URL, ['referral.issued'], false)
    const response = await fake.call('POST', '/v1/webhooks', {
      body: { url: URL, events: ['referral.issued'] },
    })
    expect(response.status).toBe(409)
  })

  it('responses never contain the signing secret (§4.6)', async () => {
    const fake = await startFake({ signingSecret: 'canary-of-the-signing-secret' })
    const { id } = await fake.subscribe(URL, ['referral.issued'])
    const responses = [
      await fake.call('GET', '/v1/webhooks'),
      await fake.call('GET', `/v1/webhooks/${id}`),
      await fake.call('GET', '/v1/webhook-events'),
      await fake.call('PATCH', `/v1/webhooks/${id}`, { body: { active: false } }),
      await fake.call('DELETE', `/v1/webhooks/${id}`),
    ]
    expect(JSON.stringify(responses)).not.toContain('canary')
    expect(fake.webhooks.signingSecret()).toBe('canary-of-the-signing-secret')
  })
})

it('GET /v1/webhook-events names every event (§6)', async () => {
  const fake = await startFake()
  const { body } = await fake.call('GET', '/v1/webhook-events')
  expect([...listOf(body, 'events')].sort()).toEqual([
    'collection_centres.updated',
    ...['billing_failed', 'complete', 'created', 'failed_test', 'insufficient_data', 'issued'].map(referral),
    ...['partial_results', 'pending_verification', 'refunded', 'scheduled_reissue'].map(referral),
    ...['transferred', 'updated'].map(referral),
    ...['complete', 'created', 'in_review', 'partial_results', 'updated'].map((name) => `result.${name}`),
  ])
})

describe('GET /v1/webhooks', () => {
  it('the list of webhooks is newest first, with the webhooks of the portal, and asc on request (§4.6)', async () => {
    const fake = await startFake()
    const first = await fake.subscribe(`${URL}/1`, ['referral.issued'])
    const portal = fake.webhooks.createInPortal({ url: `${URL}/2`, events: ['referral.issued'] })
    const last = await fake.subscribe(`${URL}/3`, ['referral.issued'])
    const ids = async (query: string) => {
      const { body } = await fake.call('GET', `/v1/webhooks${query}`)
      return listOf(body, 'webhooks').map((row) => fieldOf(row, 'id'))
    }
    expect(await ids('')).toEqual([last.id, portal.id, first.id])
    expect(await ids('?sort=desc')).toEqual([last.id, portal.id, first.id])
    expect(await ids('?sort=asc')).toEqual([first.id, portal.id, last.id])
  })

  it('the list of webhooks has pages, and continues where a deleted webhook was (§4.7)', async () => {
    const fake = await startFake()
    const ids: string[] = []
    for (let place = 0; place < 4; place += 1) {
      ids.unshift((await fake.subscribe(`${URL}/${place}`, ['referral.issued'])).id)
    }
    const first = await fake.call('GET', '/v1/webhooks?count=2')
    expect(fieldOf(first.body, 'cursor')).toEqual({ cursor: expect.any(String), count: 2, resultCount: 2 })
    await fake.call('DELETE', `/v1/webhooks/${ids[1]}`)
    const cursor = fieldOf(fieldOf(first.body, 'cursor'), 'cursor')
    const second = await fake.call('GET', `/v1/webhooks?count=2&cursor=${cursor}`)
    expect(listOf(second.body, 'webhooks').map((row) => fieldOf(row, 'id'))).toEqual(ids.slice(2))
  })
})

describe('one webhook', () => {
  const methods = [
    ['GET', undefined],
    ['PATCH', { active: false }],
    ['DELETE', undefined],
  ] as const

  it.each(methods)("%s of another organisation's webhook gives 404 (§4.6)", async (method, body) => {
    const fake = await startFake()
    const { id } = fake.webhooks.createForeign()
    const response = await fake.call(method, `/v1/webhooks/${id}`, { body })
    expect(response).toMatchObject({ status: 404, body: { code: 'WEBHOOK_NOT_FOUND' } })
  })

  it('GET of a webhook returns it (§4.6)', async () => {
    const fake = await startFake()
    const webhook = await fake.subscribe(URL, ['referral.issued'])
    expect((await fake.call('GET', `/v1/webhooks/${webhook.id}`)).body).toEqual(webhook)
  })
})

describe('PATCH /v1/webhooks/{id}', () => {
  it('an update changes the given fields, and events replaces the complete list (§4.6)', async () => {
    const fake = await startFake()
    const webhook = await fake.subscribe(URL, ['referral.issued', 'referral.created'])
    await fake.advance({ minutes: 1 })
    const path = `/v1/webhooks/${webhook.id}`
    const updatedAt = expect.stringMatching(/^2026-03-02T01:01:00\.0/)
    expect((await fake.call('PATCH', path, { body: { active: false } })).body).toEqual({
      ...webhook,
      active: false,
      updatedAt,
    })
    expect((await fake.call('PATCH', path, { body: { events: ['result.created'] } })).body).toEqual({
      ...webhook,
      active: false,
      events: ['result.created'],
      updatedAt,
    })
    expect((await fake.call('PATCH', path, { body: { url: 'https://Other.example.com' } })).body).toEqual({
      ...webhook,
      active: false,
      events: ['result.created'],
      url: 'https://other.example.com/',
      updatedAt,
    })
  })

  it('a duplicate by a new url or new events gives 409, and its own subscriptions do not count (§4.6)', async () => {
    const fake = await startFake()
    await fake.subscribe(URL, ['referral.issued'])
    const elsewhere = await fake.subscribe(`${URL}/other`, ['referral.issued'])
    const second = await fake.subscribe(URL, ['referral.created'])
    const repoint = await fake.call('PATCH', `/v1/webhooks/${elsewhere.id}`, { body: { url: URL } })
    expect(repoint).toMatchObject({ status: 409, body: { code: 'DUPLICATE_WEBHOOK_SUBSCRIPTION' } })
    const body = { events: ['referral.issued'] }
    expect((await fake.call('PATCH', `/v1/webhooks/${second.id}`, { body })).status).toBe(409)
    const same = await fake.call('PATCH', `/v1/webhooks/${second.id}`, {
      body: { events: ['referral.created'] },
    })
    expect(same.status).toBe(200)
    const both = { url: URL, events: ['result.created'] }
    expect((await fake.call('PATCH', `/v1/webhooks/${elsewhere.id}`, { body: both })).status).toBe(200)
  })
})

describe('DELETE /v1/webhooks/{id}', () => {
  it('DELETE of a webhook returns that it is deleted, and then it is (§4.6)', async () => {
    const fake = await startFake()
    const { id } = await fake.subscribe(URL, ['referral.issued'])
    expect((await fake.call('DELETE', `/v1/webhooks/${id}`)).body).toEqual({
      object: 'webhook',
      id,
      deleted: true,
    })
    expect((await fake.call('DELETE', `/v1/webhooks/${id}`)).status).toBe(404)
    expect((await fake.subscribe(URL, ['referral.issued'])).id).not.toBe(id)
  })
})

it('owners get an email about a new or deleted webhook or a new URL, not about a pause or other events (§4.6)', async () => {
  const fake = await startFake()
  const { id } = await fake.subscribe(URL, ['referral.issued'])
  for (const body of [{ active: false }, { events: ['result.created'] }, { url: URL }, { url: `${URL}/2` }]) {
    await fake.call('PATCH', `/v1/webhooks/${id}`, { body })
  }
  await fake.call('DELETE', `/v1/webhooks/${id}`)
  expect(fake.webhooks.ownerNotices().map(({ kind }) => kind)).toEqual([
    'webhook-created',
    'webhook-repointed',
    'webhook-deleted',
  ])
})

describe('which webhook gets events', () => {
  it('an inactive webhook receives nothing, and missed events are not sent later (§3.5)', async () => {
    const fake = await startFake()
    const receiver = await startReceiver()
    const { id } = await fake.subscribe(receiver.url, ['referral.created'], false)
    await fake.orderOne()
    await fake.call('PATCH', `/v1/webhooks/${id}`, { body: { active: true } })
    await fake.settle()
    expect(receiver.received).toEqual([])
    await fake.orderOne()
    await fake.settle()
    expect(receiver.names()).toEqual(['referral.created'])
  })

  it('an update of a webhook applies to the next events: other names, another URL (§4.6)', async () => {
    const fake = await startFake()
    const [before, after] = [await startReceiver(), await startReceiver()]
    const { id } = await fake.subscribe(before.url, ['referral.created'])
    await fake.call('PATCH', `/v1/webhooks/${id}`, { body: { events: ['referral.issued'], url: after.url } })
    await fake.orderOne()
    await fake.settle()
    expect([before.names(), after.names()]).toEqual([[], ['referral.issued']])
  })

  it('an event has one UUID in its deliveries to every webhook (§6)', async () => {
    const fake = await startFake()
    const receivers = [await startReceiver(), await startReceiver()]
    for (const { url } of receivers) await fake.subscribe(url, ['referral.created'])
    await fake.orderOne()
    await fake.settle()
    const [one, other] = receivers.map(({ received }) => fieldOf(received[0]?.json, 'eventUuid'))
    expect(one).toEqual(expect.any(String))
    expect(other).toBe(one)
  })
})

describe('webhooks in the portal', () => {
  it('webhooks are changed and deleted in the portal, also with a loopback URL, which the API rejects (§4.6)', async () => {
    const fake = await startFake()
    const { id } = fake.webhooks.createInPortal({ url: `${URL}/1`, events: ['referral.issued'] })
    const changed = fake.webhooks.changeInPortal(id, { url: 'http://127.0.0.1:3000/hooks', active: false })
    expect(changed).toMatchObject({
      id,
      url: 'http://127.0.0.1:3000/hooks',
      active: false,
      events: ['referral.issued'],
    })
    expect(await fake.call('GET', `/v1/webhooks/${id}`)).toMatchObject({ body: { active: false } })
    expect(fake.webhooks.deleteInPortal(id)).toEqual({ object: 'webhook', id, deleted: true })
    expect((await fake.call('GET', `/v1/webhooks/${id}`)).status).toBe(404)
    expect(fake.webhooks.ownerNotices().map(({ kind }) => kind)).toEqual([
      'webhook-repointed',
      'webhook-deleted',
    ])
  })

  it('webhooks of the portal keep the rules: a subscription exists once, and events are spelt right (§4.6)', async () => {
    const fake = await startFake()
    const one = fake.webhooks.createInPortal({ url: URL, events: ['referral.issued'] })
    const other = fake.webhooks.createInPortal({ url: `${URL}/2`, events: ['referral.issued'] })
    const change = (changes: Parameters<typeof fake.webhooks.changeInPortal>[1]) => () =>
      fake.webhooks.changeInPortal(other.id, changes)
    expect(change({ url: URL })).toThrow('another webhook already sends referral.issued to this url')
    expect(change({ events: [] })).toThrow('at least one event name')
    expect(change({ url: 'http://hooks.example.com/' })).toThrow(/^webhook url/)
    expect(
      fake.webhooks.changeInPortal(one.id, { events: ['referral.issued', 'result.created'] }).events,
    ).toHaveLength(2)
    expect(() => fake.webhooks.deleteInPortal('0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60')).toThrow(
      'the fake has no webhook',
    )
  })
})
