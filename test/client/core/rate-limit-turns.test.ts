import { describe, expect, it } from 'vitest'
import { CallEnded, Deadline } from '../../../src/client/core/deadline.js'
import { NOT_PACED, type Turn } from '../../../src/client/core/rate-limit-pace.js'
import { RateLimiter } from '../../../src/client/core/rate-limiter.js'
import { SkippingClock } from '../../support/skipping-clock.js'

/** Turns of calls on a clock that the test advances. */
class World {
  readonly clock = new SkippingClock({ skip: () => false })
  readonly pause = new RateLimiter(this.clock, () => 0)
  /** Names of the calls that were sent, in order. */
  readonly sent: string[] = []

  /** Asks for a turn. The name of a call is its endpoint, a number and a mark for each retry, such as `a1!!`. */
  async turn(name: string, timeoutMs = 60_000, signal?: AbortSignal): Promise<Turn> {
    const deadline = new Deadline(this.clock, timeoutMs, signal)
    const retries = name.split('!').length - 1
    const turn = await this.pause.turn({ endpoint: { id: name.slice(0, 1) }, deadline, retries })
    this.sent.push(name)
    return turn
  }

  refuse(name: string, turn: Turn, retryAfterMs?: number): boolean {
    return this.pause.recordRefusal(name.slice(0, 1), turn, retryAfterMs)
  }

  accept(name: string, turn: Turn): void {
    this.pause.recordAcceptance(name.slice(0, 1), turn)
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms)
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** The first 429: without Retry-After, the pause is 250 ms. */
  async limited(retryAfterMs?: number): Promise<void> {
    this.refuse('z0', await this.turn('z0'), retryAfterMs)
    this.sent.length = 0
  }
}

describe('turns before a 429', () => {
  it('are granted at once, without a timer or a stored value', async () => {
    const world = new World()
    const deadline = new Deadline(world.clock, Number.POSITIVE_INFINITY, undefined)
    expect(world.pause.isPacing).toBe(false)
    const turn = await world.pause.turn({ endpoint: { id: 'a' }, deadline, retries: 0 })
    expect(turn).toBe(NOT_PACED)
    expect(world.clock.pending).toBe(0)
    world.accept('a', turn)
    expect(world.pause.isPacing).toBe(false)
    expect(world.pause.isTurnExpired('a', turn)).toBe(false)
    expect(world.pause.acceptedOthersMeanwhile(turn)).toBe(false)
  })
})

