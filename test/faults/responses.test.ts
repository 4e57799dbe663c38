import fc from 'fast-check'
import { ApiError } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { CANARIES, expectNoCanary } from '../support/canaries.js'
import { clientOf, rejection } from '../support/clients.js'
import { order, page, referral, result, UUID } from '../support/samples.js'
import { type Reply, ScriptedServer } from '../support/scripted-server.js'
import { REFERRAL, retrieve } from './response-world.js'

const UUID_TEXT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

it.each([502, 503])(
  'the error page of a proxy with %i is a ServerError without a code, and at most 2 KB of the page are kept',
  async (status) => {
    const { call } = await retrieve({ status, text: `<html>${'x'.repeat(10_000)}</html>` })
    const error = await rejection(call())
    expect(error).toMatchObject({ name: 'ServerError', status, code: undefined, errorList: [], issues: [] })
    expect(error).toHaveProperty('bodyExcerpt', `<html>${'x'.repeat(2_042)}`)
  },
)

it('the error page of a proxy is never printed, because it may repeat the request', async () => {
  const { call } = await retrieve({
    status: 502,
    text: `<html>${CANARIES.lastName} ${CANARIES.dob}</html>`,
  })
  expectNoCanary(await rejection(call()))
})

it.each([
  ['HTML', { text: '<html></html>', headers: { 'content-type': 'text/html' } }, 'not-json'],
  [
    'JSON as HTML, with another spelling of the type',
    { json: referral(), headers: { 'content-type': ' Text/HTML;charset=utf-8' } },
    'not-json',
  ],
  ['JSON as XHTML', { json: referral(), headers: { 'content-type': 'application/xhtml+xml' } }, 'not-json'],
  ['nothing', { text: '' }, 'empty'],
  ['white space', { text: ' \r\n ' }, 'empty'],
  ['a byte order mark', { text: '\uFEFF{}' }, 'not-json'],
  ['null', { json: null }, 'shape'],
  ['a list where an object belongs', { json: [] }, 'shape'],
] as const)(
  'a success status with an unusable body is an InvalidResponseError with its reason: %s',
  async (_, reply: Reply, reason) => {
    const { call } = await retrieve(reply)
    const error = await rejection(call())
    expect(error).toMatchObject({
      name: 'InvalidResponseError',
      reason,
      outcome: 'failed',
      status: 200,
      attempts: 1,
    })
    expectNoCanary(error)
  },
)

it('an error body is an ApiError for any JSON and any text, with any error status (property)', async () => {
  const service = await ScriptedServer.start()
  const client = clientOf(service.origin, { maxRetries: 0 })
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .record({
        error: fc.anything(),
        code: fc.anything(),
        message: fc.anything(),
        errorList: fc.anything(),
      })
      .map((value) => stringifyOr(value, '{}')),
  )
  const status = fc.integer({ min: 400, max: 599 })
  await fc.assert(
    fc.asyncProperty(body, status, async (text, code) => {
      service.on(REFERRAL, { status: code, text })
      const error = await rejection(client.referrals.retrieve(UUID))
      expect(error).toBeInstanceOf(ApiError)
      expect(error).toMatchObject({ status: code })
      expect(() => JSON.stringify(error)).not.toThrow()
    }),
    { numRuns: 40 },
  )
})

function stringifyOr(value: unknown, other: string): string {
  try {
    return JSON.stringify(value) ?? other
  } catch {
    return other
  }
}

const grown: Reply = {
  json: {
    ...referral({ uuid: UUID }),
    status: 'TELEPORTED',
    origin: 'MARS',
    newField: { deep: [1] },
    person: { ...referral().person, gender: 'other', nickname: 'x' },
  },
}

it.each(['warn', 'strict'] as const)(
  'additions that the service may make are returned unchanged and without a warning with the validation %s (§2)',
  async (mode) => {
    const { call, warnings } = await retrieve(grown, { responseValidation: mode })
    await expect(call()).resolves.toEqual(grown.json)
    expect(warnings).toEqual([])
  },
)

const { uuid: _, ...nameless } = referral()
const reply: Reply = { json: { ...nameless, person: { ...referral().person, dob: 19610723 } } }

it('a missing or wrong field is logged once with warn, without its value, and the object is returned unchanged (§2)', async () => {
  const { call, warnings } = await retrieve(reply)
  await expect(call()).resolves.toEqual(reply.json)
  await call()
  expect(warnings).toHaveLength(2)
  expect(warnings.join()).toContain('a response of referrals.retrieve differs from the contract: uuid')
  expect(warnings.join()).toContain('person.dob')
  expect(warnings.join()).not.toContain('19610723')
})

it('a missing or wrong field is thrown with strict, with its name and without its value (§2)', async () => {
  const { call } = await retrieve(reply, { responseValidation: 'strict' })
  const error = await rejection(call())
  expect(error).toMatchObject({
    name: 'InvalidResponseError',
    code: 'RESPONSE_SHAPE',
    reason: 'shape',
    attempts: 1,
  })
  expect(String(error)).toContain('person.dob')
  expect(String(error)).not.toContain('19610723')
  expectNoCanary(error)
})

it('a missing or wrong field is neither logged nor thrown with off (§2)', async () => {
  const { call, warnings } = await retrieve(reply, { responseValidation: 'off' })
  await expect(call()).resolves.toEqual(reply.json)
  expect(warnings).toEqual([])
})

it('a wrong field of one record rejects its list with strict (§2)', async () => {
  const service = await ScriptedServer.start()
  const client = clientOf(service.origin, { responseValidation: 'strict' })
  service.on('GET /v1/results', { json: page('results', [result(), result()]) })
  await expect(client.results.list().toArray()).resolves.toHaveLength(2)
  service.on('GET /v1/results', { json: page('results', [result(), { ...result(), biomarkers: null }]) })
  await expect(client.results.list().toArray()).rejects.toMatchObject({ reason: 'shape' })
})

it('a commercial referral need not have the fields of Medicare referrals, with strict (§2.4)', async () => {
  const { orderingPractitioner, medicareCardNumber, dvaNumber, ...rest } = referral({ uuid: UUID })
  const { orderingPractitionerClinicalNotes, ...commercial } = rest
  expect([orderingPractitioner, medicareCardNumber, dvaNumber]).not.toContain(undefined)
  const service = await ScriptedServer.start()
  service.on(`GET /v1/referrals/${UUID}`, { json: commercial })
  const client = clientOf(service.origin, { responseValidation: 'strict' })
  expect(await client.referrals.retrieve(UUID)).toEqual(commercial)
  expect(orderingPractitionerClinicalNotes).not.toBeUndefined()
})

it.each([
  ['one referral', { ...referral(), dvaNumber: 7 }, 'dvaNumber'],
  ['a list of them', [referral(), { ...referral(), reference: null }], '[].reference'],
] as const)(
  'a wrong field of a placed order is logged and not thrown with strict: %s (§4.1)',
  async (_, json, place) => {
    const service = await ScriptedServer.start()
    const warnings: string[] = []
    const logger = { warn: (line: string) => warnings.push(line) }
    const client = clientOf(service.origin, { responseValidation: 'strict', logger })
    service.on('POST /v1/referrals', { json })
    const placed = await client.referrals.create(order())
    expect(placed.referrals[0].uuid).toMatch(UUID_TEXT)
    expect(warnings).toEqual([
      expect.stringContaining(`of referrals.create differs from the contract: ${place} should be string`),
    ])
  },
)
