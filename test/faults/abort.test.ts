import type { ClientOptions, PathologyClient, RequestOptions } from 'pathology-sdk'
import { Agent, type Dispatcher } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/common/clock.js'
import { clientOf, rejection } from '../support/clients.js'
import { page, referral, UUID } from '../support/samples.js'
import { type Reply, ScriptedServer } from '../support/scripted-server.js'
import { SkippingClock } from '../support/skipping-clock.js'

const REFERRAL = `GET /v1/referrals/${UUID}`
const retrieve = (client: PathologyClient, options: RequestOptions) =>
  client.referrals.retrieve(UUID, options)

interface Place {
  readonly name: string
  readonly replies: Readonly<Record<string, readonly Reply[]>>
  readonly options?: ClientOptions
  readonly call?: (client: PathologyClient, options: RequestOptions) => PromiseLike<unknown>
  /** Reports that the call has reached the point. */
  readonly there: (service: ScriptedServer) => boolean
}

const asked = (route: string) => (service: ScriptedServer) => service.count(route) > 0

/** Points of a call at which its caller aborts. */
const PLACES: readonly Place[] = [
  {
    name: 'waiting for the token',
    replies: { 'POST /oauth/token': [{ hang: 'before' }] },
    there: asked('POST /oauth/token'),
  },
  {
    name: 'warming up',
    replies: { 'POST /oauth/token': [{ hang: 'before' }] },
    call: (client, options) => client.warmUp(options),
    there: asked('POST /oauth/token'),
  },
  { name: 'in flight', replies: { [REFERRAL]: [{ hang: 'before' }] }, there: asked(REFERRAL) },
  {
    name: 'in the body',
    replies: { [REFERRAL]: [{ json: referral(), hang: 'in-body' }] },
    there: asked(REFERRAL),
  },
  {
    name: 'in flight, over fetch',
    replies: { [REFERRAL]: [{ hang: 'before' }] },
    options: { fetch: globalThis.fetch },
    there: asked(REFERRAL),
  },
  {
    name: 'in the body, over fetch',
    replies: { [REFERRAL]: [{ json: referral(), hang: 'in-body' }] },
    options: { fetch: globalThis.fetch },
    there: asked(REFERRAL),
  },
  {
    name: 'in the body, over a fetch that does not heed its signal',
    replies: { [REFERRAL]: [{ json: referral(), hang: 'in-body' }] },
    options: { fetch: (input, { signal: _, ...init }) => globalThis.fetch(input, init) },
    there: asked(REFERRAL),
  },
  {
    name: 'between attempts',
    replies: { [REFERRAL]: [{ status: 503, headers: { 'retry-after': '20' } }] },
    there: asked(REFERRAL),
  },
  {
    name: 'in the pause after a 429',
    replies: { [REFERRAL]: [{ status: 429, headers: { 'retry-after': '20' } }] },
    call: async (client, options) => {
      await retrieve(client, { maxRetries: 0 }).catch(() => undefined)
      await client.webhooks.list({}, options).firstPage()
    },
    there: asked(REFERRAL),
  },
  {
    name: 'on a later page of a list',
    replies: { 'GET /v1/referrals': [{ json: page('referrals', [referral()], 'next') }, { hang: 'before' }] },
    call: (client, options) => client.referrals.list({}, options).toArray(),
    there: (service) => service.count('GET /v1/referrals') === 2,
  },
  {
    name: 'on a page of a list that reads ahead',
    replies: { 'GET /v1/referrals': [{ json: page('referrals', [referral()], 'next') }, { hang: 'before' }] },
    call: (client, options) => client.referrals.list({ prefetch: true }, options).toArray(),
    there: (service) => service.count('GET /v1/referrals') === 2,
  },
  {
    name: 'waiting for a status',
    replies: { [REFERRAL]: [{ json: referral({ status: 'CREATED' }) }] },
    call: (client, options) =>
      client.referrals.waitFor(UUID, { ...options, status: 'ISSUED', interval: 20_000 }),
    there: asked(REFERRAL),
  },
]

it.each(PLACES.map((place) => [place.name, place] as const))(
  "a caller that aborts while the call is %s gets the signal's reason within a few turns of the event loop, and leaves no timer",
  async (_, place) => {
    const service = await ScriptedServer.start()
    for (const [route, replies] of Object.entries(place.replies)) service.on(route, ...replies)
    const clock = new SkippingClock({ skip: () => false })
    const client = clientOf(service.origin, { clock, ...place.options })
    const abort = new AbortController()
    const reason = new Error('the user went away')
    const call = place.call ?? retrieve
    const pending = rejection(call(client, { signal: abort.signal }))
    await expect.poll(() => place.there(service), { interval: 5 }).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 15))
    let turns = 0
    const ended = pending.then(() => turns)
    abort.abort(reason)
    for (; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(await ended).toBeLessThan(5)
    expect(await pending).toBe(reason)
    const ofTokens = 'POST /oauth/token' in place.replies ? 1 : 0
    expect(clock.pending).toBe(ofTokens)
  },
)

