import { expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { order, UUID } from '../../support/samples.js'
import type { Reply } from '../../support/scripted-server.js'
import { KEY, LIST, POST, setUp, unknownOutcome } from './order-world.js'

/** A service with a delay for each page before the order, and one for the order, which it carries out. */
async function slow(pageMs: number, postMs: number) {
  const world = await setUp()
  const { server, book, clock } = world
  server.on(LIST, (request) => {
    if (server.count(POST) === 0) clock.advance(pageMs)
    return book.listScript(request)
  })
  server.on(POST, ({ body }): Reply => {
    const [json] = book.place(JSON.parse(body))
    clock.advance(postMs)
    return { json }
  })
  return world
}

it.each([
  ['the time limit of the call is enough for lookup and order together', { timeout: 45_000 }, {}, false],
  ['the time limit of the call ends the order, which is looked up', { timeout: 35_000 }, {}, true],
  ['the time limit of the client is enough for lookup and order together', {}, { timeout: 45_000 }, false],
  ['the time limit of the client ends the order, which is looked up', {}, { timeout: 35_000 }, true],
])('%s', async (_, own, all, recovered) => {
  const { server, clock } = await slow(20_000, 20_000)
  const client = clientOf(server.origin, { clock, ...all })
  const placed = await client.referrals.create(order(), { orderKey: KEY, ...own })
  expect(placed.recovered).toBe(recovered)
  expect(server.count(POST)).toBe(1)
})

it.each([
  ['102 s', 1, false],
  ['123 s', 2, true],
])(
  'the time limit of an order under an own key is two minutes by default, when lookup and order take %s',
  async (_, others, recovered) => {
    const { book, client, server } = await slow(21_000, 60_000)
    book.pageSize = 1
    for (let count = 0; count < others; count += 1) book.place(order())
    const placed = await client.referrals.create(order(), { orderKey: KEY })
    expect(server.requests.filter(({ query }) => query.has('cursor')).length).toBeGreaterThanOrEqual(others)
    expect(placed.recovered).toBe(recovered)
  },
)

it('the time limit of an order under an own key is named in errors in full, not only the time that was left', async () => {
  const { server, clock } = await slow(20_000, 20_000)
  const client = clientOf(server.origin, { clock, orderRecoveryTimeout: 0 })
  server.on(POST, () => {
    clock.advance(20_000)
    return { hang: 'before' }
  })
  const options = { orderKey: KEY, timeout: 35_000 }
  expect(await unknownOutcome(client.referrals.create(order(), options))).toMatchObject({
    cause: {
      ...{ name: 'TimeoutError', timeout: 35_000, outcome: 'unknown', attempts: 1 },
      message: expect.stringContaining('within 35000 ms'),
    },
  })
})

it('the time limit of an order under an own key ends an order that waits for a connection: it was not sent', async () => {
  const { server, clock, book } = await slow(20_000, 0)
  const client = clientOf(server.origin, { clock, maxSockets: 1 })
  server.on(`GET /v1/referrals/${UUID}`, { hang: 'before' })
  server.on(LIST, async (request) => {
    clock.advance(20_000)
    void client.referrals.retrieve(UUID, { timeout: 90_000 }).catch(() => undefined)
    return book.listScript(request)
  })
  const pending = rejection(client.referrals.create(order(), { orderKey: KEY, timeout: 35_000 }))
  await expect.poll(() => server.count(`GET /v1/referrals/${UUID}`)).toBe(1)
  clock.advance(15_000)
  expect(await pending).toMatchObject({ name: 'TimeoutError', outcome: 'not-sent', timeout: 35_000 })
  expect(server.count(POST)).toBe(0)
  clock.advance(90_000)
})

it('the time limit of an order under an own key does not include lookupTimeout: the order has the time that the first lookup leaves', async () => {
  const { server, clock, client } = await slow(1_000, 25_000)
  const options = { orderKey: KEY, timeout: 35_000, lookupTimeout: 40_000 }
  const placed = await client.referrals.create(order(), options)
  expect(placed.recovered).toBe(false)
  expect(clock.slept.length).toBeGreaterThan(5)
  expect(server.count(POST)).toBe(1)
})
