import { describe, expect, it } from 'vitest'
import { Deadline } from '../../../src/client/core/deadline.js'
import {
  AttemptFailure,
  type Before,
  newAttempts,
  RetryBudget,
  withRetries,
} from '../../../src/client/core/retry.js'
import { rejection } from '../../support/clients.js'
import { SkippingClock } from '../../support/skipping-clock.js'

/** Attempts of which the first `failures` fail, each with a failure that contains its number. */
function attemptsThatFail(failures: number, { maxRetries = 9, reconcile = false } = {}) {
  const clock = new SkippingClock()
  const before: (Before['action'] | undefined)[] = []
  const attempt = async (_context: object, _attempts: object, last: Before | undefined): Promise<string> => {
    before.push(last?.action)
    if (before.length > failures) return `done by ${before.length}`
    const message = `attempt ${before.length}`
    throw new AttemptFailure('gateway', { outcome: 'unknown', toPublic: () => new Error(message) })
  }
  const deadline = new Deadline(clock, 60_000, undefined)
  const attempts = {
    ...newAttempts('safe', maxRetries, deadline),
    reconcile: reconcile ? ('update' as const) : undefined,
  }
  const context = { budget: new RetryBudget(), options: { random: () => 0.5 } }
  return { clock, before, run: () => withRetries(context, attempts, attempt) }
}

describe('attempts (§8)', () => {
  it('the first attempt succeeds: there is no other attempt and no pause', async () => {
    const { run, before, clock } = attemptsThatFail(0)
    await expect(run()).resolves.toBe('done by 1')
    expect(before).toEqual([undefined])
    expect(clock.slept).toEqual([])
  })

  it('each retry waits for the pause that was decided after the failure before it', async () => {
    const { run, clock } = attemptsThatFail(3)
    await expect(run()).resolves.toBe('done by 4')
    expect(clock.slept).toEqual([125, 250, 500])
  })

  it('an attempt knows what was decided before it', async () => {
    const { run, before } = attemptsThatFail(1, { reconcile: true })
    await run()
    expect(before).toEqual([undefined, 'look-up'])
  })

  it.each([0, 1, 2, 5])('at most %i retries, and then the last failure is thrown', async (maxRetries) => {
    const { run, before } = attemptsThatFail(99, { maxRetries })
    const failure = await rejection(run())
    expect(failure instanceof AttemptFailure && failure.toPublic().message).toBe(`attempt ${maxRetries + 1}`)
    expect(before).toHaveLength(maxRetries + 1)
  })
})
