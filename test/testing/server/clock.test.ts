import { describe, expect, it, onTestFinished, vi } from 'vitest'

import {
  authorised,
  createFake,
  ORDER,
  orderOverApi,
  placeOrder,
  read,
  records,
  startFake,
} from '../support.js'

const SYSTEM = { startTime: undefined }

describe('the fake clock', () => {
  it('a stopped clock stays at its start time and moves only when it is advanced', async () => {
    const fake = createFake({ startTime: '2030-01-01T00:00:00Z' })
    expect(fake.clock.iso()).toBe('2030-01-01T00:00:00.000Z')
    await fake.clock.advance({ days: 1, hours: 2, minutes: 3, seconds: 4, milliseconds: 5 })
    expect(fake.clock.iso()).toBe('2030-01-02T02:03:04.005Z')
    expect(fake.clock.now()).toBe(Date.parse('2030-01-02T02:03:04.005Z'))
  })

  it('a clock starts at a time before 1970, and at a time without an offset, which is in UTC', () => {
    expect(createFake({ startTime: '1960-01-01T00:00:00Z' }).clock.iso()).toBe('1960-01-01T00:00:00.000Z')
    vi.stubEnv('TZ', 'Australia/Sydney')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    expect(new Date('2026-03-02T09:00:00').toISOString()).toBe('2026-03-01T22:00:00.000Z')
    expect(createFake({ startTime: '2026-03-02T09:00:00' }).clock.iso()).toBe('2026-03-02T09:00:00.000Z')
  })

  it('a step that is due after every possible date does not prevent the overview of the console', async () => {
    const fake = await startFake({ issueTiming: { afterMs: Number.MAX_SAFE_INTEGER } })
    await orderOverApi(fake)
    const response = await fetch(`${fake.controlUrl}/console/overview`)
    expect(await read(response)).toMatchObject({
      status: 200,
      body: { next: { kind: 'planned' } },
    })
  })

  it('a running clock follows the system clock, plus the time by which it was advanced', async () => {
    const fake = createFake({ ...SYSTEM, seedReferrals: 0 })
    // Each change of the seed moved the clock forward, so it can be some milliseconds ahead.
    const between = (aheadMs: number) => Math.abs(fake.clock.now() - aheadMs - Date.now()) < 60_000
    expect(between(0)).toBe(true)
    await fake.clock.advance({ days: 10 })
    expect(between(864_000_000)).toBe(true)
  })

  it.each([{}, SYSTEM])(
    'each change has its own updatedAt, with a stopped and with a running clock',
    async (options) => {
      const fake = createFake({ ...options, seedReferrals: 0 })
      const uuid = await orderOverApi(fake)
      const times = [fake.referrals.retrieve(uuid).updatedAt]
      fake.referrals.partialResults(uuid)
      times.push(fake.referrals.retrieve(uuid).updatedAt)
      fake.referrals.complete(uuid)
      times.push(fake.referrals.retrieve(uuid).updatedAt)
      const result = fake.referrals.retrieve(uuid).resultsUuid ?? ''
      for (let change = 0; change < 50; change += 1) times.push(fake.results.review(result).updatedAt)
      expect(times).toEqual([...new Set(times)].toSorted())
      expect(fake.clock.iso() >= (times.at(-1) ?? '')).toBe(true)
    },
  )

  it('a clock does not move without a change', async () => {
    const fake = createFake()
    await fake.fetch(`${fake.baseUrl}/v1/referrals`, { headers: await authorised(fake) })
    expect(fake.clock.iso()).toBe('2026-03-02T09:00:00.000Z')
  })

  it('the clock of a restored snapshot continues after its last change', async () => {
    const fake = createFake({ seedReferrals: 0 })
    const uuid = await orderOverApi(fake)
    const snapshot = fake.snapshot()
    const other = createFake({ seedReferrals: 0 })
    other.restore(snapshot)
    expect(other.referrals.complete(uuid).updatedAt > fake.referrals.retrieve(uuid).updatedAt).toBe(true)
  })

  it.each([{ minutes: -1 }, { hours: Number.NaN }, { days: Infinity }, { weeks: 1 }, 60_000, null])(
    'advance rejects %o',
    async (step) => {
      await expect(createFake().clock.advance(step as never)).rejects.toThrow(RangeError)
    },
  )

  it('two calls of advance at the same time advance the clock twice', async () => {
    const fake = createFake({ issueTiming: { afterMs: 90_000 } })
    const { body } = await placeOrder(fake, await authorised(fake))
    await Promise.all([fake.clock.advance({ minutes: 1 }), fake.clock.advance({ minutes: 1 })])
    expect(fake.clock.iso()).toMatch(/^2026-03-02T09:02:00/)
    expect(fake.referrals.retrieve(String(records(body)[0]?.['uuid'])).status).toBe('ISSUED')
  })

  it('an advance after one that failed still moves the clock', async () => {
    const fake = createFake()
    const invalid = expect(fake.clock.advance({ minutes: -1 })).rejects.toThrow(RangeError)
    await fake.clock.advance({ minutes: 1 })
    await invalid
    expect(fake.clock.iso()).toBe('2026-03-02T09:01:00.000Z')
  })

  it('each due step happens at its own time, however far the clock is advanced', async () => {
    const fake = createFake({ issueTiming: { afterMs: 90_000 } })
    const { body } = await placeOrder(fake, await authorised(fake))
    await fake.clock.advance({ days: 3 })
    const referral = fake.referrals.retrieve(String(records(body)[0]?.['uuid']))
    expect(referral.updatedAt).toMatch(/^2026-03-02T09:01:30\.0/)
  })

  it('a running clock runs due steps in real time, also with fake timers', async () => {
    vi.useFakeTimers()
    try {
      const fake = createFake({ ...SYSTEM, issueTiming: { afterMs: 30 } })
      const { body } = await placeOrder(fake, await authorised(fake))
      const uuid = String(records(body)[0]?.['uuid'])
      vi.useRealTimers()
      await vi.waitFor(() => expect(fake.referrals.retrieve(uuid).status).toBe('ISSUED'), { interval: 10 })
    } finally {
      vi.useRealTimers()
    }
  })

  it('a slow order gets its response when its time has passed on the clock (§8)', async () => {
    const fake = createFake({ orderLatencyMs: 12_000, seedReferrals: 0 })
    const headers = await authorised(fake)
    let answered = false
    const order = placeOrder(fake, headers, ORDER).then((response) => {
      answered = true
      return response
    })
    await fake.clock.advance({ seconds: 11 })
    expect(answered).toBe(false)
    expect(fake.referrals.all()).toHaveLength(0)
    await fake.clock.advance({ seconds: 1 })
    expect((await order).status).toBe(200)
    expect(fake.referrals.all()).toHaveLength(1)
  })
})

