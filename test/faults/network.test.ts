import { OrderOutcomeUnknownError, PathologyError } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { expectNoCanary } from '../support/canaries.js'
import { rejection } from '../support/clients.js'
import { order, UUID } from '../support/samples.js'
import { bytes, good, hangUp, head, silence, type WireScript } from './raw-server.js'
import { broken, HALF, JSON_TEXT, REFERRAL, setUp } from './transport-faults.js'

it.each(broken)(
  'a connection that breaks is retried for a GET, whose error names the fault after the last attempt: %s',
  async (_, { script, name, reason }) => {
    const { client, raw } = await setUp([script, good(REFERRAL), script])
    await expect(client.referrals.retrieve(UUID)).resolves.toMatchObject({ uuid: UUID })
    expect(raw.requests).toHaveLength(2)
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toBeInstanceOf(PathologyError)
    expect(error).toMatchObject({ name, reason, outcome: 'failed', attempts: 3 })
    expectNoCanary(error)
    expect(raw.requests).toHaveLength(5)
  },
)

it.each(broken)(
  'a connection that breaks leaves the outcome of an order unknown, which is sent once: %s (§4.1)',
  async (...row) => {
    const [, { script, name, reason }] = row
    const { client, raw } = await setUp([script, good({ referrals: [] })])
    const error = await rejection(client.referrals.create(order()))
    expect(error).toBeInstanceOf(OrderOutcomeUnknownError)
    const cause = { name, reason, outcome: 'unknown' }
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1, cause })
    expectNoCanary(error)
    expect(raw.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
  },
)

it('a connection that the server closes is replaced for a GET', async () => {
  const { client, raw } = await setUp([good(REFERRAL), hangUp, good(REFERRAL)])
  await client.referrals.retrieve(UUID)
  await expect(client.referrals.retrieve(UUID)).resolves.toMatchObject({ uuid: UUID })
  expect(raw.requests).toHaveLength(3)
})

it('a connection that the server closes is not replaced for an order, because the server had read it (§4.1)', async () => {
  const { client, raw } = await setUp([good(REFERRAL), hangUp, good({ referrals: [] })])
  await client.referrals.retrieve(UUID)
  await expect(client.referrals.create(order())).rejects.toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN' })
  expect(raw.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
})

it('a response that does not arrive leaves the outcome of an order unknown after its 120 seconds (§4.1)', async () => {
  const { client, raw, clock } = await setUp([silence, good({ referrals: [] })])
  const pending = rejection(client.referrals.create(order()))
  await expect.poll(() => raw.requests.length).toBe(1)
  clock.advance(119_000)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(raw.requests).toHaveLength(1)
  clock.advance(1_000)
  expect(await pending).toMatchObject({
    code: 'ORDER_OUTCOME_UNKNOWN',
    cause: { name: 'TimeoutError', timeout: 120_000, outcome: 'unknown' },
  })
})

const drip: WireScript = (socket) => {
  socket.write(head(200, 'content-length: 100000'))
  const timer = setInterval(() => socket.write(' '), 5)
  socket.on('close', () => clearInterval(timer))
}

it.each([
  ['no head', silence],
  ['half a head', bytes('HTTP/1.1 200 OK\r\ncontent-le', 'keep')],
  ['half a body', bytes(`${head(200, `content-length: ${JSON_TEXT.length}`)}${HALF}`, 'keep')],
  ['a byte now and then', drip],
] as const)(
  'a response that does not arrive ends a GET at its time limit, and its socket is closed: %s',
  async (_, script) => {
    const { client, raw, clock } = await setUp([script])
    const pending = rejection(client.referrals.retrieve(UUID))
    await expect.poll(() => raw.requests.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    clock.advance(30_000)
    const error = await pending
    expect(error).toMatchObject({ name: 'TimeoutError', timeout: 30_000, outcome: 'failed', attempts: 1 })
    expectNoCanary(error)
    await expect.poll(() => raw.sockets.size).toBe(0)
  },
)

it('an unusual status is a success if it is 2xx and unknown', async () => {
  const { client } = await setUp([bytes(`${head(289, `content-length: ${JSON_TEXT.length}`)}${JSON_TEXT}`)])
  const { data, response } = await client.referrals.retrieve(UUID).withResponse()
  expect(data.uuid).toBe(UUID)
  expect(response.status).toBe(289)
})

it.each([
  [204, 'InvalidResponseError', 'empty'],
  [304, 'InvalidResponseError', 'redirect'],
])('the status %i is an %s with the reason %s', async (status, name, reason) => {
  const script = bytes(
    head(status, status === 204 || status === 304 ? 'x-y: z' : 'content-length: 0'),
    'keep',
  )
  const { client } = await setUp([script])
  const error = await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
  expect(error).toMatchObject({ name, reason, status })
})

it.each([418, 999])('the status %i is an ApiError', async (status) => {
  const { client } = await setUp([bytes(head(status, 'content-length: 0'), 'keep')])
  const error = await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
  expect(error).toMatchObject({ status, outcome: 'failed', code: undefined })
  expect(error).toBeInstanceOf(PathologyError)
})
