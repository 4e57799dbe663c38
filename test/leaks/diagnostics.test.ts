import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { DIAGNOSTICS_CHANNEL, PathologyClient, type RequestEvent } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { CANARIES, expectNoCanary } from '../support/canaries.js'
import { rejection } from '../support/clients.js'
import { order, UUID } from '../support/samples.js'
import { SkippingClock } from '../support/skipping-clock.js'

type Phase = 'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error'

interface Seen {
  readonly phase: Phase
  readonly event: RequestEvent
  /** A copy at the time of the event, because the same object changes later. */
  readonly copy: RequestEvent
}

const ends: (() => void)[] = []

afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Listens like monitoring tools. */
function listen(onEvent: (phase: Phase) => void = () => undefined): Seen[] {
  const seen: Seen[] = []
  const on = (phase: Phase) => (message: unknown) => {
    const event = message as RequestEvent
    seen.push({ phase, event, copy: { ...event } })
    onEvent(phase)
  }
  const tracing = tracingChannel(DIAGNOSTICS_CHANNEL)
  const handlers = {
    start: on('start'),
    end: on('end'),
    asyncStart: on('asyncStart'),
    asyncEnd: on('asyncEnd'),
    error: on('error'),
  }
  tracing.subscribe(handlers)
  ends.push(() => tracing.unsubscribe(handlers))
  return seen
}

function setUp() {
  const fake = new FakePathologyService()
  const client = new PathologyClient({
    ...fake.clientOptions(),
    clock: new SkippingClock(),
    random: () => 0.5,
  })
  return { fake, client }
}

const phases = (seen: readonly Seen[]): Phase[] => seen.map(({ phase }) => phase)

it('the event of a lost order that was found shows it, and a warning is logged (§8)', async () => {
  const fake = new FakePathologyService()
  const warnings: string[] = []
  const logger = { warn: (message: string) => warnings.push(message) }
  const clock = new SkippingClock()
  const client = new PathologyClient({ ...fake.clientOptions(), clock, random: () => 0.5, logger })
  fake.faults.next('POST /v1/referrals', { loseResponse: true })
  const seen = listen()
  await client.referrals.create(order({ tests: ['full-blood-count'] }))
  const own = seen.filter(({ event }) => event.operation === 'referrals.create')
  expect(own.at(-1)?.copy).toMatchObject({ recovered: true, outcome: 'success' })
  expect(seen.filter(({ copy }) => copy.recovered)).toHaveLength(1)
  expect(warnings).toEqual(['pathology-sdk: the response to referrals.create was lost; the order was found'])
  expectNoCanary(seen)
})

it('a store that is bound to the start is active during the complete call', async () => {
  const { client, fake } = setUp()
  const store = new AsyncLocalStorage<string>()
  const start = channel(`tracing:${DIAGNOSTICS_CHANNEL}:start`)
  start.bindStore(store, (message) => (message as RequestEvent).operation)
  ends.push(() => {
    start.unbindStore(store)
    store.disable()
  })
  const inside: unknown[] = []
  const viaFetch = new PathologyClient({
    ...fake.clientOptions(),
    clock: new SkippingClock(),
    fetch: (url, init) => {
      inside.push(store.getStore())
      return fake.fetch(url, init)
    },
  })
  await client.vendors.list().toArray()
  fake.faults.next('GET /v1/vendors', { status: 503 })
  await viaFetch.vendors.list().toArray()
  expect(inside).toEqual(['vendors.list', 'vendors.list', 'vendors.list'])
  expect(store.getStore()).toBeUndefined()
})

it('a page that was requested in advance and is not needed has the outcome AbortError', async () => {
  const { client, fake } = setUp()
  const seen = listen()
  for await (const { cursor } of client.referrals.list({ prefetch: true }).pages()) {
    expect(cursor).toBeDefined()
    break
  }
  await expect.poll(() => phases(seen).filter((phase) => phase === 'asyncEnd').length).toBe(2)
  expect(seen.at(-1)?.copy).toMatchObject({ operation: 'referrals.list', outcome: 'AbortError' })
  await fake.close()
})

it('every start event has one end event, for concurrent calls and for those of a recovery', async () => {
  const { client, fake } = setUp()
  fake.faults.next('POST /v1/referrals', { loseResponse: true })
  const seen = listen()
  await Promise.allSettled([
    client.referrals.create(order({ tests: ['full-blood-count'] })),
    ...Array.from({ length: 20 }, () => client.referrals.retrieve(UUID)),
    client.referrals.list().toArray(),
  ])
  const started = seen.filter(({ phase }) => phase === 'start').map(({ event }) => event)
  const ended = seen.filter(({ phase }) => phase === 'asyncEnd').map(({ event }) => event)
  expect(new Set(ended)).toEqual(new Set(started))
  expect(ended).toHaveLength(started.length)
  expectNoCanary(seen)
})

it('an error before sending does not publish events', async () => {
  const { client } = setUp()
  const seen = listen()
  await rejection(client.referrals.retrieve(CANARIES.lastName))
  expect(seen).toEqual([])
})

it('calls continue when a listener of events throws, and Node reports its error (§8)', async () => {
  const { client } = setUp()
  const reported: unknown[] = []
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => reported.push(error.message))
  ends.push(() => {
    process.removeAllListeners('uncaughtException')
    for (const other of others) process.on('uncaughtException', other)
  })
  const seen = listen((phase) => {
    throw new Error(`listener of ${phase}`)
  })
  await expect(client.vendors.list().toArray()).resolves.toBeInstanceOf(Array)
  await expect(client.referrals.retrieve(UUID)).rejects.toMatchObject({ code: 'REFERRAL_NOT_FOUND' })
  await new Promise((resolve) => setImmediate(resolve))
  expect(phases(seen)).toEqual(['start', 'asyncEnd', 'start', 'error', 'asyncEnd'])
  expect(reported).toEqual(phases(seen).map((phase) => `listener of ${phase}`))
})

it('a listener that changes an event changes nothing for the caller', async () => {
  const { client } = setUp()
  const seen = listen(() => {
    for (const { event } of seen) Object.assign(event, { status: 999, outcome: 'nonsense', path: 7 })
  })
  await expect(client.referrals.retrieve(UUID)).rejects.toMatchObject({ status: 404, attempts: 1 })
})

it('a listener may be added or removed during a call', async () => {
  const { client, fake } = setUp()
  fake.faults.next('GET /v1/vendors', { status: 503 })
  const seen = listen(() => {
    for (const end of ends.splice(0)) end()
  })
  await client.vendors.list().toArray()
  expect(phases(seen)).toEqual(['start'])
  const call = client.vendors.list().toArray()
  const late = listen()
  await call
  expect(phases(late).filter((phase) => phase !== 'asyncEnd')).toEqual([])
})

it('without a listener no event is published', async () => {
  const { client } = setUp()
  const publish = ['start', 'asyncEnd', 'error'].map((phase) =>
    vi.spyOn(channel(`tracing:${DIAGNOSTICS_CHANNEL}:${phase}`), 'publish'),
  )
  await client.vendors.list().toArray()
  await rejection(client.referrals.retrieve(UUID))
  for (const spy of publish) expect(spy).not.toHaveBeenCalled()
})
