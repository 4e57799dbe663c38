import { randomUUID } from 'node:crypto'
import { request as undiciRequest } from 'undici'
import { describe, expect, it } from 'vitest'

import { authorised, createFake, ORDER, type RawResponse, rawRequest, read, startFake } from '../support.js'

const ROUTE = 'GET /v1/vendors'

async function askRaw(fault: object, quietMs?: number, firstMs?: number): Promise<RawResponse> {
  const fake = await startFake()
  fake.faults.next(ROUTE, fault)
  return rawRequest(fake.baseUrl, '/v1/vendors', await authorised(fake), quietMs, firstMs)
}

const bodyOf = ({ text }: RawResponse): string => text.slice(text.indexOf('\r\n\r\n') + 4)
const lengthOf = ({ text }: RawResponse): number => Number(/content-length: (\d+)/i.exec(text)?.[1])

describe('faults on a real socket', () => {
  it('without a fault, the complete response of the fake arrives and the connection stays open', async () => {
    const fake = await startFake()
    const response = await rawRequest(fake.baseUrl, '/v1/vendors', await authorised(fake), 100)
    expect(response.end).toBe('open')
    expect(bodyOf(response)).toHaveLength(lengthOf(response))
  })

  it('the fault reset: before gives no byte, and a reset', async () => {
    expect(await askRaw({ reset: 'before' })).toEqual({ text: '', end: 'reset' })
  })

  it('the fault reset: mid-body gives headers, half the body, and a reset', async () => {
    const response = await askRaw({ reset: 'mid-body' })
    expect(response.end).toBe('reset')
    expect(response.text).toMatch(/^HTTP\/1\.1 200/)
    expect(bodyOf(response)).toHaveLength(Math.floor(lengthOf(response) / 2))
  })

  it('the fault truncate gives half the declared length, then a normal close', async () => {
    const response = await askRaw({ truncate: true })
    expect(response.end).toBe('closed')
    expect(bodyOf(response)).toHaveLength(Math.floor(lengthOf(response) / 2))
  })

  it('the fault malformed: http gives bytes that are not HTTP', async () => {
    const response = await askRaw({ malformed: 'http' })
    expect(response.text).not.toMatch(/^HTTP/)
    expect(response.text.length).toBeGreaterThan(0)
  })

  it('the fault malformed: json gives the right length, and half the JSON text', async () => {
    const response = await askRaw({ malformed: 'json' }, 100)
    expect(bodyOf(response)).toHaveLength(lengthOf(response))
    expect(() => JSON.parse(bodyOf(response))).toThrow(SyntaxError)
  })

  it('the fault stall: headers gives no bytes, and the connection stays open', async () => {
    expect(await askRaw({ stall: 'headers' }, 100, 100)).toEqual({ text: '', end: 'open' })
  })

  it('the fault stall: body gives half the body, and the connection stays open', async () => {
    const response = await askRaw({ stall: 'body' }, 100)
    expect(response.end).toBe('open')
    expect(bodyOf(response)).toHaveLength(Math.floor(lengthOf(response) / 2))
  })

  it('the fault drip gives the complete body, a few bytes at a time', async () => {
    const fake = await startFake()
    fake.faults.next(ROUTE, { drip: { bytes: 100, everyMs: 1 } })
    const { body } = await undiciRequest(`${fake.baseUrl}/v1/vendors`, { headers: await authorised(fake) })
    const sizes: number[] = []
    for await (const chunk of body) sizes.push(Buffer.byteLength(chunk))
    expect(sizes.length).toBeGreaterThan(3)
  })

  it('a response with latency arrives late, after that of a request which was sent later', async () => {
    const fake = await startFake()
    const headers = await authorised(fake)
    fake.faults.next(ROUTE, { latencyMs: 200 })
    const arrived: string[] = []
    const ask = async (name: string) => {
      const { status } = await fetch(`${fake.baseUrl}/v1/vendors`, { headers })
      arrived.push(`${name} ${status}`)
    }
    const late = ask('late')
    await expect.poll(() => fake.faults.list().length).toBe(0)
    await Promise.all([late, ask('prompt')])
    expect(arrived).toEqual(['prompt 200', 'late 200'])
  })

  it('a fault has a status with body, code, headers and Retry-After', async () => {
    const fake = await startFake()
    const headers = await authorised(fake)
    fake.faults.next(ROUTE, { status: 503, retryAfter: 7 })
    fake.faults.next(ROUTE, { status: 502, body: '<html>bad gateway</html>', headers: { 'X-Proxy': 'p' } })
    fake.faults.next(ROUTE, { status: 429, retryAfter: 'soon' })
    fake.faults.next(ROUTE, { status: 418, body: { teapot: true } })
    const first = await fetch(`${fake.baseUrl}/v1/vendors`, { headers })
    expect(first.headers.get('retry-after')).toBe('7')
    expect(await read(first)).toMatchObject({
      status: 503,
      body: { error: true, code: 'INTERNAL_ERROR', errorList: [] },
    })
    const second = await fetch(`${fake.baseUrl}/v1/vendors`, { headers })
    expect(second.headers.get('content-type')).toContain('text/html')
    expect(second.headers.get('x-proxy')).toBe('p')
    expect(await second.text()).toBe('<html>bad gateway</html>')
    const third = await fetch(`${fake.baseUrl}/v1/vendors`, { headers })
    expect(third.headers.get('retry-after')).toBe('soon')
    expect(await read(third)).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
    expect(await read(await fetch(`${fake.baseUrl}/v1/vendors`, { headers }))).toEqual({
      status: 418,
      body: { teapot: true },
    })
    expect(await read(await fetch(`${fake.baseUrl}/v1/vendors`, { headers }))).toMatchObject({ status: 200 })
  })
})

