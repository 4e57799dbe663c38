import { type FakeOptions, FakePathologyService } from 'pathology-sdk/testing'
import { afterAll, describe, expect, it } from 'vitest'

import { API_VERSIONS } from '../../src/contract/versions.js'
import { at, first, obj, parseJson, str } from '../conformance/support/json.js'
import { startReceiver } from '../conformance/support/receiver.js'
import {
  absentUuid,
  cards,
  issued,
  order,
  placed,
  pngUri,
  providerNumber,
  recordsOf,
} from '../conformance/support/samples.js'
import { acceptOf } from '../conformance/support/service.js'
import { breaches, operationsOf, problemsOf } from './document.js'
import { startHeldService } from './held-service.js'

const service = await startHeldService()
const receiver = await startReceiver()
afterAll(() => Promise.all([service.stop(), receiver.stop()]))

const tests = recordsOf((await service.call('GET', '/v1/tests')).body)
const listed = tests.filter((entry) => entry['medicareListed'] === true).map((entry) => str(entry['id']))
const unlisted = tests.filter((entry) => entry['medicareListed'] === false).map((entry) => str(entry['id']))
const [testId = ''] = listed
const bundleId = str(first(recordsOf((await service.call('GET', '/v1/bundles')).body))['id'])
const vendorId = str(first(recordsOf((await service.call('GET', '/v1/vendors')).body))['id'])
const attestation = { attestedBy: 'Practice manager', doctorSignedAt: '2025-03-01T09:00:00Z' }
const names = { name: 'Dr Ada Quill', address: '1 Rooms Road, Carlton VIC 3053' }
const doctor = async (stem: number, more: object = {}): Promise<string> => {
  const number = providerNumber(stem)
  await service.call('POST', '/v1/providers', { body: { providerNumber: number, ...names, ...more } })
  return number
}

