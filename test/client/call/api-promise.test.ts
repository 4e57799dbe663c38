import { format, inspect, types } from 'node:util'
import { expect, it } from 'vitest'
import { ApiPromise } from '../../../src/client/call/api-promise.js'
import { CANARIES, expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

const REFERRAL = `GET /v1/referrals/${UUID}`

async function setUp() {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, { json: referral({ uuid: UUID }), headers: { 'x-request-id': 'r-1' } })
  return { service, client: clientOf(service.origin) }
}

const answered = <T>(data: T) =>
  new ApiPromise(
    Promise.resolve({ data, response: { status: 200, headers: {}, requestId: undefined, attempts: 1 } }),
  )

/** The unhandled rejections while `run` runs and shortly after. */
async function unhandledDuring(run: () => unknown): Promise<unknown[]> {
  const seen: unknown[] = []
  const listener = (reason: unknown): void => void seen.push(reason)
  process.on('unhandledRejection', listener)
  await run()
  await new Promise((resolve) => setTimeout(resolve, 20))
  process.off('unhandledRejection', listener)
  return seen
}

it('withResponse returns data, status, headers, request id and attempts, from one request', async () => {
  const { service, client } = await setUp()
  const promise = client.referrals.retrieve(UUID)
  const { data, response } = await promise.withResponse()
  expect(data).toBe(await promise)
  expect(response).toMatchObject({ status: 200, requestId: 'r-1', attempts: 1 })
  expect(response.headers['content-type']).toBe('application/json')
  expect(service.calls).toHaveLength(1)
})

it('the data of a call is the parsed JSON itself', async () => {
  const { client } = await setUp()
  const data = await client.referrals.retrieve(UUID)
  expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
  data.status = 'COMPLETE'
  expect(data.status).toBe('COMPLETE')
})

it('the promise of a call is a platform promise, and makes platform promises', async () => {
  const promise = answered(7)
  expect(types.isPromise(promise)).toBe(true)
  expect(Promise.resolve(promise)).toBe(promise)
  const made = [promise.then(), promise.catch(() => 0), promise.finally(() => 0), promise.withResponse()]
  for (const each of made) expect(Object.getPrototypeOf(each)).toBe(Promise.prototype)
  expect(await Promise.all(made.slice(0, 3))).toEqual([7, 7, 7])
})

it('map converts the data, and keeps the response and the error', async () => {
  expect(await answered(7).map((value) => value * 2)).toBe(14)
  const converted = await answered(7)
    .map(async (value) => value * 2)
    .withResponse()
  expect(converted).toMatchObject({ data: 14, response: { status: 200 } })
  const error = new Error('no')
  const failed = (): ApiPromise<number> => new ApiPromise<number>(Promise.reject(error))
  expect(await rejection(failed().map((value) => value))).toBe(error)
  expect(await rejection(failed().withResponse())).toBe(error)
})

it('a call, an order or a document that nobody awaits is one unhandled rejection', async () => {
  const { client } = await setUp()
  // The check of an order is loaded with the first order.
  await rejection(client.referrals.create({} as never))
  const seen = await unhandledDuring(() => {
    void client.referrals.retrieve('..')
    void client.referrals.create({} as never)
    void client.referrals.document('..')
  })
  expect(seen).toHaveLength(3)
})

it.each<[string, (promise: ApiPromise<number>) => Promise<unknown>]>([
  ['then', (promise) => promise.then(undefined, () => 0)],
  ['withResponse', (promise) => promise.withResponse().catch(() => 0)],
  ['map', (promise) => promise.map((value) => value).catch(() => 0)],
  ['allSettled', (promise) => Promise.allSettled([promise])],
])('an error that is handled by %s is no unhandled rejection', async (_, handle) => {
  const seen = await unhandledDuring(() => handle(new ApiPromise<number>(Promise.reject(new Error('no')))))
  expect(seen).toEqual([])
})

it('inspect, format and JSON of a call do not show its data', async () => {
  const { service, client } = await setUp()
  service.on(REFERRAL, { json: referral({ person: { ...referral().person, lastName: 'Zuckerbrot' } }) })
  const promise = client.referrals.retrieve(UUID)
  expect(await promise.map(({ person }) => person.lastName)).toBe('Zuckerbrot')
  expect(inspect({ promise })).toBe('{ promise: ApiPromise {} }')
  for (const holder of [promise, [promise], { deep: { er: new Map([[1, promise]]) } }]) {
    const shown = [
      inspect(holder, { showHidden: true, depth: 20, showProxy: true }),
      format('%s %o %O %j', holder, holder, holder, holder),
      JSON.stringify([holder, Object.entries(holder)]),
    ]
    expect(shown.join()).not.toContain('Zuckerbrot')
  }
})

it('inspect, JSON and spread of a client show no secret and no token', async () => {
  const { client } = await setUp()
  await client.referrals.retrieve(UUID)
  for (const shown of [client, { ...client }, client.referrals]) expectNoCanary(shown)
  expect(inspect(client, { showHidden: true, depth: 20 })).not.toContain(CANARIES.clientSecret)
  expect(JSON.parse(JSON.stringify(client))).toEqual({ baseUrl: expect.any(String), apiVersion: '1.1.0' })
})
