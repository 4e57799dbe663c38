import { createHmac } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import {
  expectOk,
  expectShape,
  filled,
  integer,
  nullable,
  object,
  type Shape,
  string,
  timestamp,
  uuid,
} from './support/check.js'
import { at, first, type JsonObject, obj, str, strings } from './support/json.js'
import { type Received, startReceiver } from './support/receiver.js'
import { issued, recordsOf, referralOf, until } from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService()
const receiver = await startReceiver()
afterAll(() => Promise.all([service.stop(), receiver.stop()]))

const all = strings(at((await service.call('GET', '/v1/webhook-events')).body, 'events'))
const catalogue = recordsOf((await service.call('GET', '/v1/tests')).body)
const tests = [str(first(catalogue.filter((entry) => entry['medicareListed'] === true))['id'])]
const subscribe = async (path: string, events: readonly string[], active = true): Promise<JsonObject> =>
  obj(
    expectOk(
      await service.call('POST', '/v1/webhooks', { body: { url: `${receiver.url}${path}`, events, active } }),
    ),
  )
const settled = (): Promise<unknown> => service.control('POST', '/settled')
const about = (path: string, id: unknown): Received[] =>
  receiver.at(path).filter((delivery) => at(delivery.body, 'data', 'uuid') === id)
const eventsOf = (deliveries: readonly Received[]): string[] =>
  deliveries.map((one) => str(one.body['eventName']))

await subscribe('/main', all)
const order = await issued(service, { tests, metadata: { client: 'ünïcode ☂' } })
await receiver.waitFor('/main', 2)
await settled()
await service.call('PATCH', `/v1/referrals/${str(order['uuid'])}`, { body: { firstName: 'Éva' } })
await until(
  () => referralOf(service, str(order['uuid'])),
  (now) => now['status'] === 'ISSUED',
)
await service.call('PUT', `/v1/referrals/${str(order['uuid'])}?partial`)
const done = obj((await service.call('PUT', `/v1/referrals/${str(order['uuid'])}`)).body)
await settled()
await service.control('POST', '/centres/weekly-refresh', { created: 1, updated: 2, missing: 2, revived: 1 })
await settled()
const resultId = done['resultsUuid']
const referralEvents = about('/main', order['uuid'])
const resultEvents = about('/main', resultId)
const centreEvents = receiver
  .at('/main')
  .filter((one) => one.body['eventName'] === 'collection_centres.updated')
const everything = receiver.at('/main')

const sorts: [string, readonly Received[]][] = [
  ['referral', referralEvents],
  ['result', resultEvents],
  ['centre', centreEvents],
]
const envelope: Shape = {
  eventName: (value) => all.includes(String(value)),
  eventUuid: uuid,
  version: (value) => value === '1.0',
  data: object,
}
describe.each(sorts)('§6 every %s delivery', (_name, deliveries) => {
  it('has been sent at least once', () => expect(deliveries.length).toBeGreaterThan(0))
  it('is a POST of JSON', () => {
    for (const one of deliveries) {
      expect(one.method).toBe('POST')
      expect(one.headers['content-type']).toMatch(/^application\/json/)
    }
  })
  it('is signed with hex HMAC-SHA-256 over its exact bytes', () => {
    for (const one of deliveries) {
      const wanted = createHmac('sha256', service.signingSecret).update(one.bytes).digest('hex')
      expect(one.headers['x-svc-hmac-sha256']).toBe(wanted)
    }
  })
  it('has the time at which it was sent', () => {
    for (const one of deliveries) {
      const told = String(one.headers['x-svc-delivery-time'])
      const time = /^\d+$/.test(told) ? Number(told) * (told.length < 12 ? 1000 : 1) : Date.parse(told)
      expect(Math.abs(time - Date.now())).toBeLessThan(120_000)
    }
  })
  it('each field of the envelope has its type', () => {
    expectShape(
      deliveries.map(({ body }) => body),
      envelope,
    )
  })
  it('contains the envelope and no other key', () => {
    for (const one of deliveries)
      expect(Object.keys(one.body).sort()).toEqual(['data', 'eventName', 'eventUuid', 'version'])
  })
  it('contains no access token', () => {
    for (const one of deliveries) expect(one.headers['authorization']).toBeUndefined()
  })
})

it('§6 each event has its own uuid', () => {
  expect(new Set(everything.map((one) => one.body['eventUuid'])).size).toBe(everything.length)
})

