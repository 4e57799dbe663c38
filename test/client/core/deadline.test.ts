import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { CallEnded, Deadline, follow, SharedSignals } from '../../../src/client/core/deadline.js'
import type { Clock, Timer } from '../../../src/common/clock.js'
import { ConfigurationError } from '../../../src/common/errors.js'
import { rejection } from '../../support/clients.js'

/** Clock of which the test runs the timers. */
class TestClock implements Clock {
  readonly timers: { readonly callback: () => void; readonly delayMs: number; isCancelled: boolean }[] = []
  time = 5_000

  now = (): number => this.time
  monotonic = (): number => this.time

  schedule = (callback: () => void, delayMs: number): Timer => {
    const timer = { callback, delayMs, isCancelled: false }
    this.timers.push(timer)
    return {
      cancel: () => {
        timer.isCancelled = true
      },
    }
  }
}

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

function setUp(timeoutMs = 100, signal?: AbortSignal) {
  const clock = new TestClock()
  const deadline = new Deadline(clock, timeoutMs, signal)
  const ends: CallEnded[] = []
  const stop = deadline.onEnd((ended) => ends.push(ended))
  return { clock, deadline, ends, stop }
}

describe('the deadline of a call', () => {
  it('ends at its timeout, and listeners get the reason', () => {
    const { clock, deadline, ends } = setUp()
    expect(deadline.ended).toBeUndefined()
    expect(() => deadline.throwIfEnded()).not.toThrow()
    expect(clock.timers).toMatchObject([{ delayMs: 100 }])
    clock.time += 30
    expect(deadline.remainingMs).toBe(70)
    clock.timers[0]?.callback()
    expect(ends).toEqual([expect.any(CallEnded)])
    expect(ends[0]).toMatchObject({ message: 'timeout', end: { kind: 'timeout' }, queuedFor: undefined })
    expect(deadline.ended).toBe(ends[0])
    expect(() => deadline.throwIfEnded()).toThrow(ends[0])
    expect(clock.timers[0]?.isCancelled).toBe(true)
  })

  it.each([0, -1])('with a timeout of %i ms has ended at once, without a timer', (timeoutMs) => {
    const { clock, deadline, ends } = setUp(timeoutMs)
    expect(deadline.ended?.end).toEqual({ kind: 'timeout' })
    expect(ends).toEqual([deadline.ended])
    expect(clock.timers).toHaveLength(0)
  })

  it('without a time limit sets no timer', () => {
    const { clock, deadline } = setUp(Number.POSITIVE_INFINITY)
    expect(clock.timers).toHaveLength(0)
    expect(deadline.remainingMs).toBe(Number.POSITIVE_INFINITY)
    expect(deadline.ended).toBeUndefined()
  })

  it('ends with the reason of the signal, and then has no timer and no listener', () => {
    const controller = new AbortController()
    const { clock, deadline, ends } = setUp(100, controller.signal)
    expect(listeners(controller.signal)).toBe(1)
    controller.abort('enough')
    expect(deadline.ended?.end).toEqual({ kind: 'aborted', reason: 'enough' })
    expect(ends).toHaveLength(1)
    expect(clock.timers[0]?.isCancelled).toBe(true)
    expect(listeners(controller.signal)).toBe(0)
  })

  it('with an aborted signal has ended at once, whatever its timeout is', () => {
    const { clock, deadline } = setUp(0, AbortSignal.abort('before'))
    expect(deadline.ended?.end).toEqual({ kind: 'aborted', reason: 'before' })
    expect(clock.timers).toHaveLength(0)
  })

  it('keeps the first reason if the clock runs a cancelled timer', () => {
    const controller = new AbortController()
    const { clock, deadline, ends } = setUp(100, controller.signal)
    controller.abort('first')
    deadline.onEnd((ended) => ends.push(ended))
    clock.timers[0]?.callback()
    expect(deadline.ended?.end).toEqual({ kind: 'aborted', reason: 'first' })
    expect(ends).toEqual([deadline.ended, deadline.ended])
  })

  it('a removed listener is not called, and the others are', () => {
    const { clock, deadline, ends, stop } = setUp()
    const others: CallEnded[] = []
    deadline.onEnd((ended) => others.push(ended))
    stop()
    stop()
    clock.timers[0]?.callback()
    expect(ends).toHaveLength(0)
    expect(others).toHaveLength(1)
  })

  it('dispose removes the timer and the listeners', () => {
    const controller = new AbortController()
    const { clock, deadline, ends } = setUp(100, controller.signal)
    deadline.dispose()
    expect(clock.timers[0]?.isCancelled).toBe(true)
    expect(listeners(controller.signal)).toBe(0)
    controller.abort()
    expect(ends).toHaveLength(0)
  })
})

