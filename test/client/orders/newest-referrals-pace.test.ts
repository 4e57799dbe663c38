import { OrderOutcomeUnknownError } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { order } from '../../support/samples.js'
import { settled } from '../../support/settled.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { error, HOUR, LIST, POST, setUp } from './order-world.js'

/** A client whose clock only the test advances. The service places no order, and its responses to orders are lost. */
async function stopped() {
  const { server, book } = await setUp()
  const clock = new SkippingClock({ skip: () => false })
  const client = clientOf(server.origin, { clock, orderRecoveryTimeout: 0 })
  server.on(POST, { reset: 'before' })
  const lose = (signal?: AbortSignal): Promise<unknown> =>
    rejection(client.referrals.create(order(), { signal }))
  /** Loses an order whose lookup has to wait. */
  const loseAndWait = async (signal?: AbortSignal) => {
    const posts = server.count(POST)
    const lost = lose(signal)
    await expect.poll(() => server.count(POST)).toBe(posts + 1)
    await settled()
    return { lost }
  }
  return { server, book, clock, client, lose, loseAndWait }
}

it('the reads for lost orders are three at once, then one every 3 s, and after a longer time again three at once (§8)', async () => {
  const { server, clock, lose, loseAndWait } = await stopped()
  for (const reads of [0, 4]) {
    for (let nth = 0; nth < 3; nth += 1) expect(await lose()).toBeInstanceOf(OrderOutcomeUnknownError)
    const { lost } = await loseAndWait()
    expect(server.count(LIST)).toBe(reads + 3)
    clock.advance(2_999)
    await settled()
    expect(server.count(LIST)).toBe(reads + 3)
    clock.advance(1)
    expect(await lost).toBeInstanceOf(OrderOutcomeUnknownError)
    expect(server.count(LIST)).toBe(reads + 4)
    clock.advance(100_000)
  }
})

it('the reads for lost orders start at once for the others when the lookup aborts that had to wait, and no timer remains (§8)', async () => {
  const { server, clock, client, lose, loseAndWait } = await stopped()
  for (let nth = 0; nth < 3; nth += 1) await lose()
  expect(clock.pending).toBe(0)
  const abort = new AbortController()
  const { lost } = await loseAndWait(abort.signal)
  const other = client.referrals.findByOrderKey('another')
  await settled()
  expect(server.count(LIST)).toBe(3)
  const reason = new Error('the user went away')
  abort.abort(reason)
  expect(await lost).toBe(reason)
  expect(await other).toBeUndefined()
  expect(server.count(LIST)).toBe(4)
  expect(clock.pending).toBe(0)
})

it('the reads for lost orders end with an abort in the pause between two lookups', async () => {
  const { server } = await stopped()
  const clock = new SkippingClock({ skip: () => false })
  const client = clientOf(server.origin, { clock })
  const abort = new AbortController()
  const reason = new Error('the user went away')
  const lost = rejection(client.referrals.create(order(), { signal: abort.signal }))
  await expect.poll(() => server.count(LIST)).toBe(1)
  await settled()
  abort.abort(reason)
  expect(await lost).toBe(reason)
  expect(server.count(LIST)).toBe(1)
  expect(clock.pending).toBe(0)
})

it('the last lookup of a lost order ends after 10 s when it waits for the read of another lookup: the cause is the lost response (§4.1)', async () => {
  const { server, clock, client, loseAndWait } = await stopped()
  server.on(LIST, { hang: 'before' })
  const other = rejection(client.referrals.findByOrderKey('another'))
  await expect.poll(() => server.count(LIST)).toBe(1)
  const { lost } = await loseAndWait()
  clock.advance(10_000)
  expect(await lost).toMatchObject({
    name: 'OrderOutcomeUnknownError',
    attempts: 1,
    cause: { name: 'ConnectionError' },
  })
  expect(server.count(LIST)).toBe(1)
  clock.advance(200_000)
  await other
})

it('the reads after a read that failed are paced for each lookup until a read succeeds (§8)', async () => {
  const { server, book, clock, client } = await stopped()
  server.on(LIST, error(400), error(400), error(400), book.listScript)
  for (let nth = 0; nth < 3; nth += 1) await rejection(client.referrals.findByOrderKey('a'))
  const fourth = client.referrals.findByOrderKey('a')
  await settled()
  expect(server.count(LIST)).toBe(3)
  clock.advance(3_000)
  expect(await fourth).toBeUndefined()
  for (let nth = 0; nth < 4; nth += 1) await client.referrals.findByOrderKey('a')
  expect(server.count(LIST)).toBe(8)
})

