import { expect, it } from 'vitest'
import { Deadline } from '../../../src/client/core/deadline.js'
import { RateLimiter } from '../../../src/client/core/rate-limiter.js'
import { fixedWindow, type Limit, slidingWindow, tokenBucket } from '../../support/limited-service.js'
import { VirtualClock } from '../../support/virtual-clock.js'

interface Scenario {
  readonly limit: (endpoint: string) => Limit
  readonly calls: number
  readonly clients?: number
  readonly endpoints?: readonly string[]
  /** Whether a 429 has a Retry-After header, in whole seconds. */
  readonly retryAfter?: boolean
  readonly roundTripMs?: number
  readonly everyMs?: number
  readonly seed?: number
}

interface Ending {
  readonly endpoint: string
  readonly error: string | undefined
  readonly waitedMs: number
  /** Time since the first call began. */
  readonly endedMs: number
}

const TIMEOUT_MS = 30_000
const MAX_RETRIES = 2

/** Numbers from 0 up to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed * 7_919 + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Calls in the order of steps of `run.ts`, without HTTP and in virtual time. */
async function simulate(scenario: Scenario) {
  const { calls, clients = 1, endpoints = ['GET'], retryAfter = false } = scenario
  const { roundTripMs = 10, everyMs = 0 } = scenario
  const clock = new VirtualClock()
  const random = numbers(scenario.seed ?? 1)
  const limits = new Map(endpoints.map((endpoint) => [endpoint, scenario.limit(endpoint)]))
  const shared = scenario.limit.length === 0 ? scenario.limit('') : undefined
  const counts = { unsettled: 0, atOnce: 0, refused: 0 }

  async function send(endpoint: string): Promise<number | undefined> {
    await clock.sleep(roundTripMs * (0.3 + random() * 0.4))
    const refusal = (shared ?? limits.get(endpoint))?.refuse(clock.now())
    if (refusal !== undefined) {
      if (counts.refused === 0) counts.atOnce = counts.unsettled
      counts.refused += 1
    }
    await clock.sleep(roundTripMs * (0.3 + random() * 0.4))
    return refusal
  }

  async function call(pause: RateLimiter, id: string): Promise<void> {
    const endpoint = { method: 'GET', path: id }
    const deadline = new Deadline(clock, TIMEOUT_MS, undefined)
    for (let retries = 0; ; ) {
      const turn = await pause.turn({ endpoint, deadline, retries })
      const refusal = await send(id)
      if (refusal === undefined) {
        pause.accepted(turn)
        return deadline.dispose()
      }
      pause.rejected(turn, endpoint, retryAfter ? Math.ceil(refusal / 1_000) * 1_000 : undefined)
      retries += 1
      if (retries > MAX_RETRIES) throw new Error('429')
    }
  }

  const pauses = Array.from({ length: clients }, () => new RateLimiter(clock, random))
  const startedAt = clock.now()
  const all = pauses.flatMap((pause) =>
    Array.from({ length: calls }, async (_, nth): Promise<Ending> => {
      const endpoint = endpoints[nth % endpoints.length] ?? ''
      await clock.sleep(nth * everyMs)
      const beganAt = clock.now()
      counts.unsettled += 1
      const error = await call(pause, endpoint).then(
        () => undefined,
        (thrown: Error) => thrown.message,
      )
      counts.unsettled -= 1
      return { endpoint, error, waitedMs: clock.now() - beganAt, endedMs: clock.now() - startedAt }
    }),
  )
  const endings = await clock.run(Promise.all(all))
  return { ...counts, endings, failed: endings.filter(({ error }) => error !== undefined) }
}

const BURSTS: Readonly<Record<string, Scenario>> = {
  'a bucket of 20 a second': { limit: () => tokenBucket(20), calls: 100 },
  'a bucket of 20 a second, Retry-After': { limit: () => tokenBucket(20), calls: 100, retryAfter: true },
  'windows of 1 s': { limit: () => fixedWindow(20, 1_000), calls: 100 },
  'a sliding window of 1 s': { limit: () => slidingWindow(20, 1_000), calls: 100 },
  'windows of 10 s, Retry-After': { limit: () => fixedWindow(50, 10_000), calls: 100, retryAfter: true },
  'a slow service': { limit: () => tokenBucket(20), calls: 100, roundTripMs: 500 },
  'four endpoints under one limit': {
    limit: () => tokenBucket(20),
    calls: 100,
    endpoints: ['a', 'b', 'c', 'd'],
  },
  '5 clients, windows of 1 s': { limit: () => fixedWindow(20, 1_000), calls: 20, clients: 5 },
}

it.each(Object.entries(BURSTS))(
  'a burst against %s: all calls succeed within 30 s, and few get a second 429 (§8)',
  async (_, burst) => {
    for (const seed of [1, 2, 3]) {
      const { failed, refused, atOnce } = await simulate({ ...burst, seed })
      expect(failed).toEqual([])
      expect(refused).toBeLessThanOrEqual(atOnce * 1.1)
    }
  },
)

it('a constant load just below the limit is not paced', async () => {
  const { endings, refused } = await simulate({ limit: () => tokenBucket(20, 1), calls: 500, everyMs: 55 })
  expect(refused).toBe(0)
  expect(Math.max(...endings.map(({ waitedMs }) => waitedMs))).toBeLessThan(20)
})

it('a constant load above the limit uses at least nine tenths of it, and few calls get a 429', async () => {
  const { endings, refused } = await simulate({ limit: () => tokenBucket(20), calls: 1_500, everyMs: 40 })
  const succeeded = endings.filter(({ error }) => error === undefined)
  const seconds = Math.max(...succeeded.map(({ endedMs }) => endedMs)) / 1_000
  expect(succeeded.length / seconds).toBeGreaterThan(18)
  expect(refused).toBeLessThan(1_500 / 20)
})

it('more calls than the limit permits in their time: as many succeed, and the others fail at their time limit', async () => {
  const { failed, endings } = await simulate({ limit: () => tokenBucket(20), calls: 1_500 })
  expect(new Set(failed.map(({ error }) => error?.replace(/ in .*/, '')))).toEqual(
    new Set(['the turn comes']),
  )
  expect(endings.length - failed.length).toBeGreaterThan(500)
})

it.each([true, false])(
  'a limit of one endpoint pauses all calls, and all succeed (Retry-After %s)',
  async (retryAfter) => {
    const bucket = tokenBucket(5)
    const free: Limit = { refuse: () => undefined }
    const { failed } = await simulate({
      limit: (endpoint) => (endpoint === 'limited' ? bucket : free),
      calls: 1_500,
      everyMs: 15,
      // One call in ten is to the limited endpoint.
      endpoints: ['limited', ...Array.from({ length: 9 }, () => 'free')],
      retryAfter,
    })
    expect(failed).toEqual([])
  },
)

it.each([
  ['Retry-After of a second', true, 4_000],
  ['no Retry-After', false, 7_000],
])(
  'an outage with 429 only, %s: three more calls are tried, and then all 200 fail at once',
  async (_, retryAfter, mostMs) => {
    const never: Limit = { refuse: () => 1_000 }
    const { failed, refused } = await simulate({ limit: () => never, calls: 200, retryAfter })
    expect(failed).toHaveLength(200)
    expect(refused).toBe(203)
    expect(Math.max(...failed.map(({ endedMs }) => endedMs))).toBeLessThan(mostMs)
  },
)
