import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RetryBudget, retryCost } from '../../../src/client/core/retry.js'
import { parseRetryAfter, pauseMs } from '../../../src/client/core/retry-policy.js'

describe('pauses between attempts (§8)', () => {
  it.each([
    [1, 0, 0],
    [1, 0.5, 125],
    [2, 0.5, 250],
    [3, 0.25, 250],
    [5, 0.5, 2_000],
    [6, 0.5, 4_000],
    [7, 0.5, 4_000],
    [40, 0.75, 6_000],
  ])('retry %i, random number %d: full jitter gives %d ms', (retry, random, expected) => {
    expect(pauseMs(retry, random, undefined)).toBe(expected)
  })

  it.each([
    [1, 0.5, 0, 0],
    [1, 0, 2_000, 2_000],
    [1, 0.5, 1_000, 1_050],
    [1, 0.5, 10_000, 10_125],
    [3, 0.5, 10_000, 10_500],
    [9, 0.5, 10_000, 10_500],
    [1, 0.5, 60_000, 60_125],
    [1, 0, 60_001, Number.POSITIVE_INFINITY],
    [1, 0.5, 3_600_000, Number.POSITIVE_INFINITY],
  ])(
    'retry %i, random number %d, Retry-After of %d ms: %d ms, never less',
    (retry, random, asked, expected) => {
      expect(pauseMs(retry, random, asked)).toBe(expected)
    },
  )
})

describe('a Retry-After date, valid and without other text (§8)', () => {
  const now = Date.parse('2026-03-02T00:00:00Z')

  it('is measured from the time of the service', () => {
    expect(parseRetryAfter('Mon, 02 Mar 2026 00:00:30 GMT', now)).toBe(30_000)
  })

  it.each([
    'x Mon, 02 Mar 2026 00:00:30 GMT',
    'Mon, 02 Mar 2026 00:00:30 GMT x',
    'Mon, 02 Mar 2026 00:00:30 GMT+1',
    'Mon, 2 Mar 2026 00:00:30 GMT',
    'Xyz, 02 Mar 2026 00:00:30 GMT',
    '12s',
    's12',
  ])('%j is ignored', (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined()
  })
})

describe('a Retry-After is an integer that a timer can use (§8)', () => {
  const now = Date.parse('2026-03-02T00:00:00Z')

  it.each([
    ['30', now, 30_000],
    ['99999999999999', now, 2_147_483_647],
    ['9'.repeat(310), now, 2_147_483_647],
    ['Mon, 02 Mar 2026 00:00:30 GMT', now + 0.25, 30_000],
    ['Mon, 02 Mar 2026 00:00:30 GMT', now + 1e6, 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', now, 2_147_483_647],
    ['Mon, 99 Xyz 2026 00:00:30 GMT', now, undefined],
  ])('header %#', (value, nowMs, expected) => {
    expect(parseRetryAfter(value, nowMs)).toBe(expected)
  })
})

describe('the retry budget (§8)', () => {
  const RETRY = retryCost({ status: 503 })
  const drained = (): RetryBudget => {
    const budget = new RetryBudget()
    while (budget.take(RETRY));
    return budget
  }

  const left = (budget: RetryBudget, cost = RETRY): number => {
    let count = 0
    while (budget.take(cost)) count += 1
    return count
  }

  it.each([
    ['500', { status: 500 }, 5],
    ['503', { status: 503 }, 5],
    ['a reset', { reason: 'reset' }, 5],
    ['a refused connection', { reason: 'refused' }, 5],
    ['nothing known', {}, 5],
    ['408', { status: 408 }, 10],
    ['504', { status: 504 }, 10],
    ['a connect time-out', { reason: 'connect-timeout' }, 10],
  ])('after %s a retry takes its share of 500 tokens', (_, failure, tokens) => {
    expect(retryCost(failure)).toBe(tokens)
    expect(left(new RetryBudget(), retryCost(failure))).toBe(500 / tokens)
  })

  it('rejects a retry that needs more tokens than are left, and takes none', () => {
    const budget = drained()
    budget.succeeded(9)
    expect(budget.take(10)).toBe(false)
    expect(budget.take(5)).toBe(true)
    expect(budget.take(5)).toBe(false)
  })

  it('ten successes allow one retry, and nine do not', () => {
    const budget = drained()
    for (let call = 0; call < 9; call += 1) budget.succeeded(0)
    expect(left(budget)).toBe(0)
    budget.succeeded(0)
    expect(left(budget)).toBe(1)
  })

  it('a success after retries returns the tokens of the retries, and no more', () => {
    const budget = drained()
    budget.succeeded(2 * RETRY)
    expect(left(budget)).toBe(2)
  })

  it('never holds more than 500 tokens', () => {
    const budget = new RetryBudget()
    for (let call = 0; call < 100; call += 1) budget.succeeded(3 * RETRY)
    expect(left(budget)).toBe(100)
  })

  it('there are never more retries than 100, plus the returned ones, plus a tenth of the successes', () => {
    const step = fc.oneof(
      fc.constantFrom(5, 10).map((cost) => ({ cost })),
      fc.record({ success: fc.integer({ min: 0, max: 3 }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 2_000 }), (steps) => {
        const budget = new RetryBudget()
        let retries = 0
        let returned = 0
        let successes = 0
        for (const each of steps) {
          if ('cost' in each) retries += budget.take(each.cost) ? 1 : 0
          else {
            successes += 1
            returned += each.success
            budget.succeeded(each.success * 5)
          }
        }
        expect(retries).toBeLessThanOrEqual(100 + returned + successes / 10)
      }),
    )
  })
})
