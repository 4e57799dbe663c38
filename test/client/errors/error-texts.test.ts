import { BadRequestError, InvalidRequestError, type Order } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { order } from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'

async function refusedWith(reply: Reply): Promise<unknown> {
  const service = await ScriptedServer.start()
  service.on('POST /v1/referrals', reply)
  return rejection(clientOf(service.origin, { maxRetries: 0 }).referrals.create(order()))
}

const refusal = (...errorList: string[]): Reply => ({
  status: 400,
  json: { error: true, code: 'INVALID_PAYLOAD', message: 'the request is not valid', errorList },
})

it.each([
  ['tests[0] must be a test [field: tests[0]]', 'tests[0] must be a test', 'tests[0]'],
  ['is required [field: address.lines[1].text]', 'is required', 'address.lines[1].text'],
  ['is required [field: [2][0]] ', 'is required', '[2][0]'],
  ['is required [field: address.city]', 'is required', 'address.city'],
  ['one [field: a] and two\n[field:b]', 'one [field: a] and two', 'b'],
  ['no marker', 'no marker', undefined],
  ['not closed [field: tests[0]', 'not closed [field: tests[0]', undefined],
  ['not the end [field: a] of it]', 'not the end [field: a] of it]', undefined],
])("the service's text %j: message and field are separated", async (entry, message, field) => {
  const error = await refusedWith(refusal(entry))
  expect(error).toBeInstanceOf(BadRequestError)
  expect(error).toHaveProperty('issues', [
    { message, field, rule: 'service', userMessage: 'Check this value' },
  ])
  expect(error).toHaveProperty('errorList', [entry])
})

it('the message of a request with thousands of problems names the first 20, and counts the others', async () => {
  const service = await ScriptedServer.start()
  const invalid = order({ tests: Array.from({ length: 5_000 }, () => 7) as unknown as Order['tests'] })
  const error = await rejection(clientOf(service.origin).referrals.create(invalid))
  if (!(error instanceof InvalidRequestError)) throw error
  expect(error.issues).toHaveLength(5_000)
  expect(error.errorList).toHaveLength(5_000)
  expect(error.message).toContain('[field: tests[19]]')
  expect(error.message).not.toContain('[field: tests[20]]')
  expect(error.message).toMatch(/; 4980 more$/)
})

it.each<[Record<string, string>, string]>([
  [{}, '750 ms'],
  [{ 'retry-after': '12' }, '12 s'],
  [{ 'retry-after': '0' }, '0 ms'],
])(
  'the message of a 429 with %j has the wait, and nothing of the text of the service',
  async (headers, wait) => {
    const json = { error: true, code: 'SLOW', message: '0412 345 678; Wiśniewska, 4711', errorList: [] }
    expect(String(await refusedWith({ status: 429, headers, json }))).toBe(
      `RateLimitError: POST /v1/referrals returned 429 SLOW: the service rejected the request and did nothing; call again after ${wait}`,
    )
  },
)

it("the message names the fields that the service's text marks, each once and without positions", async () => {
  const entries = ['a [field: tests[0]]', 'b [field: tests[12]]', 'c [field: address.city]']
  const strange = [
    'd [field: Alex Example]',
    'e [field: address.Wiśniewska]',
    `f [field: ${'dob.'.repeat(99)}dob]`,
  ]
  const error = await refusedWith(refusal(...entries, ...strange))
  expect(String(error)).toBe(
    'BadRequestError: POST /v1/referrals returned 400 INVALID_PAYLOAD: the body is invalid; fields: tests[], address.city; nothing was changed',
  )
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ fields: ['tests[]', 'address.city'] })
})

it('the message names at most 20 fields', async () => {
  const many = Array.from({ length: 1_000 }, (_, n) => `x [field: ${'tests.'.repeat(n % 19)}dob]`)
  const more = Array.from({ length: 1_000 }, (_, n) => `x [field: ${'vendors.'.repeat(n % 14)}dob]`)
  const error = await refusedWith(refusal(...many, ...more))
  expect(Reflect.get(JSON.parse(JSON.stringify(error)), 'fields')).toHaveLength(20)
})

it('an error response with an unknown outcome asks for a check, also with a Retry-After', async () => {
  const service = await ScriptedServer.start()
  service.on('POST /v1/notes', { status: 503, headers: { 'retry-after': '5' }, json: {} })
  const error = await rejection(clientOf(service.origin).request('POST', '/v1/notes'))
  expect(error).toMatchObject({ outcome: 'unknown', retryable: false, retryAfter: 5_000 })
  expect(String(error)).toContain('check whether it was carried out before you call again')
  expect(String(error)).not.toContain('call again after')
})
