import { afterEach, expect, it, vi } from 'vitest'
import { LedgerRetries } from '../../../src/client/ledger/ledger-session.js'
import { systemClock } from '../../../src/common/clock.js'

afterEach(() => void vi.useRealTimers())

it('statements that did not reach the ledger arrive within five seconds after it is reachable again, also after a long outage', async () => {
  vi.useFakeTimers()
  const retries = new LedgerRetries()
  let isReachable = false
  const arrived: string[] = []
  for (const name of ['one', 'two', 'three'])
    retries.add(async () => {
      if (!isReachable) throw new Error('not reachable')
      arrived.push(name)
    })
  await vi.advanceTimersByTimeAsync(600_000)
  isReachable = true
  await vi.advanceTimersByTimeAsync(5_000)
  expect([...arrived].sort()).toEqual(['one', 'three', 'two'])
})

/** Times of the tries of one statement, in milliseconds, which fails until `reachableAt`. */
function tried(retries: LedgerRetries, reachableAt = Number.POSITIVE_INFINITY): number[] {
  const tries: number[] = []
  retries.add(async () => {
    tries.push(Date.now())
    if (Date.now() < reachableAt) throw new Error('not reachable')
  })
  return tries
}

it('statements that did not reach the ledger are tried at once, and then after pauses that double up to four seconds', async () => {
  vi.useFakeTimers({ now: 0 })
  const retries = new LedgerRetries()
  const tries = tried(retries, 12_000)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(tries).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 11_750, 15_750])
  const later = tried(retries, 60_500)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(later).toEqual([60_000, 60_250, 60_750])
})

it('statements that did not reach the ledger arrive although one of them always fails', async () => {
  vi.useFakeTimers({ now: 0 })
  const retries = new LedgerRetries()
  const failing = tried(retries)
  const other = tried(retries, 0)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(other).toEqual([250])
  // The other statement has arrived, so the pauses start again with the shortest.
  expect(failing.slice(0, 3)).toEqual([0, 250, 500])
})

it('statements that did not reach the ledger are dropped beyond 10,000, the oldest first', async () => {
  vi.useFakeTimers({ now: 0 })
  const retries = new LedgerRetries()
  let isReachable = false
  const arrived: number[] = []
  for (let each = 0; each <= 10_001; each += 1)
    retries.add(async () => {
      if (!isReachable) throw new Error('not reachable')
      arrived.push(each)
    })
  isReachable = true
  await vi.advanceTimersByTimeAsync(10_000)
  expect(arrived).toHaveLength(10_000)
  expect(Math.min(...arrived)).toBe(2)
})

it('statements that did not reach the ledger are tried every 100 ms while the client closes, and dropped at its limit', async () => {
  vi.useFakeTimers({ now: 0 })
  const retries = new LedgerRetries()
  const tries = tried(retries)
  await vi.advanceTimersByTimeAsync(4_000)
  const before = tries.length
  let closedAt: number | undefined
  void retries.close(1_000, systemClock).then(() => {
    closedAt = Date.now()
  })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(closedAt).toBe(5_000)
  const closing = tries.slice(before)
  expect(closing[0]).toBe(4_000)
  expect(closing[1]).toBe(4_100)
  expect(closing.at(-1)).toBeLessThanOrEqual(5_000)
})

it.each([0, 1, 2, 3, 4, 5, 6])(
  'statements for the ledger run if they are added %i microtasks after the one before them',
  async (count) => {
    const retries = new LedgerRetries()
    const arrived: string[] = []
    retries.add(async () => void arrived.push('one'))
    for (let done = 0; done < count; done += 1) await undefined
    retries.add(async () => void arrived.push('two'))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(arrived).toEqual(['one', 'two'])
  },
)

it('statements that did not reach the ledger end the closing as soon as they arrive, or when there are none', async () => {
  vi.useFakeTimers({ now: 0 })
  const retries = new LedgerRetries()
  await retries.close(60_000, systemClock)
  expect(vi.getTimerCount()).toBe(0)
  tried(retries, 4_300)
  await vi.advanceTimersByTimeAsync(4_000)
  let closedAt: number | undefined
  void retries.close(60_000, systemClock).then(() => {
    closedAt = Date.now()
  })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(closedAt).toBe(4_300)
  expect(vi.getTimerCount()).toBe(0)
})
