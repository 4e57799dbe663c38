import { isPathologyError, OrderOutcomeUnknownError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order } from '../../support/samples.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { error, POST, setUp, UUID_TEXT } from './order-world.js'

describe('ordering exactly once: the order does not appear', () => {
  it('OrderOutcomeUnknownError: one POST, several lookups of the window; the error has key, start and cause', async () => {
    const { client, book, server, clock } = await setUp(['not placed'])
    const start = Date.now()
    const unknown = await rejection(client.referrals.create(order()))
    expect(unknown).toBeInstanceOf(OrderOutcomeUnknownError)
    if (!(unknown instanceof OrderOutcomeUnknownError)) return
    expect(unknown).toMatchObject({
      code: 'ORDER_OUTCOME_UNKNOWN',
      outcome: 'unknown',
      attempts: 1,
      candidates: [],
    })
    expect(unknown.orderKey).toMatch(UUID_TEXT)
    expect(Math.abs(unknown.startedAt.getTime() - start)).toBeLessThan(60_000)
    expect(unknown.message).toContain('it is unknown whether the order was placed')
    // A ledger does not know a generated key, so another create() with this key could place a second order.
    expect(unknown.message).toMatch(/call recover\(\) later/)
    expect(unknown.cause).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(isPathologyError(unknown, 'ORDER_OUTCOME_UNKNOWN')).toBe(true)
    expectNoCanary(unknown)
    expect(server.count(POST)).toBe(1)
    expect(book.listReads).toBeGreaterThanOrEqual(4)
    const waited = clock.slept.reduce((sum, ms) => sum + ms, 0)
    expect(waited).toBeGreaterThan(10_000)
    expect(waited).toBeLessThanOrEqual(20_000)
  })

  it('recover() finds it later, and resolves to undefined until then', async () => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    book.hiddenFor = 1
    const unknown = await rejection(
      clientOf(server.origin, { orderRecoveryTimeout: 0 }).referrals.create(order()),
    )
    if (!(unknown instanceof OrderOutcomeUnknownError)) throw unknown
    book.hiddenFor = 2
    await expect(unknown.recover()).resolves.toBeUndefined()
    const placed = await unknown.recover()
    expect(placed).toMatchObject({ recovered: true, orderKey: unknown.orderKey })
    expect(placed?.referrals).toEqual(book.referrals)
    expect(server.count(POST)).toBe(1)
    await client.close()
  })

  it('the lookup fails permanently: still OrderOutcomeUnknownError, with recover()', async () => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    server.on('GET /v1/referrals', error(500))
    const unknown = await rejection(client.referrals.create(order()))
    if (!(unknown instanceof OrderOutcomeUnknownError)) throw unknown
    server.on('GET /v1/referrals', () => ({ json: { referrals: book.referrals } }))
    await expect(unknown.recover()).resolves.toMatchObject({ recovered: true })
    expect(server.count(POST)).toBe(1)
  })

  it('a proxy returns HTML for the order and every lookup: the outcome is unknown', async () => {
    const { client, server } = await setUp([{ text: '<html></html>' }])
    server.on('GET /v1/referrals', { text: '<html></html>' })
    const unknown = await rejection(client.referrals.create(order()))
    expect(unknown).toMatchObject({ name: 'OrderOutcomeUnknownError', cause: { reason: 'not-json' } })
  })

  it('recover() on a closed client: rejected, and the error names it', async () => {
    const { client } = await setUp(['not placed'])
    const unknown = await rejection(client.referrals.create(order()))
    if (!(unknown instanceof OrderOutcomeUnknownError)) throw unknown
    await client.close()
    expect(await rejection(unknown.recover())).toMatchObject({
      name: 'ConnectionError',
      reason: 'closed',
      message: expect.stringMatching(/^recover\(\): the client is closed/),
    })
  })

  it('one of two referrals appears: the order is not complete, and the error names the referral', async () => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    server.on('GET /v1/referrals', () => ({ json: { referrals: book.referrals.slice(0, 1) } }))
    const unknown = await rejection(client.referrals.create(medicareOrder()))
    expect(unknown).toMatchObject({ name: 'OrderOutcomeUnknownError', candidates: [book.referrals[0]?.uuid] })
  })
})

