import { expect, it } from 'vitest'
import { CallEnded, Deadline } from '../../../src/client/core/deadline.js'
import { RateLimiter } from '../../../src/client/core/rate-limiter.js'
import { SkippingClock } from '../../support/skipping-clock.js'

/** Turns of calls on a clock that the test advances. */
class World {
  readonly clock = new SkippingClock({ skip: () => false })
  readonly limiter = new RateLimiter(this.clock, () => 0)
  /** Names of the calls that were sent, in order. */
  readonly sent: string[] = []

  /** Asks for a turn. The name of a call is its endpoint, a number and a mark for each retry, such as `a1!!`. */
  async turn(name: string, timeoutMs = 60_000, signal?: AbortSignal): Promise<number> {
    const deadline = new Deadline(this.clock, timeoutMs, signal)
    const turn = await this.limiter.turn({
      endpoint: endpointOf(name),
      deadline,
      retries: name.split('!').length - 1,
    })
    this.sent.push(name)
    return turn
  }

  /** A call that is sent when its turn comes, and gets a 429. */
  async refused(name: string, retryAfterMs?: number): Promise<void> {
    this.refuse(name, await this.turn(name), retryAfterMs)
  }

  refuse(name: string, turn: number, retryAfterMs?: number): boolean {
    return this.limiter.rejected(turn, endpointOf(name), retryAfterMs)
  }