describe('unusual statuses', () => {
  it.each([204, 304, 302, 599])(
    'the unusual status %i of a fault reaches a client completely',
    async (status) => {
      const fake = await startFake()
      fake.faults.next(ROUTE, { status, headers: { location: 'https://elsewhere.example/' } })
      const response = await undiciRequest(`${fake.baseUrl}/v1/vendors`, { headers: await authorised(fake) })
      expect(response.statusCode).toBe(status)
      const bodiless = status === 204 || status === 304
      expect((await response.body.text()).length > 0).toBe(!bodiless)
    },
  )
})

describe('a request that is carried out and whose response is lost', () => {
  const post = async (fault: object) => {
    const fake = await startFake({ seedReferrals: 0 })
    fake.faults.next('POST /v1/referrals', fault)
    const headers = { ...(await authorised(fake)), 'content-type': 'application/json' }
    const outcome = await undiciRequest(`${fake.baseUrl}/v1/referrals`, {
      method: 'POST',
      headers,
      body: JSON.stringify(ORDER),
    }).then(
      (response) => response.statusCode,
      (error: Error) => Reflect.get(error, 'code'),
    )
    return { outcome, placed: fake.referrals.all().length, journal: fake.requests.at(-1) }
  }

  it('with loseResponse and reset the order exists and the connection is reset', async () => {
    const { outcome, placed, journal } = await post({ loseResponse: true })
    expect(['ECONNRESET', 'UND_ERR_SOCKET']).toContain(outcome)
    expect(placed).toBe(1)
    expect(journal).toMatchObject({ route: 'referrals.create', status: null, code: null, fault: 1 })
  })

  it.each([
    { drip: { bytes: 100, everyMs: 1 } },
    { truncate: true },
    { stall: 'body' },
    { reset: 'mid-body' },
    { malformed: 'json' },
  ])('with loseResponse nothing of the response arrives, also with %j', async (fault) => {
    const { outcome, placed, journal } = await post({ loseResponse: true, ...fault })
    expect(['ECONNRESET', 'UND_ERR_SOCKET']).toContain(outcome)
    expect(placed).toBe(1)
    expect(journal).toMatchObject({ status: null, fault: 1 })
  })

  it('the journal has the code of the response that was lost', async () => {
    const fake = await startFake({ seedReferrals: 0 })
    fake.faults.next('GET /v1/referrals/{uuid}', { loseResponse: true })
    const headers = await authorised(fake)
    await undiciRequest(`${fake.baseUrl}/v1/referrals/${randomUUID()}`, { headers }).catch(() => undefined)
    expect(fake.requests.at(-1)).toMatchObject({ status: null, code: 'REFERRAL_NOT_FOUND', fault: 1 })
  })

  it('with loseResponse and status the order exists and a gateway responds with 502', async () => {
    expect(await post({ loseResponse: true, status: 502, body: 'Bad Gateway' })).toMatchObject({
      outcome: 502,
      placed: 1,
    })
  })

  it('a fault without loseResponse does not carry out the request', async () => {
    expect(await post({ status: 500 })).toMatchObject({ outcome: 500, placed: 0 })
    expect(await post({ reset: 'before' })).toMatchObject({ placed: 0 })
  })

  it.each([
    { reset: 'mid-body', stall: 'headers' },
    { reset: 'mid-body', malformed: 'http' },
  ])('a field that is ignored after another field does not replace the response: %j', async (fault) => {
    const { outcome, placed, journal } = await post(fault)
    expect(outcome).toBe(200)
    expect(placed).toBe(1)
    expect(journal).toMatchObject({ status: 200, code: null, fault: 1 })
  })
})

