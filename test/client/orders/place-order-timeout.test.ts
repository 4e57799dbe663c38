import { ORDER_KEY_FIELD } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { order, UUID } from '../../support/samples.js'
import type { Reply } from '../../support/scripted-server.js'
import { POST, setUp } from './order-world.js'

const KEY = 'job-77'
const LIST = 'GET /v1/referrals'
const withKey = { metadata: { [ORDER_KEY_FIELD]: KEY } }

/** A service with a delay for each page before the order, and one for the order, which it carries out. */
async function slow(pageMs: number, postMs: number) {
  const { server, book, clock, client } = await setUp()
  server.on(LIST, (request) => {
    if (server.count(POST) === 0) clock.advance(pageMs)
    return book.listScript(request)
  })
  server.on(POST, ({ body }): Reply => {
    const [json] = book.place(JSON.parse(body))
    clock.advance(postMs)
    return { json }
  })
  return { server, book, clock, client }
}

describe('one time limit covers the lookup and the order under your own key', () => {
  it.each([
    ['both together within it', 45_000, false],
    ['both together longer: the response is lost, and the order is looked up', 35_000, true],
  ])('of the call, or of the client: %s', async (_, timeout, recovered) => {
    for (const [own, all] of [
      [{ timeout }, {}],
      [{}, { timeout }],
    ]) {
      const { server, clock } = await slow(20_000, 20_000)
      const client = clientOf(server.origin, { clock, ...all })
      const placed = await client.referrals.create(order(), { orderKey: KEY, ...own })
      expect(placed.recovered).toBe(recovered)
      expect(server.count(POST)).toBe(1)
    }
  })

  it.each([
    ['102 s for both', 1, false],
    ['123 s for both', 2, true],
  ])('120 s where none is set: %s', async (_, others, recovered) => {
    const { book, client, server } = await slow(21_000, 60_000)
    book.pageSize = 1
    for (let count = 0; count < others; count += 1) book.place(order())
    const placed = await client.referrals.create(order(), { orderKey: KEY })
    expect(server.requests.filter(({ query }) => query.has('cursor')).length).toBeGreaterThanOrEqual(others)
    expect(placed.recovered).toBe(recovered)
  })

  it('errors name the set time limit, not the time that was left', async () => {
    const { server, clock } = await slow(20_000, 20_000)
    const client = clientOf(server.origin, { clock, orderRecoveryTimeout: 0 })
    server.on(POST, () => {
      clock.advance(20_000)
      return { hang: 'before' }
    })
    const options = { orderKey: KEY, timeout: 35_000 }
    const unknown = await rejection(client.referrals.create(order(), options))
    expect(unknown).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      cause: {
        name: 'TimeoutError',
        timeout: 35_000,
        outcome: 'unknown',
        attempts: 1,
        message: expect.stringContaining('within 35000 ms'),
      },
    })
  })

  it('expires while the order waits for a connection: not sent', async () => {
    const { server, clock, book } = await slow(20_000, 0)
    const client = clientOf(server.origin, { clock, maxSockets: 1 })
    let begin: () => void = () => undefined
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    server.on(`GET /v1/referrals/${UUID}`, () => {
      begin()
      return { hang: 'before' }
    })
    server.on(LIST, async (request) => {
      clock.advance(20_000)
      void client.referrals.retrieve(UUID, { timeout: 90_000 }).catch(() => undefined)
      return book.listScript(request)
    })
    const pending = rejection(client.referrals.create(order(), { orderKey: KEY, timeout: 35_000 }))
    await begun
    clock.advance(15_000)
    expect(await pending).toMatchObject({
      name: 'TimeoutError',
      outcome: 'not-sent',
      timeout: 35_000,
    })
    expect(server.count(POST)).toBe(0)
    clock.advance(90_000)
  })

  it('lookupTimeout is added: the order has the time that the first lookup leaves', async () => {
    const { server, clock, client } = await slow(1_000, 25_000)
    const placed = await client.referrals.create(order(), {
      orderKey: KEY,
      timeout: 35_000,
      lookupTimeout: 40_000,
    })
    expect(placed.recovered).toBe(false)
    expect(clock.slept.length).toBeGreaterThan(5)
    expect(server.count(POST)).toBe(1)
  })

  it('an order that is found within lookupTimeout is returned, however long the lookup takes', async () => {
    const { book, client, server } = await slow(1_000, 0)
    book.hiddenFor = 5
    book.place(order(withKey))
    const placed = await client.referrals.create(order(), {
      orderKey: KEY,
      timeout: 10_000,
      lookupTimeout: 40_000,
    })
    expect(placed.recovered).toBe(true)
    expect(server.count(POST)).toBe(0)
  })
})
