import type { ClientOptions, FetchLike } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import type { Call, CallContext } from '../../../src/client/call/call.js'
import { failureOfAttempt } from '../../../src/client/call/failures.js'
import { clientOf, rejection } from '../../support/clients.js'
import { PROVIDER_NUMBER, referral, UUID } from '../../support/samples.js'
import { type Reply, type Script, ScriptedServer, token } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { limited, REFERRAL, refusal, reset, server } from '../resources/reconciler-world.js'

const OTHER = UUID.replace(/.$/, 'f')
const GET = `GET ${REFERRAL}`
const PUT = `PUT ${REFERRAL}`
const SAVE = 'POST /v1/providers'
const TOKEN = 'POST /oauth/token'
const saved = { providerNumber: PROVIDER_NUMBER, name: 'Dr Ada Roe', address: '1 Clinic Road' }
const hang: Reply = { hang: 'before' }
const redirect: Reply = { status: 307, headers: { location: '/elsewhere' } }

const CHECK_FIRST = 'check whether it was carried out before you call again'

async function setUp(route: string, replies: readonly Script[], options: ClientOptions = {}) {
  const service = await ScriptedServer.start()
  service.on(route, ...replies)
  const clock = new SkippingClock()
  return { service, clock, client: clientOf(service.origin, { clock, ...options }) }
}

describe('the outcome is the possible effect of all attempts together', () => {
  it.each([
    ['reset, then 400', [reset, refusal(400, 'INVALID_PAYLOAD')], 'unknown'],
    ['503, then 429s', [refusal(503, 'X'), limited], 'unknown'],
    ['429, then 400', [limited, refusal(400, 'INVALID_PAYLOAD')], 'failed'],
    ['429s', [limited], 'refused'],
    ['400', [refusal(400, 'INVALID_PAYLOAD')], 'failed'],
    ['500s', [refusal(500, 'X')], 'unknown'],
    ['redirect', [redirect], 'unknown'],
    ['reset, then redirect', [reset, redirect], 'unknown'],
  ] as const)('the outcome of a write after %s', async (_, replies, outcome) => {
    const { client } = await setUp(SAVE, replies)
    const error = await rejection(client.providers.save(saved))
    expect(error).toMatchObject({ outcome })
    expect(String(error).includes('it is unknown')).toBe(outcome === 'unknown')
  })

  it.each([
    ['reset, then 404', [reset, refusal(404, 'REFERRAL_NOT_FOUND')], 'failed'],
    ['resets', [reset], 'failed'],
    ['500s', [refusal(500, 'X')], 'failed'],
    ['429s', [limited], 'refused'],
    ['not JSON', [{ text: '<html>' }], 'failed'],
  ] as const)('the outcome of a read, which changes nothing, after %s', async (_, replies, outcome) => {
    const { client } = await setUp(GET, replies)
    expect(await rejection(client.referrals.retrieve(UUID))).toMatchObject({ outcome })
  })

  it('a write whose response was lost, and that then gets no connection, may have been carried out', async () => {
    const service = await server()
    service.on(SAVE, ({ method }) => {
      setImmediate(() => void service.close())
      return { status: 503, text: method }
    })
    const error = await rejection(clientOf(service.origin).providers.save(saved))
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'refused', outcome: 'unknown' })
  })

  it.each([
    ['a 401', [refusal(401, 'INVALID_JWT')], [token, hang], 'refused', 1],
    ['a 429 and a 401', [limited, refusal(401, 'INVALID_JWT')], [token, hang], 'refused', 2],
    ['a reset and a 401', [reset, refusal(401, 'INVALID_JWT')], [token, hang], 'unknown', 2],
    ['no request', [refusal(500, 'X')], [hang], 'not-sent', 0],
  ] as const)(
    'a write that gets no token in time after %s',
    async (_, replies, tokens, outcome, attempts) => {
      const { service, client, clock } = await setUp(SAVE, replies)
      service.on(TOKEN, ...tokens)
      const pending = rejection(client.providers.save(saved, { timeout: 15_000 }))
      await expect.poll(() => service.count(TOKEN)).toBe(tokens.length)
      clock.advance(15_000)
      expect(await pending).toMatchObject({ name: 'TimeoutError', outcome, attempts })
    },
  )
})

it.each([300, 399])(
  'a redirect with %i is never followed, and the error says to check baseUrl',
  async (status) => {
    const { client, service } = await setUp(GET, [{ status, headers: { location: '/elsewhere' } }])
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toMatchObject({ name: 'InvalidResponseError', reason: 'redirect', status, attempts: 1 })
    expect(String(error)).toBe(
      `InvalidResponseError: GET /v1/referrals/{uuid} at ${service.origin}: the response is a redirect, which the client never follows; ` +
        `the request went to ${service.origin}/v1/referrals/{uuid}: check that baseUrl is the address of the API`,
    )
  },
)

it('an error after several attempts says how many there were, and what to do next', async () => {
  const { client } = await setUp(GET, [{ status: 503 }])
  expect(String(await rejection(client.referrals.retrieve(UUID)))).toBe(
    'ServerError: GET /v1/referrals/{uuid} returned 503 after 3 attempts: nothing was changed; ' +
      'call again later, and report it to the service if it persists',
  )
})

