import { expect, it } from 'vitest'
import { RetryBudget, retryCost } from '../../../src/client/core/retry.js'
import { parseRetryAfter, pauseMs } from '../../../src/client/core/retry-policy.js'

it.each([
  [1, 0, 0],
  [1, 0.5, 125],
  [2, 0.5, 250],
  [3, 0.25, 250],
  [5, 0.5, 2_000],
  [6, 0.5, 4_000],
  [7, 0.5, 4_000],
  [40, 0.75, 6_000],
])(
  'the pause before retry %i, with random number %d, has full jitter: %d ms (§8)',
  (retry, random, expected) => {
    expect(pauseMs(retry, random, undefined)).toBe(expected)
  },
)

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
  'the pause before retry %i, with random number %d and a Retry-After of %d ms, is %d ms, never less (§8)',
  (retry, random, asked, expected) => {
    expect(pauseMs(retry, random, asked)).toBe(expected)
  },
)

const NOW = Date.parse('2026-03-02T00:00:00Z')

it.each([
  ['0', NOW, 0],
  [' 007 ', NOW, 7_000],
  ['30', NOW, 30_000],
  ['99999999999999', NOW, 2_147_483_647],
  ['9'.repeat(310), NOW, 2_147_483_647],
  ['Mon, 02 Mar 2026 00:00:30 GMT', NOW, 30_000],
  ['Mon, 02 Mar 2026 00:00:30 GMT', NOW + 0.25, 30_000],
  ['Mon, 02 Mar 2026 00:00:30 GMT', NOW + 1e6, 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', NOW, 2_147_483_647],
])('the Retry-After %j at %d is an integer that a timer can use: %i ms (§8)', (value, nowMs, expected) => {
  expect(parseRetryAfter(value, nowMs)).toBe(expected)
})

it.each([
  ...['', '-5', '+5', '1e9', '1.5', '0x10', 'soon', '2026-03-02', '5, 6', ['1', '2'], undefined],
  'x Mon, 02 Mar 2026 00:00:30 GMT',
  'Mon, 02 Mar 2026 00:00:30 GMT x',
  'Mon, 02 Mar 2026 00:00:30 GMT+1',
  'Mon, 2 Mar 2026 00:00:30 GMT',
  'Xyz, 02 Mar 2026 00:00:30 GMT',
  'Mon, 99 Xyz 2026 00:00:30 GMT',
  '12s',
  's12',
])('the Retry-After %j is ignored', (value) => {
  expect(parseRetryAfter(value, NOW)).toBeUndefined()
})

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
  ['503', { status: 503 }, 5],
  ['a reset', { reason: 'reset' }, 5],
  ['nothing known', {}, 5],
  ['408', { status: 408 }, 10],
  ['504', { status: 504 }, 10],
  ['a connect time-out', { reason: 'connect-timeout' }, 10],
])('after %s a retry takes its share of 500 tokens', (_, failure, tokens) => {
  expect(retryCost(failure)).toBe(tokens)
  expect(left(new RetryBudget(), retryCost(failure))).toBe(500 / tokens)
})

it('the retry budget rejects a retry that needs more tokens than are left, and takes none', () => {
  const budget = drained()
  budget.succeeded(9)
  expect(budget.take(10)).toBe(false)
  expect(budget.take(5)).toBe(true)
  expect(budget.take(5)).toBe(false)
})

it('the retry budget: ten successes allow one retry, and nine do not', () => {
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

it('the retry budget never holds more than 500 tokens', () => {
  const budget = new RetryBudget()
  for (let call = 0; call < 100; call += 1) budget.succeeded(3 * RETRY)
  expect(left(budget)).toBe(100)
})
