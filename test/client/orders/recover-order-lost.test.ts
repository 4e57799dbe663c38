import { orderKeyOf, type Referral } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { CANARIES, expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { OrderBook } from '../../support/order-book.js'
import { medicareOrder, order, referral } from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { error, LOSSES, POST, setUp } from './order-world.js'

describe('ordering exactly once: the response was lost', () => {
  it.each(Object.entries(LOSSES))('%s: found by its key, without a second POST', async (_, loss) => {
    const { client, book, server, clock } = await setUp([loss])
    const pending = client.referrals.create(order())
    if (loss.hang !== undefined) {
      await expect.poll(() => server.count(POST)).toBe(1)
      clock.advance(120_000)
    }
    const placed = await pending
    expect(placed).toMatchObject({ recovered: true, referrals: [{ uuid: book.referrals[0]?.uuid }] })
    expect(placed.orderKey).toBe(orderKeyOf(book.referrals[0]))
    expect(server.count(POST)).toBe(1)
    expect(book.orders).toHaveLength(1)
  })

  it.each(['1.0.0', '1.1.0'] as const)('version %s: looked up with the same version', async (apiVersion) => {
    const { client, server } = await setUp([{ reset: 'before' }])
    await client.referrals.create(order(), { apiVersion })
    const accepts = server.calls.map(({ headers }) => headers.accept)
    expect(new Set(accepts)).toEqual(new Set([`application/vnd.svc.v${apiVersion}+json`]))
  })

  it('two referrals: both are found and distinguished', async () => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    const placed = await client.referrals.create(medicareOrder())
    expect(placed.recovered).toBe(true)
    expect(placed.commercial?.uuid).toBe(book.referrals[0]?.uuid)
    expect(placed.medicare?.uuid).toBe(book.referrals[1]?.uuid)
    expect(server.count(POST)).toBe(1)
  })

  it('two referrals of which one appears first: the lookup waits for the other', async () => {
    const { client, book, server, clock } = await setUp([{ reset: 'before' }])
    server.on('GET /v1/referrals', (_, nth) => ({
      json: { referrals: nth < 3 ? book.referrals.slice(0, 1) : [...book.referrals].reverse() },
    }))
    const placed = await client.referrals.create(medicareOrder())
    expect(placed.referrals).toHaveLength(2)
    expect(server.count('GET /v1/referrals')).toBe(3)
    expect(clock.slept.length).toBeGreaterThanOrEqual(2)
  })

  it("strict: another order's referral that differs from the contract does not hide the order", async () => {
    const { book, server } = await setUp([{ reset: 'before' }])
    const clock = new SkippingClock()
    const client = clientOf(server.origin, { clock, responseValidation: 'strict' })
    const odd = { ...referral({ createdAt: new Date().toISOString() }), tests: 'fbc' }
    server.on('GET /v1/referrals', () => ({ json: { referrals: [odd, ...book.referrals] } }))
    const placed = await client.referrals.create(order())
    expect(placed).toMatchObject({ recovered: true, referrals: [{ uuid: book.referrals[0]?.uuid }] })
    const again = await client.referrals.create(order(), { orderKey: placed.orderKey })
    expect(again.recovered).toBe(true)
    await expect(client.referrals.list().toArray()).rejects.toMatchObject({ reason: 'shape' })
  })

  it('records that move to the next page while the list is read are one referral, not two', async () => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    const now = new Date().toISOString()
    const page = (nth: number, ...referrals: readonly (Referral | undefined)[]): Reply => ({
      json: { referrals, cursor: { cursor: `c${nth}`, count: 1, resultCount: 1 } },
    })
    const commercial = () => book.referrals[0]
    server.on('GET /v1/referrals', ({ query }, nth) => {
      if (nth > 3) return { json: { referrals: [...book.referrals].reverse() } }
      if (query.get('cursor') === 'c2') return { json: { referrals: [] } }
      return query.has('cursor')
        ? page(2, commercial())
        : page(1, commercial() ?? referral({ createdAt: now }))
    })
    const placed = await client.referrals.create(medicareOrder())
    expect(placed.commercial?.uuid).toBe(book.referrals[0]?.uuid)
    expect(placed.medicare?.uuid).toBe(book.referrals[1]?.uuid)
    expect(placed.referrals).toHaveLength(2)
  })

  it('a service without a Date header and with another time: found on the newest page anyway', async () => {
    const server = await ScriptedServer.start()
    const anHourAgo = () => Date.now() - 3_600_000
    const book = new OrderBook(server, [{ reset: 'before' }], anHourAgo)
    server.on('GET /v1/referrals', (request) => ({ ...book.listScript(request), headers: { date: '' } }))
    const placed = await clientOf(server.origin, { clock: new SkippingClock() }).referrals.create(order())
    expect(placed.recovered).toBe(true)
  })

  it('a list that does not end: the last lookup ends some seconds after the recovery time', async () => {
    const { server } = await setUp([{ reset: 'before' }])
    const clock = new SkippingClock()
    const client = clientOf(server.origin, { clock, orderRecoveryTimeout: 3_000 })
    const now = new Date().toISOString()
    server.on('GET /v1/referrals', (_, nth) => {
      clock.advance(100)
      const cursor = { cursor: `c${nth}`, count: 1, resultCount: 1 }
      return { json: { referrals: [referral({ createdAt: now })], cursor } }
    })
    const unknown = await rejection(client.referrals.create(order()))
    expect(unknown).toMatchObject({ name: 'OrderOutcomeUnknownError', cause: { name: 'ConnectionError' } })
    expect(server.count('GET /v1/referrals')).toBeLessThanOrEqual(131)
  })

  it('an order still in progress: looked up again until it appears', async () => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    book.hiddenFor = 4
    const placed = await client.referrals.create(order())
    expect(placed.recovered).toBe(true)
    expect(book.listReads).toBe(5)
    expect(server.count(POST)).toBe(1)
  })

  it('a failed lookup is repeated, because the service may be starting again', async () => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    server.on('GET /v1/referrals', (_, nth) =>
      nth <= 8 ? error(503) : { json: { referrals: [...book.referrals] } },
    )
    const placed = await client.referrals.create(order())
    expect(placed.recovered).toBe(true)
    expect(server.count(POST)).toBe(1)
  })

  it('reads back no further than five minutes before the start of the call, page by page', async () => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    for (let minutes = 90; minutes > 0; minutes -= 1) book.place(order(), ago(minutes))
    book.pageSize = 2
    const placed = await client.referrals.create(order())
    expect(placed.recovered).toBe(true)
    expect(server.count('GET /v1/referrals')).toBeLessThanOrEqual(5)
    expect(
      server.calls
        .filter(({ method }) => method === 'GET')
        .every(({ query }) => query.get('sort') === 'desc'),
    ).toBe(true)
  })

  it.each([-86_400_000, 86_400_000])(
    "the local clock is %i ms wrong: the start is that of the service's Date header",
    async (offset) => {
      const server = await ScriptedServer.start()
      const book = new OrderBook(server, [{ reset: 'before' }])
      const clock = new SkippingClock({ now: Date.now() + offset })
      for (let minutes = 30; minutes > 0; minutes -= 1) {
        book.place(order(), new Date(Date.now() - minutes * 60_000))
      }
      book.pageSize = 2
      const placed = await clientOf(server.origin, { clock }).referrals.create(order())
      expect(placed.recovered).toBe(true)
      expect(server.count('GET /v1/referrals')).toBeLessThanOrEqual(5)
    },
  )

  it('a referral in the list without required fields does not end the lookup', async () => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    const { person: _, ...nameless } = referral({ createdAt: new Date().toISOString() })
    server.on('GET /v1/referrals', () => ({ json: { referrals: [nameless, ...book.referrals] } }))
    const placed = await client.referrals.create(order())
    expect(placed.recovered).toBe(true)
  })
})

