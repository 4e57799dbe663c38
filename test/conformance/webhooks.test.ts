import { afterAll, describe, expect, it } from 'vitest'
import { shareOf } from '../support/sample.js'
import { expectError, expectOk, expectShape, faults } from './support/check.js'
import { at, type Json, obj, objects, str, strings } from './support/json.js'
import { webhook } from './support/objects.js'
import { type Body, wholeList } from './support/samples.js'
import { type Answer, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const names = [
  'referral.created',
  'referral.updated',
  'referral.billing_failed',
  'referral.pending_verification',
  'referral.complete',
  'referral.insufficient_data',
  'referral.refunded',
  'referral.failed_test',
  'referral.partial_results',
  'referral.transferred',
  'referral.issued',
  'referral.scheduled_reissue',
  'result.created',
  'result.updated',
  'result.complete',
  'result.in_review',
  'result.partial_results',
  'collection_centres.updated',
]
let turn = 0
const freshUrl = (): string => {
  turn += 1
  return `https://hooks.example.com/conformance/${turn}`
}
const create = (body: unknown): Promise<Answer> => service.call('POST', '/v1/webhooks', { body })
const made = async (body: Body = {}): Promise<Record<string, Json>> =>
  obj(expectOk(await create({ url: freshUrl(), events: ['referral.created'], ...body })))
const pathOf = (record: Record<string, Json>): string => `/v1/webhooks/${str(record['id'])}`
const patch = (record: Record<string, Json>, body: unknown): Promise<Answer> =>
  service.call('PATCH', pathOf(record), { body })
const read = async (record: Record<string, Json>): Promise<Json> =>
  expectOk(await service.call('GET', pathOf(record)))

describe('§6 GET /v1/webhook-events', async () => {
  const events = strings(at(expectOk(await service.call('GET', '/v1/webhook-events')), 'events'))
  it('contains every name', () => expect(events).toEqual(expect.arrayContaining(names)))
  it('contains each name once', () => expect(new Set(events).size).toBe(events.length))
})

describe('§2.12, §4.6 POST', async () => {
  const record = await made({ events: names })
  it('each field has its type', () => expectShape([record], webhook))
  it('is active by default', () => expect(record['active']).toBe(true))
  it('stores all events', () => expect(strings(record['events'] ?? null).sort()).toEqual([...names].sort()))
  it('a read returns the same object', async () => expect(await read(record)).toEqual(record))
  it('it does not contain the signing secret', () => {
    expect(JSON.stringify(record)).not.toContain(service.signingSecret)
    for (const key of Object.keys(record)) expect(key).not.toMatch(/secret/i)
  })
  it.each(shareOf(names, 0, 6))('%s alone', async (name) =>
    expect((await made({ events: [name] }))['events']).toEqual([name]),
  )
  it.each([true, false])('active %s', async (active) =>
    expect((await made({ active }))['active']).toBe(active),
  )
  it('an event that is named twice is stored once, or rejected', async () => {
    const answer = await create({ url: freshUrl(), events: ['result.created', 'result.created'] })
    if (answer.status === 200) expect(at(answer.body, 'events')).toEqual(['result.created'])
    else expectError(answer, 400, ['INVALID_WEBHOOK_EVENTS', 'INVALID_PAYLOAD'])
  })
  it('a host that does not resolve yet is accepted', async () => {
    await made({ url: 'https://not-there-yet.invalid-but-fine.example/hook' })
  })
})

describe('§4.6 PATCH', () => {
  const changes: readonly Body[] = [
    { active: false },
    { events: ['result.updated', 'result.created'] },
    { url: 'https://moved.example.com/x' },
    { active: false, events: ['result.complete'], url: 'https://all.example.com/' },
  ]
  it.each(changes)('%j', async (body) => {
    const record = await made()
    await new Promise((resolve) => setTimeout(resolve, 3))
    const changed = obj(expectOk(await patch(record, body)))
    expect(faults(changed, webhook)).toEqual([])
    expect(changed).toMatchObject({ ...record, ...body, updatedAt: changed['updatedAt'] })
    expect(Date.parse(str(changed['updatedAt']))).toBeGreaterThan(Date.parse(str(record['updatedAt'])))
    expect(await read(record)).toEqual(changed)
  })
  it('to the values that it has already', async () => {
    const record = await made()
    expectOk(await patch(record, { url: record['url'], events: record['events'], active: true }))
  })
  it('the URL is normalised by PATCH too', async () => {
    const record = await made()
    expect(at(expectOk(await patch(record, { url: 'https://NORMAL.example.com' })), 'url')).toBe(
      'https://normal.example.com/',
    )
  })
})

describe('§4.6 DELETE and unknown ids', () => {
  it('returns {object, id, deleted}, and the webhook is gone', async () => {
    const record = await made()
    expect(expectOk(await service.call('DELETE', pathOf(record)))).toEqual({
      object: 'webhook',
      id: record['id'],
      deleted: true,
    })
    for (const method of ['GET', 'DELETE'] as const)
      expectError(await service.call(method, pathOf(record)), 404, 'WEBHOOK_NOT_FOUND')
    expectError(await patch(record, { active: true }), 404, 'WEBHOOK_NOT_FOUND')
    expect((await wholeList(service, '/v1/webhooks')).map((entry) => entry['id'])).not.toContain(record['id'])
  })
  it.each(['GET', 'PATCH', 'DELETE'] as const)(
    "%s of another organisation's id is WEBHOOK_NOT_FOUND",
    async (method) => {
      const id = str(at(await service.control('POST', '/webhooks/foreign'), 'id'))
      const options = method === 'PATCH' ? { body: { active: false } } : {}
      expectError(await service.call(method, `/v1/webhooks/${id}`, options), 404, 'WEBHOOK_NOT_FOUND')
    },
  )
  it('the list contains webhooks of the portal too, newest first, in the shape of §2.12', async () => {
    const portal = await service.control('POST', '/webhooks', {
      url: 'https://portal.example.com/',
      events: ['result.created'],
    })
    const list = objects(at(expectOk(await service.call('GET', '/v1/webhooks')), 'webhooks'))
    expect(list[0]?.['id']).toBe(at(portal, 'id'))
    expectShape(list, webhook)
  })
})
