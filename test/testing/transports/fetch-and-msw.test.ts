import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { networkInterfaces } from 'node:os'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { authorised, createFake, ORDER, read, record, records, startFake } from '../support.js'

describe('fake.fetch', () => {
  it('fake.fetch serves the API, the token service and documents', async () => {
    const fake = createFake()
    const token = await fake.fetch(`${fake.authUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'fake-client-id',
        client_secret: 'fake-client-secret',
      }),
    })
    const { access_token } = record(await token.json())
    const list = await fake.fetch(
      new Request(`${fake.baseUrl}/v1/referrals`, { headers: { authorization: `Bearer ${access_token}` } }),
    )
    const rows = records(record(await list.json())['referrals'])
    const url = rows.find((row) => row['referralAttachment'] !== null)?.['referralAttachment']
    expect(String(url)).toMatch(/^https:\/\/documents\.pathology-fake\.test\//)
    const pdf = await fake.fetch(String(url))
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
  })

  it('fake.fetch sends nothing to the network', async () => {
    const fake = createFake()
    await expect(fake.fetch('http://127.0.0.1:9/')).rejects.toThrow(TypeError)
  })

  it.each<[string, object, string | undefined]>([
    ['a reset', { reset: 'before' }, 'ECONNRESET'],
    ['no HTTP', { malformed: 'http' }, 'HPE_INVALID_CONSTANT'],
  ])(
    'fake.fetch rejects %s with the TypeError of a failed fetch, with its cause',
    async (_name, fault, code) => {
      const fake = createFake()
      fake.faults.next('GET /v1/vendors', fault)
      await expect(fake.fetch(`${fake.baseUrl}/v1/vendors`)).rejects.toMatchObject({
        name: 'TypeError',
        cause: { code },
      })
    },
  )

  it.each([200, 204, 304, 599])(
    'fake.fetch returns the lowest, highest and bodiless statuses of a fault: %i',
    async (status) => {
      const fake = createFake()
      fake.faults.next('GET /v1/vendors', { status })
      const response = await fake.fetch(`${fake.baseUrl}/v1/vendors`)
      expect(response.status).toBe(status)
    },
  )

  it('an incomplete body of fake.fetch fails while it is read', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    fake.faults.next('GET /v1/vendors', { truncate: true })
    const response = await fake.fetch(`${fake.baseUrl}/v1/vendors`, { headers })
    await expect(response.text()).rejects.toMatchObject({
      name: 'TypeError',
      cause: { code: 'UND_ERR_SOCKET' },
    })
  })

  it.each(['headers', 'body'] as const)('an abort ends a stall of the %s with its reason', async (stall) => {
    const fake = createFake()
    const headers = await authorised(fake)
    fake.faults.next('GET /v1/vendors', { stall })
    const signal = AbortSignal.timeout(30)
    const whole = fake
      .fetch(`${fake.baseUrl}/v1/vendors`, { headers, signal })
      .then((response) => response.text())
    await expect(whole).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('the end of the fake ends a slow body', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    fake.faults.next('GET /v1/vendors', { drip: { bytes: 1, everyMs: 20 } })
    const response = await fake.fetch(`${fake.baseUrl}/v1/vendors`, { headers })
    const body = response.text()
    await fake.close()
    await expect(body).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'UND_ERR_SOCKET' } })
  })

  it('an aborted signal stops the request before anything is done', async () => {
    const fake = createFake()
    await expect(
      fake.fetch(`${fake.baseUrl}/v1/vendors`, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      name: 'AbortError',
    })
    expect(fake.requests).toHaveLength(0)
  })

  it('an abort right after the call rejects it, and no order is placed', async () => {
    const fake = createFake({ seedReferrals: 0 })
    const headers = { ...(await authorised(fake)), 'content-type': 'application/json' }
    const controller = new AbortController()
    const call = fake.fetch(`${fake.baseUrl}/v1/referrals`, {
      method: 'POST',
      headers,
      body: JSON.stringify(ORDER),
      signal: controller.signal,
    })
    controller.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    expect(fake.referrals.all()).toHaveLength(0)
  })
})

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
)

describe('fake.handlers() under MSW', () => {
  let server: ReturnType<typeof setupServer> | undefined
  afterEach(() => server?.close())

  it('fake.handlers() serve global fetch from the state that every transport shares', async () => {
    const fake = createFake({ seedReferrals: 0 })
    server = setupServer(...fake.handlers())
    server.listen({ onUnhandledRequest: 'error' })
    const token = await fetch(`${fake.authUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'fake-client-id',
        client_secret: 'fake-client-secret',
      }),
    })
    const { access_token } = record(await token.json())
    const headers = { authorization: `Bearer ${access_token}`, accept: 'application/vnd.svc.v1.1.0+json' }
    const order = await fetch(`${fake.baseUrl}/v1/referrals`, {
      method: 'POST',
      headers,
      body: JSON.stringify(ORDER),
    })
    const [placed] = records(await order.json())
    expect(fake.referrals.all().map((referral) => referral.uuid)).toEqual([placed?.['uuid']])
    const listed = await fake.fetch(`${fake.baseUrl}/v1/referrals`, { headers })
    const [row] = records(record(await listed.json())['referrals'])
    const pdf = await fetch(String(row?.['referralAttachment']))
    expect((await pdf.text()).slice(0, 5)).toBe('%PDF-')
    fake.faults.next('GET /v1/vendors', { reset: 'before' })
    await expect(fetch(`${fake.baseUrl}/v1/vendors`, { headers })).rejects.toThrow(TypeError)
    expect(await read(await fetch(`${fake.baseUrl}/v1/vendors`, { headers }))).toMatchObject({ status: 200 })
  })

  it('fake.handlers() leave redirects to MSW: other handlers serve other origins, and node:http follows none', async () => {
    const fake = createFake()
    const other = http.get('https://other.example/', () => new Response('other'))
    server = setupServer(...fake.handlers(), other)
    server.listen({ onUnhandledRequest: 'error' })
    const headers = { location: 'https://other.example/' }
    fake.faults.next('GET /v1/vendors', { status: 302, headers }, { times: 2 })
    expect(await (await fetch(`${fake.baseUrl}/v1/vendors`)).text()).toBe('other')
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      https.get(`${fake.baseUrl}/v1/vendors`, resolve).on('error', reject)
    })
    response.resume()
    expect(response.statusCode).toBe(302)
  })

  it('fake.handlers() also serve the origins of a started server', async () => {
    const fake = await startFake()
    const { baseUrl } = fake
    server = setupServer(...fake.handlers())
    server.listen({ onUnhandledRequest: 'error' })
    expect(await read(await fetch(`${baseUrl}/v1/vendors`))).toMatchObject({ status: 401 })
  })

  it.skipIf(!hasIpv6)('fake.handlers() serve a fake on an IPv6 address', async () => {
    const fake = await startFake({ host: '::1' })
    const { baseUrl } = fake
    server = setupServer(...fake.handlers())
    server.listen({ onUnhandledRequest: 'error' })
    expect(baseUrl).toContain('[::1]')
    expect(await read(await fetch(`${baseUrl}/v1/vendors?count=1`))).toMatchObject({ status: 401 })
  })

  it('fake.handlers() print nothing when the caller aborts', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const fake = createFake()
    const headers = await authorised(fake)
    server = setupServer(...fake.handlers())
    server.listen({ onUnhandledRequest: 'error' })
    fake.faults.next('GET /v1/vendors', { stall: 'headers' })
    const signal = AbortSignal.timeout(30)
    await expect(fetch(`${fake.baseUrl}/v1/vendors`, { headers, signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(printed).not.toHaveBeenCalled()
  })
})