describe('requests to which a fault applies', () => {
  const statuses = async (
    route: string,
    when: object,
    paths: readonly string[],
    seed = 1,
  ): Promise<number[]> => {
    const fake = await startFake({ seed })
    const headers = await authorised(fake)
    fake.faults.next(route, { status: 503 }, when)
    const found: number[] = []
    for (const path of paths) {
      const response = await fake.fetch(`${fake.baseUrl}${path}`, { headers })
      found.push(response.status)
    }
    return found
  }
  const VENDORS = Array.from({ length: 5 }, () => '/v1/vendors')

  it('a fault applies once by default', async () => {
    expect(await statuses(ROUTE, {}, VENDORS)).toEqual([503, 200, 200, 200, 200])
    expect(await statuses(ROUTE, { times: 2 }, VENDORS)).toEqual([503, 503, 200, 200, 200])
    expect(await statuses(ROUTE, { times: Infinity }, VENDORS)).toEqual([503, 503, 503, 503, 503])
    expect(await statuses(ROUTE, { nth: 3 }, VENDORS)).toEqual([200, 200, 503, 200, 200])
    expect(await statuses(ROUTE, { nth: 2, times: 2 }, VENDORS)).toEqual([200, 503, 503, 200, 200])
  })

  it('a fault applies by template, real path or *', async () => {
    const uuid = '6f2a1c1e-0000-4000-8000-000000000000'
    const paths = ['/v1/vendors', `/v1/referrals/${uuid}`, `/v1/results/${uuid}`]
    const all = { times: Infinity }
    expect(await statuses('GET /v1/referrals/{uuid}', all, paths)).toEqual([200, 503, 404])
    expect(await statuses(`GET /v1/results/${uuid}`, all, paths)).toEqual([200, 404, 503])
    expect(await statuses('GET *', all, paths)).toEqual([503, 503, 503])
    expect(await statuses('* /v1/vendors', all, paths)).toEqual([503, 404, 404])
    expect(await statuses('*', all, paths)).toEqual([503, 503, 503])
    expect(await statuses('POST *', all, paths)).toEqual([200, 404, 404])
  })

  it.each(['GET /v1/referrals/{id}', 'GET /v1/referrals/', 'GET /v1/providers/{number}', '* /v1/x/{uuid}'])(
    'a route that no request can have is rejected: %s',
    (route) => {
      const fake = createFake()
      expect(() => fake.faults.next(route, { status: 503 })).toThrow(/^the fake has no route /)
      expect(fake.faults.list()).toEqual([])
    },
  )

  it('a fault applies with a probability, drawn from the seed: the same seed gives the same faults', async () => {
    const many = Array.from({ length: 60 }, () => '/v1/vendors')
    const when = { probability: 0.3, times: Infinity }
    const first = await statuses(ROUTE, when, many)
    expect(await statuses(ROUTE, when, many)).toEqual(first)
    expect(await statuses(ROUTE, when, many, 2)).not.toEqual(first)
    const met = first.filter((status) => status === 503).length
    expect(met).toBeGreaterThan(6)
    expect(met).toBeLessThan(36)
  })

  it('a fault applies to the token endpoint and documents too', async () => {
    const fake = await startFake()
    fake.faults.next('POST /oauth/token', { status: 500, body: 'oops' })
    fake.faults.next('GET /documents/{name}', { status: 503 })
    const token = await fetch(`${fake.authUrl}/oauth/token`, { method: 'POST' })
    expect(token.status).toBe(500)
    await token.arrayBuffer()
    const url = fake.referrals
      .all()
      .find((referral) => referral.referralAttachment !== null)?.referralAttachment
    const document = await fetch(String(url))
    expect(document.status).toBe(503)
    await document.arrayBuffer()
    fake.assertNoUnusedFaults()
  })

  it.each<[string, object, object]>([
    ['GET /v1/referal', { status: 500 }, {}],
    ['PUT /v1/vendors', { status: 500 }, {}],
    ['/v1/vendors', { status: 500 }, {}],
    [ROUTE, { status: 500, retryafter: 1 }, {}],
    [ROUTE, { status: 199 }, {}],
    [ROUTE, { status: 600 }, {}],
    [ROUTE, { reset: 'after' }, {}],
    [ROUTE, { body: 'x' }, {}],
    [ROUTE, { status: 200, body: { total: 1n } }, {}],
    [ROUTE, { code: 'INVALID_STATUS', latencyMs: 1 }, {}],
    [ROUTE, { drip: { bytes: 0, everyMs: 1 } }, {}],
    [ROUTE, { headers: { 'x-evil': 'a\r\nb' } }, {}],
    [ROUTE, { retryAfter: 'a\r\nb' }, {}],
    [ROUTE, { status: 500 }, { often: 1 }],
    [ROUTE, { status: 500 }, { times: 0 }],
    [ROUTE, { status: 500 }, { nth: 0 }],
    [ROUTE, { status: 500 }, { probability: 2 }],
  ])('a fault of %s with %o and %o is rejected', async (route, fault, when) => {
    const fake = await startFake()
    expect(() => fake.faults.next(route, fault, when)).toThrow(RangeError)
    fake.assertNoUnusedFaults()
  })

  it.each([
    ['POST /referrals', 'POST /v1/referrals'],
    ['GET /v1/vendor', 'GET /v1/vendors'],
  ])('an unknown route %s has a suggestion', async (route, meant) => {
    const fake = await startFake()
    expect(() => fake.faults.next(route, { status: 500 })).toThrow(`did you mean '${meant}'?`)
  })

  it('assertNoUnusedFaults names the faults that were applied too few times', async () => {
    const fake = await startFake()
    fake.faults.next('GET /v1/tests', { status: 500 })
    fake.faults.next(ROUTE, { status: 500 }, { times: Infinity })
    expect(() => fake.assertNoUnusedFaults()).toThrow(
      /2 faults[\s\S]*GET \/v1\/tests[\s\S]*GET \/v1\/vendors/,
    )
    const headers = await authorised(fake)
    await fake.fetch(`${fake.baseUrl}/v1/vendors`, { headers })
    expect(() => fake.assertNoUnusedFaults()).toThrow(/^1 fault was applied too few times:/)
    const [waiting] = fake.faults.list()
    expect(fake.faults.remove(waiting?.id ?? 0)).toBe(true)
    fake.assertNoUnusedFaults()
  })
})