describe('turns after a 429', () => {
  it('are granted one after another: first at the end of the pause, then half a second apart while no call is accepted', async () => {
    const world = new World()
    await world.limited()
    for (const name of ['a1', 'a2', 'a3']) void world.turn(name)
    await world.advance(249)
    expect(world.sent).toEqual([])
    await world.advance(1)
    expect(world.sent).toEqual(['a1'])
    await world.advance(499)
    expect(world.sent).toEqual(['a1'])
    await world.advance(1)
    expect(world.sent).toEqual(['a1', 'a2'])
    await world.advance(500)
    expect(world.sent).toEqual(['a1', 'a2', 'a3'])
    expect(world.clock.pending).toBe(4)
  })

  it('are granted sooner once a call is accepted', async () => {
    const world = new World()
    await world.limited()
    const first = world.turn('a1')
    void world.turn('a2')
    await world.advance(250)
    await world.advance(100)
    world.accept('a1', await first)
    await world.advance(233)
    expect(world.sent).toEqual(['a1'])
    await world.advance(1)
    expect(world.sent).toEqual(['a1', 'a2'])
  })

  it('are granted quickly after a single 429 among many accepted calls', async () => {
    const world = new World()
    const inFlight: Turn[] = []
    for (let nth = 0; nth < 30; nth += 1) inFlight.push(await world.turn('a'))
    await world.limited()
    for (const turn of inFlight) world.accept('a', turn)
    for (let nth = 0; nth < 62; nth += 1) void world.turn('a')
    await world.advance(250)
    for (let ms = 0; ms < 1_000; ms += 10) await world.advance(10)
    expect(world.sent).toHaveLength(62)
  })

  it('are granted slowly after a 429 among many others, whatever was accepted before them', async () => {
    const world = new World()
    const inFlight: Turn[] = []
    for (let nth = 0; nth < 60; nth += 1) inFlight.push(await world.turn('a'))
    await world.limited()
    for (const [nth, turn] of inFlight.entries()) {
      if (nth < 20) world.accept('a', turn)
      else world.refuse('a', turn)
    }
    for (let nth = 0; nth < 10; nth += 1) void world.turn('a')
    await world.advance(250)
    for (let ms = 0; ms < 900; ms += 10) await world.advance(10)
    expect(world.sent).toHaveLength(2)
  })

  it('a response that arrives after the pause does not change their rate', async () => {
    const world = new World()
    const inFlight: Turn[] = []
    for (let nth = 0; nth < 30; nth += 1) inFlight.push(await world.turn('a'))
    await world.limited()
    for (let nth = 0; nth < 10; nth += 1) void world.turn('a')
    await world.advance(250)
    for (const turn of inFlight) world.accept('a', turn)
    for (let ms = 0; ms < 900; ms += 10) await world.advance(10)
    expect(world.sent).toHaveLength(2)
  })

  it('a late timer is compensated, by 20 ms at most', async () => {
    const world = new World()
    await world.limited()
    const turns = Array.from({ length: 500 }, () => world.turn('a', 1_000_000))
    for (let accepted = 0; accepted < 200; ) {
      await world.advance(5)
      for (; accepted < world.sent.length; accepted += 1)
        world.accept('a', await (turns[accepted] ?? world.turn('b')))
    }
    // About 200 calls a second: four are due in 20 ms, and 100 in 500 ms.
    const before = world.sent.length
    await world.advance(500)
    expect(world.sent.length - before).toBeGreaterThanOrEqual(4)
    expect(world.sent.length - before).toBeLessThanOrEqual(6)
  })

  it('a response to a request that was sent before the last 429 does not change the rate', async () => {
    const world = new World()
    await world.limited()
    const [first, second] = [world.turn('a1'), world.turn('a2')]
    await world.advance(250)
    await world.advance(500)
    expect(world.refuse('a2', await second)).toBe(false)
    world.accept('a1', await first)
    for (const name of ['a3', 'a4']) void world.turn(name)
    await world.advance(999)
    expect(world.sent).toEqual(['a1', 'a2'])
    await world.advance(1)
    expect(world.sent).toEqual(['a1', 'a2', 'a3'])
    await world.advance(999)
    expect(world.sent).toEqual(['a1', 'a2', 'a3'])
  })

  it('a 429 to a request that was already in flight at the first 429 extends the pause by its Retry-After', async () => {
    const world = new World()
    const turns = [await world.turn('a1'), await world.turn('a2'), await world.turn('b1')] as const
    expect(world.refuse('a1', turns[0])).toBe(false)
    expect(world.refuse('a2', turns[1])).toBe(true)
    expect(world.refuse('b1', turns[2], 3_000)).toBe(true)
    world.sent.length = 0
    void world.turn('a3')
    await world.advance(2_999)
    expect(world.sent).toEqual([])
    await world.advance(1)
    expect(world.sent).toEqual(['a3'])
  })

  it('are no longer needed when no call waits and the last 429 is 10 s ago', async () => {
    const world = new World()
    await world.limited()
    const first = world.turn('a1')
    await world.advance(250)
    world.accept('a1', await first)
    await world.advance(9_749)
    expect(await world.pause.turn(call(world, 'a'))).not.toBe(NOT_PACED)
    await world.advance(1)
    expect(await world.pause.turn(call(world, 'a'))).toBe(NOT_PACED)
  })

  it('stay necessary while the service accepts no call', async () => {
    const world = new World()
    await world.limited()
    await world.advance(1_000_000)
    expect(await world.pause.turn(call(world, 'a'))).not.toBe(NOT_PACED)
  })

  it('a turn must be repeated once another request gets a 429', async () => {
    const world = new World()
    const [a, b] = [await world.turn('a1'), await world.turn('b1')]
    expect(world.pause.isTurnExpired('b', b)).toBe(false)
    world.refuse('a1', a)
    expect(world.pause.isTurnExpired('b', b)).toBe(true)
    const next = world.turn('b2')
    await world.advance(250)
    expect(world.pause.isTurnExpired('b', await next)).toBe(false)
  })

  it('a turn is crowded when another call that waited at the same time was accepted', async () => {
    const world = new World()
    await world.limited()
    const [first, second] = [world.turn('a1'), world.turn('a2')]
    await world.advance(250)
    expect(world.pause.acceptedOthersMeanwhile(await first)).toBe(false)
    world.accept('a1', await first)
    await world.advance(1_000)
    expect(world.pause.acceptedOthersMeanwhile(await second)).toBe(true)
    const third = world.turn('a3')
    await world.advance(1_000)
    expect(world.pause.acceptedOthersMeanwhile(await third)).toBe(false)
  })
})

