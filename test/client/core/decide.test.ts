import { expect, it } from 'vitest'
import { Deadline } from '../../../src/client/core/deadline.js'
import {
  AttemptFailure,
  type Attempts,
  decide,
  type Next,
  newAttempts,
  RetryBudget,
} from '../../../src/client/core/retry.js'
import { type FailureKind, failureOfStatus, showsDoneBefore } from '../../../src/client/core/retry-policy.js'
import { ENDPOINTS } from '../../../src/contract/endpoints.js'
import { SkippingClock } from '../../support/skipping-clock.js'

const COLUMNS = ['not sent', '429', '408', '500', '502', '503', '504', 'ambiguous'] as const
type Column = (typeof COLUMNS)[number]
type Row = Readonly<Record<Column, Next['action']>>

/** A row in which a request that may have been carried out has this decision. */
const otherwise = (action: Next['action']): Row => ({
  'not sent': 'retry',
  '429': 'retry',
  ...{ '408': action, '500': action, '502': action, '503': action, '504': action, ambiguous: action },
})

/** Decision after each failure. 'look-up' looks up first whether the request was carried out. */
const TABLE: Readonly<Record<string, Row>> = {
  'referrals.list': otherwise('retry'),
  'referrals.retrieve': otherwise('retry'),
  'referrals.create': otherwise('look-up'),
  'referrals.update': otherwise('look-up'),
  'referrals.generateResults': otherwise('throw'),
  'referrals.delete': otherwise('retry'),
  'results.list': otherwise('retry'),
  'results.retrieve': otherwise('retry'),
  'tests.list': otherwise('retry'),
  'biomarkers.list': otherwise('retry'),
  'bundles.list': otherwise('retry'),
  'prices.calculate': otherwise('retry'),
  'providers.list': otherwise('retry'),
  'providers.retrieve': otherwise('retry'),
  'providers.save': otherwise('retry'),
  'providers.update': otherwise('retry'),
  'providers.retire': otherwise('retry'),
  'providers.requestRouting': otherwise('retry'),
  'vendors.list': otherwise('retry'),
  'centres.list': otherwise('retry'),
  'centres.retrieve': otherwise('retry'),
  'webhooks.list': otherwise('retry'),
  'webhooks.retrieve': otherwise('retry'),
  'webhooks.eventNames': otherwise('retry'),
  'webhooks.create': { ...otherwise('look-up'), '408': 'throw' },
  'webhooks.update': otherwise('retry'),
  'webhooks.delete': otherwise('retry'),
}

const failureOf = (column: Column): FailureKind => {
  if (column === 'not sent') return 'not-sent'
  if (column === 'ambiguous') return 'ambiguous'
  return failureOfStatus(Number(column))
}

const endpointOf = (id: string) => {
  const endpoint = ENDPOINTS.find((candidate) => candidate.id === id)
  if (endpoint === undefined) throw new Error(`no endpoint ${id}`)
  return endpoint
}

function emptied(): RetryBudget {
  const budget = new RetryBudget()
  while (budget.take(5));
  return budget
}

const failed = (kind: FailureKind, facts: Partial<ConstructorParameters<typeof AttemptFailure>[1]> = {}) =>
  new AttemptFailure(kind, { outcome: 'unknown', toPublic: () => new Error(kind), ...facts })

const attemptsOf = (state: Partial<Attempts>): Attempts => ({
  ...newAttempts('safe', 2, new Deadline(new SkippingClock(), 60_000, undefined)),
  ...state,
})

/** What comes after a failure, with a full budget unless one is given. */
const next = (failure: AttemptFailure, attempts: Attempts, budget = new RetryBudget()): Next =>
  decide(failure, attempts, { budget, options: { random: () => 0.5 } })

const decided = (id: string, kind: FailureKind, { retries = 0, maxRetries = 2 } = {}): Next['action'] => {
  const { retry, reconcile } = endpointOf(id)
  return next(failed(kind), attemptsOf({ retry, reconcile, retries, maxRetries })).action
}

const ids = Object.keys(TABLE)

/** Decisions for one endpoint, after each failure of the table. */
const rowOf = (id: string, limits?: { retries?: number; maxRetries?: number }) =>
  Object.fromEntries(COLUMNS.map((column) => [column, decided(id, failureOf(column), limits)]))

it('the table of retries names every endpoint (§4)', () => {
  expect(ids.sort()).toEqual(ENDPOINTS.map(({ id }) => id).sort())
})

it.each(Object.entries(TABLE))('%s is retried as its row says', (id, row) => {
  expect(rowOf(id)).toEqual(row)
})

it.each([{ retries: 2 }, { maxRetries: 0 }])('no endpoint is retried with %j', (limits) => {
  for (const id of ids) expect(Object.values(rowOf(id, limits)), id).not.toContain('retry')
})

it.each([
  ['a read', 'referrals.list', 'gateway', 5, ['retry', 'retry', 'retry', 'throw']],
  [
    'an order after a 429, whatever maxRetries is',
    'referrals.create',
    'rate-limited',
    9,
    ['retry', 'retry', 'throw', 'throw'],
  ],
] as const)('the number of retries of %s is limited', (_, id, kind, maxRetries, expected) => {
  expect([0, 1, 2, 5].map((retries) => decided(id, kind, { retries, maxRetries }))).toEqual(expected)
})

