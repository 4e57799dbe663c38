import { FakePathologyService } from 'pathology-sdk/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { authorised, createFake, NOW } from '../support.js'

const LIST = '/v1/referrals'

/** Sends a request that is redirected to `location`. Returns the outcome and the requests that the fake received. */
async function redirected(
  fake: FakePathologyService,
  send: typeof globalThis.fetch,
  { status, location, ...init }: RequestInit & { readonly status: number; readonly location?: string },
): Promise<unknown> {
  const before = fake.requests.count
  fake.faults.next('*', { status, headers: location === undefined ? {} : { location } })
  const headers = { ...(await authorised(fake)), 'content-type': 'application/json', cookie: 'a=b' }
  const outcome = await send(`${fake.baseUrl}${LIST}`, { headers, ...init }).then(
    async (response) => {
      await response.body?.cancel()
      return { status: response.status, location: response.headers.get('location') }
    },
    (error: unknown) => ({ error, cause: error instanceof Error ? error.cause : undefined }),
  )
  const requests = fake.requests
    .filter(({ number }) => number > before)
    .map(({ part, method, path, body, status: sent, headers: received }) => {
      const { authorization, cookie, 'content-type': type } = received
      return { part, method, path, body, sent, authorization, cookie, type }
    })
  return { outcome, requests }
}

const cells = [301, 302, 303, 307, 308].flatMap((status) =>
  ['GET', 'HEAD', 'POST', 'PATCH'].flatMap((method) => [
    { status, method, origin: 'same' },
    { status, method, origin: 'other' },
  ]),
)

let fake: FakePathologyService
beforeAll(async () => {
  fake = await FakePathologyService.start({ startTime: NOW, centreCount: 0 })
})
afterAll(() => fake.close())

describe('fake.fetch and a redirect', () => {
  it.each(cells)(
    'fake.fetch follows $method $status to $origin origin as fetch over HTTP does',
    async ({ status, method, origin }) => {
      // The documents have an origin of their own.
      const document = fake.referrals.all().find((row) => row.referralAttachment !== null)
      const location = origin === 'same' ? '/v1/vendors?count=1' : String(document?.referralAttachment)
      const body = method === 'GET' || method === 'HEAD' ? null : '{"firstName":"Ada"}'
      const expected = await redirected(fake, globalThis.fetch, { status, location, method, body })
      expect(expected).toMatchObject({ requests: [{ path: LIST, sent: status }, {}] })
      expect(await redirected(fake, fake.fetch, { status, location, method, body })).toEqual(expected)
    },
  )

  it.each([
    { redirect: 'manual', location: '/v1/vendors' },
    { redirect: 'error', location: '/v1/vendors' },
    { redirect: 'error' },
    { redirect: 'follow' },
  ] as const)('fake.fetch has the option redirect, as fetch over HTTP: %j', async (init) => {
    const expected = await redirected(fake, globalThis.fetch, { status: 302, ...init })
    expect(expected).toMatchObject({ requests: [{ path: LIST, sent: 302 }] })
    expect(await redirected(fake, fake.fetch, { status: 302, ...init })).toEqual(expected)
  })

  it('fake.fetch follows at most 20 redirects', async () => {
    const fake = createFake()
    fake.faults.next('*', { status: 302, headers: { location: '/v1/tests' } }, { times: Infinity })
    await expect(fake.fetch(`${fake.baseUrl}/v1/vendors`)).rejects.toMatchObject({
      name: 'TypeError',
      cause: { message: 'redirect count exceeded' },
    })
    expect(fake.requests).toHaveLength(21)
  })

  it('a redirect to another origin rejects with a TypeError, and sends nothing to the network', async () => {
    const fake = createFake()
    fake.faults.next('*', { status: 307, headers: { location: 'https://other.example/v1/vendors' } })
    await expect(fake.fetch(`${fake.baseUrl}/v1/vendors`)).rejects.toMatchObject({
      name: 'TypeError',
      cause: { message: expect.stringContaining('the fake does not serve https://other.example') },
    })
    expect(fake.requests).toHaveLength(1)
  })

  it('an abort before the second response of a redirect rejects with its reason', async () => {
    const fake = createFake()
    fake.faults.next('*', { status: 302, headers: { location: '/v1/vendors' } })
    fake.faults.next('*', { stall: 'headers' })
    await expect(
      fake.fetch(`${fake.baseUrl}${LIST}`, { signal: AbortSignal.timeout(30) }),
    ).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(fake.requests).toHaveLength(2)
  })
})