describe.each(API_VERSIONS)('openapi.json, version %s: every response over HTTP matches it', (version) => {
  const call = (...[method, path, options]: Parameters<typeof service.call>) =>
    service.call(method, path, { version, ...options })
  const status = async (...request: Parameters<typeof service.call>): Promise<number> =>
    (await call(...request)).status

  it('responses to orders, changes, deletions and dummy results match openapi.json (§4.1)', async () => {
    await placed(service, { tests: [testId] }, version)
    const { uuid } = await issued(service, { tests: [testId], metadata: { plan: 'gold', gone: 1 } })
    const path = `/v1/referrals/${str(uuid)}`
    expect(await status('GET', path)).toBe(200)
    expect(await status('PATCH', path, { body: { phone: '0411111111', metadata: { gone: null } } })).toBe(200)
    expect(await status('PUT', path, { query: 'partial' })).toBe(200)
    expect(await status('PATCH', path, { body: { phone: '0411111111' } })).toBe(400)
    expect(await status('PUT', path)).toBe(200)
    expect(await status('DELETE', path)).toBe(200)
    expect(await status('GET', '/v1/referrals', { query: { count: 20, sort: 'desc' } })).toBe(200)
  })

  it('responses to orders that are rejected match openapi.json (§4.1)', async () => {
    const refused = [
      {},
      { tests: [testId], dob: '1.2.1984' },
      { tests: [testId], medicareCardNumber: cards.badCheck },
    ]
    for (const changes of refused)
      expect(await status('POST', '/v1/referrals', { body: order(changes) })).toBe(400)
    const known = await status('POST', '/v1/referrals', { body: order({ bundleId: 'no-such-bundle' }) })
    expect(known).toBe(400)
    for (const method of ['GET', 'PATCH', 'DELETE', 'PUT'] as const) {
      const body = method === 'PATCH' ? { body: { phone: '0411111111' } } : {}
      expect(await status(method, `/v1/referrals/${absentUuid}`, body)).toBe(404)
      expect(await status(method, '/v1/referrals/1', body)).toBe(400)
    }
  })

  it('results, singly and in a list, match openapi.json (§4.2)', async () => {
    const results = recordsOf((await call('GET', '/v1/results', { query: { count: 20 } })).body)
    for (const { uuid } of results) expect(await status('GET', `/v1/results/${str(uuid)}`)).toBe(200)
    expect(results.length).toBeGreaterThan(0)
    expect(await status('GET', `/v1/results/${absentUuid}`)).toBe(404)
    expect(await status('GET', '/v1/results', { query: { sort: 'up' } })).toBe(400)
  })

  it('tests, biomarkers, bundles and prices match openapi.json (§4.3)', async () => {
    expect(await status('GET', '/v1/tests', { query: { include: 'biomarkers' } })).toBe(200)
    expect(await status('GET', '/v1/tests')).toBe(200)
    expect(await status('GET', '/v1/tests', { query: { include: 'prices' } })).toBe(400)
    expect(await status('GET', '/v1/biomarkers')).toBe(200)
    expect(await status('GET', '/v1/bundles', { query: { includeUnlisted: true, sort: 'asc' } })).toBe(200)
    const price = { body: { tests: listed.slice(0, 3), bundleId } }
    expect(await status('POST', '/v1/calculate', price)).toBe(200)
    expect(await status('POST', '/v1/calculate', { body: {} })).toBe(400)
    expect(await status('POST', '/v1/calculate', { body: { bundleId: 'no-such-bundle' } })).toBe(400)
  })

  it('providers, vendors and routing match openapi.json (§4.4)', async () => {
    const number = await doctor(version === '1.0.0' ? 511_001 : 511_002, { encodedSignature: pngUri })
    const unsigned = await doctor(version === '1.0.0' ? 511_003 : 511_004)
    const path = `/v1/providers/${number}`
    const body = { providerNumber: number, ...names, title: 'Dr' }
    expect(await status('POST', '/v1/providers', { body })).toBe(200)
    expect(await status('POST', '/v1/providers', { body: { ...body, encodedSignature: 'no' } })).toBe(400)
    expect(await status('PUT', path, { body: { phone: '0390000000' } })).toBe(200)
    const routing = { body: { vendorIds: [vendorId], attestation } }
    expect(await status('POST', `${path}/routing`, routing)).toBe(200)
    expect(await status('POST', `/v1/providers/${unsigned}/routing`, routing)).toBe(400)
    expect(await status('POST', `${path}/routing`, { body: { vendorIds: [], attestation } })).toBe(400)
    expect(await status('GET', path)).toBe(200)
    expect(await status('GET', '/v1/providers', { query: { count: 5 } })).toBe(200)
    expect(await status('GET', '/v1/vendors')).toBe(200)
    expect(await status('DELETE', `/v1/providers/${unsigned}`)).toBe(200)
    expect(await status('GET', `/v1/providers/${unsigned}`)).toBeGreaterThanOrEqual(400)
  })

  it('collection centres, with every filter, match openapi.json (§4.5)', async () => {
    const path = '/v1/collection-centres'
    const [centre] = recordsOf((await call('GET', path, { query: { count: 200 } })).body)
    const uuid = str(centre?.['uuid'])
    const point = { lat: -37.8, lng: 144.9, radiusKm: 50 }
    const box = { north: -30, south: -40, east: 150, west: 140 }
    const lists = { states: 'VIC,NSW', testingTypes: 'PATHOLOGY', vendors: vendorId, postcodes: '3000,0810' }
    const others = [{ ...point, ...box }, lists, { uuids: uuid }, { search: 'street', count: 20_000 }]
    for (const query of [...others, { changedSince: '2020-01-01' }])
      expect(await status('GET', path, { query })).toBe(200)
    expect(await status('GET', `${path}/${uuid}`)).toBe(200)
    expect(await status('GET', `${path}/${absentUuid}`)).toBe(404)
    for (const query of [{ lat: 1 }, { states: 'XY' }, { colour: 'red' }, { count: 0 }]) {
      expect(await status('GET', path, { query })).toBe(400)
    }
  })

  it('webhooks match openapi.json (§4.6)', async () => {
    const body = { url: `https://example.com/${version}`, events: ['result.complete'] }
    const made = await call('POST', '/v1/webhooks', { body })
    const path = `/v1/webhooks/${str(obj(made.body)['id'])}`
    expect(await status('POST', '/v1/webhooks', { body })).toBe(409)
    expect(await status('POST', '/v1/webhooks', { body: { ...body, url: 'http://10.0.0.1' } })).toBe(400)
    expect(await status('POST', '/v1/webhooks', { body: { ...body, events: ['result.lost'] } })).toBe(400)
    expect(await status('GET', '/v1/webhook-events')).toBe(200)
    expect(await status('GET', '/v1/webhooks')).toBe(200)
    expect(await status('GET', path)).toBe(200)
    expect(await status('PATCH', path, { body: { active: false } })).toBe(200)
    expect(await status('PATCH', path, { body: {} })).toBe(400)
    expect(await status('DELETE', path)).toBe(200)
    expect(await status('GET', path)).toBe(404)
  })

  it('responses to calls without a valid access token match openapi.json (§5)', async () => {
    const answers = [null, 'Bearer no-token', 'Basic abc'].map((authorization) =>
      status('GET', '/v1/vendors', { authorization }),
    )
    expect(await Promise.all(answers)).toEqual([401, 401, 401])
  })

  it('the comparison with openapi.json has called every operation', () => {
    const ids = operationsOf('paths').map(({ id }) => id)
    const answered = ids.filter((id) => service.seen.has(`${id} 200 ${version}`))
    expect(answered).toEqual(ids.filter((id) => id !== 'tokens.issue'))
  })
})