it.each<[FailureKind, readonly string[]]>([
  ['final', []],
  ['unusable', ['referrals.create', 'referrals.update', 'webhooks.create']],
  ['redirect', ['referrals.create']],
  [
    'done-before',
    ['referrals.delete', 'providers.retire', 'webhooks.delete', 'webhooks.create', 'referrals.update'],
  ],
])('%s is never retried, and starts a lookup for %j', (kind, lookedUp) => {
  for (const id of ids)
    expect(decided(id, kind, { retries: 1 }), id).toBe(lookedUp.includes(id) ? 'look-up' : 'throw')
})

it.each([
  [500, 'server-error'],
  [502, 'gateway'],
  [520, 'gateway'],
  [599, 'gateway'],
  [408, 'request-timeout'],
  [429, 'rate-limited'],
  [400, 'final'],
  [404, 'final'],
  [499, 'final'],
  [200, 'final'],
  [299, 'final'],
  [300, 'redirect'],
  [399, 'redirect'],
] as const)("status %i is %s: a proxy's own 5xx may hide a request that was carried out", (status, kind) => {
  expect(failureOfStatus(status)).toBe(kind)
})

it.each([
  ['update', 400, 'INVALID_STATUS', true],
  ['update', 409, undefined, false],
  ['update', 400, 'INVALID_PAYLOAD', false],
  ['subscription', 409, undefined, true],
  ['subscription', 400, 'DUPLICATE_WEBHOOK_SUBSCRIPTION', true],
  ['subscription', 400, 'INVALID_WEBHOOK_URL', false],
  ['gone', 404, undefined, true],
  ['gone', 400, 'REFERRAL_NOT_FOUND', true],
  ['gone', 400, 'PROVIDER_NOT_FOUND', true],
  ['gone', 400, 'WEBHOOK_NOT_FOUND', true],
  ['gone', 409, 'PROVIDER_HAS_ACTIVE_ROUTING', false],
  ['gone', 400, undefined, false],
  ['order', 400, 'INVALID_STATUS', false],
  ['order', 409, undefined, false],
] as const)(
  'the response to a retry of %s, %i %s, shows that an earlier attempt was carried out: %s (§3.1, §4.6, §7)',
  (settle, status, code, expected) => {
    expect(showsDoneBefore(settle, status, code)).toBe(expected)
  },
)

it('a retry counts, takes tokens of the budget and keeps the most severe outcome', () => {
  const attempts = attemptsOf({})
  expect(next(failed('gateway', { status: 504 }), attempts)).toEqual({ action: 'retry', afterMs: 125 })
  expect(next(failed('not-sent', { outcome: 'not-sent' }), attempts)).toEqual({
    action: 'retry',
    afterMs: 250,
  })
  expect(attempts).toMatchObject({ retries: 2, budgetTaken: 15, outcomeBefore: 'unknown' })
})

it.each<readonly [string, Partial<Attempts>, number, RetryBudget | undefined]>([
  ['a pause that the deadline does not permit', {}, 60_000, undefined],
  [
    'a Retry-After above 60 s',
    { deadline: new Deadline(new SkippingClock(), 1e9, undefined) },
    60_001,
    undefined,
  ],
  ['an empty budget', {}, 0, emptied()],
])('a failure is thrown, and nothing is counted, because of %s', (_, state, retryAfterMs, budget) => {
  const attempts = attemptsOf(state)
  expect(next(failed('gateway', { retryAfterMs }), attempts, budget).action).toBe('throw')
  expect(attempts).toMatchObject({ retries: 0, budgetTaken: 0, outcomeBefore: 'not-sent' })
})

it('a 429 waits for its turn where a rate limiter paces the calls, and for its Retry-After elsewhere', () => {
  const limited = failed('rate-limited', { retryAfterMs: 1_000 })
  expect(next(limited, attemptsOf({ isPaced: true }))).toEqual({ action: 'wait-turn', afterMs: 0 })
  expect(next(limited, attemptsOf({}))).toEqual({ action: 'retry', afterMs: 1_050 })
})

it('a request that was held back waits for its turn, and this is not a retry', () => {
  const attempts = attemptsOf({ maxRetries: 0 })
  expect(next(failed('held-back'), attempts).action).toBe('wait-turn')
  expect(attempts.retries).toBe(0)
})

it.each([
  [1, ['new-token', 'throw']],
  [2, ['new-token', 'new-token', 'throw']],
])(
  'a 401 after a 401 with %i new tokens permitted: %j, whatever maxRetries is (§5)',
  (maxReplays, expected) => {
    const attempts = attemptsOf({ retry: 'once', maxRetries: 0 })
    const rejected = failed('token-rejected', { outcome: 'refused', maxReplays })
    expect(expected.map(() => next(rejected, attempts).action)).toEqual(expected)
    expect(attempts).toMatchObject({ retries: 0, budgetTaken: 0, outcomeBefore: 'refused' })
  },
)

it.each([
  ['ambiguous', 'retry'],
  ['unusable', 'retry'],
  ['done-before', 'throw'],
] as const)('after a lookup that showed no effect, %s is decided as %s', (kind, action) => {
  const undone = failed(kind)
  const attempts = (retries: number) => attemptsOf({ retry: 'once', reconcile: 'update', retries })
  expect(next(undone, attempts(0)).action).toBe('look-up')
  undone.hadNoEffect = true
  expect(next(undone, attempts(0)).action).toBe(action)
  expect(next(undone, attempts(2)).action).toBe('throw')
})