  async advance(ms: number, stepMs = ms): Promise<void> {
    for (let rest = ms; rest > 0; rest -= stepMs) {
      this.clock.advance(stepMs)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** The first 429: without Retry-After, the pause is 600 ms. */
  async limited(retryAfterMs?: number): Promise<void> {
    await this.refused('z0', retryAfterMs)
    this.sent.length = 0
  }

  /** Calls of which each is accepted as soon as it is sent. */
  accepted(...names: string[]): void {
    for (const name of names) void this.turn(name).then((turn) => this.limiter.accepted(turn))
  }

  /** Calls of which each waits, or fails with a message. */
  waiting(...names: string[]): Promise<unknown>[] {
    return names.map((name) => this.turn(name).catch((error: Error) => error.message))
  }
}

const endpointOf = (name: string) => ({ method: 'GET', path: name.slice(0, 1) })

it('before a 429, calls are not counted, and do not wait', async () => {
  const world = new World()
  expect(world.limiter.isPacing).toBe(false)
  world.accepted('a1', 'a2')
  await world.advance(1)
  expect(world.sent).toEqual(['a1', 'a2'])
  expect(world.limiter).toMatchObject({ isPacing: false, pauses: 0, pauseMs: 0 })
})

it('after a 429, one call is sent after the pause, and the others when the service has accepted it, ever faster', async () => {
  const world = new World()
  await world.limited()
  world.accepted('a1', 'a2', 'a3', 'a4')
  await world.advance(599)
  expect(world.sent).toEqual([])
  await world.advance(1)
  expect(world.sent).toEqual(['a1'])
  await world.advance(333)
  expect(world.sent).toEqual(['a1'])
  await world.advance(1)
  expect(world.sent).toEqual(['a1', 'a2'])
  await world.advance(250)
  expect(world.sent).toEqual(['a1', 'a2', 'a3'])
  await world.advance(200)
  expect(world.sent).toEqual(['a1', 'a2', 'a3', 'a4'])
})

it('another call is tried every two seconds while the first one has no response', async () => {
  const world = new World()
  await world.limited()
  void world.waiting('a1', 'a2', 'a3')
  await world.advance(600)
  await world.advance(1_999)
  expect(world.sent).toEqual(['a1'])
  await world.advance(1)
  expect(world.sent).toEqual(['a1', 'a2'])
  await world.advance(2_000)
  expect(world.sent).toEqual(['a1', 'a2', 'a3'])
})

it('a response to a call from before the 429 does not end the pause, and frees no other call', async () => {
  const world = new World()
  const before = await world.turn('b1')
  await world.limited()
  void world.waiting('a1', 'a2')
  world.limiter.accepted(before)
  await world.advance(600)
  world.limiter.accepted(before)
  await world.advance(1_000)
  expect(world.sent).toEqual(['a1'])
})

it('the next 429 lowers the rate by 30 percent', async () => {
  const world = new World()
  await world.limited()
  world.accepted(...Array.from({ length: 10 }, (_, nth) => `a${nth}`))
  await world.advance(5_000, 10)
  world.sent.length = 0
  // 2 calls a second at first, and one more for each of 10 accepted calls.
  await world.refused('a')
  world.accepted('b0')
  await world.advance(600)
  void world.waiting(...Array.from({ length: 20 }, (_, nth) => `c${nth}`))
  await world.advance(1_000, 10)
  expect(world.sent.filter((name) => name.startsWith('c'))).toHaveLength(8)
})

it('pauses without Retry-After double with each pause in a row, up to eight seconds', async () => {
  const world = new World()
  const pauses: number[] = []
  for (let nth = 0; nth < 6; nth += 1) {
    await world.refused('a')
    pauses.push(world.limiter.pauseMs)
    await world.advance(world.limiter.pauseMs)
  }
  expect(pauses).toEqual([600, 1_200, 2_400, 4_800, 8_000, 8_000])
})

it('a 429 to an earlier request extends the pause if it asks for more, and is not another pause', async () => {
  const world = new World()
  const [first, second] = [await world.turn('b1'), await world.turn('b2')]
  await world.limited()
  expect(world.refuse('b1', first)).toBe(true)
  expect(world.limiter).toMatchObject({ pauses: 1, pauseMs: 600 })
  expect(world.refuse('b2', second, 5_000)).toBe(true)
  expect(world.limiter).toMatchObject({ pauses: 1, pauseMs: 5_000 })
})

it('a request that waits for a connection has lost its turn', async () => {
  const world = new World()
  const turn = await world.turn('a1')
  expect(world.limiter.isExpired(turn)).toBe(false)
  await world.limited()
  expect(world.limiter.isExpired(turn)).toBe(true)
})

it('calls are not counted any more when none waits and the last 429 is ten seconds old', async () => {
  const world = new World()
  await world.limited()
  world.accepted('a1')
  await world.advance(600)
  await world.advance(9_399)
  await world.turn('a2')
  expect(world.limiter.isPacing).toBe(true)
  await world.advance(1)
  await world.turn('a3')
  expect(world.limiter.isPacing).toBe(false)
})

it('a call that starts ten seconds after a 429 waits for the end of a longer Retry-After', async () => {
  const world = new World()
  await world.limited(30_000)
  await world.advance(10_000)
  world.accepted('a1')
  await world.advance(19_999)
  expect(world.sent).toEqual([])
  await world.advance(1)
  expect(world.sent).toEqual(['a1'])
})

it('a call that starts ten seconds after a 429 is sent after the calls that wait', async () => {
  const world = new World()
  await world.limited()
  world.accepted('a1')
  await world.advance(600)
  void world.waiting(...Array.from({ length: 30 }, (_, nth) => `b${nth}`))
  await world.advance(10_000, 100)
  void world.waiting('c1')
  await world.advance(5_000, 100)
  expect(world.sent.at(-1)).toBe('c1')
  expect(world.sent).toHaveLength(32)
})

it('a late timer is made good by several calls at once, up to 20 ms', async () => {
  const world = new World()
  await world.limited()
  world.accepted(...Array.from({ length: 300 }, (_, nth) => `a${nth}`))
  await world.advance(5_000, 5)
  const before = world.sent.length
  await world.advance(1_000)
  // At about 150 calls a second, 20 ms are three calls.
  expect(world.sent.length - before).toBeGreaterThan(1)
  expect(world.sent.length - before).toBeLessThan(6)
})

it('the first call after a pause is one with few retries; later ones are those with the most', async () => {
  const world = new World()
  await world.limited()
  world.accepted('a1!', 'a2!!', 'a3!', 'a4', 'a5!!')
  await world.advance(5_000, 10)
  expect(world.sent).toEqual(['a4', 'a2!!', 'a5!!', 'a1!', 'a3!'])
})

it('the first call after a pause is one of another endpoint than the rejected one', async () => {
  const world = new World()
  await world.limited()
  void world.waiting('z1', 'a1!', 'z2')
  await world.advance(600)
  expect(world.sent).toEqual(['a1!'])
})

it('calls fail at once when the pause is longer than their time limit, also when a later 429 makes it longer', async () => {
  const world = new World()
  await world.limited(5_000)
  await expect(world.turn('a1', 5_000)).rejects.toThrow('in 5000 ms')
  const [waiting] = [world.turn('a2', 5_001)]
  waiting.catch(() => undefined)
  world.refuse('b', -1, 20_000)
  await expect(waiting).rejects.toThrow('in 20000 ms')
  await expect(waiting).rejects.toMatchObject({ refused: 'GET z', isHopeless: false })
})

it('calls that wait for their turn fail at their time limit, and leave no timer', async () => {
  const world = new World()
  await world.limited()
  const waiting = world.turn('a1', 700)
  const other = world.turn('a2', 700)
  waiting.catch(() => undefined)
  other.catch(() => undefined)
  await world.advance(600)
  await world.advance(100)
  await expect(other).rejects.toThrow('in 500 ms')
  expect(world.sent).toEqual(['a1'])
  // The time limit of the call that got the 429.
  expect(world.clock.pending).toBe(1)
})

it('a call that waits for its turn ends with its signal, and the next call gets the turn', async () => {
  const world = new World()
  await world.limited()
  const abort = new AbortController()
  const first = world.turn('a1', 60_000, abort.signal)
  void world.turn('a2')
  abort.abort(new Error('enough'))
  expect(await first.catch((error: unknown) => error)).toBeInstanceOf(CallEnded)
  await world.advance(600)
  expect(world.sent).toEqual(['a2'])
})

/** Three pauses, each followed by a call that gets a 429. */
async function hopeless(world: World, retryAfterMs?: number): Promise<void> {
  await world.limited(retryAfterMs)
  for (let nth = 0; nth < 3; nth += 1) {
    const probe = world.refused(`a${nth}`, retryAfterMs)
    await world.advance(world.limiter.pauseMs)
    await probe
  }
  world.sent.length = 0
}

it.each([
  [2_000, 2_000],
  [undefined, 4_800],
])('after three pauses with Retry-After %j ms, all calls fail at once, with %i ms', async (asked, waitMs) => {
  const world = new World()
  await hopeless(world, asked)
  const error = await world.turn('b').catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ waitMs, refused: 'GET a', isHopeless: true })
  expect(world.sent).toEqual([])
})