describe('ordering exactly once: without a key', () => {
  it('one candidate with reference number, name, date of birth and tests is the order', async () => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    book.place(order({ firstName: 'Otto' }))
    book.place(order({ referenceNumber: 'another' }))
    book.place(order({ dob: '1990-01-01' }))
    book.place(order({ tests: ['another-test'] }))
    const placed = await client.referrals.create(order(), { orderKey: false })
    expect(placed).toMatchObject({ recovered: true, orderKey: undefined })
    expect(placed.referrals).toEqual([book.referrals.at(-1)])
    expect(server.count(POST)).toBe(1)
  })

  it.each([
    ['visit 17', ' visit 17 '],
    [' visit 17', 'visit 17'],
  ])('its reference number %j, sent as %j: spaces at the ends are ignored', async (shown, sent) => {
    const { client, book, server } = await setUp(['not placed'])
    server.on(POST, ({ body }) => {
      book.place({ ...JSON.parse(body), referenceNumber: shown })
      return { reset: 'before' }
    })
    const given = order({ referenceNumber: sent })
    const placed = await client.referrals.create(given, { orderKey: false })
    expect(placed).toMatchObject({ recovered: true, referrals: [{ referenceNumber: shown }] })
  })

  it('spaces at the ends do not make two concurrent orders different', async () => {
    const { client, book, server } = await setUp()
    let answer: () => void = () => undefined
    const told = new Promise<void>((resolve) => {
      answer = resolve
    })
    const place = (body: string) => book.place({ ...JSON.parse(body), referenceNumber: 'visit 17' })[0]
    server.on(POST, ({ body }) => ({ json: place(body), after: told }), { reset: 'before' })
    const create = (referenceNumber: string) =>
      client.referrals.create(order({ referenceNumber }), { orderKey: false })
    const slow = create('visit 17').withResponse()
    await expect.poll(() => book.orders.length).toBe(1)
    const unknown = await rejection(create('visit 17 '))
    const [shown] = book.referrals
    expect(unknown).toMatchObject({ name: 'OrderOutcomeUnknownError', candidates: [shown?.uuid] })
    answer()
    await expect(slow).resolves.toMatchObject({ data: { recovered: false, referrals: [shown] } })
  })

  it('an order with its own key in the metadata is identified by that key', async () => {
    const { client, book } = await setUp([{ reset: 'before' }])
    const own = order({ metadata: { pathologySdkOrderKey: 'mine' } })
    book.place(order())
    const placed = await client.referrals.create(own, { orderKey: false })
    expect(placed).toMatchObject({ recovered: true, referrals: [{ uuid: book.referrals[1]?.uuid }] })
  })

  it('several candidates: all are reported, and the client does not choose one', async () => {
    const { client, book } = await setUp([{ reset: 'before' }])
    book.place(order())
    const unknown = await rejection(client.referrals.create(order(), { orderKey: false }))
    expect(unknown).toMatchObject({ name: 'OrderOutcomeUnknownError', orderKey: undefined })
    expect(unknown).toMatchObject({ candidates: book.referrals.map(({ uuid }) => uuid) })
    expect(unknown).toMatchObject({ message: expect.stringMatching(/call recover\(\) later/) })
    expectNoCanary(unknown)
  })
})