it.each<[string, Script, string]>([
  ['a response that is too large', { text: ' '.repeat(9_000) }, 'is larger than the limit'],
  ['a response that is cut off', { text: '{' }, 'is truncated'],
  ['a connection that is reset', reset, 'was reset'],
])('%s, of a write that may not be repeated, asks for a check', async (_, reply, problem) => {
  const { client } = await setUp(PUT, [reply], { maxResponseBytes: 8_000 })
  const error = await rejection(client.referrals.generateResults(UUID))
  expect(error).toMatchObject({ outcome: 'unknown', attempts: 1, retryable: false })
  expect(String(error)).toMatch(new RegExp(`${problem}; it is unknown whether .*; ${CHECK_FIRST}$`))
})

it.each<[string, Reply, string]>([
  [
    'encoding',
    { text: 'x', headers: { 'content-encoding': 'br' } },
    '; check the proxies between the client and the service',
  ],
  ['too-large', { text: ' '.repeat(9_000) }, '; increase maxResponseBytes'],
])('a read is not sent again after a response that stays unusable: %s', async (reason, reply, next) => {
  const { client, service } = await setUp(GET, [reply], { maxResponseBytes: 8_000 })
  const error = await rejection(client.referrals.retrieve(UUID))
  expect(error).toMatchObject({ reason, outcome: 'failed', attempts: 1, retryable: false })
  expect(String(error)).toMatch(new RegExp(`: the response (has|is) [^;]*${next}$`))
  expect(service.calls).toHaveLength(1)
})

it('an error response that cannot be decoded is retried by its status', async () => {
  const encoded = { status: 503, text: 'x', headers: { 'content-encoding': 'br' } }
  const { client, service } = await setUp(GET, [encoded, { json: { uuid: UUID } }])
  await expect(client.referrals.retrieve(UUID)).resolves.toMatchObject({ uuid: UUID })
  expect(service.calls).toHaveLength(2)
})

it('a read whose connection is reset again and again may be called again', async () => {
  const { client } = await setUp(GET, [reset])
  const error = await rejection(client.referrals.retrieve(UUID))
  expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'failed', retryable: true })
  expect(String(error)).toMatch(/: the connection was reset; nothing was changed; call again$/)
})

it('nothing is sent again after a rejected certificate', async () => {
  const { service } = await setUp(GET, [])
  let tries = 0
  const fetch: FetchLike = async (input, init) => {
    if (input.endsWith('/oauth/token')) return globalThis.fetch(input, init)
    tries += 1
    const cause = Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' })
    throw new TypeError('fetch failed', { cause })
  }
  const error = await rejection(clientOf(service.origin, { fetch }).referrals.retrieve(UUID))
  expect(error).toMatchObject({ name: 'ConnectionError', reason: 'tls', outcome: 'not-sent' })
  expect(tries).toBe(1)
})

it('a write that was perhaps carried out, and that the 429 to another call holds back, asks for a check', async () => {
  const { client, service } = await setUp(`PATCH ${REFERRAL}`, [reset])
  const limit = () => rejection(client.referrals.retrieve(OTHER, { maxRetries: 0 }))
  service.on(GET, () => ({ json: referral({ uuid: UUID }), after: limit().then(() => undefined) }))
  service.on(`GET /v1/referrals/${OTHER}`, { ...refusal(429, 'X'), headers: { 'retry-after': '30' } })
  const error = await rejection(client.referrals.update(UUID, { phone: '0362001234' }, { timeout: 15_000 }))
  expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'unknown', attempts: 1 })
  expect(String(error)).toMatch(
    new RegExp(`later than its time limit; it is unknown whether .*; ${CHECK_FIRST}$`),
  )
})

it('a defect of the client while it reads a response is thrown unchanged', () => {
  const defect = new RangeError('defect')
  expect(failureOfAttempt({} as CallContext, {} as Call, defect, 200)).toBe(defect)
})

it.each([
  ['a read', GET, 'failed', true, 'nothing was changed; call again, or set a longer timeout'],
  [
    'a write that may be repeated',
    SAVE,
    'unknown',
    true,
    'it is unknown whether the request was carried out; call again, or set a longer timeout',
  ],
  [
    'a write that may not be repeated',
    PUT,
    'unknown',
    false,
    `it is unknown whether the request was carried out; ${CHECK_FIRST}`,
  ],
] as const)('%s without a response ends at its time limit', async (_, route, outcome, retryable, advice) => {
  const { client, clock, service } = await setUp(route, [hang])
  const options = { timeout: 15_000 }
  const calls = {
    [GET]: () => client.referrals.retrieve(UUID, options),
    [SAVE]: () => client.providers.save(saved, options),
    [PUT]: () => client.referrals.generateResults(UUID, options),
  }
  const call = rejection(calls[route]?.() ?? Promise.resolve())
  await expect.poll(() => service.calls.length).toBe(1)
  clock.advance(15_000)
  const error = await call
  expect(error).toMatchObject({ name: 'TimeoutError', code: 'TIMEOUT', timeout: 15_000, attempts: 1 })
  expect(error).toMatchObject({ outcome, retryable })
  expect(String(error)).toContain(` did not end within 15000 ms: ${advice}`)
})