describe('deliveries on the fake clock (§6)', () => {
  const HOOK = 'https://hooks.integrator.example/events'

  it('an attempt that starts late, as after the sleep of a computer, moves the later attempts (§6)', async () => {
    const fake = createFake(SYSTEM)
    fake.webhooks.createInPortal({ url: HOOK, events: ['referral.refunded'] })
    fake.deliverTo(HOOK, () => new Response(null, { status: 503 }))
    fake.trigger('referral.refunded')
    await fake.settled()
    const snapshot = fake.snapshot()
    snapshot.state.server.clock.offsetMs += 3 * 3_600_000
    fake.restore(snapshot)
    await fake.clock.advance({ minutes: 3 })
    expect(fake.deliveries[0]).toMatchObject({ status: 'waiting' })
    expect(fake.deliveries[0]?.attempts).toHaveLength(2)
    await fake.clock.advance({ minutes: 2 })
    expect(fake.deliveries[0]?.attempts).toHaveLength(3)
  })

  it('a receiver in this process that takes longer than the limit counts as failed (§6)', async () => {
    const fake = createFake({ webhookTimeoutMs: 20 })
    fake.webhooks.createInPortal({ url: HOOK, events: ['referral.refunded'] })
    fake.deliverTo(HOOK, () => new Promise<Response>(() => undefined))
    fake.trigger('referral.refunded')
    await fake.settled()
    expect(fake.deliveries[0]?.attempts).toMatchObject([{ status: null, failure: 'timeout' }])
  })

  it('deliveries are not sent when sending is disabled', async () => {
    const fake = createFake({ sendWebhooks: false })
    fake.webhooks.createInPortal({ url: HOOK, events: ['referral.refunded'] })
    const bodies: string[] = []
    fake.deliverTo(HOOK, async (request) => {
      bodies.push(await request.text())
      return new Response()
    })
    fake.trigger('referral.refunded')
    await fake.settled()
    expect(bodies).toEqual([])
    expect(fake.deliveries).toHaveLength(1)
  })
})