it('calls that wait fail with the 429 after the third pause, not before', async () => {
  const world = new World()
  await world.limited()
  const waiting = Promise.all(world.waiting('a8!!', 'a9!!'))
  for (const name of ['a1', 'a2']) {
    const probe = world.refused(name)
    await world.advance(world.limiter.pauseMs)
    await probe
  }
  const last = world.refused('a3')
  await world.advance(2_399)
  expect(world.sent).toEqual(['a1', 'a2'])
  await world.advance(1)
  await last
  expect(await waiting).toEqual(['the turn comes in 4800 ms', 'the turn comes in 4800 ms'])
})

it('the end of each pause lets one call through: its 429 fails the others, and its acceptance frees them', async () => {
  const world = new World()
  await hopeless(world)
  await world.advance(4_800)
  const probe = world.refused('a1')
  const others = Promise.all(world.waiting('a2', 'a3'))
  await probe
  expect(await others).toEqual(['the turn comes in 8000 ms', 'the turn comes in 8000 ms'])
  expect(world.sent).toEqual(['a1'])
  await world.advance(8_000)
  world.sent.length = 0
  world.accepted('c1', 'c2', 'c3')
  await world.advance(1)
  expect(world.sent).toEqual(['c1'])
  await world.advance(1_000, 10)
  expect(world.sent).toEqual(['c1', 'c2', 'c3'])
})
