import { OrderOutcomeUnknownError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { OrderBook } from '../../support/order-book.js'
import { order } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A service with a correct clock: its Date headers show the time that has passed on the given clock. */
async function setUp(ownError: number) {
  const server = await ScriptedServer.start()
  const right = Date.now()
  const clock = new SkippingClock({ now: right + ownError })
  const serviceNow = (): number => right + clock.monotonic()
  const book = new OrderBook(server, ['not placed'], serviceNow)
  const client = clientOf(server.origin, { clock })
  const date = (): string => new Date(serviceNow()).toUTCString()
  server.on('GET /v1/vendors', () => ({ json: { vendors: [] }, headers: { date: date() } }))
  return { server, book, clock, client, date, serviceNow }
}

describe('a lost order is found with any change of the local clock (§4.1)', () => {
  it.each([
    ['right', 0],
    ['a day ahead', DAY],
    ['a day behind', -DAY],
  ])('set at the start: %s', async (_, ownError) => {
    const { book, client, server, date } = await setUp(ownError)
    server.on('POST /v1/referrals', ({ body }) => {
      book.place(JSON.parse(body))
      return { reset: 'before' }
    })
    server.on('GET /v1/referrals', () => ({
      json: { referrals: book.referrals },
      headers: { date: date() },
    }))
    const placed = await client.referrals.create(order())
    expect(placed.recovered).toBe(true)
  })

  it.each([
    ['back by an hour', -HOUR],
    ['back by a day', -DAY],
    ['forward by an hour', HOUR],
    ['forward by a day', DAY],
  ])('set %s while the order is in progress', async (_, jump) => {
    const { book, client, server, clock, date } = await setUp(0)
    await client.vendors.list().toArray()
    server.on('POST /v1/referrals', ({ body }) => {
      book.place(JSON.parse(body))
      clock.jumpWall(jump)
      return { reset: 'before' }
    })
    server.on('GET /v1/referrals', () => ({
      json: { referrals: book.referrals },
      headers: { date: date() },
    }))
    const placed = await client.referrals.create(order())
    expect(placed.recovered).toBe(true)
    expect(book.orders).toHaveLength(1)
  })

  it('set back before recover() is called', async () => {
    const { book, client, server, clock, date, serviceNow } = await setUp(0)
    const error = await rejection(client.referrals.create(order()))
    if (!(error instanceof OrderOutcomeUnknownError)) throw error
    const placedAt = new Date(serviceNow() - 20_000)
    book.place(order({ metadata: { pathologySdkOrderKey: error.orderKey } }), placedAt)
    clock.jumpWall(-DAY)
    server.on('GET /v1/referrals', () => ({
      json: { referrals: book.referrals },
      headers: { date: date() },
    }))
    await expect(error.recover()).resolves.toMatchObject({ recovered: true, orderKey: error.orderKey })
  })

  it('goes back no further than the start of the order and six minutes', async () => {
    const { book, client, server, date, serviceNow } = await setUp(DAY)
    const before = (minutes: number): Date => new Date(serviceNow() - minutes * 60_000)
    for (const minutes of [60, 30, 10, 7, 4]) book.place(order(), before(minutes))
    const asked: string[] = []
    server.on('GET /v1/referrals', ({ target }) => {
      asked.push(target)
      const at = new URL(target, 'http://x').searchParams.get('cursor') ?? '0'
      const newest = [...book.referrals].reverse().slice(Number(at), Number(at) + 1)
      const cursor = { cursor: String(Number(at) + 1), count: 1, resultCount: newest.length }
      return { json: { referrals: newest, cursor }, headers: { date: date() } }
    })
    await rejection(client.referrals.create(order()))
    expect(new Set(asked)).toHaveProperty('size', 2)
  })
})
