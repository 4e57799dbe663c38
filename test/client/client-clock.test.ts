import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ClientClock } from '../../src/client/call/client-clock.js'

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
          const clock = new ClientClock()
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
    const clock = new ClientClock()
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
    const clock = new ClientClock()
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

  it('waits longer than a timer of the platform can', async () => {
    vi.useFakeTimers()
    const clock = new ClientClock()
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
    const clock = new ClientClock()
    clock.schedule(() => undefined, 10 * MINUTE).cancel()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let rung = false
    clock.schedule(() => {
      rung = true
    }, 20 * MINUTE)
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect(rung).toBe(true)
  })

  it('keeps a program alive as long as something is waited for, and not longer', async () => {
    const source = `
      import { ClientClock } from './src/client/call/client-clock.ts'
      const clock = new ClientClock()
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
