import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { TimerQueue } from '../../../src/client/core/timers.js'
import { isLetGo } from '../../support/garbage.js'

const MINUTE = 60_000

afterEach(() => {
  vi.useRealTimers()
})

describe('the clock that all waits of a client share', () => {
  it('calls each back in its time, and those that were cancelled never', async () => {
    vi.useFakeTimers()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ delay: fc.integer({ min: 0, max: 5_000 }), cancelled: fc.boolean() }), {
          maxLength: 20,
        }),
        async (waits) => {
          const clock = new TimerQueue()
          const start = clock.monotonic()
          const rung: { index: number; after: number }[] = []
          const timers = waits.map(({ delay }, index) =>
            clock.schedule(() => rung.push({ index, after: clock.monotonic() - start }), delay),
          )
          for (const [index, { cancelled }] of waits.entries()) if (cancelled) timers[index]?.cancel()
          await vi.advanceTimersByTimeAsync(6_000)
          const wanted = waits.flatMap(({ delay, cancelled }, index) => (cancelled ? [] : [{ index, delay }]))
          expect(rung.map(({ index }) => index).sort()).toEqual(wanted.map(({ index }) => index).sort())
          for (const { index, after } of rung) {
            const { delay } = waits[index] ?? { delay: Number.NaN }
            expect(after).toBeGreaterThanOrEqual(delay)
            expect(after).toBeLessThan(delay + 3)
          }
        },
      ),
    )
  })

  it('sets one timer however many waits there are', () => {
    vi.useFakeTimers()
    const clock = new TimerQueue()
    const timers = Array.from({ length: 1_000 }, (_, index) =>
      clock.schedule(() => undefined, MINUTE + index),
    )
    expect(vi.getTimerCount()).toBe(1)
    for (const timer of timers) timer.cancel()
    clock.schedule(() => undefined, MINUTE)
    expect(vi.getTimerCount()).toBe(1)
  })

  it('lets a callback wait anew, and a wait be cancelled by another that is due with it', async () => {
    vi.useFakeTimers()
    const clock = new TimerQueue()
    const rung: string[] = []
    clock.schedule(() => {
      rung.push('first')
      given.cancel()
      clock.schedule(() => rung.push('second'), 50)
    }, 100)
    const given = clock.schedule(() => rung.push('cancelled'), 100)
    await vi.advanceTimersByTimeAsync(149)
    expect(rung).toEqual(['first'])
    await vi.advanceTimersByTimeAsync(2)
    expect(rung).toEqual(['first', 'second'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('calls back in the order of asking what is due together, whatever was cancelled between', async () => {
    vi.useFakeTimers()
    const clock = new TimerQueue()
    const rung: number[] = []
    const timers = Array.from({ length: 8 }, (_, index) => clock.schedule(() => rung.push(index), 100))
    for (const index of [0, 3, 4, 7]) timers[index]?.cancel()
    clock.schedule(() => rung.push(8), 50)
    await vi.advanceTimersByTimeAsync(101)
    expect(rung).toEqual([8, 1, 2, 5, 6])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('a wait that is over is cancelled without effect, by itself too and again', async () => {
    vi.useFakeTimers()
    const clock = new TimerQueue()
    const rung: string[] = []
    const first = clock.schedule(() => {
      rung.push('first')
      first.cancel()
    }, 10)
    const second = clock.schedule(() => rung.push('second'), 10)
    clock.schedule(() => rung.push('third'), 20)
    const fourth = clock.schedule(() => rung.push('fourth'), 30)
    await vi.advanceTimersByTimeAsync(11)
    first.cancel()
    second.cancel()
    fourth.cancel()
    fourth.cancel()
    await vi.advanceTimersByTimeAsync(30)
    expect(rung).toEqual(['first', 'second', 'third'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('a callback may cancel all that is left, and wait for something else', async () => {
    vi.useFakeTimers()
    const clock = new TimerQueue()
    const rung: string[] = []
    clock.schedule(() => {
      for (const timer of later) timer.cancel()
      clock.schedule(() => rung.push('else'), 500)
    }, 10)
    const later = [10, 20, 30].map((delay) => clock.schedule(() => rung.push(`after ${delay}`), delay))
    await vi.advanceTimersByTimeAsync(509)
    expect(rung).toEqual([])
    await vi.advanceTimersByTimeAsync(2)
    expect(rung).toEqual(['else'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('a wait that is over keeps nothing of those that came after it', async () => {
    const clock = new TimerQueue()
    const kept = clock.schedule(() => undefined, MINUTE)
    const follow = (): { later: WeakRef<object>; last: { cancel(): void } } => {
      const callback = (): void => undefined
      const timer = clock.schedule(callback, MINUTE)
      kept.cancel()
      const last = clock.schedule(() => undefined, MINUTE)
      timer.cancel()
      return { later: new WeakRef(callback), last }
    }
    const { later, last } = follow()
    expect(await isLetGo(later)).toBe(true)
    last.cancel()
    // Still there: what is tested is what it refers to.
    kept.cancel()
  })

  it('waits longer than a timer of the platform can', async () => {
    vi.useFakeTimers()
    const clock = new TimerQueue()
    const days = 30 * 24 * 60 * MINUTE
    let rung = false
    clock.schedule(() => {
      rung = true
    }, days)
    await vi.advanceTimersByTimeAsync(days - 1_000)
    expect(rung).toBe(false)
    await vi.advanceTimersByTimeAsync(1_001)
    expect(rung).toBe(true)
  })

  it('goes by the timers of the moment where tests put others in their place', async () => {
    const clock = new TimerQueue()
    clock.schedule(() => undefined, 10 * MINUTE).cancel()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let rung = false
    clock.schedule(() => {
      rung = true
    }, 20 * MINUTE)
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect(rung).toBe(true)
  })

  it('leaves no timer where a callback cancels all that is left', async () => {
    vi.useFakeTimers()
    const clock = new TimerQueue()
    clock.schedule(() => later.cancel(), 10)
    const later = clock.schedule(() => undefined, 20)
    await vi.advanceTimersByTimeAsync(11)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keeps the process only while something is waited for', () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const clock = new TimerQueue()
    const wait = () => clock.schedule(() => undefined, MINUTE)
    const [first, second] = [wait(), wait()]
    expect(timers()).toBe(before + 1)
    first.cancel()
    expect(timers()).toBe(before + 1)
    second.cancel()
    expect(timers()).toBe(before)
    const third = wait()
    expect(timers()).toBe(before + 1)
    third.cancel()
    expect(timers()).toBe(before)
  })

  it('takes its timer back where the platform cannot let it be', () => {
    const cleared: unknown[] = []
    vi.stubGlobal('setTimeout', () => 7)
    vi.stubGlobal('clearTimeout', (handle: unknown) => void cleared.push(handle))
    const clock = new TimerQueue()
    const [first, second] = [clock.schedule(() => undefined, 1), clock.schedule(() => undefined, MINUTE)]
    first.cancel()
    expect(cleared).toEqual([])
    second.cancel()
    expect(cleared).toEqual([7])
  })

  it('keeps a program alive as long as something is waited for, and not longer', async () => {
    const source = `
      import { TimerQueue } from './src/client/core/timers.ts'
      const clock = new TimerQueue()
      clock.schedule(() => undefined, 600_000).cancel()
      clock.schedule(() => console.log('waited'), 30)
    `
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', source], {
      timeout: 10_000,
    })
    expect(stdout).toBe('waited\n')
  })
})
