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

  it('in flight: the promise and the log have the generated key, by which the order is found', async () => {
    const { server, book } = await setUp([{ hang: 'before' }])
    const warnings: string[] = []
    const client = clientOf(server.origin, { logger: { warn: (text: string) => warnings.push(text) } })
    const abort = new AbortController()
    const placing = client.referrals.create(order(), { signal: abort.signal })
    const pending = rejection(placing)
    await expect.poll(() => book.orders.length).toBe(1)
    abort.abort()
    await pending
    expect(warnings).toEqual([expect.stringContaining(`findByOrderKey("${placing.orderKey}")`)])
    const found = await client.referrals.findByOrderKey(placing.orderKey)
    expect(found?.referrals).toEqual(book.referrals)
  })

  it('before the order is sent: no warning', async () => {
    const { server } = await setUp()
    const warnings: string[] = []
    const client = clientOf(server.origin, { logger: { warn: (text: string) => warnings.push(text) } })
    await rejection(client.referrals.create(order(), { signal: AbortSignal.abort() }))
    expect(warnings).toEqual([])
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