describe('ordering exactly once: a rejected order may be sent again', () => {
  it.each([
    ['401', error(401)],
    ['429', { ...error(429), headers: { 'retry-after': '1' } }],
  ] as const)('%s, then accepted: ordered once', async (_, refusal) => {
    const { client, book, server } = await setUp()
    server.on(POST, refusal, ({ body }) => ({ json: book.place(JSON.parse(body))[0] }))
    const placed = await client.referrals.create(order())
    expect(placed.recovered).toBe(false)
    expect(server.count(POST)).toBe(2)
    expect(book.orders).toHaveLength(1)
  })

  it('a 400 is final, says that nothing was done and repeats nothing of the patient', async () => {
    const { client, server } = await setUp()
    const list = [
      `lastName ${CANARIES.lastName} is not plausible [field: lastName]`,
      `dob ${CANARIES.dob} [field: dob]`,
    ]
    server.on(POST, {
      status: 400,
      json: { error: true, code: 'INVALID_PAYLOAD', message: 'bad', errorList: list },
    })
    const refused = await rejection(client.referrals.create(order()))
    expect(refused).toMatchObject({ name: 'BadRequestError', outcome: 'failed', errorList: list })
    expect(refused).toMatchObject({ issues: [{ field: 'lastName' }, { field: 'dob' }] })
    expectNoCanary(refused)
    expect(server.count(POST)).toBe(1)
  })
})
