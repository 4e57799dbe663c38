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
import { NO_FINGERPRINT } from '../ledger/ledger-world.js'
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
  /** Places an order an hour ago, and returns its referrals. The ledger has only the first one. */
  const places = (given: Order) => {
    const referrals = book.place(given, new Date(Date.now() - HOUR_MS))
    const returns = { state: 'placed', fingerprint: NO_FINGERPRINT, referrals: [referrals[0]?.uuid] }
    ledger.always('claim', { returns })
    return referrals
  }
  const placed = (given: Order) => places(given)[0]
  const unknown = async (given: Order, more = {}) =>
    (await rejection(client.referrals.create(given, { orderKey: KEY, ...more }))) as OrderOutcomeUnknownError
  return { server, client, clock, places, placed, unknown }
}

describe('an order that the ledger has as placed, and that cannot be read', () => {
  it.each([
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
})

describe('an order of two referrals, of which the ledger has one', () => {
  const given = medicareOrder({ metadata: { [ORDER_KEY_FIELD]: KEY } })

  it('is unknown while the other does not appear: no repetition sends it', async () => {
    const { server, placed, unknown } = await placedWorld({
      resendAfter: 180_000,
      orderRecoveryTimeout: 0,
    })
    const known = placed(given)
    server.on(LIST, { json: { referrals: [known] } })
    const error = await unknown(medicareOrder())
    expect(error).toMatchObject({ attempts: 0, candidates: [known?.uuid] })
    expect(error.startedAt.toISOString()).toBe(known?.createdAt)
    expect(error).not.toHaveProperty('retryAfter')
    expect(server.count(POST)).toBe(0)
  })

  it('is unknown while the list has neither: no repetition sends it', async () => {
    const { server, placed, unknown } = await placedWorld({
      resendAfter: 180_000,
      orderRecoveryTimeout: 0,
    })
    const known = placed(given)
    server.on(LIST, { json: { referrals: [] } })
    const error = await unknown(medicareOrder())
    expect(error).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      ...{ attempts: 0, candidates: [known?.uuid] },
    })
    expect(error.startedAt.toISOString()).toBe(known?.createdAt)
    expect(error).not.toHaveProperty('retryAfter')
    expect(server.count(POST)).toBe(0)
  })

  it('is returned complete when the list has the other only, because the first was deleted', async () => {
    const { server, client, places } = await placedWorld()
    const [first, second] = places(given)
    server.on(LIST, { json: { referrals: [second] } })
    const { referrals, recovered } = await client.referrals.create(medicareOrder(), { orderKey: KEY })
    expect(referrals.map(({ uuid }) => uuid).sort()).toEqual([first?.uuid, second?.uuid].sort())
    expect(recovered).toBe(true)
    expect(server.count(POST)).toBe(0)
  })

  it('is unknown since the start of the lookup when its createdAt is not a time', async () => {
    const { server, placed, unknown } = await placedWorld({ orderRecoveryTimeout: 0 })
    const known = placed(given)
    server.on(READ, { json: { ...known, createdAt: 'yesterday' } })
    server.on(LIST, { json: { referrals: [] } })
    const error = await unknown(medicareOrder())
    expect(error.startedAt.getTime()).toBeLessThan(Date.now() - 23 * HOUR_MS)
  })
})
