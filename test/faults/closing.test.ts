import { type ClientOptions, type Clock, OrderOutcomeUnknownError, type PathologyClient } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/common/clock.js'
import { clientOf, rejection } from '../support/clients.js'
import { OrderBook } from '../support/order-book.js'
import { order, referral, UUID } from '../support/samples.js'
import { type Reply, ScriptedServer, token } from '../support/scripted-server.js'
import { SkippingClock } from '../support/skipping-clock.js'

const REFERRAL = `GET /v1/referrals/${UUID}`
const PATCH = `PATCH /v1/referrals/${UUID}`
const good: Reply = { json: referral({ uuid: UUID }) }
const limited: Reply = { status: 429, headers: { 'retry-after': '5' }, json: { error: true } }
const html: Reply = { status: 200, text: '<html></html>' }

/** A promise and the function that resolves it. */
function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Whether the promise has settled after the event loop has run all pending work. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const note = (): void => {
    settled = true
  }
  promise.then(note, note)
  await new Promise((resolve) => setTimeout(resolve, 30))
  return settled
}

/** Closes while `call` runs, lets it continue, and returns whether closing waited for it. */
async function closeDuring(client: PathologyClient, call: Promise<unknown>, goOn: () => void) {
  const closing = client.close()
  expect(await isSettled(closing), 'close() before the call has ended').toBe(false)
  goOn()
  const value = await call
  await closing
  return value
}

interface Work {
  readonly name: string
  /** Sets the service up, whose held response is sent when `opened` resolves. */
  readonly arrange: (service: ScriptedServer, opened: Promise<void>) => unknown
  readonly options?: ClientOptions
  readonly call: (client: PathologyClient) => Promise<unknown>
  /** Route of the held response. */
  readonly held: string
  readonly result: object
  /** Number of requests for each route in the end. */
  readonly requests?: Readonly<Record<string, number>>
}

const TOKEN = 'POST /oauth/token'
const LIST = 'GET /v1/referrals'
const retrieve = ({ referrals }: PathologyClient) => referrals.retrieve(UUID)
const twice = (client: PathologyClient) => Promise.all([retrieve(client), retrieve(client)])

const WORKS: readonly Work[] = [
  {
    name: 'waits for a token',
    arrange: (service, opened) =>
      service.on(TOKEN, (request, nth) => ({ ...token(request, nth), after: opened })).on(REFERRAL, good),
    call: retrieve,
    held: TOKEN,
    result: { uuid: UUID },
  },
  {
    name: 'warms up',
    arrange: (service, opened) =>
      service
        .on(TOKEN, (request, nth) => ({ ...token(request, nth), after: opened }))
        .on('GET /v1/webhook-events', { json: { events: [] } }),
    call: async (client) => ({ warm: await client.warmUp() }),
    held: TOKEN,
    result: {},
    requests: { 'GET /v1/webhook-events': 1 },
  },
  {
    name: 'waits for a connection',
    arrange: (service, opened) => service.on(REFERRAL, { ...good, after: opened }, good),
    options: { maxSockets: 1 },
    call: twice,
    held: REFERRAL,
    result: [{ uuid: UUID }, { uuid: UUID }],
    requests: { [REFERRAL]: 2 },
  },
  {
    name: 'waits for its turn, and for a new token after a rejected one',
    arrange: (service, opened) =>
      service
        .on(TOKEN, token)
        .on(REFERRAL, { ...good, after: opened }, { status: 401, json: { error: true } }, good),
    options: { maxSockets: 1 },
    call: twice,
    held: REFERRAL,
    result: [{ uuid: UUID }, { uuid: UUID }],
    requests: { [REFERRAL]: 3, [TOKEN]: 2 },
  },
  {
    name: 'looks up an order whose response was lost',
    arrange: (service, opened) => {
      const book = new OrderBook(service, [{ reset: 'before' }])
      service.on(LIST, { status: 503, after: opened }, { status: 503 }, book.listScript)
    },
    call: ({ referrals }) => referrals.create(order()),
    held: LIST,
    result: { recovered: true },
    requests: { 'POST /v1/referrals': 1 },
  },
  {
    name: 'looks up whether an update was carried out',
    arrange: (service, opened) => {
      const done = referral({ uuid: UUID, status: 'SCHEDULED_REISSUE', metadata: { seen: 'yes' } })
      service.on(PATCH, { ...html, after: opened }).on(REFERRAL, { json: done })
    },
    call: ({ referrals }) => referrals.update(UUID, { metadata: { seen: 'yes' } }),
    held: PATCH,
    result: { uuid: UUID },
  },
  {
    name: 'waits for a status',
    arrange: (service, opened) =>
      service.on(REFERRAL, { json: referral({ status: 'CREATED' }), after: opened }, good),
    call: ({ referrals }) => referrals.waitFor(UUID, { status: 'ISSUED' }),
    held: REFERRAL,
    result: { status: 'ISSUED' },
  },
]

