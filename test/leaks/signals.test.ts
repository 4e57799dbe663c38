import { getEventListeners } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order, page, referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'

const READ = `GET /v1/referrals/${UUID}`

async function read(stream: ReadableStream<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const chunk of stream) bytes += chunk.byteLength
  return bytes
}

async function setUp() {
  const server = await ScriptedServer.start()
  const client = clientOf(server.origin, { maxSockets: 4 })
  const warnings: Error[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  return { server, client, warnings }
}

describe('one signal for many calls', () => {
  it('has one listener, however many calls use it, and none when they are done', async () => {
    const { server, client, warnings } = await setUp()
    server.on(READ, { json: referral() })
    const { signal } = new AbortController()
    for (let round = 0; round < 2; round += 1) {
      const calls = Array.from({ length: 100 }, () => client.referrals.retrieve(UUID, { signal }))
      expect(getEventListeners(signal, 'abort')).toHaveLength(1)
      await Promise.all(calls)
      expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect(warnings).toEqual([])
  })

  it('ends all of them, also those in the queue, and later ones', async () => {
    const { server, client } = await setUp()
    server.on(READ, { hang: 'before' })
    const abort = new AbortController()
    const { signal } = abort
    const calls = Array.from({ length: 20 }, () => rejection(client.referrals.retrieve(UUID, { signal })))
    const reason = new Error('the program ends')
    setImmediate(() => abort.abort(reason))
    expect(new Set(await Promise.all(calls))).toEqual(new Set([reason]))
    expect(await rejection(client.referrals.retrieve(UUID, { signal }))).toBe(reason)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('the same in waits and recoveries', async () => {
    const { server, client, warnings } = await setUp()
    server.on(READ, { json: referral() }).on('GET /v1/referrals', { json: { referrals: [] } })
    server.on('POST /v1/referrals', { reset: 'before' })
    const { signal } = new AbortController()
    const calls = Array.from({ length: 12 }, () => [
      rejection(client.referrals.waitFor(UUID, { status: 'REFUNDED', timeout: 2_000, signal })),
      rejection(client.referrals.create(order(), { signal })),
    ])
    await Promise.all(calls.flat())
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(warnings).toEqual([])
  })

  it('the same in iterations with prefetch, and in streamed documents', async () => {
    const { server, client, warnings } = await setUp()
    const referralAttachment = `${server.origin}/a.pdf`
    server
      .on(READ, { json: referral({ referralAttachment }) })
      .on('GET /a.pdf', { text: '%PDF-1.7 a document' })
      .on('GET /v1/referrals', { json: page('referrals', [referral()], 'next') }, { json: { referrals: [] } })
    const { signal } = new AbortController()
    const walk = client.referrals.list({ prefetch: true }, { signal })
    const document = await client.referrals.document(UUID)
    const work = Array.from({ length: 12 }, () => [walk.toArray(), read(document.stream({ signal }))])
    await Promise.all(work.flat())
    const half = document.stream({ signal }).getReader()
    await half.read()
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await half.cancel()
    for await (const _ of walk) break
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(warnings).toEqual([])
  })

  it('ends iterations with prefetch, and documents during the download, with its reason', async () => {
    const { server, client } = await setUp()
    const referralAttachment = `${server.origin}/a.pdf`
    server
      .on(READ, { json: referral({ referralAttachment }) })
      .on('GET /a.pdf', { text: '%PDF-1.7 a document', hang: 'in-body' })
      .on('GET /v1/referrals', { json: page('referrals', [referral()], 'next') }, { hang: 'before' })
    const abort = new AbortController()
    const { signal } = abort
    const document = await client.referrals.document(UUID)
    const work = [
      rejection(client.referrals.list({ prefetch: true }, { signal }).toArray()),
      rejection(read(document.stream({ signal }))),
    ]
    await expect.poll(() => server.count('GET /a.pdf') + server.count('GET /v1/referrals')).toBe(3)
    const reason = new Error('the program ends')
    abort.abort(reason)
    expect(await Promise.all(work)).toEqual([reason, reason])
    expect(await rejection(read(document.stream({ signal })))).toBe(reason)
    expect(await rejection(client.referrals.list({ prefetch: true }, { signal }).toArray())).toBe(reason)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('ends no call with another signal', async () => {
    const { server, client } = await setUp()
    server.on(READ, { hang: 'before' }, { json: referral() })
    const [one, other] = [new AbortController(), new AbortController()]
    const first = rejection(client.referrals.retrieve(UUID, { signal: one.signal }))
    await expect.poll(() => server.count(READ)).toBe(1)
    const second = client.referrals.retrieve(UUID, { signal: other.signal })
    one.abort()
    expect(await first).toBe(one.signal.reason)
    await expect(second).resolves.toMatchObject({ object: 'referral' })
  })
})
