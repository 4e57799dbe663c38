import type { ClientOptions, FetchLike } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { order, PROVIDER_NUMBER, page, referral, UUID } from '../../support/samples.js'
import { type Reply, type Script, ScriptedServer } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { REFERRAL, refusal, reset, WEBHOOK } from '../resources/reconciler-world.js'
import { callWith, ok } from './run-world.js'

const GET = `GET ${REFERRAL}`
const PUT = `PUT ${REFERRAL}`
const SAVE = 'POST /v1/providers'
const saved = { providerNumber: PROVIDER_NUMBER, name: 'Dr Ada Roe', address: '1 Clinic Road' }

const CHECK_FIRST = 'check whether it was carried out before you call again'

async function setUp(route: string, replies: readonly Script[], options: ClientOptions = {}) {
  const server = await ScriptedServer.start()
  server.on(route, ...replies)
  const clock = new SkippingClock()
  return { server, clock, client: clientOf(server.origin, { clock, ...options }) }
}

describe('the outcome of a response', () => {
  it.each([300, 301, 399])('%i is a redirect, which is never followed: check baseUrl', async (status) => {
    const { client, server } = await setUp(GET, [{ status, headers: { location: '/elsewhere' } }])
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toMatchObject({ name: 'InvalidResponseError', reason: 'redirect', status, attempts: 1 })
    expect(String(error)).toBe(
      `InvalidResponseError: GET /v1/referrals/{uuid} at ${server.origin}: the response is a redirect, which the client never follows; ` +
        `the request went to ${server.origin}/v1/referrals/{uuid}: check that baseUrl is the address of the API`,
    )
  })

  it('a redirect of a write: it is unknown whether the write was carried out', async () => {
    const { client } = await setUp(SAVE, [{ status: 307, headers: { location: '/elsewhere' } }])
    const message = String(await rejection(client.providers.save(saved)))
    expect(message).toContain(
      'never follows; it is unknown whether the request was carried out; the request went to http',
    )
  })

  it('401 again, with a new token: refused, and not sent a third time (§1)', async () => {
    const { client, server } = await setUp(SAVE, [refusal(401, 'INVALID_JWT')])
    const error = await rejection(client.providers.save(saved))
    expect(error).toMatchObject({ name: 'AuthenticationError', outcome: 'refused', attempts: 2 })
    expect(server.calls).toHaveLength(2)
  })

  it('503 to a write that may be repeated: unknown, and retryable', async () => {
    const { client } = await setUp(SAVE, [{ status: 503 }])
    const error = await rejection(client.providers.save(saved, { maxRetries: 0 }))
    expect(error).toMatchObject({ name: 'ServerError', outcome: 'unknown', retryable: true })
  })

  it('503 to each attempt of a read: the message says how many there were, and what to do next', async () => {
    const { client } = await setUp(GET, [{ status: 503 }])
    expect(String(await rejection(client.referrals.retrieve(UUID)))).toBe(
      'ServerError: GET /v1/referrals/{uuid} returned 503 after 3 attempts: nothing was changed; ' +
        'call again later, and report it to the service if it persists',
    )
  })

  it('503 to a write that may not be repeated: unknown, and not retryable', async () => {
    const { client } = await setUp(PUT, [{ status: 503 }])
    const error = await rejection(client.referrals.generateResults(UUID))
    expect(error).toMatchObject({ name: 'ServerError', outcome: 'unknown', retryable: false, attempts: 1 })
  })

  it('a lost deletion, then a 404 that is not JSON: the referral is read, and returned as deleted', async () => {
    const deleted = referral({ uuid: UUID, deletedAt: '2026-03-02T01:02:03.000Z' })
    const { client, server } = await setUp(`DELETE ${REFERRAL}`, [reset, { status: 404, text: '<html>' }])
    server.on(GET, { json: deleted })
    await expect(client.referrals.delete(UUID)).resolves.toEqual(deleted)
    expect(server.count(`DELETE ${REFERRAL}`)).toBe(2)
  })

  it('a lost deletion of a webhook, then a 400 that is not JSON: the 400 is final', async () => {
    const { client, server } = await setUp(`DELETE ${WEBHOOK}`, [reset, { status: 400, text: '<html>' }])
    const error = await rejection(client.webhooks.delete('wh_0001'))
    expect(error).toMatchObject({ name: 'BadRequestError', outcome: 'unknown', attempts: 2 })
    expect(server.calls).toHaveLength(2)
  })

  it.each<[number, string]>([
    [429, 'br'],
    [503, 'br'],
    [503, 'gzip'],
  ])(
    '%i whose body cannot be decoded, with the encoding %s, is retried by its status',
    async (status, encoding) => {
      const encoded = { status, text: 'x', headers: { 'content-encoding': encoding } }
      const { client, server } = await setUp(GET, [encoded, { json: referral({ uuid: UUID }) }])
      await expect(client.referrals.retrieve(UUID)).resolves.toMatchObject({ uuid: UUID })
      expect(server.calls).toHaveLength(2)
    },
  )

  it.each(['br', 'gzip'])(
    '401 whose body cannot be decoded, with the encoding %s: a new token is requested',
    async (encoding) => {
      const encoded = { status: 401, text: 'x', headers: { 'content-encoding': encoding } }
      const { client, server } = await setUp(GET, [encoded, { json: referral({ uuid: UUID }) }])
      await expect(client.referrals.retrieve(UUID)).resolves.toMatchObject({ uuid: UUID })
      expect(server.tokenRequests).toHaveLength(2)
    },
  )

  it.each<[string, Reply, ClientOptions]>([
    ['an unrequested encoding', { text: 'x', headers: { 'content-encoding': 'br' } }, {}],
    ['more than the limit', { text: ' '.repeat(9_000) }, { maxResponseBytes: 8_000 }],
  ])('an order whose response has %s is looked up, and found', async (_, reply, options) => {
    const { client, server } = await setUp('POST /v1/referrals', [reply], options)
    server.on('GET /v1/referrals', () => {
      const { metadata } = JSON.parse(server.calls[0]?.body ?? '')
      return { json: page('referrals', [referral({ metadata, createdAt: new Date().toISOString() })]) }
    })
    await expect(client.referrals.create(order())).resolves.toMatchObject({ recovered: true })
    expect(server.count('POST /v1/referrals')).toBe(1)
  })

  it.each<[string, Reply, ClientOptions, string]>([
    [
      'encoding',
      { text: 'x', headers: { 'content-encoding': 'br' } },
      {},
      '; check the proxies between the client and the service',
    ],
    ['too-large', { text: ' '.repeat(9_000) }, { maxResponseBytes: 8_000 }, '; increase maxResponseBytes'],
  ])(
    'a read is not sent again after a response that stays unusable: %s',
    async (reason, reply, options, next) => {
      const { client, server } = await setUp(GET, [reply], options)
      const error = await rejection(client.referrals.retrieve(UUID))
      expect(error).toMatchObject({ reason, outcome: 'failed', attempts: 1, retryable: false })
      expect(String(error)).toMatch(new RegExp(`: the response (has|is) [^;]*${next}$`))
      expect(server.calls).toHaveLength(1)
    },
  )

  it.each<[string, Script, string]>([
    ['a response that is too large', { text: ' '.repeat(9_000) }, 'is larger than the limit'],
    ['a response that is cut off', { text: '{' }, 'is truncated'],
    ['a connection that is reset', reset, 'was reset'],
  ])('%s, of a write that may not be repeated: check first', async (_, reply, problem) => {
    const { client } = await setUp(PUT, [reply], { maxResponseBytes: 8_000 })
    const error = await rejection(client.referrals.generateResults(UUID))
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1, retryable: false })
    expect(String(error)).toMatch(new RegExp(`${problem}; it is unknown whether .*; ${CHECK_FIRST}$`))
  })

  it('a connection that is reset again and again, of a read: call again', async () => {
    const { client } = await setUp(GET, [reset])
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'failed', retryable: true })
    expect(String(error)).toMatch(/: the connection was reset; nothing was changed; call again$/)
  })

  it('a rejected certificate is final: nothing is sent again', async () => {
    const service = await ScriptedServer.start()
    let tries = 0
    const fetch: FetchLike = async (input, init) => {
      if (input.endsWith('/oauth/token')) return globalThis.fetch(input, init)
      tries += 1
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' }),
      })
    }
    const error = await rejection(clientOf(service.origin, { fetch }).referrals.retrieve(UUID))
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'tls', outcome: 'not-sent' })
    expect(tries).toBe(1)
  })

  it("the client's own defect is thrown unchanged", async () => {
    const defect = new RangeError('defect')
    const contradictionOf = (): never => {
      throw defect
    }
    expect(await rejection(callWith([ok], { input: { contradictionOf } }).run())).toBe(defect)
  })
})