it.each(WORKS.map((work) => [work.name, work] as const))(
  'close() waits for running work that %s',
  async (_, work) => {
    const { arrange, options, call, held, result, requests = {} } = work
    const service = await ScriptedServer.start()
    const { opened, open } = gate()
    arrange(service, opened)
    const client = clientOf(service.origin, options)
    const calling = call(client)
    await expect.poll(() => service.count(held)).toBe(1)
    await expect(closeDuring(client, calling, open)).resolves.toMatchObject(result)
    for (const [route, count] of Object.entries(requests)) expect(service.count(route)).toBe(count)
  },
)

it('close() waits for work before anything has been loaded or sent', async () => {
  const service = await ScriptedServer.start()
  service.on('POST /v1/providers', { status: 404 })
  const client = clientOf(service.origin)
  const call = rejection(client.providers.save({ providerNumber: '2426621B', name: 'x', address: 'y' }))
  await client.close()
  expect(await call).toMatchObject({ name: 'NotFoundError' })
})

it('close() waits for running work in the pause before a retry', async () => {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, limited, good)
  const clock = new SkippingClock({ skip: () => false })
  const client = clientOf(service.origin, { clock })
  const call = client.referrals.retrieve(UUID)
  await expect.poll(() => service.count(REFERRAL)).toBe(1)
  await expect(closeDuring(client, call, () => clock.advance(6_000))).resolves.toMatchObject({ uuid: UUID })
})

it.each(['agent', 'fetch'])(
  'close() ends the retries of a token request that no call needs (%s)',
  async (transport) => {
    const service = await ScriptedServer.start()
    service.on('POST /oauth/token', { status: 503, headers: { 'retry-after': '20' } })
    const timers = new Set<() => void>()
    const clock: Clock = {
      ...systemClock,
      schedule: (callback, delayMs) => {
        const end = (): void => void timers.delete(end)
        timers.add(end)
        const timer = systemClock.schedule(() => {
          end()
          callback()
        }, delayMs)
        return {
          cancel: () => {
            end()
            timer.cancel()
          },
        }
      },
    }
    const fetch = transport === 'fetch' ? globalThis.fetch : undefined
    const client = clientOf(service.origin, { clock, fetch })
    const abort = new AbortController()
    const call = rejection(client.referrals.retrieve(UUID, { signal: abort.signal }))
    await expect.poll(() => service.tokenRequests.length).toBe(1)
    abort.abort()
    await call
    expect(timers.size).toBeGreaterThan(0)
    await client.close()
    expect(timers.size).toBe(0)
  },
)

it('close() ends at once, when the running calls are aborted', async () => {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, { hang: 'before' })
  const abort = new AbortController()
  const client = clientOf(service.origin)
  const call = rejection(client.referrals.retrieve(UUID, { signal: abort.signal }))
  await expect.poll(() => service.count(REFERRAL)).toBe(1)
  await closeDuring(client, call, () => abort.abort())
})

it('close() ends at the time limit of the last call', async () => {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, { hang: 'before' })
  const clock = new SkippingClock({ skip: () => false })
  const client = clientOf(service.origin, { clock })
  const call = rejection(client.referrals.retrieve(UUID, { timeout: 5_000 }))
  await expect.poll(() => service.count(REFERRAL)).toBe(1)
  const error = await closeDuring(client, call, () => clock.advance(5_000))
  expect(error).toMatchObject({ name: 'TimeoutError' })
})

it('close() ends although a lost order does not appear; its recover() is rejected then', async () => {
  const service = await ScriptedServer.start()
  const book = new OrderBook(service, [{ reset: 'before' }])
  const { opened, open } = gate()
  book.hiddenFor = 1_000
  service.on('GET /v1/referrals', (request) => ({ ...book.listScript(request), after: opened }))
  const client = clientOf(service.origin, { orderRecoveryTimeout: 3_000 })
  const call = rejection(client.referrals.create(order()))
  await expect.poll(() => service.count('GET /v1/referrals')).toBe(1)
  const lost = await closeDuring(client, call, open)
  if (!(lost instanceof OrderOutcomeUnknownError)) throw lost
  const looks = book.listReads
  const error = await rejection(lost.recover())
  expect(error).toMatchObject({ name: 'ConnectionError', reason: 'closed', outcome: 'not-sent' })
  expect(String(error)).toContain('recover(): the client is closed; nothing was sent')
  expect(book.listReads).toBe(looks)
})