const referralData: Shape = {
  uuid,
  status: filled,
  issuedAt: nullable(timestamp),
  metadata: nullable(object),
  createdAt: timestamp,
  reference: filled,
  updatedAt: timestamp,
  profileUuid: uuid,
  organisationUuid: uuid,
}
const resultData: Shape = {
  uuid,
  status: filled,
  metadata: nullable(object),
  createdAt: timestamp,
  updatedAt: timestamp,
  profileUuid: uuid,
  referralUuid: nullable(uuid),
  organisationUuid: uuid,
  provenance: string,
}
const payloads: [string, Shape, readonly Received[]][] = [
  ['referral.created', referralData, referralEvents],
  ['referral.updated', referralData, referralEvents],
  ['result.created', resultData, resultEvents],
  ['result.updated', resultData, resultEvents],
]
describe.each(payloads)('§6 data of %s', (name, shape, deliveries) => {
  const found = deliveries.filter((one) => one.body['eventName'] === name).map((one) => obj(one.body['data']))
  it('was sent', () => expect(found.length).toBeGreaterThan(0))
  it('each field has its type', () => expectShape(found, shape))
  it('has the fields of the table and no others', () => {
    for (const data of found) expect(Object.keys(data).sort()).toEqual(Object.keys(shape).sort())
  })
  it('contains no name of the patient', () => {
    for (const data of found)
      expect(JSON.stringify(data)).not.toMatch(/Matilda|Reilly|matilda@|1984-02-29|Wattle/)
  })
})

describe('§6 the sequence of events', () => {
  const names = eventsOf(referralEvents)
  it('an order: created, then issued', () =>
    expect(names.slice(0, 2)).toEqual(['referral.created', 'referral.issued']))
  it('PATCH: updated and scheduled_reissue, then issued', () => {
    const patched = names.slice(2, 5)
    expect([...patched.slice(0, 2)].sort()).toEqual(['referral.scheduled_reissue', 'referral.updated'])
    expect(patched[2]).toBe('referral.issued')
  })
  it('PUT ?partial: partial_results; PUT: complete', () => {
    expect(names).toContain('referral.partial_results')
    expect(names).toContain('referral.complete')
    expect(names.indexOf('referral.partial_results')).toBeLessThan(names.indexOf('referral.complete'))
  })
  it('result: created first, complete among the last', () => {
    expect(eventsOf(resultEvents)[0]).toBe('result.created')
    expect(eventsOf(resultEvents)).toContain('result.partial_results')
    expect(eventsOf(resultEvents)).toContain('result.complete')
  })
  it('metadata, reference and provenance are those of the records', () => {
    expect(at(referralEvents[0]?.body, 'data', 'metadata')).toEqual({ client: 'ünïcode ☂' })
    expect(at(referralEvents[0]?.body, 'data', 'reference')).toBe(order['reference'])
    expect(at(resultEvents[0]?.body, 'data', 'provenance')).toBe('ORDERED')
    expect(at(resultEvents[0]?.body, 'data', 'referralUuid')).toBe(order['uuid'])
  })
  it('all come from one organisation', () => {
    expect(
      new Set([...referralEvents, ...resultEvents].map((one) => at(one.body, 'data', 'organisationUuid')))
        .size,
    ).toBe(1)
  })
  it('the PDF is available after referral.issued', async () => {
    expect((await referralOf(service, str(order['uuid'])))['referralAttachment']).not.toBeNull()
  })
})

describe('§6 collection_centres.updated', () => {
  const data = at(first(centreEvents).body, 'data')
  const lists = ['created', 'updated', 'revived', 'missing', 'retired']
  it('runUuid and ranAt', () => expect(uuid(at(data, 'runUuid')) && timestamp(at(data, 'ranAt'))).toBe(true))
  it.each(lists)('counts.%s and changed.%s', (name) => {
    expect(integer(at(data, 'counts', name))).toBe(true)
    expect(strings(at(data, 'changed', name)).every((id) => uuid(id))).toBe(true)
    expect(strings(at(data, 'changed', name)).length).toBe(at(data, 'counts', name))
  })
  it('contains UUIDs of centres, not their details', () =>
    expect(Object.keys(obj(data)).sort()).toEqual(['changed', 'counts', 'ranAt', 'runUuid']))
  it('is sent only when something changed', async () => {
    for (const plan of [{}, { created: 1 }, {}, {}]) {
      const before = receiver.at('/main').length
      const outcome = await service.control('POST', '/centres/weekly-refresh', plan)
      await settled()
      const changes = lists.reduce((sum, name) => sum + Number(at(outcome, 'counts', name)), 0)
      expect(receiver.at('/main').length - before).toBe(changes > 0 ? 1 : 0)
    }
  })
  it('a body of more than 200 KB arrives complete', async () => {
    await subscribe('/big', ['collection_centres.updated']).catch(() => undefined)
    await service.control('POST', '/centres/weekly-refresh', { updated: 5600 })
    await settled()
    const [big] = await receiver.waitFor('/big', 1)
    expect(big?.bytes.length).toBeGreaterThan(200_000)
    expect(strings(at(big?.body, 'data', 'changed', 'updated')).length).toBe(5600)
  })
})