describe('calls that wait for a turn', () => {
  it('fail at once when their turn cannot come in time, with the time until it', async () => {
    const world = new World()
    await world.limited(5_000)
    await expect(world.turn('a1', 5_000)).rejects.toThrow('in 5000 ms')
    await expect(world.turn('a1', 4_000)).rejects.toThrow('in 5000 ms')
    void world.turn('a2', 5_001)
    await world.advance(5_000)
    expect(world.sent).toEqual(['a2'])
  })

  it('fail at once when a later 429 makes it too late', async () => {
    const world = new World()
    await world.limited()
    const [first, second] = [world.turn('a1'), world.turn('a2', 3_000)]
    second.catch(() => undefined)
    await world.advance(250)
    world.refuse('a1', await first, 20_000)
    await expect(second).rejects.toThrow('in 20000 ms')
  })

  it('fail at once when a 429 to an earlier request requires a long pause', async () => {
    const world = new World()
    const inFlight = await world.turn('a0')
    await world.limited()
    const waiting = world.turn('a1', 3_000)
    waiting.catch(() => undefined)
    world.refuse('a0', inFlight, 30_000)
    await expect(waiting).rejects.toThrow('in 30000 ms')
  })

  it('fail at their time limit, and leave no timer', async () => {
    const world = new World()
    await world.limited()
    void world.turn('a1')
    const second = world.turn('a2', 600)
    second.catch(() => undefined)
    await world.advance(250)
    await world.advance(350)
    await expect(second).rejects.toThrow('in 0 ms')
    expect(world.clock.pending).toBe(2)
  })

  it('end with the signal, and the next call gets the turn', async () => {
    const world = new World()
    await world.limited()
    const abort = new AbortController()
    const first = world.turn('a1', 60_000, abort.signal)
    void world.turn('a2')
    abort.abort(new Error('enough'))
    const ended = await first.catch((error: unknown) => error)
    expect(ended).toBeInstanceOf(CallEnded)
    await world.advance(250)
    expect(world.sent).toEqual(['a2'])
  })
})

describe('the order of turns', () => {
  it('the first call after a 429 is one with few retries; after an accepted call, calls with many retries go first', async () => {
    const world = new World()
    await world.limited()
    const names = ['a1!', 'a2!!', 'a3!', 'a4', 'a5!!']
    const [, , , fourth] = names.map((name) => world.turn(name))
    await world.advance(250)
    expect(world.sent).toEqual(['a4'])
    if (fourth !== undefined) world.accept('a4', await fourth)
    for (let nth = 0; nth < 4; nth += 1) await world.advance(1_000)
    expect(world.sent).toEqual(['a4', 'a2!!', 'a5!!', 'a1!', 'a3!'])
  })
})

describe('one endpoint with its own limit', () => {
  it('after a 429 the next turn goes to a call of another endpoint', async () => {
    const world = new World()
    await world.limited()
    const first = world.turn('a1')
    for (const name of ['a2', 'b1', 'a3']) void world.turn(name)
    await world.advance(250)
    world.refuse('a1', await first)
    await world.advance(1_000)
    expect(world.sent).toEqual(['a1', 'b1'])
  })

  /** Calls endpoints one after another: those in capitals get a 429, the others are accepted. */
  async function run(world: World, letters: string): Promise<void> {
    for (const [nth, letter] of [...letters].entries()) {
      const endpoint = letter.toLowerCase()
      const turn = world.turn(endpoint)
      await world.advance(2_000)
      if (letter === endpoint) world.accept(endpoint, await turn)
      else world.refuse(endpoint, await turn, nth === letters.length - 1 ? 20_000 : undefined)
    }
    world.sent.length = 0
  }

  it.each([
    ['AbAbA', ['b']],
    ['AbbAbbA', ['b']],
    ['AbAbB', []],
    ['AbBbA', []],
    ['AAA', []],
    ['AaAaA', []],
    ['AbA', []],
    ['BAbAbA', ['b']],
  ])(
    'after %s (a capital gets a 429), a pause of 20 s for the last endpoint does not apply to %j',
    async (letters, sent) => {
      const world = new World()
      await run(world, letters)
      void world.turn('a')
      void world.turn('b')
      await world.advance(2_000)
      expect(world.sent).toEqual(sent)
      await world.advance(18_000)
      await world.advance(2_000)
      expect(world.sent.toSorted()).toEqual(['a', 'b'])
    },
  )

  it('its waiting calls get the pause too, and keep their order', async () => {
    const world = new World()
    await run(world, 'AbAb')
    const third = world.turn('a3')
    for (const name of ['a4', 'c1', 'a5']) void world.turn(name)
    await world.advance(2_000)
    world.refuse('a3', await third, 20_000)
    await world.advance(2_000)
    expect(world.sent).toEqual(['a3', 'c1'])
    await world.advance(18_000)
    await world.advance(2_000)
    expect(world.sent).toEqual(['a3', 'c1', 'a4', 'a5'])
  })

  it('its limit ends like that of all endpoints', async () => {
    const world = new World()
    await run(world, 'AbAbA')
    const turn = world.turn('a')
    await world.advance(20_000)
    world.accept('a', await turn)
    await world.advance(10_000)
    expect(await world.pause.turn(call(world, 'a'))).toBe(NOT_PACED)
    expect(await world.pause.turn(call(world, 'b'))).toBe(NOT_PACED)
  })
})

function call(world: World, id: string) {
  const deadline = new Deadline(world.clock, 60_000, undefined)
  return {
    endpoint: { id },
    deadline,
    retries: 0,
    failures: { ofRateLimiter: () => new Error('too late') },
  }
}
