import { FakePathologyService, snapshotFromJson, snapshotToJson } from 'pathology-sdk/testing'
import { describe, expect, it, vi } from 'vitest'

import { authorised, createFake, NOW, ORDER, placeOrder, records } from '../support.js'

const HOOK = 'https://hooks.integrator.example/events'

describe('snapshot and restore', () => {
  it('a snapshot restores everything, any number of times: orders, clock, tokens, faults, journals', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    await placeOrder(fake, headers)
    fake.faults.next('GET /v1/tests', { status: 503 })
    const snapshot = fake.snapshot()
    const before = { referrals: fake.referrals.all(), requests: [...fake.requests], now: fake.clock.now() }
    for (let round = 0; round < 2; round += 1) {
      await placeOrder(fake, headers)
      await fake.clock.advance({ days: 400 })
      fake.tokens.revokeAll()
      fake.faults.clear()
      fake.restore(snapshot)
      expect({
        referrals: fake.referrals.all(),
        requests: [...fake.requests],
        now: fake.clock.now(),
      }).toEqual(before)
      expect(fake.faults.list()).toHaveLength(1)
      const response = await fake.fetch(`${fake.baseUrl}/v1/vendors`, { headers })
      expect(response.status).toBe(200)
      fake.restore(snapshot)
    }
  })

  it('the same steps after a restore have the same outcome, including ids', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    const snapshot = fake.snapshot()
    const first = await placeOrder(fake, headers)
    fake.restore(snapshot)
    expect(await placeOrder(fake, headers)).toEqual(first)
  })

  it('changes after a snapshot do not change it', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    const snapshot = fake.snapshot()
    const text = snapshotToJson(snapshot)
    await placeOrder(fake, headers)
    await fake.clock.advance({ days: 1 })
    expect(snapshotToJson(snapshot)).toBe(text)
  })

  it('a snapshot works as JSON, in another fake', async () => {
    const fake = createFake()
    const { body } = await placeOrder(fake, await authorised(fake))
    const uuid = String(records(body)[0]?.['uuid'])
    const other = createFake({ seed: 9 })
    other.restore(snapshotFromJson(JSON.parse(JSON.stringify(snapshotToJson(fake.snapshot())))))
    expect(other.referrals.retrieve(uuid)).toMatchObject({ referenceNumber: ORDER.referenceNumber })
    other.referrals.complete(uuid)
    expect(other.referrals.all().at(-1)).toMatchObject({ uuid, status: 'COMPLETE' })
    expect(fake.referrals.retrieve(uuid).status).toBe('ISSUED')
  })

  it.each(['', 'null', '{}', '{"format":"pathology-fake/1"}', '{"format":"other","state":""}'])(
    '%s is rejected as a snapshot',
    (text) => {
      expect(() => snapshotFromJson(text)).toThrow(/not a snapshot/)
    },
  )

  it('an attempt in progress at the time of the snapshot counts as failed and is repeated', async () => {
    const fake = createFake()
    fake.webhooks.createInPortal({ url: HOOK, events: ['referral.refunded'] })
    let release: (response: Response) => void = () => undefined
    fake.deliverTo(
      HOOK,
      () =>
        new Promise<Response>((resolve) => {
          release = resolve
        }),
    )
    fake.trigger('referral.refunded')
    const snapshot = fake.snapshot()
    release(new Response())
    await fake.settled()
    fake.restore(snapshot)
    fake.deliverTo(HOOK, () => new Response())
    expect(fake.deliveries[0]).toMatchObject({ status: 'waiting' })
    await fake.clock.advance({ minutes: 1 })
    expect(fake.deliveries[0]).toMatchObject({ status: 'delivered' })
  })
})

describe('reset', () => {
  it('a reset fake starts again with the same records', async () => {
    const fake = createFake()
    const data = () => structuredClone([fake.referrals.all(), fake.results.all(), fake.centres.all()])
    const before = data()
    fake.referrals.nextOrders('billing-failed')
    fake.centres.weeklyRefresh({ created: 5, missing: 5 })
    await placeOrder(fake, await authorised(fake))
    await fake.clock.advance({ days: 2 })
    expect(data()).not.toEqual(before)
    fake.reset()
    expect(data()).toEqual(before)
    expect(fake.centres.refreshes()).toEqual([])
    expect(fake.requests.count).toBe(0)
    expect(fake.clock.iso()).toBe('2026-03-02T09:00:00.000Z')
  })
})

describe.each<[string, (fake: FakePathologyService) => void | Promise<void>]>([
  ['reset', (fake) => fake.reset()],
  [
    'restore',
    (fake) => fake.restore(new FakePathologyService({ startTime: NOW, seedReferrals: 0 }).snapshot()),
  ],
  ['close', (fake) => fake.close()],
])('%s during a request', (name, end) => {
  // A closed fake has no connection on which a response could arrive.
  const outcome =
    name === 'close'
      ? { message: 'fetch failed', cause: { code: 'UND_ERR_SOCKET' } }
      : { status: 500, body: { code: 'INTERNAL_ERROR' } }

  it(`an order that waits for its latency is not placed after ${name}`, async () => {
    const fake = createFake({ orderLatencyMs: 12_000, seedReferrals: 0 })
    const order = placeOrder(fake, await authorised(fake)).catch((error: unknown) => error)
    await fake.clock.advance({ seconds: 1 })
    await end(fake)
    expect(await order).toMatchObject(outcome)
    expect(fake.referrals.all()).toEqual([])
    expect(fake.deliveries.events()).toEqual([])
  })

  it(`an order that waits because of a fault is not placed after ${name}`, async () => {
    const fake = createFake({ seedReferrals: 0 })
    fake.faults.next('POST /v1/referrals', { latencyMs: 50 })
    const order = placeOrder(fake, await authorised(fake)).catch((error: unknown) => error)
    await vi.waitFor(() => expect(fake.requests.count).toBe(1), { timeout: 10_000 })
    await end(fake)
    expect(await order).toMatchObject(outcome)
    expect(fake.referrals.all()).toEqual([])
  })
})

it('a reset during a request starts a journal without that request', async () => {
  const fake = createFake({ orderLatencyMs: 12_000, seedReferrals: 0 })
  const headers = await authorised(fake)
  const order = placeOrder(fake, headers)
  await fake.clock.advance({ seconds: 1 })
  fake.reset()
  await order
  expect([...fake.requests]).toEqual([])
  await fake.fetch(`${fake.baseUrl}/v1/vendors`, { headers })
  expect(fake.requests.map(({ number }) => number)).toEqual([1])
})

describe('determinism', () => {
  const story = async (seed: number): Promise<string> => {
    const fake = createFake({ seed })
    fake.webhooks.createInPortal({ url: HOOK })
    const bodies: string[] = []
    fake.deliverTo(HOOK, async (request) => {
      bodies.push(await request.text(), request.headers.get('x-svc-hmac-sha256') ?? '')
      return new Response()
    })
    const { body } = await placeOrder(fake, await authorised(fake))
    fake.referrals.complete(String(records(body)[0]?.['uuid']))
    await fake.clock.advance({ days: 1 })
    return JSON.stringify([body, fake.referrals.all(), fake.results.all(), bodies])
  }

  it('the same seed and steps give the same ids, times, values, deliveries and signatures', async () => {
    expect(await story(1)).toBe(await story(1))
  })

  it('another seed gives other values', async () => {
    const [one, other] = [await story(1), await story(2)]
    expect(other).not.toBe(one)
    const uuids = (text: string) => new Set(text.match(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{22}/g))
    expect([...uuids(one)].filter((uuid) => uuids(other).has(uuid))).toEqual([])
  })
})