it('the reads after a read that failed are not paced after a read that ended at the start of its window (§8)', async () => {
  const { server, book, client } = await stopped()
  book.pageSize = 1
  for (const hours of [42, 41, 40, 2]) book.place(order(), new Date(Date.now() - hours * HOUR))
  server.on(LIST, error(400), book.listScript)
  await rejection(client.referrals.findByOrderKey('a'))
  for (let nth = 0; nth < 5; nth += 1) expect(await client.referrals.findByOrderKey('a')).toBeUndefined()
  expect(server.count(LIST)).toBe(11)
})

it('the reads after a read that failed are not paced after an aborted read (§8)', async () => {
  const { server, book, client } = await stopped()
  server.on(LIST, { hang: 'before' })
  for (let nth = 1; nth <= 3; nth += 1) {
    const abort = new AbortController()
    const aborted = rejection(client.referrals.findByOrderKey('a', { signal: abort.signal }))
    await expect.poll(() => server.count(LIST)).toBe(nth)
    abort.abort()
    await aborted
  }
  server.on(LIST, book.listScript)
  expect(await client.referrals.findByOrderKey('a')).toBeUndefined()
})

it('the first page of a read is retried for each lost order, also after a read that succeeded (§8)', async () => {
  const { server, book, clock } = await setUp([{ reset: 'before' }, { reset: 'before' }])
  const client = clientOf(server.origin, { clock, orderRecoveryTimeout: 0 })
  server.on(LIST, (request, nth) => (nth % 2 === 1 ? error(503) : book.listScript(request)))
  for (const referenceNumber of ['ref-1', 'ref-2']) {
    const placed = await client.referrals.create(order({ referenceNumber }))
    expect(placed).toMatchObject({ recovered: true, referrals: [{ referenceNumber }] })
  }
  expect(server.count(LIST)).toBe(4)
})

it('the first page of a read is retried after a read that failed, for a lookup that is not repeated (§8)', async () => {
  const { server, book, client } = await setUp()
  server.on(LIST, error(400), error(503), book.listScript)
  await rejection(client.referrals.findByOrderKey('a'))
  expect(await client.referrals.findByOrderKey('a')).toBeUndefined()
  expect(server.count(LIST)).toBe(3)
})

it('the first page of a read is retried for a lost order that shares the read of such a lookup (§8)', async () => {
  const { server, book, clock } = await setUp([{ reset: 'before' }])
  const client = clientOf(server.origin, { clock, orderRecoveryTimeout: 0 })
  let fail = (): void => undefined
  const after = new Promise<void>((resolve) => {
    fail = resolve
  })
  server.on(LIST, { ...error(400), after }, error(503), book.listScript)
  const failed = rejection(client.referrals.findByOrderKey('a'))
  await expect.poll(() => server.count(LIST)).toBe(1)
  const lost = client.referrals.create(order())
  const other = client.referrals.findByOrderKey('b')
  await expect.poll(() => server.count(POST)).toBe(1)
  await settled()
  fail()
  expect(await failed).toBeInstanceOf(OrderOutcomeUnknownError)
  expect(await lost).toMatchObject({ recovered: true })
  expect(await other).toBeUndefined()
  expect(server.count(LIST)).toBe(3)
})

/** A service whose responses to reads the test releases one by one. They show the state at their request. */
async function held() {
  const world = await setUp()
  const { server, book } = world
  const releases: (() => void)[] = []
  server.on(LIST, (request) => {
    const reply = book.listScript(request)
    return { ...reply, after: new Promise<void>((resolve) => releases.push(resolve)) }
  })
  const begun = (reads: number): Promise<void> => expect.poll(() => releases.length).toBe(reads)
  const release = (): void => releases.at(-1)?.()
  return { ...world, begun, release }
}

it('the next read does not start when the only lookup that waits for it aborts (§8)', async () => {
  const { client, server, clock, begun, release } = await held()
  const first = client.referrals.findByOrderKey('another')
  await begun(1)
  const abort = new AbortController()
  const aborted = rejection(client.referrals.findByOrderKey('k', { signal: abort.signal }))
  await settled()
  abort.abort()
  await aborted
  release()
  expect(await first).toBeUndefined()
  await settled()
  expect(server.count(LIST)).toBe(1)
  expect(clock.pending).toBe(0)
})

it('the next read is shared by lookups with other headers, and has those of the first (§8)', async () => {
  const { client, server, begun, release } = await held()
  const first = client.referrals.findByOrderKey('another')
  await begun(1)
  const rest = ['1', '2'].map((a) => client.referrals.findByOrderKey('k', { headers: { 'x-a': a } }))
  await settled()
  for (const nth of [1, 2]) {
    await begun(nth)
    release()
  }
  await Promise.all([first, ...rest])
  expect(server.count(LIST)).toBe(2)
  expect(server.calls.at(-1)?.headers['x-a']).toBe('1')
})
