import { BadRequestError, InvalidRequestError, type Order } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
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

it('a marker after many spaces takes no time', async () => {
  const entry = `${' '.repeat(50_000)}[field: a`
  const startedAt = performance.now()
  await refusedWith(refusal(entry))
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})

it.each(['fault injected: 429', 'Wiśniewska', '0412 345 678; Wiśniewska, 4711'])(
  '%j does not appear in the message',
  async (message) => {
    const error = await refusedWith({
      status: 429,
      json: { error: true, code: 'SLOW', message, errorList: [] },
    })
    expect(String(error)).toBe(
      'RateLimitError: POST /v1/referrals returned 429 SLOW: the service rejected the request and did nothing',
    )
  },
)

it('in a text of several parts, the readable parts stay', async () => {
  const error = await refusedWith(refusal('Wiśniewska', 'tests is required', 'Wiśniewska is not a name'))
  expect(String(error)).toContain('tests is required; *** is not a name')
  expect(String(error)).not.toContain('***; ')
})

async function orderRefused(change: Partial<Order>, ...errorList: string[]): Promise<string> {
  const service = await ScriptedServer.start()
  service.on('POST /v1/referrals', refusal(...errorList))
  const { referrals } = clientOf(service.origin, { maxRetries: 0 })
  return String(await rejection(referrals.create({ ...order(), ...change })))
}

describe('values that occur in the words of the error', () => {
  const RULE = 'BadRequestError: POST /v1/referrals returned 400 INVALID_PAYLOAD: the body is invalid ('

  it('24 ids of two letters do not make the message longer', async () => {
    const tests = Array.from({ length: 24 }, (_, index) => ['re', 'mo', 've'][index % 3] ?? '')
    const message = await orderRefused({ tests }, 'remove re, mo, ve '.repeat(40))
    expect(message).toMatch(/^BadRequestError: POST \/v1\/referrals returned 400 INVALID_PAYLOAD: /)
    expect(message.length).toBeLessThan(800)
  })

  it('10,000 values of the metadata are searched for, and do not appear', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, `v${n}`]))
    const message = await orderRefused({ metadata: { ...metadata, last: 'required' } }, 'tests is required')
    expect(message).toBe(`${RULE}tests is ***); nothing was changed`)
  })

  it.each([
    ['a name that is an ordinary word', { lastName: 'Short' }, 'Short must be longer', '*** must be longer'],
    ['a result', {}, 'result value 93', 'result value ***'],
    ['a line break', {}, 'tests\nis\u001b[2J required\u2028', 'tests is required'],
    ['a scope', {}, 'missing scope referrals:write', 'missing scope referrals:write'],
    ['a test', { tests: ['vitamin-b12'] }, 'unknown test vitamin-b12', 'unknown test vitamin-b12'],
  ])('%s', async (_, change, words, shown) => {
    expect(await orderRefused(change, words)).toBe(`${RULE}${shown}); nothing was changed`)
  })
})

it('names of events stay, even if the request contains them', async () => {
  const service = await ScriptedServer.start()
  service.on('POST /v1/webhooks', refusal('referral.issued already reaches this url from another webhook'))
  const { webhooks } = clientOf(service.origin, { maxRetries: 0 })
  const created = webhooks.create({ url: 'https://clinic.example/hook', events: ['referral.issued'] })
  expect(String(await rejection(created))).toContain('(referral.issued already reaches this url')
})

describe('the wait that the service requests', () => {
  it.each([
    ['12', 'call again after 12 s'],
    ['0', 'call again after 0 ms'],
  ])('Retry-After %s is in the message of a 429', async (seconds, advice) => {
    const error = await refusedWith({
      status: 429,
      headers: { 'retry-after': seconds },
      json: { error: true, code: 'SLOW', message: 'x', errorList: [] },
    })
    expect(String(error)).toBe(
      `RateLimitError: POST /v1/referrals returned 429 SLOW: the service rejected the request and did nothing; ${advice}`,
    )
  })
})

it('an error response with an unknown outcome asks for a check, also with a Retry-After', async () => {
  const service = await ScriptedServer.start()
  service.on('POST /v1/notes', { status: 503, headers: { 'retry-after': '5' }, json: {} })
  const error = await rejection(clientOf(service.origin).request('POST', '/v1/notes'))
  expect(error).toMatchObject({ outcome: 'unknown', retryable: false, retryAfter: 5_000 })
  expect(String(error)).toContain('check whether it was carried out before you call again')
  expect(String(error)).not.toContain('call again after')
})
