import { BadRequestError } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order } from '../support/samples.js'
import { type Reply, ScriptedServer } from '../support/scripted-server.js'

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
])('the service says %j: message and field apart', async (entry, message, field) => {
  const error = await refusedWith(refusal(entry))
  expect(error).toBeInstanceOf(BadRequestError)
  expect(error).toHaveProperty('issues', [{ message, field }])
  expect(error).toHaveProperty('errorList', [entry])
})

it('a marker after many blanks takes no time', async () => {
  const entry = `${' '.repeat(50_000)}[field: a`
  const startedAt = performance.now()
  await refusedWith(refusal(entry))
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})

it.each(['fault injected: 429', 'Wiśniewska', '0412 345 678; Wiśniewska, 4711'])(
  '%j leaves no trace in the message',
  async (message) => {
    const error = await refusedWith({
      status: 429,
      json: { error: true, code: 'SLOW', message, errorList: [] },
    })
    expect(String(error)).toBe(
      'RateLimitError: POST /v1/referrals answered 429 SLOW: the service turned the request away before doing anything',
    )
  },
)

it('of several parts those stay that can be read', async () => {
  const error = await refusedWith(refusal('Wiśniewska', 'tests is required', 'Wiśniewska is not a name'))
  expect(String(error)).toContain('tests is required; *** is not a name')
  expect(String(error)).not.toContain('***; ')
})
