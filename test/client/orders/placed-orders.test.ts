import {
  type ClientOptions,
  memoryOrderLedger,
  ORDER_KEY_FIELD,
  type Order,
  type OrderOutcomeUnknownError,
} from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order } from '../../support/samples.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { WatchedLedger } from '../../support/watched-ledger.js'
import { NO_FINGERPRINT } from './ledger-world.js'
import { POST, setUp } from './order-world.js'

const KEY = 'job-77'
const LIST = 'GET /v1/referrals'
const READ = 'GET /v1/referrals/*'
const HOUR_MS = 3_600_000

/** A service with placed orders, and a client of a ledger that returns them as placed. */
async function placedWorld(options: ClientOptions = {}) {
  const { server, book } = await setUp()
  const clock = new SkippingClock({ skip: () => false })
  const ledger = new WatchedLedger(memoryOrderLedger({ clock }))
  const client = clientOf(server.origin, { clock, orderLedger: ledger, ...options })
  /** Places an order a time ago. Only its first `recorded` referrals are in the ledger. */
  const placed = (given: Order, { agoMs = HOUR_MS, recorded = 2 } = {}) => {
    const referrals = book.place(given, new Date(Date.now() - agoMs))
    const uuids = referrals.map(({ uuid }) => uuid)
    const returns = { state: 'placed', fingerprint: NO_FINGERPRINT, referrals: uuids.slice(0, recorded) }
    ledger.always('claim', { returns })
    return { referrals, uuids }
  }
  const create = (given: Order, more = {}) => client.referrals.create(given, { orderKey: KEY, ...more })
  const unknown = async (given: Order, more = {}) =>
    (await rejection(create(given, more))) as OrderOutcomeUnknownError
  return { server, book, clock, ledger, client, placed, create, unknown }
}

describe('an order that the ledger has as placed, and that cannot be read', () => {
  it('is unknown, with the reason in the message', async () => {
    const { server, placed, unknown } = await placedWorld()
    const { uuids } = placed(order())
    server.on(READ, { status: 400, json: { error: true, code: 'X', message: 'x', errorList: [] } })
    const error = await unknown(order())
    expect(error).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      attempts: 0,
      retryable: true,
      candidates: uuids,
    })
    expect(error.message).toContain(
      'this call sent nothing, because the ledger holds the order as placed, but reading it failed (BadRequestError)',
    )
  })

  it.each([
    ['the time limit of an order, two minutes by default', {}, {}, 120_000],
    ["the client's time limit", { timeout: 90_000 }, {}, 90_000],
    ["the call's time limit", { timeout: 90_000 }, { timeout: 70_000 }, 70_000],
  ])('within %s is unknown', async (_, all, own, limit) => {
    const { server, clock, placed, unknown } = await placedWorld(all)
    placed(order())
    server.on(READ, { hang: 'before' })
    let error: unknown
    const ended = unknown(order(), own).then((reason) => {
      error = reason
    })
    await expect.poll(() => server.count(READ), { interval: 5 }).toBe(1)
    clock.advance(limit - 1)
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(error).toBeUndefined()
    clock.advance(1)
    await ended
    expect(error).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      cause: { name: 'TimeoutError', timeout: limit },
    })
  })

  it('is read by recover(), also after the signal of the call has aborted', async () => {
    const { server, book, placed, unknown } = await placedWorld()
    const { uuids } = placed(medicareOrder())
    const script = ({ path }: { path: string }) => ({
      json: book.referrals.find(({ uuid }) => path.endsWith(uuid)),
    })
    server.on(READ, { status: 400, json: {} }, { status: 400, json: {} }, script)
    const abort = new AbortController()
    const error = await unknown(medicareOrder(), { signal: abort.signal })
    abort.abort()
    const found = await error.recover()
    expect(found).toMatchObject({ recovered: true, orderKey: KEY })
    expect(found?.referrals.map(({ uuid }) => uuid)).toEqual(uuids)
  })

  it('is not read by recover() after the client was closed', async () => {
    const { server, client, placed, unknown } = await placedWorld()
    placed(order())
    server.on(READ, { status: 400, json: {} })
    const error = await unknown(order())
    await client.close()
    expect(await rejection(error.recover())).toMatchObject({
      name: 'ConnectionError',
      message: expect.stringContaining('recover(): the client is closed'),
    })
  })
})

describe('a placed order of another HMAC key is compared with its referrals', () => {
  it.each([
    ['first', 0],
    ['second', 1],
  ])('and only the %s referral differs: it is the order', async (_, nth) => {
    const { placed, create } = await placedWorld()
    const { referrals } = placed(medicareOrder())
    Object.assign(referrals[nth] ?? {}, { tests: ['another test'] })
    expect(await create(medicareOrder())).toMatchObject({ recovered: true, referrals: { length: 2 } })
  })

  it('and all differ: it is not the order', async () => {
    const { placed, unknown } = await placedWorld()
    placed(medicareOrder({ referenceNumber: 'another' }))
    const error = await unknown(medicareOrder())
    expect(error).toMatchObject({ code: 'ORDER_KEY_IN_USE' })
    expect(String(error)).toContain('orderKey belongs to an order with another referenceNumber')
  })
})

describe('an order of two referrals, of which the ledger has one', () => {
  const given = medicareOrder({ metadata: { [ORDER_KEY_FIELD]: KEY } })

  it('is looked up and completed in the ledger, from five minutes before the known referral', async () => {
    const { book, server, ledger, placed, create } = await placedWorld()
    book.pageSize = 1
    for (const hours of [5, 4, 3]) book.place(order(), new Date(Date.now() - hours * HOUR_MS))
    const { uuids } = placed(given, { recorded: 1 })
    const found = await create(medicareOrder())
    expect(found.referrals.map(({ uuid }) => uuid).sort()).toEqual([...uuids].sort())
    await expect.poll(() => ledger.count('resolve'), { interval: 5 }).toBe(1)
    const { request } = ledger.calls.at(-1) ?? {}
    expect((request as { placed: string[] }).placed.sort()).toEqual([...uuids].sort())
    // The two referrals, and the newest of the older ones.
    expect(server.count(LIST)).toBe(3)
    expect(server.count(POST)).toBe(0)
  })

  it('is unknown while the other does not appear: no repetition sends it', async () => {
    const { book, server, placed, unknown } = await placedWorld({
      resendAfter: 180_000,
      orderRecoveryTimeout: 0,
    })
    const { referrals } = placed(given, { recorded: 1 })
    server.on(LIST, () => ({ json: { referrals: book.referrals.slice(0, 1) } }))
    const error = await unknown(medicareOrder())
    expect(error).toMatchObject({ attempts: 0, candidates: [referrals[0]?.uuid] })
    expect(error.startedAt.toISOString()).toBe(referrals[0]?.createdAt)
    expect(error).not.toHaveProperty('retryAfter')
    expect(server.count(POST)).toBe(0)
  })

  it('is unknown while the list has neither: no repetition sends it', async () => {
    const { server, placed, unknown } = await placedWorld({ resendAfter: 180_000 })
    const { referrals } = placed(given, { recorded: 1 })
    server.on(LIST, { json: { referrals: [] } })
    const error = await unknown(medicareOrder())
    expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0, candidates: [] })
    expect(error.startedAt.toISOString()).toBe(referrals[0]?.createdAt)
    expect(error).not.toHaveProperty('retryAfter')
    expect(server.count(POST)).toBe(0)
  })
})
