import { describe, expect, it } from 'vitest'
import { parseRetryAfter, pauseMs } from '../../src/client/call/backoff.js'
import { RetryBudget } from '../../src/client/call/retry-budget.js'

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
  ])('retry %i, drawn %d: full jitter gives %d ms', (retry, random, expected) => {
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
  ])('retry %i, drawn %d, asked to wait %d ms: %d ms, never sooner', (retry, random, asked, expected) => {
    expect(pauseMs(retry, random, asked)).toBe(expected)
  })
})

describe('a Retry-After date, whole and nothing else (§8)', () => {
  const now = Date.parse('2026-03-02T00:00:00Z')

  it('is counted from the present by the service', () => {
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
  ])('%j is none', (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined()
  })
})

describe('the budget of retries (§8)', () => {
  const drained = (): RetryBudget => {
    const budget = new RetryBudget()
    while (budget.take());
    return budget
  }

  const left = (budget: RetryBudget): number => {
    let count = 0
    while (budget.take()) count += 1
    return count
  }

  it('begins with ten, and goes no lower', () => {
    expect(left(new RetryBudget())).toBe(10)
    expect(drained().take()).toBe(false)
  })

  it('ten calls that succeed at once earn one, and nine do not', () => {
    const budget = drained()
    for (let call = 0; call < 9; call += 1) budget.succeeded(0)
    expect(left(budget)).toBe(0)
    budget.succeeded(0)
    expect(left(budget)).toBe(1)
  })

  it('a call that succeeds after retries gets its own back, and no more', () => {
    const budget = drained()
    budget.succeeded(2)
    expect(left(budget)).toBe(2)
  })

  it('never holds more than ten', () => {
    const budget = new RetryBudget()
    for (let call = 0; call < 100; call += 1) budget.succeeded(3)
    expect(left(budget)).toBe(10)
  })
})
