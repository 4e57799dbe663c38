import { getEventListeners, getMaxListeners } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
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

it('a hundred calls with one signal cause no warning, and leave no listener on it', async () => {
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
  expect(getMaxListeners(signal)).toBe(getMaxListeners(new AbortController().signal))
})

it('a signal ends all its calls, also those in the queue, and later ones', async () => {
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

it('a signal has no listener after waits and recoveries', async () => {
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

it('a signal has no listener after iterations with prefetch and streamed documents', async () => {
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
