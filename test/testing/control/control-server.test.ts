import { request as httpRequest } from 'node:http'

import type { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it } from 'vitest'
import { CONTROL_METHODS } from '../../../src/testing/control/control-methods.js'
import { CONTROL_ACTIONS } from '../../../src/testing/servers.js'
import { authorised, placeOrder, read, record, records, startFake } from '../support.js'

async function control(fake: FakePathologyService, method: string, path: string, body?: unknown) {
  const response = await fetch(`${fake.controlUrl}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const content: unknown = await response.json()
  return { status: response.status, content }
}

async function newReferral(fake: FakePathologyService): Promise<string> {
  const { body } = await placeOrder(fake, await authorised(fake))
  return String(records(body)[0]?.['uuid'])
}

describe('the control API', () => {
  it('GET / of the control API lists every action with method, path and body', async () => {
    const fake = await startFake()
    const { status, content } = await control(fake, 'GET', '')
    expect(status).toBe(200)
    const actions = records(record(content)['actions'])
    expect(actions).toContainEqual({
      method: 'POST',
      path: '/clock/advance',
      description: expect.any(String),
      body: expect.objectContaining({ minutes: 'number' }),
    })
    expect(new Set(actions.map(({ method, path }) => `${method} ${path}`)).size).toBe(actions.length)
    expect(record(content)).toMatchObject({
      baseUrl: fake.baseUrl,
      authUrl: fake.authUrl,
      controlUrl: fake.controlUrl,
    })
  })

  it('the control API has an action for every control method', () => {
    const served = new Set<string>(
      CONTROL_ACTIONS.flatMap(({ calls }) => (calls === undefined ? [] : [calls])),
    )
    const methods = Object.entries(CONTROL_METHODS).flatMap(([group, members]) =>
      Object.keys(members).map((name) => `${group}.${name}`),
    )
    expect(methods.filter((name) => !served.has(name) && name !== 'deliveries.trigger')).toEqual([])
    expect([...served].filter((name) => !methods.includes(name))).toEqual([])
  })

  it('the control API advances the clock', async () => {
    const fake = await startFake()
    const { content } = await control(fake, 'POST', '/clock/advance', { hours: 1, minutes: 30 })
    expect(content).toEqual({ now: Date.parse('2026-03-02T10:30:00Z'), iso: '2026-03-02T10:30:00.000Z' })
    expect(await control(fake, 'GET', '/clock')).toEqual({ status: 200, content })
    expect(await control(fake, 'POST', '/clock/advance', { hours: -1 })).toMatchObject({ status: 400 })
  })

  it('the control API changes referrals and results', async () => {
    const fake = await startFake()
    const uuid = await newReferral(fake)
    const partial = await control(fake, 'POST', `/referrals/${uuid}/partial-results`)
    expect(partial).toMatchObject({ status: 200, content: { uuid, status: 'PARTIAL_RESULTS' } })
    const complete = await control(fake, 'POST', `/referrals/${uuid}/complete`, { values: {} })
    expect(complete).toMatchObject({ status: 200, content: { status: 'COMPLETE' } })
    const incoming = await control(fake, 'POST', '/results/incoming', { partial: true })
    expect(incoming).toMatchObject({
      status: 200,
      content: { provenance: 'INCOMING', status: 'PARTIAL_RESULTS' },
    })
    const again = await control(fake, 'POST', `/referrals/${uuid}/complete`)
    expect(again).toMatchObject({
      status: 400,
      content: { error: true, message: expect.stringContaining('COMPLETE') },
    })
  })

  it('the control API injects faults and lists the unused ones', async () => {
    const fake = await startFake()
    const { content } = await control(fake, 'POST', '/faults', {
      route: 'GET /v1/vendors',
      status: 503,
      times: null,
    })
    expect(content).toEqual({ id: 1 })
    expect(await control(fake, 'POST', '/faults/assert-none-unused')).toMatchObject({ status: 400 })
    expect(await read(await fetch(`${fake.baseUrl}/v1/vendors`))).toMatchObject({ status: 503 })
    expect(await read(await fetch(`${fake.baseUrl}/v1/vendors`))).toMatchObject({ status: 503 })
    expect(await control(fake, 'POST', '/faults/assert-none-unused')).toMatchObject({ status: 200 })
    expect(await control(fake, 'DELETE', '/faults/1')).toEqual({ status: 200, content: { removed: true } })
    expect(await control(fake, 'GET', '/faults')).toEqual({ status: 200, content: { faults: [] } })
  })

  it('the control API shows requests from a number on, without secrets', async () => {
    const fake = await startFake()
    await newReferral(fake)
    await newReferral(fake)
    const { content } = await control(fake, 'GET', '/requests?after=1')
    expect(record(content)['count']).toBe(2)
    expect(records(record(content)['requests'])).toMatchObject([{ number: 2, route: 'referrals.create' }])
    const state = await control(fake, 'GET', '/state')
    expect(state).toMatchObject({
      status: 200,
      content: { now: expect.stringMatching(/^2026-03-02T09:00:00\.0/), counts: { requests: 2 } },
    })
    expect(JSON.stringify(state)).not.toContain('fake-client-secret')
  })

  it('the overview of the control API counts only the records of the own organisation', async () => {
    const fake = await startFake()
    const { content } = await control(fake, 'GET', '/state')
    expect(record(content)['counts']).toMatchObject({
      referrals: fake.referrals.all().length,
      results: fake.results.all().length,
      providers: fake.providers.all().length,
    })
    expect(fake.providers.ofOtherOrganisation()).not.toEqual([])
  })

  it('the control API triggers events and resends them', async () => {
    const fake = await startFake()
    await control(fake, 'POST', '/webhooks', {
      url: 'https://hooks.integrator.example/',
      events: ['referral.refunded'],
    })
    fake.deliverTo('https://hooks.integrator.example/', () => new Response())
    const { content } = await control(fake, 'POST', '/trigger', { eventName: 'referral.refunded' })
    expect(content).toMatchObject({ deliveries: 1 })
    expect(await control(fake, 'POST', '/trigger', { eventName: 'result.complete' })).toMatchObject({
      content: { deliveries: 0 },
    })
    const eventUuid = String(record(content)['eventUuid'])
    await control(fake, 'POST', '/settled')
    expect(await control(fake, 'POST', `/events/${eventUuid}/resend`)).toEqual({ status: 200, content: 1 })
    await fake.settled()
    const deliveries = await control(fake, 'GET', '/deliveries')
    expect(records(deliveries.content)).toMatchObject([
      { eventUuid, status: 'delivered' },
      { eventUuid, status: 'delivered' },
    ])
  })

  it.each<[string, (tokens: FakePathologyService['tokens'], accessToken: string) => unknown]>([
    ['', (tokens) => tokens.issue()],
    ['/revoke-all', (tokens) => tokens.revokeAll()],
    ['/revoke', (tokens, accessToken) => tokens.revoke(accessToken)],
    ['/revoke-refresh-tokens', (tokens) => tokens.revokeRefreshTokens()],
    ['/rotate-signing-key', (tokens) => tokens.rotateSigningKey()],
    ['/close-account', (tokens) => tokens.closeAccount()],
    ['/reopen-account', (tokens) => tokens.reopenAccount()],
  ])('the action POST /tokens%s has the same effect as the method', async (path, method) => {
    const fakes = [await startFake(), await startFake()] as const
    for (const { tokens } of fakes) if (path === '/reopen-account') tokens.closeAccount()
    const [{ access_token: accessToken }] = [await fakes[0].tokens.issue(), await fakes[1].tokens.issue()]
    const before = fakes[0].snapshot().state.tokens
    await control(fakes[0], 'POST', `/tokens${path}`, path === '/revoke' ? { accessToken } : undefined)
    await method(fakes[1].tokens, accessToken)
    const [byAction, byMethod] = fakes.map((fake) => fake.snapshot().state.tokens)
    expect(byAction).toEqual(byMethod)
    expect(byAction).not.toEqual(before)
  })

  it('the control API takes a snapshot, restores it, and resets the fake', async () => {
    const fake = await startFake()
    const before = fake.referrals.all().length
    const { content: snapshot } = await control(fake, 'GET', '/snapshot')
    await newReferral(fake)
    expect(await control(fake, 'POST', '/restore', snapshot)).toMatchObject({ status: 200 })
    expect(fake.referrals.all()).toHaveLength(before)
    await newReferral(fake)
    await control(fake, 'POST', '/reset')
    expect(fake.referrals.all()).toHaveLength(before)
  })

  it('an unknown path of the control API gets 404', async () => {
    const fake = await startFake()
    expect(await control(fake, 'POST', '/referrals')).toMatchObject({ status: 404 })
    expect(await control(fake, 'GET', '/nonsense')).toMatchObject({ status: 404 })
  })

  it('the stream of the control API sends an event for each step', async () => {
    const fake = await startFake()
    const response = await fetch(`${fake.controlUrl}/changes`)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toMatch(/^event: change\nid: 1\ndata: \{"number":1,/)
    fake.trigger('referral.refunded')
    expect((await reader?.read())?.value).toContain('"number":2')
    await reader?.cancel()
  })

  it.each<[string, (fake: FakePathologyService, id: number) => unknown]>([
    ['a new fault', (fake) => fake.faults.next('GET /v1/tests', { status: 503 })],
    ['a removed fault', (fake, id) => control(fake, 'DELETE', `/faults/${id}`)],
    ['no faults', (fake) => control(fake, 'DELETE', '/faults')],
    ['a request limit', (fake) => control(fake, 'PUT', '/quota', { limit: 1, perMs: 1_000 })],
  ])('the stream of the control API sends an event for %s', async (_name, change) => {
    const fake = await startFake({ seedReferrals: 0, centreCount: 0 })
    const id = fake.faults.next('GET /v1/vendors', { status: 503 })
    const response = await fetch(`${fake.controlUrl}/changes`, { signal: AbortSignal.timeout(2_000) })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toContain('"number":1')
    await change(fake, id)
    expect((await reader?.read())?.value).toContain('"number":2')
    await reader?.cancel()
  })

  it('the stream of the control API sends an event for a job that the timer of a running clock starts', async () => {
    const afterMs = 3_600_000
    const fake = await startFake({ issueTiming: { afterMs }, startTime: undefined, seedReferrals: 0 })
    const dueMs = fake.clock.now() + afterMs
    await newReferral(fake)
    const response = await fetch(`${fake.controlUrl}/changes`, { signal: AbortSignal.timeout(10_000) })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toContain('"number":1')
    await fake.clock.advance({ milliseconds: dueMs - fake.clock.now() - 100 })
    expect((await reader?.read())?.value).toContain('"number":2')
    expect((await reader?.read())?.value).toContain('"number":3')
    expect(fake.referrals.all()).toMatchObject([{ status: 'ISSUED' }])
    await reader?.cancel()
  })

  it('the control API serves only this machine: another host name or origin is rejected', async () => {
    const fake = await startFake()
    const status = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const url = `${fake.controlUrl}/reset`
        const sent = httpRequest(url, { method: 'POST', headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        sent.on('error', reject)
        sent.end()
      })
    expect(await status({ host: 'evil.example' })).toBe(403)
    expect(await status({ origin: 'https://evil.example' })).toBe(403)
    expect(await status({ origin: String(fake.controlUrl) })).toBe(200)
    expect(new URL(String(fake.controlUrl)).hostname).toBe('127.0.0.1')
  })

  it.each([
    [
      'a body that is not JSON',
      'POST',
      '/clock/advance',
      '{"milliseconds":',
      400,
      'the body must be a JSON object',
    ],
    ['a path that cannot be decoded', 'GET', '/referrals/%', undefined, 400, 'referral'],
  ])('%s gets a message of the fake', async (_, method, path, body, status, message) => {
    const fake = await startFake()
    const response = await fetch(`${fake.controlUrl}${path}`, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
    })
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ error: true, message: expect.stringContaining(message) })
  })
})
