import type { PathologyClient } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { rejection } from '../../support/clients.js'
import { UUID } from '../../support/samples.js'
import { settled } from '../../support/settled.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { closed, holdingOrders, KEY, labOrder, ledgerWorld, vouched } from '../ledger/ledger-world.js'

type World = Awaited<ReturnType<typeof ledgerWorld>>

const create = (client: PathologyClient, options = {}) =>
  client.referrals.create(labOrder(), { orderKey: KEY, ...options })

/** A fetch function that holds the requests of a phase back. */
function holding(phase: string) {
  const held: Record<string, RegExp> = {
    lookup: /^GET .*\/v1\/referrals\?/,
    sending: /^POST .*\/v1\/referrals$/,
    read: /^GET .*\/v1\/referrals\/[^/]+$/,
  }
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let isReached = false
  const wait = async (): Promise<void> => {
    isReached = true
    await released
  }
  const fetching = async (input: string, init: RequestInit): Promise<Response> => {
    const isHeld = held[phase]?.test(`${init.method} ${input}`)
    if (isHeld && phase !== 'sending') await wait()
    const response = await fetch(input, init)
    if (isHeld && phase === 'sending') await wait()
    return response
  }
  return { fetch: fetching, wait, release: () => release(), isReached: () => isReached }
}

/** Starts a call, and waits until it is in the phase, in which it stays until the test releases it. */
async function inPhase(world: World, phase: string, signal?: AbortSignal) {
  const gate = holding(phase === 'waiting' ? 'sending' : phase)
  if (phase === 'read') await create(world.newProcess())
  if (phase === 'claim' || phase === 'mark' || phase === 'record')
    world.ledger.next(phase, { before: gate.wait })
  const holder = phase === 'waiting' ? create(world.newProcess({ fetch: gate.fetch })) : undefined
  if (holder !== undefined) await expect.poll(gate.isReached).toBe(true)
  const { length } = world.ledger.calls
  const client = world.newProcess(phase === 'waiting' ? {} : { fetch: gate.fetch })
  const calling = create(client, { signal }).catch((error: unknown) => error)
  if (phase === 'waiting') await expect.poll(() => world.ledger.calls.length).toBeGreaterThan(length)
  else await expect.poll(gate.isReached).toBe(true)
  await settled()
  return { client, calling, holder, release: gate.release }
}

const PHASES = ['claim', 'lookup', 'mark', 'sending', 'record', 'waiting', 'read']

it.each(PHASES)(
  'a call with an own key is waited for by close() in the phase %s, and the ledger has its outcome',
  async (phase) => {
    const world = await ledgerWorld()
    const { client, calling, holder, release } = await inPhase(world, phase)
    const closing = client.close()
    release()
    await closing
    expect(await calling).toMatchObject({ recovered: phase === 'waiting' || phase === 'read' })
    expect(await world.state()).toMatchObject({ state: 'placed' })
    await holder
    expect(world.placed()).toBe(1)
  },
)

it.each(PHASES)(
  'a call with an own key ends with an abort in the phase %s, and the next call places or finds one order',
  async (phase) => {
    const world = await ledgerWorld()
    const abort = new AbortController()
    const { calling, holder, release } = await inPhase(world, phase, abort.signal)
    const reason = new Error('the user went away')
    abort.abort(reason)
    if (phase === 'record') release()
    const outcome = await calling
    if (phase === 'record') expect(outcome).toMatchObject({ recovered: false })
    else expect(outcome).toBe(reason)
    release()
    if (phase === 'claim' || phase === 'mark')
      await expect.poll(async () => (await world.state()).state).toBe('new')
    await create(world.newProcess())
    await holder
    expect(world.posts()).toBe(1)
    expect(await world.state()).toMatchObject({ state: 'placed' })
  },
)

it('a call with an own key that is aborted in flight with the error of another call as its reason is not sent again', async () => {
  const world = await ledgerWorld()
  // A ledger that vouches for a key without marks: the next call would send the order without a lookup.
  world.ledger.always('claim', {
    after: (found, request) => vouched(world.inner, world.name(), found, request),
  })
  const { fetch, held, release } = holdingOrders('after')
  const abort = new AbortController()
  const calling = rejection(create(world.newProcess({ fetch }), { signal: abort.signal }))
  await expect.poll(held).toBe(1)
  const reason = await rejection(world.newProcess().referrals.retrieve(UUID))
  expect(reason).toMatchObject({ name: 'NotFoundError', outcome: 'failed' })
  abort.abort(reason)
  expect(await calling).toBe(reason)
  release()
  await expect.poll(() => world.ledger.count('record')).toBe(1)
  expect(await create(world.newProcess())).toMatchObject({ recovered: true })
  expect(world.placed()).toBe(1)
})

it('a call with an own key that reaches its time limit while the ledger does not respond has sent nothing', async () => {
  const world = await ledgerWorld()
  world.ledger.next('claim', 'hangs')
  const clock = new SkippingClock({ skip: () => false })
  const client = world.newProcess({ clock })
  const calling = rejection(create(client, { timeout: 500 }))
  await expect.poll(() => world.ledger.count('claim')).toBe(1)
  clock.advance(500)
  const error = await calling
  expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not-sent', attempts: 0, retryable: true })
  expect(String(error)).toContain('nothing was sent, because the order ledger did not respond in time')
  await closed(client, clock)
})
