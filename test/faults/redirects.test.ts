import type { ClientOptions, PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { CANARIES, expectNoCanary } from '../support/canaries.js'
import { clientOf, rejection } from '../support/clients.js'
import { medicareOrder, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { SkippingClock } from '../support/skipping-clock.js'

const STATUSES = [301, 302, 303, 307, 308] as const
const TRANSPORTS: Readonly<Record<string, ClientOptions>> = {
  'the dispatcher': {},
  fetch: { fetch: globalThis.fetch },
}
const CALLS: Readonly<Record<string, (client: PathologyClient) => PromiseLike<unknown>>> = {
  'GET referrals/{uuid}': (client) => client.referrals.retrieve(UUID),
  'GET referrals': (client) => client.referrals.list().toArray(),
  'POST referrals': (client) => client.referrals.create(medicareOrder()),
  'PATCH referrals': (client) => client.referrals.update(UUID, { phone: '0362001234' }),
  'DELETE referrals': (client) => client.referrals.delete(UUID),
}
const cells = Object.keys(CALLS).flatMap((call) =>
  Object.keys(TRANSPORTS).flatMap((transport) =>
    (call === 'GET referrals/{uuid}' ? STATUSES : [307]).map((status) => ({ call, transport, status })),
  ),
)

async function setUp(transport: string) {
  const evil = await ScriptedServer.start()
  const service = await ScriptedServer.start()
  const location = `${evil.origin}/v1/referrals?stolen=${CANARIES.signature}`
  const client = clientOf(service.origin, { orderRecoveryTimeout: 0, ...TRANSPORTS[transport] })
  return { evil, service, location, client }
}

describe('a redirect to another origin is never followed with the access token', () => {
  it.each(cells)(
    'a redirect of $call with $status to another origin is never followed, over $transport',
    async ({ call, transport, status }) => {
      const { evil, service, location, client } = await setUp(transport)
      const redirect = { status, headers: { location }, text: '' }
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
        service.on(`${method} /v1/referrals`, redirect).on(`${method} /v1/referrals/${UUID}`, redirect)
      }
      const error = await rejection(CALLS[call]?.(client) ?? Promise.resolve())
      expect(error).toMatchObject({
        name: 'InvalidResponseError',
        reason: 'redirect',
        code: 'RESPONSE_REDIRECT',
        status,
      })
      expect(error).toMatchObject({ attempts: 1 })
      expect(String(error)).toContain(service.origin)
      expect(String(error)).toContain('check that baseUrl is the address')
      expect(String(error)).not.toContain(evil.origin)
      expectNoCanary(error)
      expect(evil.requests).toEqual([])
      // The order may have been placed, so it is looked up: three lookups in a row are redirected too.
      expect(service.calls).toHaveLength(call === 'POST referrals' ? 4 : 1)
      expect(service.count('POST /v1/referrals')).toBe(call === 'POST referrals' ? 1 : 0)
    },
  )

  it('the lookup of an order continues when the order and one lookup are redirected', async () => {
    const { service, location, client } = await setUp('the dispatcher')
    const redirect = { status: 302, headers: { location } }
    service.on('POST /v1/referrals', redirect)
    service.on('GET /v1/referrals', redirect, { json: { referrals: [] } })
    const error = await rejection(client.referrals.create(medicareOrder()))
    expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', cause: { reason: 'redirect' } })
  })

  it('the time limit applies once when an order and some lookups are redirected, and then nothing responds', async () => {
    const service = await ScriptedServer.start()
    const clock = new SkippingClock()
    const client = clientOf(service.origin, { clock, timeout: 100_000 })
    const redirect = { status: 302, headers: { location: '/elsewhere' } }
    service.on('POST /v1/referrals', redirect)
    service.on('GET /v1/referrals', redirect, redirect, { hang: 'before' })
    const error = rejection(client.referrals.create(medicareOrder()))
    await expect.poll(() => service.count('GET /v1/referrals')).toBe(3)
    // 20 s for the recovery, and ten for its last lookup.
    clock.advance(30_000)
    expect(await error).toMatchObject({ name: 'OrderOutcomeUnknownError', cause: { reason: 'redirect' } })
    expect(service.calls).toHaveLength(4)
  })

  it('an order that alone is redirected and was not placed has an unknown outcome', async () => {
    const { service, location, client } = await setUp('the dispatcher')
    service.on('POST /v1/referrals', { status: 307, headers: { location } })
    service.on('GET /v1/referrals', { json: { referrals: [] } })
    const error = await rejection(client.referrals.create(medicareOrder()))
    expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', cause: { reason: 'redirect' } })
    expect(service.count('POST /v1/referrals')).toBe(1)
    // The lookup that was not redirected is the lookup of the order: it is not repeated.
    expect(service.count('GET /v1/referrals')).toBe(1)
  })
})

describe('a redirect of the token request is never followed, because its body contains the secret', () => {
  const tokenCells = STATUSES.flatMap((status) =>
    Object.keys(TRANSPORTS).map((transport) => ({ transport, status })),
  )

  it.each(tokenCells)(
    'a redirect of the token request with $status, whose body has the secret, is never followed, over $transport',
    async ({ transport, status }) => {
      const evil = await ScriptedServer.start()
      const service = await ScriptedServer.start()
      service.on('POST /oauth/token', { status, headers: { location: `${evil.origin}/oauth/token` } })
      const client = clientOf(service.origin, { clientAuthentication: 'body', ...TRANSPORTS[transport] })
      const error = await rejection(client.referrals.retrieve(UUID))
      expect(error).toMatchObject({ name: 'TokenError', status })
      expectNoCanary(error)
      expect(evil.requests).toEqual([])
      expect(service.requests).toHaveLength(1)
    },
  )
})
