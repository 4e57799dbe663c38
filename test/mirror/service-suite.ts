import { memoryOrderLedger } from 'pathology-sdk'
import type { MirrorOptions } from 'pathology-sdk/mirror'
import { expect, it, vi } from 'vitest'
import { ORDER } from '../testing/support.js'
import { createWorld, type TestDatabase } from './world.js'

type Answer = () => Promise<Response>

const failing =
  (code: string): Answer =>
  () =>
    Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code } }))
const refused = failing('ECONNREFUSED')
const lost = failing('ECONNRESET')
const html: Answer = async () =>
  new Response('<html>', { status: 200, headers: { 'content-type': 'text/html' } })
const status =
  (code: number, body: object = {}): Answer =>
  async () =>
    Response.json(body, { status: code })

/** Tests of outages of the service, for each database. */
export function serviceSuite(database: TestDatabase): void {
  /** A world whose service can be replaced by an answer of its own for all calls. */
  async function world(options: MirrorOptions = {}, seedReferrals = 0) {
    const here = await createWorld(database, { seedReferrals })
    const service: { answer: Answer | undefined; reads: number } = { answer: undefined, reads: 0 }
    const client = here.clientOf({ fetch: (input, init) => service.answer?.() ?? fetch(input, init) })
    const own = { client, secret: here.fake.signingSecret }
    const count = (point: string): void => {
      if (point === 'fetch:before') service.reads += 1
    }
    const mirror = here.mirrorOf({ ...own, ...options }, count)
    const send = async (data: object, eventName = 'referral.updated') => {
      // On a busy machine a delivery can get a 503; the service then sends it again.
      const isAccepted = async () => expect(await here.announce(mirror, data, { eventName })).toBe(200)
      await vi.waitFor(isAccepted, { timeout: 30_000 })
    }
    /** Makes the next probe due, and processes what is due. */
    const probe = async () => {
      await here.rows('UPDATE {schema}.contact SET probe_at = now() WHERE failing_since IS NOT NULL')
      await mirror.drain()
    }
    const copied = async () => (await here.rows('SELECT 1 FROM {schema}.referral')).length
    return { ...here, service, mirror, send, probe, copied, another: () => here.mirrorOf(own, count) }
  }

  it.each([
    ['refused connections', refused, 'unreachable', 'ConnectionError CONNECTION_REFUSED'],
    ['503 for every call', status(503), 'unreachable', /^(TokenError|ServerError) HTTP 503$/],
    ['a page in HTML for every call', html, 'unreachable', /Error/],
    ['rejected credentials with 404', status(404, { error: true, code: 102 }), 'rejected', 'TokenError'],
  ])(
    'an outage with %s uses up no attempts, is shown, and all work continues when one call succeeds',
    async (_, answer, state, error) => {
      const here = await world({ attempts: { fetch: 1 } })
      const uuids = [await here.order(), await here.order(), await here.order()]
      here.service.answer = answer
      for (const uuid of uuids) await here.send({ uuid })
      await here.mirror.drain()
      for (let n = 0; n < 4; n += 1) {
        const { reads } = here.service
        await here.probe()
        expect(here.service.reads - reads).toBe(1)
      }
      expect(await here.rows('SELECT attempts, dead FROM {schema}.work WHERE dead OR attempts > 0')).toEqual(
        [],
      )
      await here.rows(`UPDATE {schema}.contact SET failing_since = now() - interval '3600.0004 seconds'`)
      const shown = await here.mirror.status()
      expect(shown).toMatchObject({
        ...{ dead: 0, retrying: 3, oldestWaiting: { kind: 'referral' } },
        service: [{ organisation: 'default', state, reachedAt: null, error: expect.stringMatching(error) }],
        retries: [{ kind: 'referral', count: 3, error: expect.stringMatching(error) }],
      })
      expect(shown.lagMs).toBeGreaterThanOrEqual(3_600_000)
      expect(shown.lagMs).toSatisfy(Number.isInteger)
      expect(shown.service[0]?.failingSince).toBeInstanceOf(Date)
      expect(await here.mirror.metrics()).toContain(
        'pathology_mirror_service_reached{organisation="default"} 0',
      )
      // A busy machine also logs deliveries that got a 503.
      const logs = () => here.logs.filter((line) => line.startsWith('mirror: the service'))
      expect(logs()).toHaveLength(1)
      here.service.answer = undefined
      // The client repeats a rejection for a second, without a request.
      const isOver = async () => {
        await here.probe()
        expect(await here.copied()).toBe(3)
      }
      await vi.waitFor(isOver, { timeout: 10_000, interval: 200 })
      expect(logs()).toEqual([expect.any(String), expect.stringContaining('reached again')])
      expect(await here.mirror.status()).toMatchObject({
        ...{ lagMs: 0, retries: [], oldestWaiting: undefined },
        service: [{ state: 'reached', reachedAt: expect.any(Date), failingSince: null, nextTryAt: null }],
      })
    },
  )

  it('an outage at the start of an empty copy ends by itself: the backfill and the directories continue', async () => {
    const here = await world({}, 45)
    here.service.answer = refused
    await here.mirror.start()
    await vi.waitFor(
      async () => expect(await here.mirror.status()).toMatchObject({ service: [{ state: 'unreachable' }] }),
      { timeout: 10_000 },
    )
    const { lagMs, sweeps } = await here.mirror.status()
    expect(lagMs).toBeGreaterThan(0)
    expect(sweeps).toMatchObject([{ name: 'backfill', finishedAt: null }])
    here.service.answer = undefined
    await vi.waitFor(
      async () => {
        const { sweeps: now, backlog } = await here.mirror.status()
        expect({ now, backlog }).toMatchObject({ now: [{ state: 'finished' }], backlog: 0 })
      },
      { timeout: 20_000 },
    )
    expect(await here.copied()).toBe(here.fake.referrals.all().length)
  })

  it('an outage is probed by one process at a time, and holds back the work of all processes', async () => {
    const here = await world()
    const uuids = [await here.order(), await here.order()]
    here.service.answer = refused
    for (const uuid of uuids) await here.send({ uuid })
    await here.mirror.drain()
    const { reads } = here.service
    const other = here.another()
    await other.drain()
    expect(here.service.reads).toBe(reads)
    await here.rows('UPDATE {schema}.contact SET probe_at = now()')
    await Promise.all([here.mirror.drain(), other.drain()])
    expect(here.service.reads).toBe(reads + 1)
    expect(await here.mirror.status()).toMatchObject({ service: [{ state: 'unreachable' }], retrying: 2 })
  })

  it('an outage does not hold back deliveries and other work that does not call the service', async () => {
    const handled: string[] = []
    const here = await world({ on: { '*': ({ uuid }) => void handled.push(uuid) } })
    const uuid = await here.order()
    await here.send({ uuid })
    await here.mirror.drain()
    here.service.answer = refused
    await here.send({ uuid })
    await here.mirror.drain()
    expect(await here.mirror.replay({ consumer: 'default' })).toBe(1)
    await here.mirror.drain()
    expect(handled).toEqual([uuid, uuid])
  })

  it('an outage of one organisation does not hold back another one', async () => {
    const here = await createWorld(database, { seedReferrals: 3 })
    const north = here.clientOf({ fetch: refused })
    const organisations = { north: { client: north }, south: { client: here.clientOf() } }
    const mirror = here.mirrorOf({ organisations })
    await mirror.backfill({ organisation: 'south' })
    await mirror.start()
    await vi.waitFor(
      async () =>
        expect((await mirror.status()).service).toMatchObject([
          { organisation: 'north', state: 'unreachable' },
          { organisation: 'south', state: 'reached' },
        ]),
      { timeout: 10_000 },
    )
  })

  it('one record that the service cannot return is not an outage: the sweep recent reads the lists, and other work continues', async () => {
    const here = await world({ attempts: { fetch: 3 } })
    const [bad, good] = [await here.order(), await here.order()]
    const fault = { status: 500, body: '{}' }
    await here.send({ uuid: bad })
    here.fake.faults.next('GET /v1/referrals/{uuid}', fault, { times: 3 })
    await here.mirror.drain()
    await here.again(here.mirror)
    expect((await here.mirror.status()).sweeps).toMatchObject([
      { name: 'recent', state: 'finished', read: 2 },
    ])
    expect((await here.mirror.status()).service).toMatchObject([{ state: 'reached' }])
    expect(await here.copied()).toBeGreaterThanOrEqual(1)
    await here.send({ uuid: good })
    await here.again(here.mirror)
    expect(here.logs.filter((line) => line.includes('cannot be reached'))).toEqual([])
  })

  it('the order ledger of the client gets each referral.created event, and an event that it could not record is sent again', async () => {
    const here = await createWorld(database)
    const memory = memoryOrderLedger()
    let isLedgerDown = true
    const resolve: typeof memory.resolve = (...args) =>
      isLedgerDown ? Promise.reject(new Error('no')) : memory.resolve(...args)
    const ledger = new Proxy(memory, {
      get: (target, name) => {
        const value: unknown = name === 'resolve' ? resolve : Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    let isDown = false
    const client = here.clientOf({
      orderLedger: ledger,
      fetch: async (input, init) => {
        if (isDown) return lost()
        const response = await fetch(input, init)
        isDown = init?.method === 'POST' && String(input).endsWith('/referrals')
        return isDown ? lost() : response
      },
    })
    const mirror = here.mirrorOf({ client })
    await mirror.status()
    await here.subscribe(mirror)
    await expect(
      client.referrals.create(ORDER, { orderKey: 'order-1', signal: AbortSignal.timeout(1_000) }),
    ).rejects.toThrow()
    isDown = false
    const isCopied = async () => {
      await here.settle(mirror)
      expect(await here.rows('SELECT uuid FROM {schema}.referral')).toHaveLength(1)
      await here.fake.clock.advance({ minutes: 10 })
    }
    await vi.waitFor(isCopied, { timeout: 30_000 })
    expect(await memory.list({ state: 'unknown' })).toHaveLength(1)
    expect(here.logs.join()).toContain('its order was not recorded')
    isLedgerDown = false
    await here.fake.clock.advance({ minutes: 10 })
    await here.settle(mirror)
    expect(await memory.list({ state: 'unknown' })).toEqual([])
    expect(await memory.list({ state: 'placed' })).toHaveLength(1)
  })

  it('the sweep recent runs after a start if its last run is older than its period', async () => {
    const here = await world()
    await here.mirror.start()
    await here.mirror.backfill()
    await here.mirror.stop()
    const uuid = await here.order()
    const age = async (interval: string) => {
      await here.rows(`UPDATE {schema}.iteration SET started_at = now() - interval '${interval}'`)
      await here.rows(`UPDATE {schema}.schedule SET due_at = now() + interval '10 minutes'`)
      const mirror = here.another()
      await mirror.start()
      await mirror.drain()
      await mirror.stop()
      return here.rows('SELECT uuid FROM {schema}.referral')
    }
    expect(await age('14 minutes')).toEqual([])
    expect(await age('16 minutes')).toEqual([{ uuid }])
  })

  it.each([
    ['referral.updated', {}],
    ['result.complete', { uuid: 7 }],
    ['kit.dispatched', { kit: 'a' }],
  ])('the sweep recent runs at once after an event %s that names no record: %o', async (eventName, data) => {
    const here = await world()
    await here.mirror.backfill()
    const uuid = await here.order()
    await here.send(data, eventName)
    await here.mirror.drain()
    expect(await here.rows('SELECT uuid FROM {schema}.referral')).toEqual([{ uuid }])
  })
}
