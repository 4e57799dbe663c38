import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import {
  type ClientOptions,
  type DocumentOptions,
  type DocumentPromise,
  PathologyClient,
} from 'pathology-sdk'
import { expect, it, onTestFinished } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'
import { directory, FILE, PDF, REFERRAL } from './document-world.js'

type Read = (document: DocumentPromise, options: DocumentOptions) => Promise<unknown>

const READS: Readonly<Record<string, Read>> = {
  bytes: (document, options) => document.bytes(options),
  stream: async (document, options) => new Response(await document.stream(options)).arrayBuffer(),
  saveTo: async (document, options) => document.saveTo(join(await directory(), 'a.pdf'), options),
}

/** Phases of a download in which its caller aborts, by the responses of the two hosts. */
interface Phase {
  readonly name: string
  readonly token?: Reply
  readonly owner: readonly Reply[]
  readonly file: readonly Reply[]
  /** Number of requests to both hosts, tokens included, after which the phase is reached. */
  readonly requests: number
  readonly options?: ClientOptions
}

const whole = referral({ uuid: UUID, referralAttachment: 'HOST/files/1' })
const address: Reply = { json: whole }
const PHASES: readonly Phase[] = [
  { name: 'waiting for the token', token: { hang: 'before' }, owner: [], file: [], requests: 1 },
  { name: 'reading the address', owner: [{ hang: 'before' }], file: [], requests: 2 },
  { name: 'in the body of the address', owner: [{ json: whole, hang: 'in-body' }], file: [], requests: 2 },
  {
    name: 'between two attempts at the address',
    owner: [{ status: 503, headers: { 'retry-after': '20' } }],
    file: [],
    requests: 2,
  },
  {
    name: 'reading the address, over fetch',
    owner: [{ hang: 'before' }],
    file: [],
    requests: 2,
    options: { fetch: globalThis.fetch },
  },
  { name: 'waiting for the file', owner: [address], file: [{ hang: 'before' }], requests: 3 },
  { name: 'in the file', owner: [address], file: [{ bytes: PDF, hang: 'in-body' }], requests: 3 },
  {
    name: 'renewing the address',
    owner: [address, { hang: 'before' }],
    file: [{ status: 403 }],
    requests: 4,
  },
  {
    name: 'in the body of the renewed address',
    owner: [address, { json: whole, hang: 'in-body' }],
    file: [{ status: 403 }],
    requests: 4,
  },
  {
    name: 'waiting for the file at its renewed address',
    owner: [address],
    file: [{ status: 403 }, { hang: 'before' }],
    requests: 5,
  },
]

async function setUp({ token, owner, file, options }: Phase) {
  const service = await ScriptedServer.start()
  const host = await ScriptedServer.start()
  if (token !== undefined) service.on('POST /oauth/token', token)
  const withHost = (reply: Reply): Reply =>
    reply.json === undefined
      ? reply
      : { ...reply, json: { ...whole, referralAttachment: `${host.origin}/files/1` } }
  service.on(REFERRAL, ...owner.map(withHost))
  host.on(FILE, ...file)
  const urls = { baseUrl: service.origin, authUrl: service.origin }
  const client = new PathologyClient({ ...urls, clientId: 'client-1', clientSecret: 'secret-1', ...options })
  return { client, arrived: () => service.requests.length + host.requests.length }
}

for (const [method, read] of Object.entries(READS)) {
  it.each(PHASES)(`the signal of ${method} ends a download at once while $name`, async (phase) => {
    const { client, arrived } = await setUp(phase)
    const abort = new AbortController()
    const reason = new Error('closed the page')
    const pending = rejection(read(client.referrals.document(UUID), { signal: abort.signal }))
    await expect.poll(arrived).toBe(phase.requests)
    await new Promise((resolve) => setTimeout(resolve, 10))
    abort.abort(reason)
    expect(await pending).toBe(reason)
    // A request that continued would keep the client open until its time limit.
    await client.close()
  })

  it(`an aborted signal ends ${method} at once`, async () => {
    const { client } = await setUp({ name: '', owner: [{ hang: 'before' }], file: [], requests: 0 })
    const signal = AbortSignal.abort(new Error('too late'))
    expect(await rejection(read(client.referrals.document(UUID), { signal }))).toBe(signal.reason)
  })
}

/** A client that gets the address of the document when the test releases it. */
async function held() {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const owner = [{ ...address, after: released }]
  const { client } = await setUp({ name: '', owner, file: [{ bytes: PDF }], requests: 2 })
  return { client, release }
}

it('a signal ends the download of one caller, not that of another', async () => {
  const { client, release } = await held()
  const document = client.referrals.document(UUID)
  const abort = new AbortController()
  const first = rejection(document.bytes({ signal: abort.signal }))
  const second = document.bytes()
  abort.abort()
  expect(await first).toBe(abort.signal.reason)
  release()
  await expect(second).resolves.toHaveLength(PDF.byteLength)
})

it('a signal does not end the read for a caller that awaits the document itself', async () => {
  const { client, release } = await held()
  const opening = client.referrals.document(UUID)
  const awaited = (async () => opening)()
  expect(await rejection(opening.bytes({ signal: AbortSignal.abort() }))).toHaveProperty('name', 'AbortError')
  release()
  await expect((await awaited).bytes()).resolves.toHaveLength(PDF.byteLength)
})

it('the signal of document() ends the read and all downloads', async () => {
  const { client } = await setUp({ name: '', owner: [{ hang: 'before' }], file: [], requests: 2 })
  const abort = new AbortController()
  const document = client.referrals.document(UUID, { signal: abort.signal })
  const pending = rejection(document.bytes())
  abort.abort()
  expect(await pending).toBe(abort.signal.reason)
  await client.close()
})

const METHODS: Readonly<Record<string, (document: DocumentPromise, options: object) => Promise<unknown>>> = {
  bytes: (document, options) => document.bytes(options),
  saveTo: (document, options) => document.saveTo('a.pdf', options),
  stream: (document, options) => document.stream(options),
  toResponse: (document, options) => document.toResponse(options),
  pipe: (document, options) => document.pipe(new ServerResponse(new IncomingMessage(new Socket())), options),
}

it.each(Object.keys(METHODS))(
  '%s reports invalid options, and the failed read is not an unhandled rejection',
  async (name) => {
    const server = await ScriptedServer.start()
    server.on(`GET /v1/referrals/${UUID}`, { status: 404 })
    const unhandled: unknown[] = []
    const listener = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', listener)
    onTestFinished(() => void process.off('unhandledRejection', listener))
    const client = clientOf(server.origin)
    const document = client.referrals.document(UUID)
    expect(await rejection(METHODS[name]?.(document, { mod: 1 }) ?? Promise.resolve())).toMatchObject({
      name: 'ConfigurationError',
    })
    await client.close()
    await setImmediate()
    expect(unhandled).toEqual([])
  },
)
