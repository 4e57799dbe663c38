import { request as undiciRequest } from 'undici'
import { describe, expect, it } from 'vitest'

import {
  authorised,
  createFake,
  ORDER,
  orderOverApi,
  placeOrder,
  read,
  record,
  records,
  startFake,
} from '../support.js'

function formData(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  return data
}

const UNKNOWN = '6f2a1c1e-0000-4000-8000-000000000000'

describe('routes', () => {
  it('an unknown path gets 404 with a list of similar routes', async () => {
    const fake = await startFake()
    const { status, body } = await read(
      await fetch(`${fake.baseUrl}/v1/referal`, { headers: await authorised(fake) }),
    )
    expect(status).toBe(404)
    expect(body).toMatchObject({ error: true, code: 'NOT_FOUND', errorList: [] })
    expect(body['message']).toContain('GET /v1/referrals/{uuid}')
    expect(body['message']).not.toContain('webhooks')
  })

  it('a known path with another method gets 405, with the allowed methods', async () => {
    const fake = await startFake()
    const response = await fetch(`${fake.baseUrl}/v1/vendors`, {
      method: 'POST',
      headers: await authorised(fake),
    })
    expect(response.headers.get('allow')).toBe('GET')
    expect(await read(response)).toMatchObject({
      status: 405,
      body: { error: true, code: 'METHOD_NOT_ALLOWED' },
    })
  })

  it.each([
    ['GET', '/'],
    ['GET', '/v1'],
    ['GET', '/v2/referrals'],
    ['GET', '/referrals'],
    ['GET', `/v1/referrals/${UNKNOWN}/pdf`],
    ['PATCH', '/v1/providers/2426621B'],
    ['GET', '/v1/providers/2426621B/routing'],
    ['GET', '/v1/calculate'],
  ])('%s %s does not exist, and the response has the envelope of every error (§7)', async (method, path) => {
    const fake = createFake({ seedReferrals: 0 })
    const headers = await authorised(fake)
    const { status, body } = await read(await fake.fetch(`${fake.baseUrl}${path}`, { method, headers }))
    expect([404, 405]).toContain(status)
    const text = expect.any(String)
    expect(body).toEqual({ error: true, code: text, message: text, errorList: [] })
  })
})

describe('path and query parameters (§7)', () => {
  it.each([
    ['/v1/referrals/nonsense', ['uuid must be a UUID [field: uuid]']],
    ['/v1/results/..%2f..', ['uuid must be a UUID [field: uuid]']],
    ['/v1/webhooks/42', ['id must be a UUID [field: id]']],
    [
      '/v1/collection-centres/42?a=1',
      ['uuid must be a UUID [field: uuid]', 'a is not a parameter of this endpoint [field: a]'],
    ],
    [
      '/v1/vendors?x=1&y=2',
      [
        'x is not a parameter of this endpoint [field: x]',
        'y is not a parameter of this endpoint [field: y]',
      ],
    ],
  ])('%s gives 400 INVALID_PARAMETER with every problem (§7)', async (path, errorList) => {
    const fake = await startFake()
    const { status, body } = await read(
      await fetch(`${fake.baseUrl}${path}`, { headers: await authorised(fake) }),
    )
    expect(status).toBe(400)
    expect(body).toEqual({ error: true, code: 'INVALID_PARAMETER', message: expect.any(String), errorList })
  })

  it('an option accepts unknown query parameters (§7)', async () => {
    const fake = await startFake({ unknownQueryParameters: 'ignore' })
    const headers = await authorised(fake)
    for (const path of ['/v1/vendors?x=1', '/v1/referrals?x=1&count=1']) {
      const response = await fetch(`${fake.baseUrl}${path}`, { headers })
      expect(response.status).toBe(200)
      await response.arrayBuffer()
    }
    const created = await fetch(`${fake.baseUrl}/v1/webhooks?x=1`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'https://example.com/hook', events: ['referral.issued'] }),
    })
    expect(created.status).toBe(200)
    await created.arrayBuffer()
  })
})