describe('waiting until the end of a call', () => {
  it('race returns the result, and removes its listener', async () => {
    const { deadline } = setUp()
    const unwatch = vi.spyOn(deadline, 'unwatch')
    await expect(deadline.race(Promise.resolve(7))).resolves.toBe(7)
    await expect(deadline.race(Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(unwatch).toHaveBeenCalledTimes(2)
  })

  it('race rejects at the end of the call', async () => {
    const { clock, deadline } = setUp()
    const waiting = rejection(deadline.race(new Promise(() => undefined)))
    clock.timers[0]?.callback()
    expect(await waiting).toBe(deadline.ended)
  })

  it('sleep ends after its delay, and removes its listener', async () => {
    const { clock, deadline } = setUp()
    const sleeping = deadline.sleep(20)
    expect(clock.timers[1]?.delayMs).toBe(20)
    const unwatch = vi.spyOn(deadline, 'unwatch')
    clock.timers[1]?.callback()
    await expect(sleeping).resolves.toBeUndefined()
    expect(unwatch).toHaveBeenCalledOnce()
  })

  it('sleep rejects at the end of the call, and cancels its timer', async () => {
    const { clock, deadline } = setUp()
    const sleeping = rejection(deadline.sleep(20))
    clock.timers[0]?.callback()
    expect(await sleeping).toBe(deadline.ended)
    expect(clock.timers[1]?.isCancelled).toBe(true)
  })
})

describe('a signal that many calls share', () => {
  it('has one listener while calls use it, and none after them', () => {
    const controller = new AbortController()
    const { signal } = controller
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    const signals = new SharedSignals()
    const shared = signals.of(signal)
    expect(signals.of(signal)).toBe(shared)
    const deadlines = [1, 2, 3].map(() => new Deadline(new TestClock(), 100, shared))
    expect(listeners(signal)).toBe(1)
    expect(added).toHaveBeenCalledOnce()
    for (const deadline of deadlines.slice(1)) deadline.dispose()
    expect(listeners(signal)).toBe(1)
    expect(removed).not.toHaveBeenCalled()
    controller.abort('enough')
    expect(deadlines.map(({ ended }) => ended?.end)).toEqual([
      { kind: 'aborted', reason: 'enough' },
      undefined,
      undefined,
    ])
    expect(shared).toMatchObject({ aborted: true, reason: 'enough' })
    expect(listeners(signal)).toBe(0)
  })

  it('is optional: a call without a signal gets no shared signal', () => {
    expect(new SharedSignals().of(undefined)).toBeUndefined()
  })

  it.each([null, 'signal', {}, { aborted: false }])('%j is not an AbortSignal', (value) => {
    const of = (): unknown => Reflect.apply(SharedSignals.prototype.of, new SharedSignals(), [value])
    expect(of).toThrow(new ConfigurationError('signal must be an AbortSignal'))
  })
})

describe('following a signal', () => {
  it('aborts with the reason of the signal, and can stop before', () => {
    const leader = new AbortController()
    const [follower, other] = [new AbortController(), new AbortController()]
    follow(follower, leader.signal)
    const stop = follow(other, leader.signal)
    expect(listeners(leader.signal)).toBe(2)
    stop()
    expect(listeners(leader.signal)).toBe(1)
    leader.abort('enough')
    expect(follower.signal.reason).toBe('enough')
    expect(other.signal.aborted).toBe(false)
  })

  it('aborts at once after an aborted signal, and does nothing without a signal', () => {
    const [follower, other] = [new AbortController(), new AbortController()]
    follow(follower, AbortSignal.abort('before'))
    expect(follower.signal.reason).toBe('before')
    follow(other, undefined)()
    expect(other.signal.aborted).toBe(false)
  })
})
