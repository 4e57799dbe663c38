import type { TokenLock } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { waitForLock } from '../../../src/client/auth/token-sharing.js'
import { SharedHealth } from '../../../src/client/auth/token-store.js'
import { SafeLogger } from '../../../src/common/logger.js'
import { VirtualClock } from '../../support/virtual-clock.js'

type Acquire = TokenLock['acquire']

function turnsWith(acquire: Acquire, random = 0) {
  const clock = new VirtualClock()
  const warnings: string[] = []
  const health = new SharedHealth(new SafeLogger({ warn: (message) => warnings.push(message) }), clock)
  const parts = { lock: { acquire }, key: 'turn', clock, random: () => random, health }
  /** Takes a turn and ends it. */
  const take = async (look = async () => ({ done: false, found: undefined })): Promise<void> => {
    const turn = await clock.run(waitForLock(parts, look))
    await clock.run(Promise.resolve(turn.end()))
  }
  return { clock, warnings, take }
}

describe('§5 pauses before the next try for the lock, and warnings', () => {
  it.each([
    [0, [60, 90, 135, 202.5]],
    [0.5, [45, 67.5, 101.25, 151.875]],
  ])('random number %d: the pauses grow, and each is shortened by up to half', async (random, first) => {
    const looks: number[] = []
    const { clock, take } = turnsWith(() => undefined, random)
    await take(async () => {
      looks.push(clock.now())
      return { done: false, found: undefined }
    })
    const pauses = looks.slice(1).map((at, index) => at - (looks[index] ?? 0))
    expect(pauses.slice(0, 4)).toEqual(first)
    expect(pauses.at(-1)).toBe(500 * (1 - random / 2))
  })

  const fails: Acquire = () => Promise.reject(new Error('no lock'))
  const works: Acquire = () => () => undefined
  const keeps: Acquire = () => () => Promise.reject(new Error('not given back'))

  it.each([
    ['cannot be had', fails],
    ['cannot be given back', keeps],
  ])(
    'a lock that %s causes one warning, and a second one only after it has worked in between',
    async (_, faulty) => {
      const states = [faulty, faulty, works, faulty]
      const { warnings, take } = turnsWith((...args) => (states.shift() ?? works)(...args))
      const counts: number[] = []
      for (let turn = 0; turn < 4; turn += 1) {
        await take()
        counts.push(warnings.length)
      }
      expect(counts).toEqual([1, 1, 1, 2])
    },
  )

  it('a lock whose acquire rejects after the time limit is not released, and counts as failing only until then', async () => {
    const states: Acquire[] = [() => late, works, fails]
    const { clock, warnings, take } = turnsWith((...args) => (states.shift() ?? works)(...args))
    const late = clock.sleep(3_000).then(() => undefined)
    await take()
    await clock.run(late)
    await take()
    await take()
    expect(warnings).toHaveLength(2)
  })
})