describe('bodies (§7)', () => {
  it.each([
    ['no body', ''],
    ['a byte that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('a body with %s gives 400 INVALID_PAYLOAD (§7)', async (_name, body) => {
    const fake = await startFake()
    const headers = { ...(await authorised(fake)), 'content-type': 'application/json' }
    const response = await fetch(`${fake.baseUrl}/v1/referrals`, { method: 'POST', headers, body })
    const { status, body: envelope } = await read(response)
    expect(status).toBe(400)
    expect(envelope).toMatchObject({ error: true, code: 'INVALID_PAYLOAD' })
    expect(envelope['errorList']).toHaveLength(1)
  })

  it('the error names unknown fields, and an option accepts them (§7)', async () => {
    const order = { ...ORDER, colour: 'red', address: { ...ORDER.address, planet: 'Earth' } }
    const strict = createFake()
    const rejected = await placeOrder(strict, await authorised(strict), order)
    expect(rejected.status).toBe(400)
    expect(record(rejected.body)['errorList']).toEqual([
      'address.planet is not a field of this request [field: address.planet]',
      'colour is not a field of this request [field: colour]',
    ])
    const lenient = createFake({ unknownBodyFields: 'ignore' })
    const accepted = await placeOrder(lenient, await authorised(lenient), order)
    expect(accepted.status).toBe(200)
    expect(JSON.stringify(accepted.body)).not.toContain('Earth')
  })

  it('keys such as __proto__ are plain data (§7)', async () => {
    const fake = createFake()
    const body = JSON.stringify(ORDER).replace(
      '{',
      '{"metadata":{"__proto__":{"polluted":true},"constructor":1},',
    )
    const response = await fake.fetch(`${fake.baseUrl}/v1/referrals`, {
      method: 'POST',
      headers: await authorised(fake),
      body,
    })
    expect(response.status).toBe(200)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(await response.text()).toContain('"constructor":1')
  })

  it('a body above the limit gets 413 (§8)', async () => {
    const fake = await startFake({ maxBodyBytes: 1_000 })
    const headers = await authorised(fake)
    const response = await fetch(`${fake.baseUrl}/v1/referrals`, {
      method: 'POST',
      headers,
      body: 'x'.repeat(1_001),
    })
    expect(await read(response)).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } })
  })
})

describe('versions (§9)', () => {
  const shapeOf = async (accept: string | undefined) => {
    const fake = createFake()
    const { authorization = '' } = await authorised(fake)
    const headers: Record<string, string> = { authorization, ...(accept === undefined ? {} : { accept }) }
    const { status, body } = await placeOrder(fake, headers)
    if (status !== 200) return record(body)['code']
    return Array.isArray(body) ? 'list' : 'object'
  }

  it.each([
    [undefined, 'object'],
    ['*/*', 'object'],
    ['application/json', 'object'],
    ['application/vnd.svc.v1.0.0+json', 'object'],
    ['application/vnd.svc.v1.1.0+json', 'list'],
    ['Application/VND.svc.v1.1.0+JSON', 'list'],
    ['text/html, application/vnd.svc.v1.1.0+json;q=0.9', 'list'],
    ['application/vnd.svc.v9.9.9+json', 'INVALID_PARAMETER'],
    ['application/vnd.svc.v1.1+json', 'INVALID_PARAMETER'],
    ['application/vnd.svc.v1.1.0', 'INVALID_PARAMETER'],
  ])('Accept %s gives %s (§9)', async (accept, shape) => {
    expect(await shapeOf(accept)).toBe(shape)
  })

  it('an option treats an unknown version as 1.0.0 (§9)', async () => {
    const fake = createFake({ unknownVersion: 'ignore' })
    const { authorization = '' } = await authorised(fake)
    const { body } = await placeOrder(fake, { authorization, accept: 'application/vnd.svc.v7.0.0+json' })
    expect(record(body)['object']).toBe('referral')
  })

  it.each([{}, { accept: '*/*' }, { accept: 'text/html' }, { accept: 'application/vnd.svc.v1.1.0+json' }])(
    'errors are JSON with the headers %j (§7)',
    async (headers) => {
      const fake = await startFake()
      const response = await undiciRequest(`${fake.baseUrl}/v1/vendors`, { headers })
      expect(response.headers['content-type']).toContain('application/json')
      expect(await response.body.json()).toMatchObject({ error: true, code: 'MISSING_AUTHORIZATION_HEADER' })
    },
  )
})

