import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { order } from '../../support/samples.js'
import type { Reply } from '../../support/scripted-server.js'
import { settled } from '../../support/settled.js'
import { error, POST, setUp } from './order-world.js'

const KEY = 'job-77'
const LIST = 'GET /v1/referrals'

/** A service that has received an order, and sends a response of any kind only when the test releases it. */
async function underWay(options: Parameters<typeof clientOf>[1] = {}) {
  const { server, book, clock } = await setUp()
  const client = clientOf(server.origin, { clock, ...options })
  let answer: (reply?: Reply) => void = () => undefined
  const told = new Promise<Reply | undefined>((resolve) => {
    answer = resolve
  })
  server.on(
    POST,
    async ({ body }) => (await told) ?? { json: book.place(JSON.parse(body))[0] },
    ({ body }) => ({ json: book.place(JSON.parse(body))[0] }),
  )
  const first = client.referrals.create(order(), { orderKey: KEY, timeout: 600_000 })
  first.catch(() => undefined)
  await expect.poll(() => server.count(POST)).toBe(1)
  return { server, book, clock, client, first, answer }
}

describe('§4.1 a call that waits for another one with its key', () => {
  it.each([
    ['its own', {}, { timeout: 15_000 }, 15_000],
    ["the client's", { timeout: 17_000 }, {}, 17_000],
    ['120 s by default', {}, {}, 120_000],
    ['its own and lookupTimeout', {}, { timeout: 5_000, lookupTimeout: 30_000 }, 35_000],
  ])('is limited by a time of %s: it sent nothing, and the order may be placed', async (...row) => {
    const [, all, own, limit] = row
    const { server, book, clock, client, first, answer } = await underWay(all)
    let ended = false
    const second = rejection(client.referrals.create(order(), { orderKey: KEY, ...own })).finally(() => {
      ended = true
    })
    await settled()
    clock.advance(limit - 1)
    await settled()
    expect(ended).toBe(false)
    clock.advance(1)
    const timedOut = await second
    expect(timedOut).toMatchObject({
      name: 'TimeoutError',
      code: 'TIMEOUT',
      outcome: 'unknown',
      attempts: 0,
      timeout: limit,
      message:
        `referrals.create did not end within ${limit} ms: this call sent nothing; ` +
        'another call with the same orderKey may still place the order; repeat create() with the same orderKey',
    })
    expectNoCanary(timedOut)
    answer()
    await expect(first).resolves.toMatchObject({ recovered: false })
    expect(book.orders).toHaveLength(1)
    expect(server.count(POST)).toBe(1)
    expect(clock.pending).toBe(0)
  })

  it('is repeated after its time limit: it gets the order of the other call', async () => {
    const { book, clock, client, answer } = await underWay()
    const second = rejection(client.referrals.create(order(), { orderKey: KEY, timeout: 15_000 }))
    await settled()
    clock.advance(15_000)
    await second
    const third = client.referrals.create(order(), { orderKey: KEY, timeout: 15_000 })
    answer()
    await expect(third).resolves.toMatchObject({ recovered: true })
    expect(book.orders).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  it('waits for several calls in turn: no longer in total than its time limit', async () => {
    const { server, clock, client, answer } = await underWay()
    server.on(POST, { hang: 'before' })
    const ended = new AbortController()
    const { signal } = ended
    const second = client.referrals.create(order(), { orderKey: KEY, timeout: 600_000, signal })
    second.catch(() => undefined)
    const third = rejection(client.referrals.create(order(), { orderKey: KEY, timeout: 50_000 }))
    await settled()
    clock.advance(30_000)
    answer(error(400))
    await expect.poll(() => server.count(POST)).toBe(1)
    clock.advance(20_000)
    expect(await third).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', timeout: 50_000 })
    ended.abort()
  })

  it("rejects with its signal's reason when the signal aborts first", async () => {
    const { clock, client, first, answer } = await underWay()
    const abort = new AbortController()
    const { signal } = abort
    const second = rejection(client.referrals.create(order(), { orderKey: KEY, timeout: 15_000, signal }))
    await settled()
    const reason = new Error('the user went away')
    abort.abort(reason)
    expect(await second).toBe(reason)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    const third = client.referrals.create(order(), { orderKey: KEY, signal })
    expect(await rejection(third)).toBe(reason)
    answer()
    await first
    expect(clock.pending).toBe(0)
  })

  it('the other call is rejected: lookup and order have the time that the wait leaves', async () => {
    const { server, clock, client, answer } = await underWay()
    server.on(LIST, { hang: 'before' })
    const second = rejection(client.referrals.create(order(), { orderKey: KEY, timeout: 50_000 }))
    await settled()
    clock.advance(30_000)
    answer(error(400))
    await expect.poll(() => server.count(LIST)).toBe(1)
    clock.advance(20_000)
    expect(await second).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      outcome: 'unknown',
      attempts: 0,
      cause: { name: 'TimeoutError', timeout: 50_000, message: expect.stringContaining('within 50000 ms') },
    })
  })

  it.each([
    ['within the time, placed', 49_000, false],
    ['longer, lost and found', 51_000, true],
  ])('the other call is rejected: wait, lookup and order together %s', async (_, allMs, recovered) => {
    const { server, book, clock, client, answer } = await underWay()
    server.on(POST, ({ body }) => {
      const [json] = book.place(JSON.parse(body))
      clock.advance(allMs - 30_000)
      return { json }
    })
    const second = client.referrals.create(order(), { orderKey: KEY, timeout: 50_000 })
    await settled()
    clock.advance(30_000)
    answer(error(400))
    await expect(second).resolves.toMatchObject({ recovered })
    expect(book.orders).toHaveLength(1)
  })

  it('its wait counts towards its lookupTimeout first, and then towards its time limit', async () => {
    const { book, clock, client, answer } = await underWay()
    const options = { orderKey: KEY, timeout: 10_000, lookupTimeout: 40_000 }
    const second = client.referrals.create(order(), options)
    await settled()
    clock.advance(37_000)
    answer(error(400))
    await expect(second).resolves.toMatchObject({ recovered: false })
    expect(clock.slept).toEqual([1_000, 2_000])
    expect(book.orders).toHaveLength(1)
  })

  it('the other call expired in its lookup and sent nothing: this one has its own time limit', async () => {
    const { server, book, clock } = await setUp()
    const client = clientOf(server.origin, { clock })
    server.on(LIST, { hang: 'before' }, book.listScript)
    const first = rejection(client.referrals.create(order(), { orderKey: KEY, timeout: 10_000 }))
    await expect.poll(() => server.count(LIST)).toBe(1)
    const second = client.referrals.create(order(), { orderKey: KEY, timeout: 50_000 })
    await new Promise((resolve) => setTimeout(resolve, 20))
    clock.advance(10_000)
    expect(await first).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0 })
    await expect(second).resolves.toMatchObject({ recovered: false })
    expect(book.orders).toHaveLength(1)
  })

  it('the lookup of the other call fails: this one looks up by itself, and nothing is sent', async () => {
    const { server, book, clock } = await setUp()
    const client = clientOf(server.origin, { clock })
    server.on(LIST, error(400))
    const calls = [1, 2].map(() => rejection(client.referrals.create(order(), { orderKey: KEY })))
    const [first, second] = await Promise.all(calls)
    expect(first).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0 })
    expect(second).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0 })
    expect(server.count(LIST)).toBe(2)
    expect(book.orders).toHaveLength(0)
  })
})
