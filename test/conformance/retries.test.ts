import { afterAll, describe, expect, it } from 'vitest'
import { expectOk } from './support/check.js'
import { at, first, type JsonObject, obj, str } from './support/json.js'
import { type Received, startReceiver } from './support/receiver.js'
import { issued, placed, recordsOf } from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService('--set', 'access-token-seconds=9000000')
const receiver = await startReceiver()
afterAll(() => Promise.all([service.stop(), receiver.stop()]))

const catalogue = recordsOf((await service.call('GET', '/v1/tests')).body)
const tests = [str(first(catalogue.filter((entry) => entry['medicareListed'] === true))['id'])]
const subscribe = async (path: string, events: readonly string[]): Promise<JsonObject> =>
  obj(
    expectOk(await service.call('POST', '/v1/webhooks', { body: { url: `${receiver.url}${path}`, events } })),
  )
const settled = (): Promise<unknown> => service.control('POST', '/settled')
const wait = async (minutes: number): Promise<void> => {
  for (let minute = 0; minute < minutes; minute += 1) {
    await service.control('POST', '/clock/advance', { minutes: 1 })
    await settled()
  }
}
const namesAt = (path: string, from = 0): string[] =>
  receiver
    .at(path)
    .slice(from)
    .map((one: Received) => str(one.body['eventName']))

describe('§6 five attempts, N squared minutes apart', () => {
  it('all have the same bytes, and none follows the fifth', async () => {
    receiver.answers.set('/failing', 500)
    await subscribe('/failing', ['referral.created'])
    await placed(service, { tests })
    await settled()
    const counts: number[] = []
    for (let minute = 0; minute < 45; minute += 1) {
      counts.push(receiver.at('/failing').length)
      await wait(1)
    }
    const attempts = receiver.at('/failing')
    expect(attempts.length).toBe(5)
    expect(new Set(attempts.map((one) => one.bytes.toString('utf8'))).size).toBe(1)
    const minutes = [2, 3, 4, 5].map((attempt) => counts.findIndex((count) => count >= attempt))
    const gaps = minutes.map((minute, index) => minute - (index === 0 ? 0 : Number(minutes[index - 1])))
    gaps.forEach((gap, index) => {
      expect(gap).toBeGreaterThanOrEqual((index + 1) ** 2)
      expect(gap).toBeLessThanOrEqual((index + 1) ** 2 + 2)
    })
  })
  it('the time header is that of each attempt, and the signature is valid', () => {
    const attempts = receiver.at('/failing')
    expect(new Set(attempts.map((one) => one.headers['x-svc-delivery-time'])).size).toBe(5)
    expect(new Set(attempts.map((one) => one.headers['x-svc-hmac-sha256'])).size).toBe(1)
  })
})

const failures = [302, 400, 401, 404, 410, 429, 500, 503]
const successes = [200, 201, 202, 204]
describe('§6 only 2xx counts', () => {
  it.each(failures)('%i is sent again', async (status) => {
    const path = `/status-${status}`
    receiver.answers.set(path, status)
    await subscribe(path, ['referral.created'])
    const made = await placed(service, { tests })
    await settled()
    expect(receiver.at(path).length).toBe(1)
    receiver.answers.set(path, 200)
    await wait(3)
    expect(receiver.at(path).filter((one) => at(one.body, 'data', 'uuid') === made['uuid']).length).toBe(2)
    await wait(10)
    expect(receiver.at(path).length).toBe(2)
    expect(receiver.at('/elsewhere')).toEqual([])
  })
  it.each(successes)('%i is not sent again', async (status) => {
    const path = `/status-${status}`
    receiver.answers.set(path, status)
    await subscribe(path, ['referral.created'])
    await placed(service, { tests })
    await settled()
    await wait(5)
    expect(receiver.at(path).length).toBe(1)
  })
  it('an endpoint that does not respond in 3 seconds counts as failed', async () => {
    receiver.answers.set('/silent', 0)
    const record = await subscribe('/silent', ['referral.created'])
    const begun = Date.now()
    await placed(service, { tests })
    await receiver.waitFor('/silent', 1)
    await settled()
    expect(Date.now() - begun).toBeGreaterThan(2000)
    receiver.answers.set('/silent', 200)
    await wait(3)
    expect(receiver.at('/silent').length).toBe(2)
    await service.call('DELETE', `/v1/webhooks/${str(record['id'])}`)
  })
})

describe('§6 a failed delivery holds back later events of its entity', () => {
  it('but not those of other entities, until it succeeds', async () => {
    receiver.answers.set('/blocked', 500)
    await subscribe('/blocked', ['referral.created', 'referral.issued', 'referral.complete'])
    const made = await issued(service, { tests })
    await settled()
    expect(namesAt('/blocked')).toEqual(['referral.created'])
    receiver.answers.set('/blocked', 200)
    const other = await issued(service, { tests })
    await settled()
    const early = receiver.at('/blocked').filter((one) => at(one.body, 'data', 'uuid') === other['uuid'])
    expect(early.map((one) => one.body['eventName'])).toEqual(['referral.created', 'referral.issued'])
    expect(
      receiver.at('/blocked').filter((one) => at(one.body, 'data', 'uuid') === made['uuid']).length,
    ).toBe(1)
    await wait(3)
    const late = receiver.at('/blocked').filter((one) => at(one.body, 'data', 'uuid') === made['uuid'])
    expect(late.map((one) => one.body['eventName'])).toEqual([
      'referral.created',
      'referral.created',
      'referral.issued',
    ])
  })
  it('until its attempts are over', async () => {
    receiver.answers.set('/exhausted', 500)
    await subscribe('/exhausted', ['referral.created', 'referral.issued'])
    await issued(service, { tests })
    await settled()
    await wait(20)
    expect(new Set(namesAt('/exhausted'))).toEqual(new Set(['referral.created']))
    await wait(20)
    expect(namesAt('/exhausted').filter((name) => name === 'referral.created').length).toBe(5)
    expect(namesAt('/exhausted')).toContain('referral.issued')
  })
  it('another webhook is not delayed', async () => {
    receiver.answers.set('/lame', 500)
    await subscribe('/lame', ['referral.created', 'referral.issued'])
    await subscribe('/healthy', ['referral.created', 'referral.issued'])
    await issued(service, { tests })
    await settled()
    expect(namesAt('/healthy')).toEqual(['referral.created', 'referral.issued'])
    expect(namesAt('/lame')).toEqual(['referral.created'])
  })
  it('§4.6 deliveries already queued are still sent after DELETE', async () => {
    receiver.answers.set('/queued', 500)
    const record = await subscribe('/queued', ['referral.created', 'referral.issued'])
    await issued(service, { tests })
    await settled()
    await service.call('DELETE', `/v1/webhooks/${str(record['id'])}`)
    receiver.answers.set('/queued', 200)
    await wait(4)
    expect(namesAt('/queued')).toEqual(['referral.created', 'referral.created', 'referral.issued'])
  })
  it('a delivery that was resent manually has the same eventUuid and bytes', async () => {
    await subscribe('/again', ['referral.created'])
    await placed(service, { tests })
    await settled()
    const [one] = receiver.at('/again')
    await service.control('POST', `/events/${str(one?.body['eventUuid'])}/resend`)
    await settled()
    const [, two] = await receiver.waitFor('/again', 2)
    expect(two?.bytes.equals(one?.bytes ?? Buffer.alloc(0))).toBe(true)
  })
})