describe('ordering exactly once: without a key, with another order', () => {
  it('an identical order placed seconds before is a candidate, not the lost order', async () => {
    const { book, server } = await setUp(['not placed'])
    const client = clientOf(server.origin, { clock: new SkippingClock(), orderRecoveryTimeout: 0 })
    const [other] = book.place(order(), new Date(Date.now() - 20_000))
    const unknown = await rejection(client.referrals.create(order(), { orderKey: false }))
    expect(unknown).toMatchObject({ name: 'OrderOutcomeUnknownError', candidates: [other?.uuid] })
    if (!(unknown instanceof OrderOutcomeUnknownError)) return
    await expect(unknown.recover()).resolves.toBeUndefined()
    expect(server.count(POST)).toBe(1)
  })

  it('an identical order that this client placed itself is not the lost order', async () => {
    const { client, book } = await setUp(['answer', 'not placed'])
    await client.referrals.create(order(), { orderKey: false })
    const unknown = await rejection(client.referrals.create(order(), { orderKey: false }))
    expect(unknown).toMatchObject({ name: 'OrderOutcomeUnknownError', candidates: [] })
    expect(book.orders).toHaveLength(1)
  })

  it('of two identical orders of this client, the known one shows which one was lost', async () => {
    const { client, book } = await setUp(['answer', { reset: 'before' }])
    await client.referrals.create(order(), { orderKey: false })
    const placed = await client.referrals.create(order(), { orderKey: false })
    expect(placed).toMatchObject({ recovered: true, referrals: [{ uuid: book.referrals[1]?.uuid }] })
  })

  it('an identical order in progress may be the one that appears: it is not treated as the lost order', async () => {
    const { client, book, server } = await setUp(['answer', 'not placed'])
    let answer: () => void = () => undefined
    const told = new Promise<void>((resolve) => {
      answer = resolve
    })
    server.on(POST, ({ body }) => ({ json: book.place(JSON.parse(body))[0], after: told }), {
      reset: 'before',
    })
    const slow = client.referrals.create(order(), { orderKey: false }).withResponse()
    await expect.poll(() => book.orders.length).toBe(1)
    const unknown = await rejection(client.referrals.create(order(), { orderKey: false }))
    const [shown] = book.referrals
    expect(unknown).toMatchObject({ name: 'OrderOutcomeUnknownError', candidates: [shown?.uuid] })
    answer()
    await expect(slow).resolves.toMatchObject({ data: { recovered: false, referrals: [shown] } })
  })

  it.each([
    ['without a key, of another reference', { referenceNumber: 'ref-78' }, false, false],
    ['without a key, of another person', { firstName: 'Berta' }, false, false],
    ['under a key', {}, 'job-1', false],
    ['without a key, while one with a key is lost', {}, false, 'job-2'],
  ] as const)(
    'another order in flight, %s, does not prevent that a lost order is found',
    async (_, change, other, own) => {
      const { client, book, server } = await setUp()
      server.on(POST, { hang: 'before' }, ({ body }) => {
        book.place(JSON.parse(body))
        return { reset: 'before' }
      })
      const ended = new AbortController()
      const { signal } = ended
      const slow = rejection(client.referrals.create(order(change), { orderKey: other, signal }))
      await expect.poll(() => server.count(POST)).toBe(1)
      const placed = await client.referrals.create(order(), { orderKey: own })
      expect(placed).toMatchObject({ recovered: true, referrals: book.referrals })
      ended.abort()
      await slow
    },
  )

  it('the responses of two identical orders are lost together, and one order appears: only one call gets it', async () => {
    const { client, server } = await setUp([{ reset: 'before' }, 'not placed'])
    const calls = [1, 2].map(() => client.referrals.create(order(), { orderKey: false }))
    const outcomes = await Promise.allSettled(calls)
    const placed = outcomes.filter(({ status }) => status === 'fulfilled')
    expect(placed.length).toBeLessThanOrEqual(1)
    expect(server.count(POST)).toBe(2)
  })

  it.each([true, false])(
    'an order of other tests at the same time; the lost order appears: %s',
    async (shows) => {
      const { client, book, server } = await setUp()
      server.on(POST, ({ body }) => {
        book.place(order({ tests: ['tsh'] }))
        if (shows) book.place(JSON.parse(body))
        return { reset: 'before' }
      })
      const outcome = await client.referrals.create(order(), { orderKey: false }).catch((error) => error)
      expect(outcome).toMatchObject(
        shows
          ? { recovered: true, referrals: [{ uuid: book.referrals[1]?.uuid }] }
          : { name: 'OrderOutcomeUnknownError', candidates: [] },
      )
    },
  )

  it('an order with a key is not treated as an order without one', async () => {
    const { client, book } = await setUp(['not placed'])
    book.place(order({ metadata: { pathologySdkOrderKey: 'another' } }))
    const unknown = await rejection(client.referrals.create(order(), { orderKey: false }))
    expect(unknown).toMatchObject({ name: 'OrderOutcomeUnknownError', candidates: [] })
  })
})

describe('ordering exactly once: abort', () => {
  it('after the response to the order: the order is returned', async () => {
    const { server, book } = await setUp()
    const abort = new AbortController()
    const client = clientOf(server.origin, {
      // The check of the response is the last step before the result, and it warns of differences.
      logger: { warn: () => abort.abort() },
    })
    book.place(order())
    server.on(POST, { json: { ...book.referrals[0], tests: 'fbc' } })
    const placed = await client.referrals.create(order(), { signal: abort.signal })
    expect(abort.signal.aborted).toBe(true)
    expect(placed.referrals[0]?.uuid).toBe(book.referrals[0]?.uuid)
  })

  it("in flight: rejects with the signal's reason", async () => {
    const { client, server } = await setUp([{ hang: 'before' }])
    const abort = new AbortController()
    const reason = new Error('the user went away')
    const pending = rejection(client.referrals.create(order(), { signal: abort.signal }))
    await expect.poll(() => server.count(POST)).toBe(1)
    abort.abort(reason)
    expect(await pending).toBe(reason)
  })

  it("while the order is looked up: rejects with the signal's reason, and ends the lookup", async () => {
    const { server } = await setUp(['not placed'])
    const abort = new AbortController()
    const client = clientOf(server.origin, { clock: new SkippingClock({ skip: () => false }) })
    const pending = rejection(client.referrals.create(order(), { signal: abort.signal }))
    await expect.poll(() => server.count('GET /v1/referrals')).toBe(1)
    abort.abort()
    expect(await pending).toMatchObject({ name: 'AbortError' })
    expect(server.count('GET /v1/referrals')).toBe(1)
  })
})
