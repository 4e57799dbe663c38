import { request as httpRequest } from 'node:http'

import fc from 'fast-check'
import { FakePathologyService, type FakeStartOptions } from 'pathology-sdk/testing'
import { describe, expect, it } from 'vitest'

import { authorised, placeOrder, rawRequest, record, startFake } from '../support.js'

/** Sends a GET to the fake with any Host header, as a browser does for a page with that name. */
function get(
  url: string,
  host: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { headers: { ...headers, host } }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}

async function statusFor(fake: FakePathologyService, host: string): Promise<number | undefined> {
  // The fake may listen on every address: the connection itself goes to this machine.
  const { port } = new URL(fake.baseUrl)
  const { status } = await get(`http://127.0.0.1:${port}/v1/vendors`, host, await authorised(fake))
  return status
}

const small = (options: FakeStartOptions = {}): Promise<FakePathologyService> =>
  startFake({ seedReferrals: 0, centreCount: 0, ...options })

describe('the Host header of requests to a fake on a loopback address', () => {
  it('a page with a name that resolves to this machine cannot read a referral or a document', async () => {
    const fake = await small()
    const headers = await authorised(fake)
    const { body } = await placeOrder(fake, headers)
    const uuid = String(record(Array.isArray(body) ? body[0] : body)['uuid'])
    const { referralAttachment } = fake.referrals.retrieve(uuid)
    const before = fake.requests.count
    const answers = await Promise.all([
      get(`${fake.baseUrl}/v1/referrals/${uuid}`, 'rebound.example', headers),
      get(`${fake.authUrl}/oauth/token`, 'rebound.example'),
      get(String(referralAttachment), 'rebound.example:80'),
    ])
    for (const { status, text } of answers) {
      expect(status).toBe(421)
      expect(text).not.toContain('Byron')
      expect(JSON.parse(text)).toEqual({
        error: true,
        code: 'HOST_NOT_ALLOWED',
        message: expect.stringMatching(/rebound\.example.*localhost.*allowedHosts/),
        errorList: [],
      })
    }
    expect(fake.requests.count).toBe(before)
  })

  it('a fake on a loopback address accepts names and addresses of this machine, and no others', async () => {
    const fake = await small()
    for (const host of [
      'localhost',
      'localhost:80',
      'fake.localhost:3000',
      'LOCALHOST',
      '127.8.9.10:1',
      '[::1]:443',
    ])
      expect(await statusFor(fake, host), host).toBe(200)
    for (const host of [
      'localhost.example',
      'notlocalhost',
      '127.0.0.1.example',
      '0.0.0.0',
      '10.0.0.1',
      '[::2]',
    ])
      expect(await statusFor(fake, host), host).toBe(421)
    for (const host of ['localhost@rebound.example', 'rebound.example#localhost'])
      expect(await statusFor(fake, host), host).not.toBe(200)
  })

  it('a request with an empty Host is rejected', async () => {
    const fake = await small()
    const { text } = await rawRequest(fake.baseUrl, '/v1/vendors', { host: '' })
    expect(text).toMatch(/^HTTP\/1.1 4(00|21) /)
  })

  it('every name of another domain is rejected as Host', async () => {
    const fake = await small()
    await fc.assert(
      fc.asyncProperty(fc.domain(), fc.option(fc.nat(65_535)), async (name, port) => {
        expect(await statusFor(fake, port === null ? name : `${name}:${port}`)).toBe(421)
      }),
      { numRuns: 30 },
    )
  })

  it('the names of allowedHosts are accepted, with any port and in any case, and no others', async () => {
    const fake = await small({ allowedHosts: ['fake.internal', 'Proxy'] })
    expect(await statusFor(fake, 'fake.internal')).toBe(200)
    expect(await statusFor(fake, 'FAKE.internal:8443')).toBe(200)
    expect(await statusFor(fake, 'proxy')).toBe(200)
    expect(await statusFor(fake, 'localhost')).toBe(200)
    expect(await statusFor(fake, 'other.internal')).toBe(421)
    expect(await statusFor(fake, 'sub.fake.internal')).toBe(421)
  })

  it('the name localhost counts as a loopback address', async () => {
    expect(await statusFor(await small({ host: 'localhost' }), 'rebound.example')).toBe(421)
  })
})

describe('the Host header of requests to a fake for other machines', () => {
  it('a fake for other machines accepts the name of a service in a container network', async () => {
    expect(await statusFor(await small({ host: '0.0.0.0' }), 'pathology-fake:8080')).toBe(200)
  })

  it('a fake for other machines accepts only the listed names with allowedHosts', async () => {
    const fake = await small({ host: '0.0.0.0', allowedHosts: ['pathology-fake'] })
    expect(await statusFor(fake, 'pathology-fake:8080')).toBe(200)
    expect(await statusFor(fake, 'rebound.example')).toBe(421)
  })
})

it.each([['https://fake.internal'], ['fake.internal:80'], [''], ['*.internal']])(
  'allowedHosts does not accept %j',
  async (name) => {
    await expect(small({ allowedHosts: [name] })).rejects.toThrow(
      /'allowedHosts' must be a list of host names/,
    )
  },
)

describe('a fake on every address', () => {
  it.each(['0.0.0.0', '::'])('with %s document URLs have the host name of the request', async (host) => {
    const fake = await small({ host })
    expect(new URL(fake.baseUrl).hostname).toMatch(/^(127\.0\.0\.1|\[::1\])$/)
    const headers = await authorised(fake)
    const { body } = await placeOrder(fake, headers)
    const uuid = String(record(Array.isArray(body) ? body[0] : body)['uuid'])
    const { port } = new URL(fake.baseUrl)
    const attachment = async (name: string): Promise<URL> => {
      const { text } = await get(`${fake.baseUrl}/v1/referrals/${uuid}`, `${name}:${port}`, headers)
      return new URL(String(record(JSON.parse(text))['referralAttachment']))
    }
    const inside = await attachment('pathology-fake')
    expect(inside.hostname).toBe('pathology-fake')
    const local = await attachment('localhost')
    expect(local.hostname).toBe('localhost')
    expect(local.port).toBe(inside.port)
    expect(
      (await get(inside.href.replace('pathology-fake', new URL(fake.baseUrl).hostname), 'x')).status,
    ).toBe(200)
    expect(new URL(String(fake.referrals.retrieve(uuid).referralAttachment)).hostname).not.toContain('0.0.0')
  })
})

it.each(['fake.internal', null, {}])(
  'allowedHosts does not accept %j instead of a list',
  async (allowedHosts) => {
    const started: Promise<FakePathologyService> = Reflect.apply(
      FakePathologyService.start,
      FakePathologyService,
      [{ allowedHosts }],
    )
    await expect(started).rejects.toThrow(/'allowedHosts' must be a list of host names/)
  },
)
