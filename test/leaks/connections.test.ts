import type { PathologyClient } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order, referral, UUID } from '../support/samples.js'
import { type Reply, type Script, ScriptedServer } from '../support/scripted-server.js'
import { settled } from '../support/settled.js'
import { SkippingClock } from '../support/skipping-clock.js'

const READ = `GET /v1/referrals/${UUID}`
const LARGE = 'x'.repeat(200_000)

async function setUp(options: Parameters<typeof clientOf>[1] = {}) {
  const server = await ScriptedServer.start()
  return { server, client: clientOf(server.origin, options) }
}

const read = (client: PathologyClient): PromiseLike<unknown> => client.referrals.retrieve(UUID)

const RESPONSES: Readonly<Record<string, Reply>> = {
  '401': { status: 401, text: LARGE },
  '500': { status: 500, text: LARGE },
  '404 in pieces': { status: 404, text: LARGE, chunked: true },
  '409': { status: 409, text: LARGE },
  'a redirect': { status: 302, text: LARGE, headers: { location: '/elsewhere' } },
  'no JSON': { text: LARGE },
  'an unknown encoding': { text: LARGE, headers: { 'content-encoding': 'br' } },
  'too large, and says so': { text: LARGE },
  'too large, and does not say so': { text: LARGE, chunked: true },
  'cut short': { text: LARGE, reset: 'in-body' },
}

it.each(Object.entries(RESPONSES))(
  'fifty responses that are not read leave the only connection free: %s',
  async (what, reply) => {
    const maxResponseBytes = what.startsWith('too large') ? 1_000 : undefined
    const { server, client } = await setUp({ maxSockets: 1, maxRetries: 0, maxResponseBytes })
    server.on(READ, reply)
    const calls = Array.from({ length: 50 }, () => rejection(read(client)))
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(Error)
    server.on(READ, { json: { uuid: UUID } })
    await expect(read(client)).resolves.toEqual({ uuid: UUID })
    await expect.poll(() => server.connections()).toBeLessThanOrEqual(1)
  },
)

const DOCUMENTS: Readonly<Record<string, Script>> = {
  '404': { status: 404, text: LARGE },
  '403 also for a fresh address': { status: 403, text: LARGE },
  'a redirect': { status: 302, text: LARGE, headers: { location: '/elsewhere' } },
  'no PDF': { text: LARGE },
}

it.each(Object.entries(DOCUMENTS))(
  'fifty documents that are not read leave the only connection free: %s',
  async (_, script) => {
    const { server, client } = await setUp({ maxSockets: 1, maxRetries: 0 })
    server.on(READ, { json: referral({ referralAttachment: `${server.origin}/a.pdf` }) })
    server.on('GET /a.pdf', script)
    const document = await client.referrals.document(UUID)
    const downloads = Array.from({ length: 25 }, () => [
      rejection(document.bytes()),
      rejection(document.stream().getReader().read()),
    ])
    for (const error of await Promise.all(downloads.flat())) expect(error).toBeInstanceOf(Error)
    server.on('GET /a.pdf', { text: '%PDF-1.7 a document' })
    await expect(document.bytes()).resolves.toHaveLength(19)
    await expect.poll(() => server.connections()).toBeLessThanOrEqual(1)
  },
)

it('close ends the connections, and none of them keeps the process running', async () => {
  const { server, client } = await setUp({ maxSockets: 4 })
  server.on(READ, { json: referral() })
  await Promise.all(Array.from({ length: 20 }, () => read(client)))
  expect(await server.connections()).toBeGreaterThan(0)
  await client.close()
  await expect.poll(() => server.connections()).toBe(0)
})

interface Wait {
  readonly name: string
  readonly prepare: (server: ScriptedServer) => void
  readonly call: (client: PathologyClient, signal: AbortSignal) => PromiseLike<unknown>
}

/** Waits that end with the caller's signal, each after three requests. Other waits are in `faults/abort.test.ts`. */
const WAITS: readonly Wait[] = [
  {
    name: 'a lost order',
    prepare: (server) => {
      server
        .on('POST /v1/referrals', { reset: 'before' })
        .on('GET /v1/referrals', { json: { referrals: [] } })
    },
    call: (client, signal) => client.referrals.create(order(), { signal }),
  },
  {
    name: 'a document',
    prepare: (server) => {
      server.on(READ, { json: referral({ referralAttachment: `${server.origin}/a.pdf` }) })
      server.on('GET /a.pdf', { text: '%PDF-1.7 a document', hang: 'in-body' })
    },
    call: (client, signal) => client.referrals.document(UUID).bytes({ signal }),
  },
]

it.each(WAITS)('a wait for $name that is aborted leaves no timer', async ({ prepare, call }) => {
  const clock = new SkippingClock({ skip: () => false })
  const { server, client } = await setUp({ clock })
  prepare(server)
  const abort = new AbortController()
  const ended = rejection(call(client, abort.signal))
  await expect.poll(() => server.requests.length).toBe(3)
  await settled()
  expect(clock.pending).toBeGreaterThan(0)
  abort.abort()
  expect(await ended).toBe(abort.signal.reason)
  expect(clock.pending).toBe(0)
})

it('calls with every kind of end leave no timer', async () => {
  const clock = new SkippingClock()
  const { server, client } = await setUp({ clock })
  const unwell = [503, 429].map((status) => ({ status, headers: { 'retry-after': '5' }, json: {} }))
  const replies: readonly Reply[] = [{ json: referral() }, ...unwell, { reset: 'before' }]
  server.on(READ, (_, nth) => replies[nth % 4] ?? {})
  await Promise.allSettled(Array.from({ length: 60 }, () => client.referrals.retrieve(UUID)))
  await expect.poll(() => clock.pending).toBe(0)
})
