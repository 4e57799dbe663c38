import { createHmac, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { encryptedTokenStore, memoryOrderLedger, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { createWebhookReceiver, parseWebhookEvent, verifyWebhook } from 'pathology-sdk/webhooks'
import { expect, it, vi } from 'vitest'
import { order } from '../support/samples.js'

const SECRET = 'whsec-of-the-environment'
const EVENT = {
  eventName: 'referral.issued',
  eventUuid: '7c0e8a52-3f0b-4c7d-9b58-2d3a54f6a001',
  version: '1.0',
  data: { uuid: 'b7f4c1d2-6a3e-4f58-8e21-90cf3a6d4e10', status: 'ISSUED' },
}
/** Bytes of Node's realm. In jsdom, the global `Uint8Array` is of another realm. */
const BODY = Buffer.from(JSON.stringify(EVENT))
const HEADERS = {
  'content-type': 'application/json',
  'x-svc-hmac-sha256': createHmac('sha256', SECRET).update(BODY).digest('hex'),
}

/** The same bytes, of the environment's own `Uint8Array`. */
const ownBytes = (bytes: Uint8Array) => Uint8Array.from(bytes)

function receiving() {
  const seen: string[] = []
  const receiver = createWebhookReceiver({
    secret: SECRET,
    on: { '*': ({ eventName }) => void seen.push(eventName) },
  })
  return { seen, receiver }
}

/** Declares the tests that pass in every environment of a test runner. */
export function flowTests(): void {
  it('an order is placed in the fake, listed, and its document is read', async () => {
    const fake = new FakePathologyService({ seedReferrals: 0, centreCount: 10 })
    await using client = new PathologyClient(fake.clientOptions())
    const placed = await client.referrals.create(order({ tests: ['ferritin'] }))
    const [{ uuid }] = placed.referrals
    expect((await client.referrals.list().toArray()).map((listed) => listed.uuid)).toEqual([uuid])
    expect((await client.referrals.waitFor(uuid, { status: 'ISSUED' })).status).toBe('ISSUED')
    const pdf = await client.referrals.document(uuid).bytes()
    expect(new TextDecoder().decode(pdf.subarray(0, 5))).toBe('%PDF-')
    const response = await client.referrals.document(uuid).toResponse()
    expect((await response.arrayBuffer()).byteLength).toBe(pdf.byteLength)
  })

  it('a client orders over HTTP, from a fake with a server', async () => {
    await using fake = await FakePathologyService.start({ port: 0, seedReferrals: 0, centreCount: 10 })
    await using client = new PathologyClient(fake.clientOptions())
    const placed = await client.referrals.create(order({ tests: ['ferritin'] }), { orderKey: 'job-1' })
    const found = await client.referrals.findByOrderKey('job-1')
    expect(found?.referrals.map(({ uuid }) => uuid)).toEqual(placed.referrals.map(({ uuid }) => uuid))
    const pdf = await client.referrals.document(placed.referrals[0].uuid).bytes()
    expect(new TextDecoder().decode(pdf.subarray(0, 5))).toBe('%PDF-')
  })

  it("fake.fetch takes the environment's Request, Headers, URL and bytes", async () => {
    const fake = new FakePathologyService({ seedReferrals: 0, centreCount: 10 })
    const { authUrl, clientId, clientSecret } = fake.clientOptions()
    const form = new URLSearchParams({ grant_type: 'client_credentials' })
    const basic = `Basic ${btoa(`${clientId}:${clientSecret}`)}`
    const answer = await fake.fetch(new URL(`${authUrl}/oauth/token`), {
      method: 'POST',
      headers: new Headers({ authorization: basic, 'content-type': 'application/x-www-form-urlencoded' }),
      body: ownBytes(Buffer.from(String(form))),
      signal: new AbortController().signal,
    })
    expect(answer.status).toBe(200)
    const tokens: unknown = await answer.json()
    const headers = { authorization: `Bearer ${Reflect.get(Object(tokens), 'access_token')}` }
    const read = await fake.fetch(new Request(new URL(`${fake.baseUrl}/v1/vendors`), { headers }))
    expect(read.status).toBe(200)
    await fake.close()
  })

  it("fake.fetch takes the media type of the environment's URLSearchParams and Blob", async () => {
    const fake = new FakePathologyService({ seedReferrals: 0, centreCount: 10 })
    const { authUrl, clientId, clientSecret } = fake.clientOptions()
    const headers = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` }
    const form = new URLSearchParams({ grant_type: 'client_credentials' })
    for (const body of [form, new Blob([String(form)], { type: 'application/x-www-form-urlencoded' })]) {
      const url = `${authUrl}/oauth/token`
      expect((await fake.fetch(url, { method: 'POST', headers, body })).status).toBe(200)
      expect((await fake.fetch(new Request(url, { method: 'POST', headers, body }))).status).toBe(200)
    }
    await fake.close()
  })

  it("a request ends by the environment's AbortSignal", async () => {
    await using fake = await FakePathologyService.start({ port: 0, centreCount: 10 })
    await using client = new PathologyClient(fake.clientOptions())
    const before = AbortSignal.abort(new Error('before the request'))
    await expect(client.vendors.list({}, { signal: before }).toArray()).rejects.toThrow('before the request')
    const controller = new AbortController()
    fake.faults.next('GET /v1/vendors', { stall: 'headers' })
    const read = client.vendors.list({}, { signal: controller.signal }).toArray()
    await expect.poll(() => fake.requests.some(({ path }) => path.includes('/vendors'))).toBe(true)
    controller.abort(new Error('during the request'))
    await expect(read).rejects.toThrow('during the request')
    const late = client.referrals.waitFor('00000000-0000-4000-8000-000000000000', {
      status: 'ISSUED',
      signal: before,
    })
    await expect(late).rejects.toThrow('before the request')
  })

  it('receiver.node accepts a delivery', async () => {
    const { seen, receiver } = receiving()
    const server = createServer(receiver.node)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const fake = new FakePathologyService({
      signingSecret: SECRET,
      seedReferrals: 5,
      centreCount: 10,
      allowLoopbackWebhooks: true,
    })
    fake.webhooks.createInPortal({ url: `http://127.0.0.1:${port}/webhooks`, events: ['result.updated'] })
    fake.trigger('result.updated')
    await fake.settled()
    expect(seen).toEqual(['result.updated'])
    expect(fake.deliveries[0]?.status).toBe('delivered')
    server.close()
    server.closeAllConnections()
    await fake.close()
  })

  it.each([
    ['of Node', BODY],
    ['of the environment', ownBytes(BODY)],
  ])('receiver.node accepts stored bytes %s', async (_, rawBody) => {
    const { seen, receiver } = receiving()
    const statuses: number[] = []
    const request = Object.assign(Readable.from([]), { method: 'POST', headers: HEADERS, rawBody })
    const response = {
      headersSent: false,
      writeHead: (status: number) => statuses.push(status),
      end: vi.fn(),
    }
    await receiver.node(request, response)
    expect([statuses, seen]).toEqual([[200], ['referral.issued']])
  })

  it("receiver.fetch accepts the environment's Request, with text and with bytes", async () => {
    const { seen, receiver } = receiving()
    for (const body of [BODY.toString(), ownBytes(BODY)]) {
      const request = new Request('http://localhost/', { method: 'POST', headers: HEADERS, body })
      expect((await receiver.fetch(request)).status).toBe(200)
    }
    expect(seen).toHaveLength(1) // the second is a duplicate
  })

  it('receiver.fetch accepts a request whose stream gives bytes of any realm', async () => {
    const { receiver } = receiving()
    for (const chunk of [BODY, ownBytes(BODY)]) {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(chunk)
          controller.close()
        },
      })
      const request = { method: 'POST', headers: new Headers(HEADERS), body, bodyUsed: false }
      expect((await Reflect.apply(receiver.fetch, undefined, [request])).status).toBe(200)
    }
  })

  it.each([
    ['a Buffer', BODY],
    ['a Uint8Array', ownBytes(BODY)],
    ['an ArrayBuffer', ownBytes(BODY).buffer],
    ["Node's ArrayBuffer", new Uint8Array(BODY).slice().buffer],
    ['text', BODY.toString()],
  ])('verifyWebhook accepts %s', async (_, body) => {
    expect(await verifyWebhook(body, new Headers(HEADERS), SECRET)).toEqual(EVENT)
    expect(await verifyWebhook(body, new Map(Object.entries(HEADERS)), SECRET)).toEqual(EVENT)
  })

  it('parseWebhookEvent reads bytes of any realm', () => {
    expect([BODY, ownBytes(BODY)].map(parseWebhookEvent)).toEqual([EVENT, EVENT])
  })

  it('encryptedTokenStore takes keys of any realm and in base64', async () => {
    const key = randomBytes(32)
    for (const given of [key, ownBytes(key), key.toString('base64')]) {
      const entries = new Map<string, string>()
      const store = encryptedTokenStore(entries, given)
      await store.set('name', 'a token')
      expect(await store.get('name')).toBe('a token')
      expect(await encryptedTokenStore(entries, key).get('name')).toBe('a token')
    }
  })

  it('the key of order fingerprints may be bytes of any realm', async () => {
    const key = randomBytes(32)
    for (const given of [key, ownBytes(key)]) {
      const fake = new FakePathologyService({ seedReferrals: 0, centreCount: 10 })
      const orderLedger = memoryOrderLedger({ fingerprintKey: { id: 'a', key: given } })
      await using client = new PathologyClient({ ...fake.clientOptions(), orderLedger })
      const placed = await client.referrals.create(order({ tests: ['ferritin'] }), { orderKey: 'job-2' })
      expect(placed.recovered).toBe(false)
    }
  })

  it("the option proxy takes the environment's URL", () => {
    const fake = new FakePathologyService({ seedReferrals: 0, centreCount: 10 })
    const { fetch: _, ...options } = fake.clientOptions()
    expect(() => new PathologyClient({ ...options, proxy: new URL('http://127.0.0.1:9') })).not.toThrow()
  })
}
