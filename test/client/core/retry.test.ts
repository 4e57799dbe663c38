import { describe, expect, it } from 'vitest'
import { Deadline } from '../../../src/client/core/deadline.js'
import { type RetryPlan, withRetries } from '../../../src/client/core/retry.js'
import { rejection } from '../../support/clients.js'
import { SkippingClock } from '../../support/skipping-clock.js'

/** Attempts of which the first `failures` fail, each with an error that contains its number. */
function plan(failures: number, { maxRetries = 9, pauseAfter }: Partial<RetryPlan<string>> = {}) {
  const clock = new SkippingClock()
  const state = { attempts: 0 }
  const attempt = async (): Promise<string> => {
    state.attempts += 1
    if (state.attempts <= failures) throw new Error(`attempt ${state.attempts}`)
    return `done by ${state.attempts}`
  }
  const deadline = new Deadline(clock, 60_000, undefined)
  const pauses = pauseAfter ?? ((_, retries) => 10 * (retries + 1))
  return { clock, state, plan: { maxRetries, deadline, attempt, pauseAfter: pauses } }
}

describe('attempts (§8)', () => {
  it('the first attempt succeeds: there is no other attempt and no pause', async () => {
    const { plan: once, state, clock } = plan(0)
    await expect(withRetries(once)).resolves.toBe('done by 1')
    expect(state.attempts).toBe(1)
    expect(clock.slept).toEqual([])
  })

  it('each retry waits for the pause that follows the failure before it', async () => {
    const { plan: thrice, clock } = plan(3)
    await expect(withRetries(thrice)).resolves.toBe('done by 4')
    expect(clock.slept).toEqual([10, 20, 30])
  })

  it.each([0, 1, 2, 5])('at most %i retries, whatever the pauses are', async (maxRetries) => {
    const { plan: endless, state } = plan(99, { maxRetries })
    expect(await rejection(withRetries(endless))).toHaveProperty('message', `attempt ${maxRetries + 1}`)
    expect(state.attempts).toBe(maxRetries + 1)
  })

  it.each([0, 1, 2])('no pause after %i retries: that failure is thrown', async (given) => {
    const pauseAfter = (_: unknown, retries: number) => (retries < given ? 0 : undefined)
    const { plan: endless, state } = plan(99, { pauseAfter })
    expect(await rejection(withRetries(endless))).toHaveProperty('message', `attempt ${given + 1}`)
    expect(state.attempts).toBe(given + 1)
  })
})