describe('options for the form of responses', () => {
  it('an option adds fields to every object, and never inside metadata (§9)', async () => {
    const fake = createFake({ extraFields: true })
    const { body } = await placeOrder(fake, await authorised(fake), { ...ORDER, metadata: { a: { b: 1 } } })
    const [referral] = records(body)
    expect(referral).toMatchObject({ addedWithoutNotice: { since: 'v1' }, metadata: { a: { b: 1 } } })
    expect(record(referral?.['person'])['addedWithoutNotice']).toBeDefined()
    expect(record(referral?.['metadata'])).toEqual({ a: { b: 1 } })
  })

  it('an option gives unknown enum values (§9)', async () => {
    const fake = createFake({ unknownEnums: true })
    const { body } = await placeOrder(fake, await authorised(fake))
    expect(records(body)[0]).toMatchObject({ status: 'STATUS_OF_TOMORROW', origin: 'ORIGIN_OF_TOMORROW' })
  })
})

describe('the request journal', () => {
  it('the journal has requests in order without tokens and secrets', async () => {
    const fake = await startFake()
    const basic = Buffer.from('fake-client-id:fake-client-secret').toString('base64')
    await (
      await fetch(`${fake.authUrl}/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${basic}` },
        body: 'grant_type=refresh_token&refresh_token=canary-refresh&client_secret=canary-secret',
      })
    ).arrayBuffer()
    const headers = await authorised(fake)
    await placeOrder(fake, headers)
    const text = JSON.stringify(fake.requests)
    expect(text).not.toContain('canary')
    expect(text).not.toContain(basic)
    expect(text).not.toContain(headers['authorization'])
    expect(fake.requests).toMatchObject([
      { number: 1, part: 'auth', route: 'token', status: 400, code: '108', time: '2026-03-02T09:00:00.000Z' },
      {
        number: 2,
        part: 'api',
        route: 'referrals.create',
        status: 200,
        body: { referenceNumber: 'ORDER-1' },
      },
    ])
  })

  it.each<[string, string, RequestInit]>([
    ['JSON', '', { headers: { 'content-type': 'application/json' }, body: '{"client_secret":"canary"}' }],
    ['JSON that is labelled as a form', '', { body: '{"client":{"client_secret":"canary"}}' }],
    ['a part of JSON', '', { body: '{"client_secret":"canary"' }],
    ['multipart', '', { body: formData({ client_secret: 'canary' }) }],
    ['a form with a field in camel case', '', { body: 'clientSecret=canary&refreshToken=canary' }],
    ['a query', '?client_secret=canary&refresh_token=canary&grant_type=x', { body: 'grant_type=x' }],
  ])('the journal has no secrets of a malformed token request: %s', async (_name, query, init) => {
    const fake = createFake()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const request = { method: 'POST', ...(init.body instanceof FormData ? {} : { headers }), ...init }
    const response = await fake.fetch(`${fake.authUrl}/oauth/token${query}`, request)
    expect(response.status).toBe(400)
    expect(fake.requests).toMatchObject([{ route: 'token', status: 400 }])
    expect(JSON.stringify([...fake.requests])).not.toContain('canary')
  })

  it.each(['/token', '/v1/token', '/v1/vendors', '/auth/oauth/token'])(
    'the journal has no secrets of a token request in JSON to %s of the API',
    async (path) => {
      const fake = createFake()
      const body = JSON.stringify({ grant_type: 'client_credentials', client: { client_secret: 'canary' } })
      const response = await fake.fetch(`${fake.baseUrl}${path}`, { method: 'POST', body })
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(fake.requests[0]).toMatchObject({ part: 'api', body: { grant_type: 'client_credentials' } })
      expect(JSON.stringify([...fake.requests])).not.toContain('canary')
    },
  )

  it('the journal shows which fields a token request in JSON has', async () => {
    const fake = createFake()
    const body = JSON.stringify({ grant_type: 'client_credentials', client_secret: 'canary' })
    await fake.fetch(`${fake.authUrl}/oauth/token`, { method: 'POST', body })
    expect(fake.requests[0]?.body).toEqual({ grant_type: 'client_credentials', client_secret: '[redacted]' })
  })

  it('the journal keeps only the newest requests, and counts all of them', async () => {
    const fake = createFake({ journalLimit: 5 })
    const headers = await authorised(fake)
    for (let count = 0; count < 40; count += 1) await fake.fetch(`${fake.baseUrl}/v1/vendors`, { headers })
    expect(fake.requests).toHaveLength(5)
    expect(fake.requests.count).toBe(40)
    expect(fake.requests.map((entry) => entry.number)).toEqual([36, 37, 38, 39, 40])
  })

  it('the journal has responses too: headers, text and size, without tokens and signatures of URLs', async () => {
    const fake = await startFake()
    const form = {
      grant_type: 'client_credentials',
      client_id: 'fake-client-id',
      client_secret: 'fake-client-secret',
    }
    const token = await read(
      await fetch(`${fake.authUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) }),
    )
    const uuid = await orderOverApi(fake)
    const headers = await authorised(fake)
    const referral = await read(await fetch(`${fake.baseUrl}/v1/referrals/${uuid}`, { headers }))
    const url = String(referral.body['referralAttachment'])
    await (await fetch(url)).arrayBuffer()
    const text = JSON.stringify(fake.requests)
    expect(text).not.toContain(String(token.body['access_token']))
    expect(text).not.toContain(String(token.body['refresh_token']))
    expect(text).not.toContain(new URL(url).searchParams.get('signature'))
    const [first, order, , document] = fake.requests
    expect(first?.responseBody).toContain('"expires_in":3600')
    expect(order).toMatchObject({ responseHeaders: { 'x-request-id': 'fake-2' } })
    expect(order?.responseBody).toContain(uuid)
    expect(document).toMatchObject({
      responseBody: null,
      responseHeaders: { 'content-type': 'application/pdf' },
    })
    expect(document?.responseBytes).toBeGreaterThan(500)
  })

  it('the journal shortens long texts, and has no response of a request whose response was lost', async () => {
    const fake = await startFake()
    const headers = await authorised(fake)
    await (await fetch(`${fake.baseUrl}/v1/biomarkers`, { headers })).arrayBuffer()
    fake.faults.next('GET /v1/vendors', { reset: 'before' })
    await expect(fetch(`${fake.baseUrl}/v1/vendors`, { headers })).rejects.toThrow()
    const [long, lost] = fake.requests
    expect(long?.responseBody).toHaveLength(16_384)
    expect([long?.isResponseBodyCut, lost?.isResponseBodyCut]).toEqual([true, false])
    expect(long?.responseBytes).toBeGreaterThan(16_384)
    expect(lost).toMatchObject({ status: null, responseHeaders: {}, responseBody: null, responseBytes: 0 })
  })

  it('JSON with too many levels is rejected, and does not make other records of the journal unreadable', async () => {
    const fake = createFake({ seedReferrals: 0 })
    const headers = await authorised(fake)
    const nested = (levels: number): string => `{"note":${'['.repeat(levels)}${']'.repeat(levels)}}`
    const order = (levels: number): Promise<Response> =>
      fake.fetch(`${fake.baseUrl}/v1/referrals`, {
        method: 'POST',
        headers,
        body: `${JSON.stringify(ORDER).slice(0, -1)},"metadata":${nested(levels)}}`,
      })
    expect(await read(await order(100_000))).toMatchObject({ status: 400, body: { code: 'INVALID_PAYLOAD' } })
    expect((await order(500)).status).toBe(200)
    expect(fake.requests.map(({ status, body }) => [status, body === null])).toEqual([
      [400, true],
      [200, false],
    ])
    expect(fake.referrals.all()).toHaveLength(1)
  })

  it('the journal does not mark a text as cut whose masks make it shorter', async () => {
    const fake = createFake({ seedReferrals: 0 })
    const headers = await authorised(fake)
    const { body } = await placeOrder(fake, headers, { ...ORDER, metadata: { note: 'é'.repeat(12_000) } })
    await fake.fetch(`${fake.baseUrl}/v1/referrals/${records(body)[0]?.['uuid']}`, { headers })
    const entry = fake.requests.at(-1)
    expect(entry?.responseBody).toContain('signature=[redacted]')
    expect(entry?.responseBytes).toBeGreaterThan(24_000)
    expect(entry?.isResponseBodyCut).toBe(false)
  })

  it('the journal marks a repeated change, and a read that repeats a failed one', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    const vendors = () => fake.fetch(`${fake.baseUrl}/v1/vendors`, { headers })
    fake.faults.next('GET /v1/vendors', { status: 503 })
    await vendors()
    await vendors()
    await vendors()
    await placeOrder(fake, headers)
    await placeOrder(fake, headers)
    await placeOrder(fake, headers, { ...ORDER, referenceNumber: 'OTHER' })
    expect(fake.requests.map(({ repeatOf }) => repeatOf)).toEqual([null, 1, null, null, 4, null])
  })

  it('the journal does not mark a request that only another part of the fake has received', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    const url = `${new URL(fake.authUrl).origin}/v1/referrals`
    const sent = { ...headers, 'content-type': 'application/json' }
    await fake.fetch(url, { method: 'POST', headers: sent, body: JSON.stringify(ORDER) })
    await placeOrder(fake, headers)
    expect(fake.requests.map(({ part, repeatOf }) => [part, repeatOf])).toEqual([
      ['auth', null],
      ['api', null],
    ])
  })

  it('the journal has the body of a change that a fault or a 401 has answered, and marks its repetition', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    fake.faults.next('POST /v1/referrals', { status: 503 })
    await placeOrder(fake, headers)
    await placeOrder(fake, headers)
    await placeOrder(fake, { authorization: 'Bearer none' }, { ...ORDER, referenceNumber: 'OTHER' })
    const orders = fake.requests.filter(({ method }) => method === 'POST')
    expect(orders.map(({ status }) => status)).toEqual([503, 200, 401])
    expect(orders.map(({ repeatOf, number }) => repeatOf && number - repeatOf)).toEqual([null, 1, null])
    expect(orders[0]?.body).toEqual(ORDER)
  })

  it('the journal returns copies', async () => {
    const fake = createFake()
    await placeOrder(fake, await authorised(fake))
    const [entry] = fake.requests
    Object.assign(record(entry?.body), { referenceNumber: 'changed' })
    Reflect.set(Object(entry?.body), 'referenceNumber', 'changed')
    expect(fake.requests[0]?.body).toMatchObject({ referenceNumber: 'ORDER-1' })
  })
})

describe('the time of responses (§8)', () => {
  it('documents and responses carry the time of the fake clock, and a request id (§8)', async () => {
    const fake = await startFake()
    const response = await fetch(`${fake.baseUrl}/v1/vendors`, { headers: await authorised(fake) })
    await response.arrayBuffer()
    expect(response.headers.get('date')).toBe('Mon, 02 Mar 2026 09:00:00 GMT')
    expect(response.headers.get('x-request-id')).toBe('fake-1')
  })
})
