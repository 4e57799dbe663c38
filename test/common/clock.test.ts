import { afterEach, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/common/clock.js'

const DAYS_30 = 30 * 24 * 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

it("the system's clock waits longer than a platform timer can", async () => {
  vi.useFakeTimers()
  const callback = vi.fn()
  systemClock.schedule(callback, DAYS_30)
  await vi.advanceTimersByTimeAsync(DAYS_30 - 1)
  expect(callback).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(callback).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})

it("a long wait of the system's clock can be cancelled before and after its first platform timer", async () => {
  vi.useFakeTimers()
  const callback = vi.fn()
  systemClock.schedule(callback, DAYS_30).cancel()
  const timer = systemClock.schedule(callback, DAYS_30)
  await vi.advanceTimersByTimeAsync(DAYS_30 - 1_000)
  timer.cancel()
  expect(vi.getTimerCount()).toBe(0)
  await vi.advanceTimersByTimeAsync(DAYS_30)
  expect(callback).not.toHaveBeenCalled()
})
