import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { fixedWindow, type Limit, tokenBucket } from '../support/limited-service.js'
import { order, page, referral, UUID } from '../support/samples.js'

type CallOf = (client: PathologyClient, nth: number) => Promise<unknown>

interface Burst {
  /** Limit of the requests of a method and path. */
  readonly limit: (route: string) => Limit
  readonly retryAfter?: 'seconds'
  readonly calls?: number
  readonly clients?: number
  /** Number of requests that can be in flight at once, if it is lower than the number of calls. */
  readonly atOnce?: number
  readonly options?: ClientOptions
  readonly call?: CallOf
}

const CALLS = 40
const RETRIEVE = `GET /v1/referrals/${UUID}`

/** One limit for all routes. */
function organisation(limit: Limit): Burst['limit'] {
  return () => limit
}

const read: CallOf = (client) => client.referrals.retrieve(UUID)
const readAttempts: CallOf = async (client) =>
  (await client.referrals.retrieve(UUID).withResponse()).response.attempts
const create: CallOf = (client) => client.referrals.create(order())

const BURSTS: Readonly<Record<string, Burst>> = {
  'a token bucket': { limit: organisation(tokenBucket(20)) },
  'windows of a second, Retry-After': { limit: organisation(fixedWindow(20, 1_000)), retryAfter: 'seconds' },
  orders: { limit: organisation(tokenBucket(20)), call: create },
  'few connections': { limit: organisation(tokenBucket(20)), options: { maxSockets: 25 }, atOnce: 25 },
  'a given fetch': { limit: organisation(tokenBucket(20)), options: { fetch: globalThis.fetch } },
  'five clients': { limit: organisation(tokenBucket(20)), clients: 5 },
}

const RESPONSES: Readonly<Record<string, () => unknown>> = {
  'POST /oauth/token': () => ({ access_token: 'token', token_type: 'Bearer', expires_in: 3_600 }),
  [RETRIEVE]: () => referral({ uuid: UUID }),
  'POST /v1/referrals': () => referral(),
  'GET /v1/vendors': () => page('vendors', []),
}

/**
 * Sends a burst in real time, and reports what the service and the callers saw. The time of the limits starts at the
 * first 429, so the burst exceeds its limit on a slow machine too.
 */
async function send({ limit, retryAfter, calls = CALLS, clients = 1, options = {}, call = read }: Burst) {
  const seen = { unsettled: 0, unsettledAtFirst: 0, refused: 0, requests: 0, attempts: 0 }
  let refusedAt = Number.NaN
  const service = await startService((route) => {
    const now = seen.refused === 0 ? 0 : performance.now() - refusedAt
    const waitMs = SET_UP.has(route) ? undefined : limit(route).refuse(now)
    if (!SET_UP.has(route)) seen.requests += 1
    if (waitMs === undefined) return undefined
    if (seen.refused === 0) {
      seen.unsettledAtFirst = seen.unsettled
      refusedAt = performance.now()
    }
    seen.refused += 1
    return retryAfter === 'seconds' ? String(Math.ceil(waitMs / 1_000)) : ''
  })
  const { origin } = service
  const common = { baseUrl: origin, authUrl: origin, clientId: 'id', clientSecret: 'secret', ...options }
  const all = Array.from({ length: clients }, () => new PathologyClient(common))
  await Promise.all(all.map((client) => client.vendors.list().firstPage()))
  const startedAt = performance.now()
  const burst = Array.from({ length: calls / clients }, (_, nth) =>
    all.map(async (client) => {
      seen.unsettled += 1
      const result = await call(client, nth)
      if (typeof result === 'number') seen.attempts += result
      seen.unsettled -= 1
      return performance.now() - startedAt
    }),
  ).flat()
  const ended = await Promise.allSettled(burst)
  await Promise.all(all.map((client) => client.close()))
  await service.close()
  const failed = ended.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))
  const tookMs = ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  return { ...seen, failed, tookMs }
}

/** Requests for the clients' tokens and connections, which do not belong to the burst. */
const SET_UP: ReadonlySet<string> = new Set(['POST /oauth/token', 'GET /v1/vendors'])

/** @param refuse - The Retry-After of a 429, `''` for none; `undefined` accepts the request. */
async function startService(refuse: (route: string) => string | undefined) {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const route = `${request.method} ${request.url?.split('?')[0]}`
      const retryAfter = refuse(route)
      response.setHeader('content-type', 'application/json')
      if (retryAfter) response.setHeader('retry-after', retryAfter)
      response.statusCode = retryAfter === undefined ? 200 : 429
      response.end(JSON.stringify(retryAfter === undefined ? RESPONSES[route]?.() : REFUSAL))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  }
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

const REFUSAL = { error: true, code: 'RATE_LIMITED', message: 'slow down', errorList: [] }

describe('a burst of 40 calls against 20 a second', () => {
  let results: Readonly<Record<string, Awaited<ReturnType<typeof send>>>> = {}

  // The cases run concurrently, because they mostly wait.
  beforeAll(async () => {
    const entries = Object.entries(BURSTS).map(async ([name, burst]) => [name, await send(burst)] as const)
    results = Object.fromEntries(await Promise.all(entries))
  }, 60_000)

  it.each(Object.keys(BURSTS))('all calls of a burst succeed within their time limit: %s (§8)', (name) => {
    expect(results[name]?.failed).toEqual([])
    expect(results[name]?.tookMs).toHaveLength(BURSTS[name]?.calls ?? CALLS)
  })

  it.each(Object.keys(BURSTS))(
    'few more calls of a burst get a 429 than were in flight at the first one: %s (§8)',
    (name) => {
      const { refused = 0, unsettledAtFirst = 0 } = results[name] ?? {}
      expect(refused).toBeGreaterThan(0)
      const inFlight = Math.min(unsettledAtFirst, BURSTS[name]?.atOnce ?? CALLS * 10)
      expect(refused).toBeLessThanOrEqual(inFlight + CALLS / 5)
    },
  )
})

it('requests that waited for a connection when the first 429 arrived are not sent, and do not count as attempts', async () => {
  const burst = {
    limit: organisation(tokenBucket(20)),
    calls: 40,
    options: { maxSockets: 25 },
    call: readAttempts,
  }
  const { attempts, requests, failed } = await send(burst)
  expect(failed).toEqual([])
  expect(attempts).toBe(requests)
}, 60_000)