it('assertNoUnusedFaults names faults of requests and of deliveries', () => {
  const fake = createFake()
  fake.faults.next('GET /v1/tests', { status: 500 })
  fake.deliveries.fault({ kind: 'lost' })
  expect(() => fake.assertNoUnusedFaults()).toThrow(
    /^1 fault was applied too few times:\n.*\/v1\/tests.*\n1 delivery fault was applied too few times: lost$/,
  )
})

describe('faults of deliveries', () => {
  it('faults.clear() removes faults of deliveries too, and so does deliveries.clearFaults() alone', () => {
    const fake = createFake()
    fake.faults.next('GET /v1/vendors', { status: 500 })
    fake.deliveries.fault({ kind: 'lost' })
    fake.deliveries.clearFaults()
    expect([fake.faults.list().length, fake.deliveries.unusedFaults().length]).toEqual([1, 0])
    fake.deliveries.fault({ kind: 'duplicate' })
    fake.faults.clear()
    expect([fake.faults.list().length, fake.deliveries.unusedFaults().length]).toEqual([0, 0])
    fake.assertNoUnusedFaults()
  })
})

it('many requests that wait at the same time cause no warning of the process', async () => {
  const warnings: string[] = []
  const read = (warning: Error): void => void warnings.push(warning.name)
  process.on('warning', read)
  try {
    const fake = createFake({ centreCount: 0 })
    fake.faults.next('*', { latencyMs: 20 }, { times: 60 })
    const headers = await authorised(fake)
    const requests = Array.from({ length: 60 }, () => fake.fetch(`${fake.baseUrl}/v1/vendors`, { headers }))
    for (const { status } of await Promise.all(requests)) expect(status).toBe(200)
    await new Promise((resolve) => setImmediate(resolve))
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', read)
  }
})
