import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientOptions } from 'pathology-sdk'
import { Agent, type Dispatcher, ProxyAgent, fetch as undiciFetch } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { PDF, setUp as setUpDocuments } from '../client/documents/document-world.js'
import { expectNoCanary } from '../support/canaries.js'
import { clientOf, rejection } from '../support/clients.js'
import { order, referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { bytes, good, head, RawServer, type WireScript } from './raw-server.js'
import { JSON_TEXT, setUp } from './transport-faults.js'

function destroyedAfterwards<D extends Dispatcher>(dispatcher: D): D {
  onTestFinished(() => dispatcher.destroy())
  return dispatcher
}

/** A dispatcher with only `dispatch`, like a wrapper in plain JavaScript. */
function dispatchAlone(inner: (origin: string) => Dispatcher): Dispatcher {
  const dispatch: Dispatcher['dispatch'] = (options, handler) =>
    inner(String(options.origin)).dispatch(options, handler)
  return { dispatch } as Dispatcher
}

const TRANSPORTS: Readonly<Record<string, () => ClientOptions>> = {
  'its own connections': () => ({}),
  'a given dispatcher': () => ({ dispatcher: destroyedAfterwards(new Agent()) }),
  'a dispatcher with dispatch alone': () => {
    const agent = destroyedAfterwards(new Agent())
    return { dispatcher: dispatchAlone(() => agent) }
  },
  fetch: () => ({ fetch: globalThis.fetch }),
}
const transports = Object.entries(TRANSPORTS)

it.each(transports)(
  'bytes that are not HTTP have the reason protocol, also on a connection in use, over %s',
  async (_, options) => {
    const scripts = [good(referral({ uuid: UUID })), bytes('SSH-2.0-OpenSSH\r\n')]
    const { client } = await setUp(scripts, { ...options(), maxRetries: 0 })
    await client.referrals.retrieve(UUID)
    expect(await rejection(client.referrals.retrieve(UUID))).toMatchObject({ reason: 'protocol' })
  },
)

const cuts = [1, JSON_TEXT.indexOf('"person"') + 3, JSON_TEXT.length - 1]

it.each(transports)(
  'a body without a length whose connection ends too early is truncated wherever it ends, over %s',
  async (_, options) => {
    for (const cut of cuts) {
      const { client } = await setUp([bytes(`${head(200, 'connection: close')}${JSON_TEXT.slice(0, cut)}`)], {
        ...options(),
        maxRetries: 0,
      })
      const error = await rejection(client.referrals.retrieve(UUID))
      expect(error).toMatchObject({ name: 'InvalidResponseError', reason: 'truncated', outcome: 'failed' })
      expectNoCanary(error)
      const unknown = await rejection(client.referrals.create(order()))
      expect(unknown).toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN', cause: { reason: 'truncated' } })
    }
  },
)

it.each(
  transports.flatMap(([name, options]) =>
    [
      ['content-length: 5000', JSON_TEXT],
      ['transfer-encoding: chunked', `${JSON_TEXT.length.toString(16)}\r\n${JSON_TEXT.slice(0, 9)}`],
      ['transfer-encoding: chunked', `${JSON_TEXT.length.toString(16)}\r\n${JSON_TEXT}\r\n`],
    ]
      .map(([line, body]) => ({ name, options, line, body }))
      // Node's own fetch sometimes takes the end of the connection for the last chunk. The body is complete then.
      .filter(({ body }) => name !== 'fetch' || !body?.includes(`${JSON_TEXT}\r\n`)),
  ),
)(
  'a body without a length whose connection ends too early is truncated with $line and connection: close, over $name',
  async ({ options, line, body }) => {
    const script = bytes(`${head(200, `${line}`, 'connection: close')}${body}`)
    const { client } = await setUp([script], { ...options(), maxRetries: 0 })
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toMatchObject({ name: 'InvalidResponseError', reason: 'truncated', outcome: 'failed' })
  },
)

it.each(['<html>', 'ok'])(
  'a body without a length whose connection ends too early is not JSON, and not truncated, with %j',
  async (text) => {
    const { client } = await setUp([bytes(`${head(200, 'connection: close')}${text}`)], { maxRetries: 0 })
    expect(await rejection(client.referrals.retrieve(UUID))).toMatchObject({ reason: 'not-json' })
  },
)

const early = (status: string): WireScript =>
  bytes(`HTTP/1.1 ${status}\r\n\r\n${head(200, `content-length: ${JSON_TEXT.length}`)}${JSON_TEXT}`)

it.each(transports)(
  'a 1xx status that was not requested is ignored if it is 102 or 103, over %s',
  async (_, options) => {
    for (const status of ['102 Processing', '103 Early Hints']) {
      const { client } = await setUp([early(status)], options())
      await expect(client.referrals.retrieve(UUID)).resolves.toMatchObject({ uuid: UUID })
    }
  },
)

it.each(transports)(
  'a 1xx status that was not requested is named in the error if it is 100 Continue, and an order is looked up, over %s',
  async (_, options) => {
    const { client, raw } = await setUp([early('100 Continue')], { ...options(), maxRetries: 0 })
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'protocol', outcome: 'failed' })
    expect(String(error)).toContain('100 Continue')
    expect(await rejection(client.referrals.create(order()))).toMatchObject({
      code: 'ORDER_OUTCOME_UNKNOWN',
    })
    expect(raw.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
  },
)

it.each(transports)('a document has bytes, stream and saveTo, over %s', async (_, options) => {
  const { client } = await setUpDocuments([{ bytes: PDF }], options())
  const document = await client.referrals.document(UUID)
  const folder = await mkdtemp(join(tmpdir(), 'transports-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'x.pdf')
  expect(Buffer.from(await document.bytes())).toEqual(PDF)
  expect(Buffer.from(await new Response(document.stream()).arrayBuffer())).toEqual(PDF)
  await document.saveTo(path)
  expect(await readFile(path)).toEqual(PDF)
})

it.each([403, 407, 502])(
  'a document is not requested when the proxy rejects its host with %i: the reason is proxy',
  async (status) => {
    const proxy = await RawServer.start(bytes(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`, 'end'))
    const service = await ScriptedServer.start()
    const url = 'https://files.clinic.example/x.pdf?sig=canary-signed-query'
    service.on(`GET /v1/referrals/${UUID}`, { json: referral({ referralAttachment: url }) })
    const refusing = destroyedAfterwards(new ProxyAgent(proxy.origin))
    const direct = destroyedAfterwards(new Agent())
    const dispatcher = dispatchAlone((origin) => (origin === service.origin ? direct : refusing))
    const expected = { name: 'ConnectionError', reason: 'proxy', outcome: 'not-sent' }
    const error = await rejection(clientOf(service.origin, { dispatcher }).referrals.document(UUID).bytes())
    expect(error).toMatchObject(expected)
    expectNoCanary(error)
    const fetch = (input: string, init: RequestInit): Promise<Response> =>
      input.startsWith(service.origin)
        ? globalThis.fetch(input, init)
        : (undiciFetch(input, { ...init, dispatcher: refusing } as never) as unknown as Promise<Response>)
    const byFetch = await rejection(clientOf(service.origin, { fetch }).referrals.document(UUID).bytes())
    expect(byFetch).toMatchObject(expected)
  },
)