describe('the time limit of a call', () => {
  const NEXT = 'call again, or set a longer timeout'

  it('a read without a response: the message says what to do, and nothing was changed', async () => {
    const { client, clock, server } = await setUp(GET, [{ hang: 'before' }])
    const call = rejection(client.referrals.retrieve(UUID, { timeout: 15_000 }))
    await expect.poll(() => server.calls.length).toBe(1)
    clock.advance(15_000)
    const error = await call
    expect(error).toMatchObject({ name: 'TimeoutError', code: 'TIMEOUT', timeout: 15_000, attempts: 1 })
    expect(error).toMatchObject({ outcome: 'failed', retryable: true })
    expect(String(error)).toBe(
      `TimeoutError: GET /v1/referrals/{uuid} did not end within 15000 ms: nothing was changed; ${NEXT}`,
    )
  })

  it.each([
    ['may be repeated', SAVE, true, NEXT],
    ['may not be repeated', PUT, false, CHECK_FIRST],
  ] as const)('a write that %s, without a response', async (_, route, retryable, next) => {
    const { client, clock, server } = await setUp(route, [{ hang: 'before' }])
    const options = { timeout: 15_000 }
    const call = rejection(
      route === SAVE
        ? client.providers.save(saved, options)
        : client.referrals.generateResults(UUID, options),
    )
    await expect.poll(() => server.calls.length).toBe(1)
    clock.advance(15_000)
    const error = await call
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', retryable })
    expect(String(error)).toMatch(
      new RegExp(`within 15000 ms: it is unknown whether the request was carried out; ${next}$`),
    )
  })

  it("a write that its caller aborts rejects with the signal's reason, not with a TimeoutError", async () => {
    const { client, server } = await setUp(PUT, [{ hang: 'before' }])
    const abort = new AbortController()
    const call = rejection(client.referrals.generateResults(UUID, { signal: abort.signal }))
    await expect.poll(() => server.calls.length).toBe(1)
    abort.abort('stop')
    expect(await call).toBe('stop')
  })

  it('an order without a response is looked up', async () => {
    const { client, clock, server } = await setUp('POST /v1/referrals', [{ hang: 'before' }])
    server.on('GET /v1/referrals', { json: { referrals: [] } })
    const call = rejection(client.referrals.create(order(), { timeout: 15_000 }))
    await expect.poll(() => server.count('POST /v1/referrals')).toBe(1)
    clock.advance(15_000)
    expect(await call).toMatchObject({ name: 'OrderOutcomeUnknownError', cause: { name: 'TimeoutError' } })
    expect(server.count('GET /v1/referrals')).toBeGreaterThan(0)
  })

  it('a call that waits for a connection: nothing was sent, and the message names maxSockets', async () => {
    const { client, clock, server } = await setUp(GET, [{ hang: 'before' }], { maxSockets: 1 })
    const first = rejection(client.referrals.retrieve(UUID, { timeout: 20_000 }))
    await expect.poll(() => server.calls.length).toBe(1)
    const second = rejection(client.providers.save(saved, { timeout: 15_000 }))
    await expect.poll(() => clock.pending).toBe(2)
    clock.advance(15_000)
    const error = await second
    clock.advance(5_000)
    expect(await first).toMatchObject({ outcome: 'failed' })
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not-sent', timeout: 15_000 })
    expect(String(error)).toBe(
      `TimeoutError: POST /v1/providers did not end within 15000 ms: nothing was sent; the call was still waiting for a free connection (maxSockets); ${NEXT}`,
    )
    expect(server.calls).toHaveLength(1)
  })

  it('a pause after a 429 that is longer: the call fails at once, and the message says when to call again', async () => {
    const slow = { ...refusal(429, 'RATE_LIMITED'), headers: { 'retry-after': '30' } }
    const { client, server } = await setUp(GET, [slow])
    await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
    const error = await rejection(client.providers.save(saved, { timeout: 15_000 }))
    expect(error).toMatchObject({
      ...{ name: 'RateLimitError', status: 429, retryAfter: 30_000, outcome: 'not-sent', attempts: 0 },
      ...{ method: 'POST', path: '/v1/providers', code: undefined, errorList: [], requestId: undefined },
    })
    expect(String(error)).toBe(
      'RateLimitError: POST /v1/providers: after a 429 to GET /v1/referrals/{uuid}, this call can be sent in 30000 ms, later than its time limit; nothing was sent; call again after this time',
    )
    expect(server.calls).toHaveLength(1)
  })
})
