import type { FetchLike } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { expectNoCanary } from '../support/canaries.js'
import { clientOf, rejection } from '../support/clients.js'
import { OrderBook } from '../support/order-book.js'
import { order, referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'

/** Change of a response by a wrapper. The wrapper may also throw, or return any value. */
type Spoil = (response: Response) => unknown

const stream = (pull: (controller: ReadableStreamDefaultController) => void): ReadableStream =>
  new ReadableStream({ pull })

/** A body that is cut off before its end. */
const breaking = (): ReadableStream => {
  let pieces = 0
  return stream((controller) => {
    pieces += 1
    if (pieces === 1) controller.enqueue(new TextEncoder().encode('{"uuid"'))
    else controller.error(new TypeError('terminated'))
  })
}

const refusedElsewhere = (): Error =>
  Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect', port: 4318 })

const unknownElsewhere = (): Error =>
  Object.assign(new Error('getaddrinfo'), {
    code: 'ENOTFOUND',
    syscall: 'getaddrinfo',
    hostname: 'logs.example',
  })

const WRAPPERS: Readonly<Record<string, Spoil>> = {
  'reads the body': async (response) => {
    await response.text()
    return response
  },
  'reads the body in part': async (response) => {
    const reader = response.body?.getReader()
    await reader?.read()
    return response
  },
  'locks the body': (response) => {
    response.body?.getReader()
    return response
  },
  'returns Response.error()': () => Response.error(),
  'returns status 0': (response) => Object.defineProperty(response, 'status', { value: 0 }),
  'returns a status that is not a number': (response) =>
    Object.defineProperty(response, 'status', { value: '200' }),
  'fails in a clone': async (response) => {
    const copy = response.clone()
    await copy.json()
    return copy.json()
  },
  'rejects with a type error': () => Promise.reject(new TypeError('Body is unusable')),
  'rejects with nothing': () => Promise.reject(undefined),
  'rejects with a text': () => Promise.reject('no error'),
  'cannot reach its own log': () => Promise.reject(refusedElsewhere()),
  'cannot resolve its own log': () =>
    Promise.reject(new TypeError('fetch failed', { cause: unknownElsewhere() })),
  'returns nothing': () => undefined,
  'returns null': () => null,
  'returns a text': () => 'ok',
  'returns the parsed body': (response) => response.json(),
  'returns an object of its own': () => ({ status: 200, ok: true, json: async () => ({}) }),
  'returns headers as an object': (response) => ({ status: 200, headers: {}, body: response.body }),
  'returns a body with a reader of its own': () => ({
    status: 200,
    headers: [],
    body: { getReader: () => ({}) },
  }),
  'returns a body of text': () => new Response(stream((controller) => controller.enqueue('{}') as undefined)),
  'returns a body that throws in the middle': () => new Response(breaking()),
}
const wrappers = Object.entries(WRAPPERS)

/** A fetch whose responses to calls, not to token requests, are damaged, `times` times. */
function wrapped(spoil: Spoil, times = Number.POSITIVE_INFINITY): FetchLike {
  let left = times
  return async (input, init) => {
    const response = await globalThis.fetch(input, init)
    if (input.endsWith('/oauth/token') || left === 0) return response
    left -= 1
    return (await spoil(response)) as Response
  }
}

const OURS = expect.stringMatching(/^(Connection|\w*Response)Error$/)

it.each(wrappers)(
  'a fetch function that %s costs no order: it is placed once and found by the lookup (§4.1)',
  async (_, spoil) => {
    const server = await ScriptedServer.start()
    const book = new OrderBook(server)
    const found = clientOf(server.origin, { fetch: wrapped(spoil, 1) })
    expect(await found.referrals.create(order())).toMatchObject({ recovered: true })
    expect(book.orders).toHaveLength(1)
    const lost = clientOf(server.origin, { fetch: wrapped(spoil), orderRecoveryTimeout: 0 })
    const error = await rejection(lost.referrals.create(order({ referenceNumber: 'another' })))
    expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', outcome: 'unknown' })
    expect(error).toHaveProperty('cause.name', OURS)
    expectNoCanary(error)
    expect(book.orders).toHaveLength(2)
  },
)

it.each(wrappers)(
  'a fetch function that %s is called again for a GET, which fails with an error of this package',
  async (_, spoil) => {
    const server = await ScriptedServer.start()
    server.on(`GET /v1/referrals/${UUID}`, { json: referral({ uuid: UUID }) })
    const retried = clientOf(server.origin, { fetch: wrapped(spoil, 2) }).referrals.retrieve(UUID)
    expect((await retried.withResponse()).response.attempts).toBe(3)
    const error = await rejection(clientOf(server.origin, { fetch: wrapped(spoil) }).referrals.retrieve(UUID))
    expect(error).toMatchObject({ name: OURS, outcome: 'failed' })
    expectNoCanary(error)
  },
)

it.each(wrappers)(
  'a fetch function that %s fails a document with an error of this package',
  async (_, spoil) => {
    const server = await ScriptedServer.start()
    const referralAttachment = `${server.origin}/files/x.pdf`
    server.on(`GET /v1/referrals/${UUID}`, { json: referral({ uuid: UUID, referralAttachment }) })
    server.on('GET /files/*', { text: '%PDF-1.7 %%EOF' })
    const fetch: FetchLike = (input, init) =>
      input.includes('/files/') ? wrapped(spoil)(input, init) : globalThis.fetch(input, init)
    const client = clientOf(server.origin, { fetch, maxRetries: 0 })
    expect(await rejection(client.referrals.document(UUID).bytes())).toMatchObject({ name: OURS })
  },
)