it('Medicare and bundle orders return one referral or a list, as openapi.json says (§4.1, §9)', async () => {
  const number = await doctor(511_005, { encodedSignature: pngUri })
  const medicare = {
    medicareTests: [testId],
    orderingPractitioner: { ...names, providerNumber: number },
    medicareCardNumber: cards.eleven,
    clinicalNotes: 'Fasting.',
  }
  const send = (changes: object) =>
    service.call('POST', '/v1/referrals', { body: order({ ...changes }), version: '1.1.0' })
  const both = await send({ ...medicare, tests: [testId], bundleId })
  expect(both.body).toHaveLength(2)
  expect((await send({ bundleId })).status).toBe(200)
  expect((await send({ ...medicare, medicareTests: unlisted.slice(0, 1) })).status).toBe(400)
  const stranger = { ...names, providerNumber: providerNumber(511_006) }
  expect((await send({ ...medicare, orderingPractitioner: stranger })).status).toBe(400)
})

it('responses of the token service match openapi.json (§5)', async () => {
  const client = { client_id: service.clientId, client_secret: service.clientSecret }
  const granted = await service.tokens({ grant_type: 'client_credentials', ...client })
  const refresh = { grant_type: 'refresh_token', refresh_token: str(at(granted.body, 'refresh_token')) }
  expect((await service.tokens({ ...refresh, ...client })).status).toBe(200)
  expect((await service.tokens({ ...refresh, ...client })).status).toBeGreaterThanOrEqual(400)
  expect((await service.tokens({ grant_type: 'password', ...client })).status).toBeGreaterThanOrEqual(400)
})

it('every event has the body that the webhooks section of openapi.json describes (§6)', async () => {
  const events = operationsOf('webhooks')
  const eventNames = events.map(({ pointer: [, name = ''] }) => name)
  await service.control('POST', '/webhooks', { url: `${receiver.url}/all`, events: eventNames })
  for (const eventName of eventNames) await service.control('POST', '/trigger', { eventName })
  const deliveries = await receiver.waitFor('/all', eventNames.length)
  expect(deliveries.map(({ body }) => str(body['eventName'])).toSorted()).toEqual(eventNames.toSorted())
  for (const { headers, body } of deliveries) {
    const pointer = ['webhooks', str(body['eventName']), 'post']
    expect(breaches([...pointer, 'requestBody', 'content', 'application/json', 'schema'], body)).toEqual([])
    const parameters = ['x-svc-hmac-sha256', 'x-svc-delivery-time'].map((name) => headers[name])
    parameters.forEach((value, index) => {
      expect(breaches([...pointer, 'parameters', String(index), 'schema'], value)).toEqual([])
    })
  }
})

it('the comparison with openapi.json detects a field of another type, a missing field and another event', () => {
  const page = ['components', 'schemas', 'ReferralPage']
  expect(breaches(page, { referrals: [] })).toEqual([])
  expect(breaches(page, {})).toEqual(["/ must have required property 'referrals'"])
  expect(breaches(page, { referrals: [{ uuid: 1 }] })).toContain('/referrals/0/uuid must be string')
  const timestamp = parseJson('{"uuid":"1","deletedAt":3}')
  expect(breaches(['components', 'schemas', 'Referral'], timestamp).join()).toContain('/deletedAt must be')
})

it.each<[string, FakeOptions]>([
  ['lists as data (§4.2, §4.3)', { listWrapper: 'data', resultListWrapper: 'data' }],
  ['lists without a wrapper (§4.2, §4.3)', { listWrapper: 'array' }],
  ['the older name of medicare (§2.4)', { medicareFieldName: 'bulkBilled' }],
  ['one referral as an object (§4.1)', { createShape: 'object-when-one' }],
  ['additional fields and unknown values (§9)', { extraFields: true, unknownEnums: true }],
])(
  'openapi.json has every form that the SDK accepts where the specification is silent: %s',
  async (_, options) => {
    const fake = new FakePathologyService({ centreCount: 0, ...options })
    const { access_token } = await fake.tokens.issue()
    const accept = acceptOf('1.1.0')
    const call = async (method: string, path: string, body?: object): Promise<void> => {
      const response = await fake.fetch(fake.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${access_token}`, accept, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      const { status } = response
      expect(status).toBe(200)
      expect(problemsOf({ method, path, accept, status, body: await response.json() })).toEqual([])
    }
    for (const path of ['/v1/referrals', '/v1/results', '/v1/tests', '/v1/biomarkers'])
      await call('GET', path)
    await call('POST', '/v1/referrals', order({ tests: [testId] }))
    await fake.close()
  },
)
