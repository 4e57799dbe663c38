import { afterAll, describe, expect, it } from 'vitest'
import { pairsOf } from '../support/sample.js'
import { expectError, expectJson } from './support/check.js'
import { endpointRows } from './support/endpoints.js'
import { at } from './support/json.js'
import { absentUuid, place } from './support/samples.js'
import { acceptOf, type Method, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const gets = endpointRows.filter(([, { method }]) => method === 'GET')
const strays: readonly (readonly [Method, string])[] = [
  ['GET', '/v1'],
  ['GET', '/v1/nonsense'],
  ['GET', '/v2/referrals'],
  ['GET', '/referrals'],
  ['GET', '/'],
  ['PUT', '/v1/referrals'],
  ['DELETE', '/v1/tests'],
  ['POST', '/v1/vendors'],
  ['PATCH', '/v1/providers/2426621B'],
  ['GET', '/v1/providers/2426621B/routing'],
  ['GET', '/v1/calculate'],
  ['POST', '/v1/collection-centres'],
  ['GET', `/v1/referrals/${absentUuid}/pdf`],
  ['POST', '/v1/webhook-events'],
]

describe('§7 unknown paths return the envelope', () => {
  it.each(strays)('%s %s', async (method, path) => {
    const answer = await service.call(method, path)
    expect([404, 405]).toContain(answer.status)
    expectJson(answer)
    expect(at(answer.body, 'error')).toBe(true)
    expect(typeof at(answer.body, 'code')).toBe('string')
    expect(typeof at(answer.body, 'message')).toBe('string')
    expect(Array.isArray(at(answer.body, 'errorList'))).toBe(true)
  })
})

const accepts: readonly (readonly [string, Record<string, string>])[] = [
  ['no Accept', {}],
  ['*/*', { accept: '*/*' }],
  ['application/json', { accept: 'application/json' }],
  ['text/html', { accept: 'text/html' }],
  ['v1.0.0', { accept: acceptOf('1.0.0') }],
  ['v1.1.0', { accept: acceptOf('1.1.0') }],
]
describe('§7, §9 with any Accept header', () => {
  it.each(pairsOf(gets, accepts))(
    '$one.0 with $other.0 returns JSON',
    async ({ one: [, { method, path }], other: [, headers] }) => {
      expectJson(await service.call(method, path, { headers }))
    },
  )
  it.each(accepts)('errors are JSON with %s', async (_name, headers) => {
    const missing = await service.call('GET', '/v1/referrals', { authorization: null, headers })
    expectError(missing, 401, 'MISSING_AUTHORIZATION_HEADER')
    const absent = await service.call('GET', `/v1/referrals/${absentUuid}`, { headers })
    expectError(absent, 404, 'REFERRAL_NOT_FOUND')
  })
})

describe('§9 the version header', () => {
  const tests = ['1.0.0', '1.1.0']
  it.each(tests)('v%s selects the version, also next to other types', async (version) => {
    const accept = `${acceptOf(version)}, application/json;q=0.5`
    const answer = await service.call('GET', '/v1/referrals', { headers: { accept } })
    expect(answer.status).toBe(200)
  })
  it('an unknown major or minor version does not crash', async () => {
    for (const version of ['1.9.0', '2.0.0', '1.0.7', '0.1.0']) {
      const answer = await service.call('GET', '/v1/vendors', { version })
      expect(answer.status).toBeLessThan(500)
      expectJson(answer)
    }
  })
  it('an order takes a few seconds at most with the fake', async () => {
    expect((await place(service, { tests: ['none'] })).status).toBe(400)
  })
})
