import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { DIAGNOSTICS_CHANNEL } from 'pathology-sdk'
import { Agent, type Dispatcher } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { isCollected } from '../support/garbage.js'
import { OrderBook } from '../support/order-book.js'
import { order, referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'

const READ = `GET /v1/referrals/${UUID}`

async function setUp(options: Parameters<typeof clientOf>[1] = {}) {
  const service = await ScriptedServer.start()
  service.on(READ, { json: referral({ uuid: UUID }) })
  const client = clientOf(service.origin, options)
  await client.referrals.retrieve(UUID)
  return { service, client }
}

const ignored = (): void => undefined

/** A store that is disabled when the test ends, because an enabled one slows down the tests of other files. */
function storeOf<T>(): AsyncLocalStorage<T> {
  const store = new AsyncLocalStorage<T>()
  onTestFinished(() => store.disable())
  return store
}

function followed(on: (phase: string) => void = ignored): void {
  const tracing = tracingChannel(DIAGNOSTICS_CHANNEL)
  const handlers = {
    start: () => on('start'),
    end: () => on('end'),
    asyncStart: () => on('asyncStart'),
    asyncEnd: () => on('asyncEnd'),
    error: () => on('error'),
  }
  tracing.subscribe(handlers)
  onTestFinished(() => tracing.unsubscribe(handlers))
}

it('a call ends once, and releases its connection, when the option random throws (§8)', async () => {
  const thrown = new Error('no more chance')
  let chance = (): number => 0.5
  const { service, client } = await setUp({ maxSockets: 1, random: () => chance() })
  service.on(READ, { text: 'no JSON' })
  chance = () => {
    throw thrown
  }
  expect(await rejection(client.referrals.retrieve(UUID))).toBe(thrown)
  service.on(READ, { status: 503 })
  expect(await rejection(client.referrals.retrieve(UUID))).toBe(thrown)
  service.on(READ, { json: referral({ uuid: UUID }) })
  await expect(client.referrals.retrieve(UUID)).resolves.toMatchObject({ uuid: UUID })
  await client.close()
})

it('a promise that the caller keeps holds only the response of its call', async () => {
  const { client } = await setUp()
  const call = () => {
    const { signal } = new AbortController()
    return { promise: client.referrals.retrieve(UUID, { signal }), signal: new WeakRef<object>(signal) }
  }
  const { promise, signal } = call()
  await promise
  expect(await isCollected(signal)).toBe(true)
  const { data, response } = await promise.withResponse()
  expect(data).toBe(await promise)
  expect(response).toMatchObject({ status: 200, attempts: 1 })
})

it("the AsyncLocalStorage is the caller's in every attempt, after a token request and a rate-limit pause", async () => {
  const store = storeOf<string>()
  const sent: (string | undefined)[] = []
  const agent = new Agent()
  onTestFinished(() => agent.close())
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    if (options.path.startsWith('/v1/')) sent.push(store.getStore())
    return dispatch(options, handler)
  })
  const { service, client } = await setUp({ maxSockets: 1, dispatcher })
  service.on(
    READ,
    { status: 503 },
    { status: 401 },
    { text: 'no JSON' },
    { json: referral({ uuid: UUID }) },
    { status: 429, headers: { 'retry-after': '1' } },
    { json: referral({ uuid: UUID }) },
  )
  sent.length = 0
  const called = (name: string) =>
    store.run(name, async () => {
      await client.referrals.retrieve(UUID)
      return store.getStore()
    })
  expect(await called('one')).toBe('one')
  expect(await called('two')).toBe('two')
  expect(sent).toEqual(['one', 'one', 'one', 'one', 'two', 'two'])
})

it("the AsyncLocalStorage is the caller's for a lost order that was found, and in logs and events", async () => {
  const store = storeOf<string>()
  const seen: string[] = []
  const note = (what: string): void => void seen.push(`${what}: ${store.getStore()}`)
  followed((phase) => note(phase))
  const logger = { debug: ignored, info: ignored, error: ignored, warn: () => note('warn') }
  const service = await ScriptedServer.start()
  const book = new OrderBook(service, [{ reset: 'before' }])
  const client = clientOf(service.origin, { logger })
  const placed = await store.run('mine', () => client.referrals.create(order()))
  expect(placed.recovered).toBe(true)
  expect(book.orders).toHaveLength(1)
  expect(new Set(seen)).toEqual(new Set(['start: mine', 'asyncEnd: mine', 'warn: mine']))
})

it('a dispatcher of the caller that changes the list of one call does not change the next call', async () => {
  const agent = new Agent()
  onTestFinished(() => agent.close())
  const dispatcher = agent.compose((dispatch) => (options: Dispatcher.DispatchOptions, handler) => {
    if (Array.isArray(options.headers)) options.headers.push('x-seen', options.path.slice(0, 40))
    return dispatch(options, handler)
  })
  const { service, client } = await setUp({ dispatcher })
  service.on(READ, { status: 503 }, { json: referral({ uuid: UUID }) })
  await client.referrals.retrieve(UUID)
  const seen = service.requests.filter(({ path }) => path.startsWith('/v1/'))
  expect(seen).toHaveLength(3)
  for (const { headers } of seen) expect(headers['x-seen']).toBe(`/v1/referrals/${UUID}`.slice(0, 40))
})
