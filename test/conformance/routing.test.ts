import { afterAll, describe, expect, it } from 'vitest'
import { expectError, expectField, expectOk, expectShape } from './support/check.js'
import { at, first, type JsonObject, objects, str } from './support/json.js'
import { connection } from './support/objects.js'
import { type Body, cards, place, pngUri, providerNumber, recordsOf } from './support/samples.js'
import { type Answer, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const vendors = recordsOf((await service.call('GET', '/v1/vendors')).body).map((entry) => str(entry['id']))
const [vendorA = '', vendorB = ''] = vendors
let last = 711000
const doctor = async (more: Body = { encodedSignature: pngUri }): Promise<string> => {
  last += 1
  const number = providerNumber(last)
  expectOk(
    await service.call('POST', '/v1/providers', {
      body: { providerNumber: number, name: 'Dr Ada Quill', address: '1 Road', ...more },
    }),
  )
  return number
}
const attestation = { attestedBy: 'Practice manager', doctorSignedAt: '2025-03-01T09:00:00Z' }
const route = (number: string, body: unknown): Promise<Answer> =>
  service.call('POST', `/v1/providers/${number}/routing`, { body })
const polled = async (number: string): Promise<JsonObject[]> =>
  objects(at(expectOk(await service.call('GET', `/v1/providers/${number}`)), 'connections'))
const move = (number: string, vendor: string, step: string, body: Body = {}): Promise<unknown> =>
  service.control('POST', `/routing/${number}/${vendor}/${step}`, body)

const number = await doctor()
const asked = await route(number, {
  vendorIds: vendors,
  attestation: { ...attestation, reference: 'form 12' },
})
const connections = objects(at(expectOk(asked), 'connections'))

describe('§4.4 routing requested from every vendor', () => {
  it('§2.10 each field has its type', () => expectShape(connections, connection))
  it('there is one connection for each vendor', () =>
    expect(connections.map((entry) => entry['vendorId']).sort()).toEqual([...vendors].sort()))
  it('all are NOT_SUBMITTED', () => expectField(connections, 'status', (value) => value === 'NOT_SUBMITTED'))
  it('none is confirmed', () => expectField(connections, 'confirmedAt', (value) => value === null))
  it('none needs an action', () => expectField(connections, 'actionNeededReason', (value) => value === null))
  it('consentedAt is the time of the request, not of the doctor’s signature', () => {
    for (const entry of connections)
      expect(Math.abs(Date.parse(str(entry['consentedAt'])) - Date.now())).toBeLessThan(60_000)
  })
  it('the provider record has the connections', async () => expect(await polled(number)).toEqual(connections))
  it('vendorName is the name of the vendor', async () => {
    const byId = new Map(
      recordsOf((await service.call('GET', '/v1/vendors')).body).map((entry) => [entry['id'], entry['name']]),
    )
    for (const entry of connections) expect(entry['vendorName']).toBe(byId.get(entry['vendorId'] ?? ''))
  })
})

const times = ['2025-03-01T09:00:00Z', '2025-03-01T09:00:00.123Z', '2025-03-01T20:00:00+11:00', '2025-03-01']
describe('§4.4 routing is accepted', () => {
  it.each(times)('with doctorSignedAt %s', async (doctorSignedAt) => {
    const answer = await route(await doctor(), {
      vendorIds: [vendorA],
      attestation: { ...attestation, doctorSignedAt },
    })
    if (doctorSignedAt.length > 10 || answer.status === 200) expectOk(answer)
  })
  it('with one vendor twice: one connection', async () => {
    const answer = await route(await doctor(), { vendorIds: [vendorA, vendorA], attestation })
    expect(objects(at(expectOk(answer), 'connections')).length).toBe(1)
  })
  it('for one vendor after another', async () => {
    const fresh = await doctor()
    await route(fresh, { vendorIds: [vendorA], attestation })
    await route(fresh, { vendorIds: [vendorB], attestation })
    expect((await polled(fresh)).map((entry) => entry['vendorId']).sort()).toEqual([vendorA, vendorB].sort())
  })
  it('again for the same vendor: no second connection', async () => {
    const fresh = await doctor()
    await route(fresh, { vendorIds: [vendorA], attestation })
    const [before] = await polled(fresh)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await route(fresh, { vendorIds: [vendorA], attestation })
    const after = await polled(fresh)
    expect(after.length).toBe(1)
    expect(Date.parse(str(after[0]?.['consentedAt']))).toBeGreaterThanOrEqual(
      Date.parse(str(before?.['consentedAt'])),
    )
  })
})

describe('§4.4 routing is rejected', () => {
  it('for a vendor that is not enabled: UNKNOWN_VENDOR', async () => {
    await service.control('PUT', `/vendors/${vendorB}`, { enabled: false })
    const answer = await route(await doctor(), { vendorIds: [vendorB], attestation })
    await service.control('PUT', `/vendors/${vendorB}`, { enabled: true })
    expectError(answer, [400, 404], 'UNKNOWN_VENDOR')
  })
})

describe('§3.3 the states of a connection', async () => {
  const walker = await doctor()
  await route(walker, { vendorIds: [vendorA, vendorB], attestation })
  const statusOf = async (vendor: string): Promise<JsonObject> =>
    first((await polled(walker)).filter((entry) => entry['vendorId'] === vendor))
  it('NOT_SUBMITTED, PENDING_CONFIRMATION, CONNECTED, and never back', async () => {
    expect((await statusOf(vendorA))['status']).toBe('NOT_SUBMITTED')
    await service.control('POST', '/routing/submit', { providerNumber: walker })
    expect(await statusOf(vendorA)).toMatchObject({ status: 'PENDING_CONFIRMATION', confirmedAt: null })
    await move(walker, vendorA, 'confirm')
    expect((await statusOf(vendorA))['status']).toBe('CONNECTED')
    expect((await statusOf(vendorA))['confirmedAt']).toEqual(expect.any(String))
    expect((await statusOf(vendorB))['status']).toBe('PENDING_CONFIRMATION')
    const again = await route(walker, { vendorIds: [vendorA], attestation })
    expectOk(again)
    expect(await statusOf(vendorA)).toMatchObject({ status: 'CONNECTED', confirmedAt: expect.any(String) })
  })
  it("an update of the doctor's record does not change the connections", async () => {
    const before = await polled(walker)
    expectOk(await service.call('PUT', `/v1/providers/${walker}`, { body: { title: 'A/Prof' } }))
    expect(await polled(walker)).toEqual(before)
  })
  it('DELETE is 409 PROVIDER_HAS_ACTIVE_ROUTING while CONNECTED', async () => {
    expectError(await service.call('DELETE', `/v1/providers/${walker}`), 409, 'PROVIDER_HAS_ACTIVE_ROUTING')
    expect((await service.call('GET', `/v1/providers/${walker}`)).status).toBe(200)
  })
  it('routingMessage of an order names the connected laboratory', async () => {
    const tests = recordsOf((await service.call('GET', '/v1/tests')).body)
    const medicareTests = [tests.find((entry) => entry['medicareListed'] === true)?.['id']]
    const answer = await place(service, {
      medicareTests,
      medicareCardNumber: cards.eleven,
      orderingPractitioner: { name: 'Dr Ada Quill', address: '1 Road', providerNumber: walker },
    })
    expect(str(at(expectOk(answer), 0, 'routingMessage'))).toContain(
      str((await statusOf(vendorA))['vendorName']),
    )
  })
  it('ACTION_NEEDED has its reason', async () => {
    await move(walker, vendorB, 'need-action', { reason: 'The form was not signed' })
    expect(await statusOf(vendorB)).toMatchObject({
      status: 'ACTION_NEEDED',
      actionNeededReason: 'The form was not signed',
    })
  })
  it('STOP_REQUESTED is returned', async () => {
    await move(walker, vendorA, 'stop')
    expect((await statusOf(vendorA))['status']).toBe('STOP_REQUESTED')
  })
  it('after routing has ended with every vendor the record can be retired', async () => {
    await move(walker, vendorA, 'end')
    await move(walker, vendorB, 'end').catch(() => undefined)
    expectOk(await service.call('DELETE', `/v1/providers/${walker}`))
  })
})
