import { format, inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
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
  Promise.resolve({ data, response: { status: 200, headers: {}, requestId: undefined, attempts: 1 } })

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

describe('the promise of a call', () => {
  it('withResponse: data, status, headers, request id and attempts, from one request', async () => {
    const { service, client } = await setUp()
    service.on(
      REFERRAL,
      { status: 503 },
      { json: referral({ uuid: UUID }), headers: { 'x-request-id': 'r-1' } },
    )
    const promise = client.referrals.retrieve(UUID)
    const { data, response } = await promise.withResponse()
    expect(data).toBe(await promise)
    expect(response).toMatchObject({ status: 200, requestId: 'r-1', attempts: 2 })
    expect(response.headers['content-type']).toBe('application/json')
    expect(service.calls).toHaveLength(2)
  })

  it('the data is the parsed JSON itself', async () => {
    const { client } = await setUp()
    const data = await client.referrals.retrieve(UUID)
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
    data.status = 'COMPLETE'
    expect(data.status).toBe('COMPLETE')
  })

  it('behaves like a resolved promise', async () => {
    const promise = new ApiPromise(answered(7))
    expect(promise).toBeInstanceOf(Promise)
    expect(await promise).toBe(7)
    expect(await promise.then((value) => value + 1)).toBe(8)
    expect(await promise.then()).toBe(7)
    expect(await promise.then(null, () => 0)).toBe(7)
    expect(await promise.catch(() => 0)).toBe(7)
    expect(await promise.finally(() => undefined)).toBe(7)
    expect(await Promise.all([promise, promise])).toEqual([7, 7])
    expect(await Promise.race([promise])).toBe(7)
    expect(await Promise.any([promise])).toBe(7)
    expect(await Promise.allSettled([promise])).toEqual([{ status: 'fulfilled', value: 7 }])
    expect(await (async () => promise)()).toBe(7)
    expect(await promise.map((value) => value * 2)).toBe(14)
    expect((await promise.map(async (value) => value * 2).withResponse()).data).toBe(14)
    expect(await Promise.resolve(promise)).toBe(7)
    expect(Object.prototype.toString.call(promise)).toBe('[object Promise]')
  })

  it('behaves like a rejected promise', async () => {
    const error = new Error('no')
    const make = () => new ApiPromise<number>(Promise.reject(error))
    expect(await rejection(make())).toBe(error)
    expect(await rejection(make().withResponse())).toBe(error)
    expect(await rejection(make().then((value) => value))).toBe(error)
    expect(await rejection(make().finally(() => undefined))).toBe(error)
    expect(await rejection(make().map((value) => value))).toBe(error)
    expect(await make().catch((reason) => reason)).toBe(error)
    expect(await make().then(undefined, (reason) => reason)).toBe(error)
    expect(await Promise.allSettled([make()])).toEqual([{ status: 'rejected', reason: error }])
  })

  it('an error that a handler throws is passed on', async () => {
    const promise = new ApiPromise(answered(7))
    const thrown = new Error('in the handler')
    const error = await rejection(
      promise.then(() => {
        throw thrown
      }),
    )
    expect(error).toBe(thrown)
  })
})

describe('unhandled rejections', () => {
  it('a call that nobody awaits is one unhandled rejection, not two', async () => {
    const service = await ScriptedServer.start()
    service.on(REFERRAL, { status: 404 })
    const client = clientOf(service.origin)
    const seen = await unhandledDuring(async () => {
      void client.referrals.retrieve(UUID)
      void client.referrals.retrieve('..')
      await expect.poll(() => service.calls.length).toBe(1)
    })
    expect(seen).toHaveLength(2)
  })

  it.each([
    [
      'await',
      (promise: ApiPromise<number>) =>
        promise.then(
          () => 0,
          () => 0,
        ),
    ],
    ['catch', (promise: ApiPromise<number>) => promise.catch(() => 0)],
    ['withResponse', (promise: ApiPromise<number>) => promise.withResponse().catch(() => 0)],
    ['map', (promise: ApiPromise<number>) => promise.map((value) => value).catch(() => 0)],
    ['finally', (promise: ApiPromise<number>) => promise.finally(() => 0).catch(() => 0)],
    ['allSettled', (promise: ApiPromise<number>) => Promise.allSettled([promise])],
  ] as const)('handled by %s: no unhandled rejection', async (_, handle) => {
    const seen = await unhandledDuring(() => handle(new ApiPromise<number>(Promise.reject(new Error('no')))))
    expect(seen).toEqual([])
  })

  it('an order and a document that nobody awaits: one each', async () => {
    const service = await ScriptedServer.start()
    const client = clientOf(service.origin)
    // The check of an order is loaded with the first order.
    await rejection(client.referrals.create({} as never))
    const seen = await unhandledDuring(() => {
      void client.referrals.create({} as never)
      void client.referrals.document('..')
    })
    expect(seen).toHaveLength(2)
  })

  it('a document whose read has a handler: no unhandled rejection', async () => {
    const service = await ScriptedServer.start()
    const client = clientOf(service.origin)
    const seen = await unhandledDuring(async () => {
      await rejection(client.referrals.document('..').bytes())
      await rejection(client.referrals.document('..').saveTo('/nowhere'))
      await rejection(client.referrals.document('..').stream())
    })
    expect(seen).toEqual([])
  })
})

describe('the client shows no internal data', () => {
  it('inspect shows a promise without its data', async () => {
    const { client } = await setUp()
    const promise = client.referrals.retrieve(UUID)
    expect(inspect(promise)).toBe('ApiPromise {}')
    await promise
    expect(inspect({ promise })).toBe('{ promise: ApiPromise {} }')
  })

  it('inspect, format and JSON of a promise do not show its content', async () => {
    const { service, client } = await setUp()
    service.on(REFERRAL, { json: referral({ person: { ...referral().person, lastName: 'Zuckerbrot' } }) })
    const promise = client.referrals.retrieve(UUID)
    const lastName = await promise.map(({ person }) => person.lastName)
    expect(lastName).toBe('Zuckerbrot')
    const changed = promise.map((data) => data)
    await changed
    for (const each of [promise, changed]) {
      const holders = [each, [each], { deep: { er: new Map([[1, each]]) } }]
      const shown = holders.flatMap((holder) => [
        inspect(holder),
        inspect(holder, { showHidden: true, depth: 20, showProxy: true }),
        format('%s %o %O %j', holder, holder, holder, holder),
        JSON.stringify(holder),
        JSON.stringify(Object.entries(holder)),
      ])
      expect(shown.join()).not.toContain(lastName)
    }
  })

  it('inspect, JSON and spread show no secret and no token', async () => {
    const { client } = await setUp()
    await client.referrals.retrieve(UUID)
    expectNoCanary(client)
    expectNoCanary({ ...client })
    expectNoCanary(client.referrals)
    expect(inspect(client, { showHidden: true, depth: 20 })).not.toContain(CANARIES.clientSecret)
    expect(JSON.parse(JSON.stringify(client))).toEqual({ baseUrl: expect.any(String), apiVersion: '1.1.0' })
  })
})
