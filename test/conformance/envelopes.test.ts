import { afterAll, describe, expect, test } from 'vitest'
import { pairsOf } from '../support/sample.js'
import { expectError, expectJson } from './support/check.js'
import { endpointRows } from './support/endpoints.js'
import { at } from './support/json.js'
import { absentUuid, place } from './support/samples.js'
import { acceptOf, type Method, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const malformed = [
  'not-a-uuid',
  '1',
  'null',
  'undefined',
  absentUuid.slice(1),
  `${absentUuid}0`,
  absentUuid.replaceAll('-', ''),
  absentUuid.replace('3', 'g'),
  `{${absentUuid}}`,
  `${absentUuid}%20`,
  '%00',
  '..%2F..%2Fvendors',
  "'%20or%201=1",
  'a'.repeat(300),
]

const unknown = [
  absentUuid,
  '123e4567-e89b-12d3-a456-426614174000',
  '0190a2f4-7c3e-7d3a-8b1c-2f3e4d5c6b7a',
  '8f14e45f-ceea-467f-a0e6-0d4b5c2d1e3f',
]

const byUuid: readonly (readonly [Method, string, string])[] = [
  ['GET', '/v1/referrals', 'REFERRAL_NOT_FOUND'],
  ['PATCH', '/v1/referrals', 'REFERRAL_NOT_FOUND'],
  ['DELETE', '/v1/referrals', 'REFERRAL_NOT_FOUND'],
  ['PUT', '/v1/referrals', 'REFERRAL_NOT_FOUND'],
  ['GET', '/v1/results', 'RESULT_NOT_FOUND'],
  ['GET', '/v1/collection-centres', 'COLLECTION_CENTRE_NOT_FOUND'],
]
const messages: Readonly<Record<string, string>> = {
  REFERRAL_NOT_FOUND: 'Unable to find the specified referral',
  RESULT_NOT_FOUND: 'Unable to find the specified result',
}
const bodyOf = (method: Method): { body?: unknown } =>
  method === 'PATCH' ? { body: { firstName: 'Ann' } } : {}

describe('§7 paths with a uuid', () => {
  test.each(pairsOf(byUuid, malformed))(
    '$one.0 $one.1/$other is INVALID_PARAMETER',
    async ({ one: [method, path], other: id }) => {
      const answer = await service.call(method, `${path}/${id}`, bodyOf(method))
      expectError(answer, 400, 'INVALID_PARAMETER', /uuid/i)
    },
  )
  test.each(pairsOf(byUuid, unknown))(
    '$one.0 $one.1/$other is not found',
    async ({ one: [method, path, code], other: id }) => {
      const answer = await service.call(method, `${path}/${id}`, bodyOf(method))
      expectError(answer, 404, code)
      if (messages[code] !== undefined) expect(at(answer.body, 'message')).toBe(messages[code])
      expect(at(answer.body, 'errorList')).toEqual([])
    },
  )
  test.each(byUuid)('%s %s: a UUID in capitals is accepted or rejected', async (method, path, code) => {
    const answer = await service.call(method, `${path}/${absentUuid.toUpperCase()}`, bodyOf(method))
    expectError(answer, [404, 400], [code, 'INVALID_PARAMETER'])
  })
})

const gets = endpointRows.filter(([, { method }]) => method === 'GET')
describe('§7 an unknown query parameter', () => {
  test.each(gets)('%s', async (_name, { method, path }) => {
    const answer = await service.call(method, path, { query: 'nonsense=1' })
    if (path.includes(absentUuid) || path.includes('2426621B')) {
      expect([400, 404]).toContain(answer.status)
      return
    }
    expectError(answer, 400, 'INVALID_PARAMETER', /nonsense/)
  })
  test('two unknown parameters are both named', async () => {
    const answer = await service.call('GET', '/v1/referrals', { query: 'nonsense=1&folly=2' })
    expectError(answer, 400, 'INVALID_PARAMETER', /nonsense/, /folly/)
  })
})

const badBodies: readonly (readonly [string, string])[] = [
  ['half an object', '{"a":'],
  ['words', 'nonsense'],
  ['a list', '[]'],
  ['null', 'null'],
  ['a string', '"text"'],
  ['a number', '1'],
  ['true', 'true'],
]
const readers = endpointRows.filter(([, { body, path }]) => body !== undefined && !/[0-9]{4}/.test(path))
describe('§7 a body that is not an object', () => {
  test.each(pairsOf(readers, badBodies))(
    '$one.0: $other.0',
    async ({ one: [, { method, path }], other: [, raw] }) => {
      expectError(await service.call(method, path, { raw }), 400, 'INVALID_PAYLOAD')
    },
  )
  test.each(readers)('%s: an empty body', async (_name, { method, path }) => {
    const answer = await service.call(method, path)
    expect(answer.status).toBe(400)
    expectJson(answer)
    expect(at(answer.body, 'error')).toBe(true)
  })
})

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
  test.each(strays)('%s %s', async (method, path) => {
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
  test.each(pairsOf(gets, accepts))(
    '$one.0 with $other.0 returns JSON',
    async ({ one: [, { method, path }], other: [, headers] }) => {
      expectJson(await service.call(method, path, { headers }))
    },
  )
  test.each(accepts)('errors are JSON with %s', async (_name, headers) => {
    const missing = await service.call('GET', '/v1/referrals', { authorization: null, headers })
    expectError(missing, 401, 'MISSING_AUTHORIZATION_HEADER')
    const absent = await service.call('GET', `/v1/referrals/${absentUuid}`, { headers })
    expectError(absent, 404, 'REFERRAL_NOT_FOUND')
    const query = await service.call('GET', '/v1/referrals?count=-1', { headers })
    expectError(query, 400, 'INVALID_PARAMETER', /count/)
    const body = await service.call('POST', '/v1/referrals', { body: {}, headers })
    expectError(body, 400, 'INVALID_PAYLOAD')
  })
})

describe('§9 the version header', () => {
  const tests = ['1.0.0', '1.1.0']
  test.each(tests)('v%s selects the version, also next to other types', async (version) => {
    const accept = `${acceptOf(version)}, application/json;q=0.5`
    const answer = await service.call('GET', '/v1/referrals', { headers: { accept } })
    expect(answer.status).toBe(200)
  })
  test('an unknown major or minor version does not crash', async () => {
    for (const version of ['1.9.0', '2.0.0', '1.0.7', '0.1.0']) {
      const answer = await service.call('GET', '/v1/vendors', { version })
      expect(answer.status).toBeLessThan(500)
      expectJson(answer)
    }
  })
  test('an order takes a few seconds at most with the fake', async () => {
    expect((await place(service, { tests: ['none'] })).status).toBe(400)
  })
})
