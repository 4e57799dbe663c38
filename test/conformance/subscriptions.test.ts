import { afterAll, describe, expect, it } from 'vitest'
import { expectOk, uuid } from './support/check.js'
import { at, first, type JsonObject, obj, str, strings } from './support/json.js'
import { type Received, startReceiver } from './support/receiver.js'
import { issued, placed, recordsOf, referralOf } from './support/samples.js'
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

describe('§4.6, §6 which webhook gets which event', () => {
  it('a webhook gets only the events that it subscribed to', async () => {
    await subscribe('/issued-only', ['referral.issued'])
    const made = await issued(service, { tests })
    await settled()
    expect(eventsOf(about('/issued-only', made['uuid']))).toEqual(['referral.issued'])
  })
  it('an inactive webhook gets no events, and after it is active again it gets new ones', async () => {
    const record = await subscribe('/sleeping', ['referral.created'], false)
    const unseen = await placed(service, { tests })
    await settled()
    expect(about('/sleeping', unseen['uuid'])).toEqual([])
    await service.call('PATCH', `/v1/webhooks/${str(record['id'])}`, { body: { active: true } })
    const seen = await placed(service, { tests })
    await settled()
    expect(about('/sleeping', seen['uuid']).length).toBe(1)
    expect(about('/sleeping', unseen['uuid'])).toEqual([])
  })
  it('changed events are applied', async () => {
    const record = await subscribe('/changed', ['referral.created'])
    await service.call('PATCH', `/v1/webhooks/${str(record['id'])}`, {
      body: { events: ['referral.issued'] },
    })
    const made = await issued(service, { tests })
    await settled()
    expect(eventsOf(about('/changed', made['uuid']))).toEqual(['referral.issued'])
  })
  it('a webhook with a changed URL sends to the new URL', async () => {
    const record = await subscribe('/before', ['referral.created'])
    await service.call('PATCH', `/v1/webhooks/${str(record['id'])}`, {
      body: { url: `${receiver.url}/after` },
    })
    const made = await placed(service, { tests })
    await settled()
    expect([about('/before', made['uuid']).length, about('/after', made['uuid']).length]).toEqual([0, 1])
  })
  it('a deleted webhook gets no new events', async () => {
    const record = await subscribe('/gone', ['referral.created'])
    await service.call('DELETE', `/v1/webhooks/${str(record['id'])}`)
    await placed(service, { tests })
    await settled()
    expect(receiver.at('/gone')).toEqual([])
  })
  it('every subscribed webhook gets an event, with one eventUuid', async () => {
    await subscribe('/one', ['referral.created'])
    await subscribe('/two', ['referral.created'])
    const made = await placed(service, { tests })
    await settled()
    const ids = ['/main', '/one', '/two'].map(
      (path) =>
        about(path, made['uuid']).find((one) => one.body['eventName'] === 'referral.created')?.body[
          'eventUuid'
        ],
    )
    expect(new Set(ids).size).toBe(1)
    expect(uuid(ids[0] ?? null)).toBe(true)
  })
  it('DELETE of a referral and reads send no event that is not listed', () => {
    for (const one of receiver.received) expect(all).toContain(one.body['eventName'])
  })
})

const moves: readonly (readonly [string, string])[] = [
  ['insufficient-data', 'referral.insufficient_data'],
  ['refund', 'referral.refunded'],
  ['fail-test', 'referral.failed_test'],
  ['transfer', 'referral.transferred'],
  ['partial-results', 'referral.partial_results'],
  ['complete', 'referral.complete'],
]
describe('§3.1, §6 other events', () => {
  it.each(moves)('%s sends %s', async (move, name) => {
    const made = await issued(service, { tests })
    await service.control('POST', `/referrals/${str(made['uuid'])}/${move}`, {})
    await settled()
    expect(eventsOf(about('/main', made['uuid']))).toContain(name)
  })
  it.each([
    ['pending-verification', 'referral.pending_verification'],
    ['billing-failed', 'referral.billing_failed'],
  ])(
    'an order that ends %s sends %s after referral.created, and does not send referral.issued',
    async (outcome, name) => {
      await service.control('POST', '/referrals/next-orders', { outcome })
      const made = await placed(service, { tests })
      await settled()
      expect(eventsOf(about('/main', made['uuid']))).toEqual(['referral.created', name])
    },
  )
  it('after the verification it is ISSUED', async () => {
    await service.control('POST', '/referrals/next-orders', { outcome: 'pending-verification' })
    const made = await placed(service, { tests })
    await service.control('POST', `/referrals/${str(made['uuid'])}/verify`)
    await settled()
    expect(eventsOf(about('/main', made['uuid'])).at(-1)).toBe('referral.issued')
    expect((await referralOf(service, str(made['uuid'])))['status']).toBe('ISSUED')
  })
  it('an INCOMING result sends result.* and no referral.*', async () => {
    const before = receiver.at('/main').length
    const made = await service.control('POST', '/results/incoming', {})
    await settled()
    const sent = eventsOf(receiver.at('/main').slice(before))
    expect(sent).toContain('result.created')
    expect(sent.filter((name) => !name.startsWith('result.'))).toEqual([])
    expect(at(about('/main', at(made, 'uuid'))[0]?.body, 'data', 'referralUuid')).toBeNull()
  })
  it('a hold sends result.in_review', async () => {
    const made = await service.control('POST', '/results/incoming', {})
    await service.control('POST', `/results/${str(at(made, 'uuid'))}/hold`)
    await settled()
    expect(eventsOf(about('/main', at(made, 'uuid')))).toContain('result.in_review')
  })
})