it('a caller that aborts in the queue for a connection leaves the calls before and after it running', async () => {
  const service = await ScriptedServer.start()
  let release: (() => void) | undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  service.on(REFERRAL, { json: referral(), after: held })
  const client = clientOf(service.origin, { maxSockets: 1 })
  const abort = new AbortController()
  const first = retrieve(client, {})
  const second = rejection(retrieve(client, { signal: abort.signal }))
  const third = retrieve(client, {})
  await expect.poll(() => service.count(REFERRAL)).toBe(1)
  abort.abort()
  expect(await second).toMatchObject({ name: 'AbortError' })
  release?.()
  await Promise.all([first, third])
  expect(service.count(REFERRAL)).toBe(2)
})

it('a signal ends all its calls, although the dispatcher throws when it is told to abort one', async () => {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, { hang: 'before' })
  const agent = new Agent()
  onTestFinished(() => agent.destroy())
  const abort = (): never => {
    throw new Error('not supported')
  }
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler)
    handler.onRequestStart = (controller: Dispatcher.DispatchController, context: unknown) =>
      start?.(
        new Proxy(controller, { get: (on, name) => (name === 'abort' ? abort : Reflect.get(on, name)) }),
        context,
      )
    return dispatch(options, handler)
  })
  const client = clientOf(service.origin, { dispatcher })
  const caller = new AbortController()
  const calls = [1, 2].map(() => rejection(retrieve(client, { signal: caller.signal })))
  await expect.poll(() => service.count(REFERRAL)).toBe(2)
  caller.abort()
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ name: 'AbortError' })
})

it('a caller that aborts before the call sends nothing', async () => {
  const service = await ScriptedServer.start()
  const reason = { any: 'value' }
  const signal = AbortSignal.abort(reason)
  const client = clientOf(service.origin)
  expect(await rejection(retrieve(client, { signal }))).toBe(reason)
  expect(await rejection(client.referrals.list({}, { signal }).toArray())).toBe(reason)
  expect(await rejection(client.warmUp({ signal }))).toBe(reason)
  expect(service.requests).toHaveLength(0)
})

it('a caller that aborts closes the socket of the call', async () => {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, { hang: 'before' })
  const client = clientOf(service.origin, { maxSockets: 1 })
  const abort = new AbortController()
  const pending = rejection(retrieve(client, { signal: abort.signal }))
  await expect.poll(() => service.count(REFERRAL)).toBe(1)
  abort.abort()
  await pending
  await expect.poll(() => service.connections()).toBe(0)
})

it('a time limit of 0 sends nothing, and the outcome is not-sent', async () => {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, { json: referral() })
  const client = clientOf(service.origin, { clock: systemClock })
  await retrieve(client, {})
  const error = await rejection(retrieve(client, { timeout: 0 }))
  expect(error).toMatchObject({ name: 'TimeoutError', timeout: 0, outcome: 'not-sent', attempts: 0 })
  expect(service.count(REFERRAL)).toBe(1)
})

it('a time limit of Infinity has no timer', async () => {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, { json: referral() })
  const clock = new SkippingClock()
  const client = clientOf(service.origin, { clock })
  await retrieve(client, { timeout: Number.POSITIVE_INFINITY })
  expect(clock.pending).toBe(0)
})

it('the time limit of a call without one is that of the client', async () => {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, { hang: 'before' })
  const clock = new SkippingClock({ skip: () => false })
  const client = clientOf(service.origin, {
    clock,
    timeout: 5_000,
    authUrl: (await ScriptedServer.start()).origin,
  })
  const pending = rejection(retrieve(client, {}))
  await expect.poll(() => service.count(REFERRAL)).toBe(1)
  clock.advance(5_000)
  expect(await pending).toMatchObject({ name: 'TimeoutError', timeout: 5_000 })
})

it('a time limit does not keep the process running after the last response', async () => {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, { status: 503 }, { json: referral() })
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const client = clientOf(service.origin, { clock: systemClock })
  await retrieve(client, {})
  const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  expect(after - before).toBeLessThanOrEqual(1)
  await client.close()
})
