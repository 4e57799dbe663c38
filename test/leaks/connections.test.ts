import type { PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
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

describe('responses that are not read leave the connection free', () => {
  it('300 responses of 500 with a large body over one connection', async () => {
    const { server, client } = await setUp({ maxSockets: 1, maxRetries: 0 })
    server.on(READ, { status: 500, text: LARGE })
    for (let round = 0; round < 3; round += 1) {
      const calls = Array.from({ length: 100 }, () => rejection(read(client)))
      for (const error of await Promise.all(calls)) expect(error).toMatchObject({ name: 'ServerError' })
    }
    expect(server.count(READ)).toBe(300)
    expect(await server.connections()).toBe(1)
    server.on(READ, { json: referral() })
    await expect(read(client)).resolves.toMatchObject({ object: 'referral' })
  })

  const RESPONSES: Readonly<Record<string, Reply>> = {
    '401': { status: 401, text: LARGE },
    '404 in pieces': { status: 404, text: LARGE, chunked: true },
    '409': { status: 409, text: LARGE },
    'a redirect': { status: 302, text: LARGE, headers: { location: '/elsewhere' } },
    'no JSON': { text: LARGE },
    'an unknown encoding': { text: LARGE, headers: { 'content-encoding': 'br' } },
    'too large, and says so': { text: LARGE },
    'too large, and does not say so': { text: LARGE, chunked: true },
    'cut short': { text: LARGE, reset: 'in-body' },
  }

  it.each(Object.entries(RESPONSES))('50 times: %s', async (what, reply) => {
    const maxResponseBytes = what.startsWith('too large') ? 1_000 : undefined
    const { server, client } = await setUp({ maxSockets: 1, maxRetries: 0, maxResponseBytes })
    server.on(READ, reply)
    const calls = Array.from({ length: 50 }, () => rejection(read(client)))
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(Error)
    server.on(READ, { json: { uuid: UUID } })
    await expect(read(client)).resolves.toEqual({ uuid: UUID })
    await expect.poll(() => server.connections()).toBeLessThanOrEqual(1)
  })

  const DOCUMENTS: Readonly<Record<string, Script>> = {
    '404': { status: 404, text: LARGE },
    '403 also for a fresh address': { status: 403, text: LARGE },
    'a redirect': { status: 302, text: LARGE, headers: { location: '/elsewhere' } },
    'no PDF': { text: LARGE },
  }

  it.each(Object.entries(DOCUMENTS))('50 documents: %s', async (_, script) => {
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
  })

  it('close ends the connections, and none of them keeps the process running', async () => {
    const { server, client } = await setUp({ maxSockets: 4 })
    server.on(READ, { json: referral() })
    await Promise.all(Array.from({ length: 20 }, () => read(client)))
    expect(await server.connections()).toBeGreaterThan(0)
    await client.close()
    await expect.poll(() => server.connections()).toBe(0)
  })
})

describe('waits leave no timer', () => {
  const hang: Reply = { hang: 'before' }
  const busy: Reply = { status: 503, headers: { 'retry-after': '5' }, json: {} }
  const limited: Reply = { status: 429, headers: { 'retry-after': '5' }, json: {} }

  interface Wait {
    readonly prepare: (server: ScriptedServer) => void
    readonly call: (client: PathologyClient, signal: AbortSignal) => PromiseLike<unknown>
    /** Number of requests that have arrived when the wait starts. */
    readonly requests: number
  }

  const retrieve: Wait['call'] = (client, signal) => client.referrals.retrieve(UUID, { signal })
  const create: Wait['call'] = (client, signal) => client.referrals.create(order(), { signal })

  const WAITS: Readonly<Record<string, Wait>> = {
    'the token': {
      prepare: (server) => void server.on('POST /oauth/token', hang),
      call: retrieve,
      requests: 1,
    },
    'a response': { prepare: (server) => void server.on(READ, hang), call: retrieve, requests: 2 },
    'the rest of a body': {
      prepare: (server) => void server.on(READ, { json: referral({ uuid: UUID }), hang: 'in-body' }),
      call: retrieve,
      requests: 2,
    },
    'the next attempt': { prepare: (server) => void server.on(READ, busy), call: retrieve, requests: 2 },
    'the end of a rate-limit pause': {
      prepare: (server) => void server.on(READ, limited),
      call: retrieve,
      requests: 2,
    },
    'an order to show': {
      prepare: (server) =>
        void server
          .on('POST /v1/referrals', { reset: 'before' })
          .on('GET /v1/referrals', { json: { referrals: [] } }),
      call: create,
      requests: 3,
    },
    'a status': {
      prepare: (server) => void server.on(READ, { json: referral() }),
      call: (client, signal) => client.referrals.waitFor(UUID, { status: 'REFUNDED', signal }),
      requests: 2,
    },
    'a document': {
      prepare: (server) =>
        void server
          .on(READ, { json: referral({ referralAttachment: `${server.origin}/a.pdf` }) })
          .on('GET /a.pdf', { text: '%PDF-1.7 a document', hang: 'in-body' }),
      call: (client, signal) => client.referrals.document(UUID).bytes({ signal }),
      requests: 3,
    },
  }

  it.each(Object.entries(WAITS))(
    '%s, aborted: no timer is left, and the caller no longer waits',
    async (_, wait) => {
      const clock = new SkippingClock({ skip: () => false })
      const { server, client } = await setUp({ clock })
      wait.prepare(server)
      const abort = new AbortController()
      const ended = rejection(wait.call(client, abort.signal))
      await expect.poll(() => server.requests.length).toBe(wait.requests)
      await settled()
      expect(clock.pending).toBeGreaterThan(0)
      abort.abort()
      expect(await ended).toBe(abort.signal.reason)
      // A token request continues for later callers, with its own time limit.
      expect(clock.pending).toBe(server.tokenRequests.length === server.requests.length ? 1 : 0)
    },
  )

  it('a wait for a permit, aborted: the queue removes it', async () => {
    const clock = new SkippingClock({ skip: () => false })
    const { server, client } = await setUp({ clock, maxSockets: 1 })
    server.on(READ, hang)
    const [first, second] = [new AbortController(), new AbortController()]
    const working = rejection(retrieve(client, first.signal))
    await expect.poll(() => server.count(READ)).toBe(1)
    const queued = rejection(retrieve(client, second.signal))
    await settled()
    second.abort()
    expect(await queued).toBe(second.signal.reason)
    first.abort()
    await working
    expect(clock.pending).toBe(0)
    server.on(READ, { json: referral() })
    await expect(retrieve(client, new AbortController().signal)).resolves.toBeDefined()
  })

  it('calls with every kind of end leave no timer', async () => {
    const clock = new SkippingClock()
    const { server, client } = await setUp({ clock })
    const script: Script = (_, nth) =>
      [{ json: referral() }, busy, limited, { reset: 'before' } as const][nth % 4] ?? {}
    server.on(READ, script)
    await Promise.allSettled(Array.from({ length: 60 }, () => client.referrals.retrieve(UUID)))
    await expect.poll(() => clock.pending).toBe(0)
  })
})
