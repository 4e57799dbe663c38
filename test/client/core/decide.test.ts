import { describe, expect, it } from 'vitest'
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

/**
 * Retry decisions, written out. 'look-up' looks up first whether the request was carried out; for `create` that
 * is a lookup of the order.
 */
const COLUMNS = ['not sent', '429', '408', '500', '502', '503', '504', 'ambiguous'] as const
type Column = (typeof COLUMNS)[number]
type Row = { readonly ids: readonly string[] } & { readonly [C in Column]: Next['action'] }

const everything = {
  'not sent': 'retry',
  '429': 'retry',
  '408': 'retry',
  '500': 'retry',
  '502': 'retry',
  '503': 'retry',
  '504': 'retry',
  ambiguous: 'retry',
} as const

const DOCUMENT: Readonly<Record<string, Row>> = {
  'GET (all)': {
    ids: [
      'referrals.list',
      'referrals.retrieve',
      'results.list',
      'results.retrieve',
      'tests.list',
      'biomarkers.list',
      'bundles.list',
      'providers.list',
      'providers.retrieve',
      'vendors.list',
      'centres.list',
      'centres.retrieve',
      'webhooks.list',
      'webhooks.retrieve',
      'webhooks.eventNames',
    ],
    ...everything,
  },
  'POST calculate': { ids: ['prices.calculate'], ...everything },
  'POST referrals (create)': {
    ids: ['referrals.create'],
    'not sent': 'retry',
    '429': 'retry',
    '408': 'look-up',
    '500': 'look-up',
    '502': 'look-up',
    '503': 'look-up',
    '504': 'look-up',
    ambiguous: 'look-up',
  },
  'PATCH referrals': {
    ids: ['referrals.update'],
    'not sent': 'retry',
    '429': 'retry',
    '408': 'look-up',
    '500': 'look-up',
    '502': 'look-up',
    '503': 'look-up',
    '504': 'look-up',
    ambiguous: 'look-up',
  },
  'PUT referrals (staging)': {
    ids: ['referrals.generateResults'],
    'not sent': 'retry',
    '429': 'retry',
    '408': 'throw',
    '500': 'throw',
    '502': 'throw',
    '503': 'throw',
    '504': 'throw',
    ambiguous: 'throw',
  },
  'DELETE referrals': { ids: ['referrals.delete'], ...everything },
  'POST providers': { ids: ['providers.save'], ...everything },
  'PUT providers': { ids: ['providers.update'], ...everything },
  'DELETE providers': { ids: ['providers.retire'], ...everything },
  'POST providers/{n}/routing': { ids: ['providers.requestRouting'], ...everything },
  'POST webhooks': {
    ids: ['webhooks.create'],
    'not sent': 'retry',
    '429': 'retry',
    '408': 'throw',
    '500': 'look-up',
    '502': 'look-up',
    '503': 'look-up',
    '504': 'look-up',
    ambiguous: 'look-up',
  },
  'PATCH webhooks': { ids: ['webhooks.update'], ...everything },
  'DELETE webhooks': { ids: ['webhooks.delete'], ...everything },
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

const operations = Object.values(DOCUMENT).flatMap((row) => row.ids.map((id) => ({ id, row })))

/** Decisions for one endpoint, after each failure of the table. */
const rowOf = (id: string, limits?: { retries?: number; maxRetries?: number }) =>
  Object.fromEntries(COLUMNS.map((column) => [column, decided(id, failureOf(column), limits)]))

describe('retry decisions', () => {
  it('§4 the table names every endpoint once', () => {
    expect(operations.map(({ id }) => id).sort()).toEqual(ENDPOINTS.map(({ id }) => id).sort())
  })

  it.each(operations)('$id follows its row', ({ id, row }) => {
    expect(rowOf(id)).toEqual(Object.fromEntries(COLUMNS.map((column) => [column, row[column]])))
  })

  it.each([{ retries: 2 }, { maxRetries: 0 }])('endpoints are never retried with %j', (limits) => {
    for (const { id } of operations) expect(Object.values(rowOf(id, limits)), id).not.toContain('retry')
  })

  it.each([400, 401, 403, 404, 409, 422])('%i is final for every endpoint', (status) => {
    for (const { id } of operations) expect(decided(id, failureOfStatus(status)), id).toBe('throw')
  })

  it('create after 429: at most two retries, whatever maxRetries is', () => {
    const after = (retries: number) => decided('referrals.create', 'rate-limited', { retries, maxRetries: 9 })
    expect([0, 1, 2, 3].map(after)).toEqual(['retry', 'retry', 'throw', 'throw'])
  })

  it('every other retryable failure: at most maxRetries retries', () => {
    const after = (retries: number) => decided('referrals.list', 'gateway', { retries, maxRetries: 5 })
    expect([0, 4, 5].map(after)).toEqual(['retry', 'retry', 'throw'])
  })

  it('a response that another attempt would not change is not retried', () => {
    const lookedUp = ['referrals.create', 'referrals.update', 'webhooks.create']
    for (const { id } of operations) {
      expect(decided(id, 'unusable'), id).toBe(lookedUp.includes(id) ? 'look-up' : 'throw')
    }
  })

  it('a redirect is not followed; an order is looked up, in case it was placed', () => {
    for (const { id } of operations) {
      expect(decided(id, 'redirect'), id).toBe(id === 'referrals.create' ? 'look-up' : 'throw')
    }
  })

  it.each(['safe', 'repeatable', 'once'] as const)(
    '%s that cannot be looked up: the error of a rejected retry is thrown',
    (retry) => {
      expect(next(failed('done-before'), attemptsOf({ retry })).action).toBe('throw')
    },
  )

  it.each(['referrals.delete', 'providers.retire', 'webhooks.delete', 'webhooks.create', 'referrals.update'])(
    '%s: an error that shows that an earlier attempt succeeded leads to a lookup',
    (id) => expect(decided(id, 'done-before', { retries: 1 })).toBe('look-up'),
  )

  it.each([
    [500, 'server-error'],
    [502, 'gateway'],
    [503, 'gateway'],
    [504, 'gateway'],
    [520, 'gateway'],
    [522, 'gateway'],
    [524, 'gateway'],
    [599, 'gateway'],
    [408, 'request-timeout'],
    [429, 'rate-limited'],
    [400, 'final'],
    [404, 'final'],
    [409, 'final'],
    [200, 'final'],
    [300, 'redirect'],
    [302, 'redirect'],
    [307, 'redirect'],
  ] as const)(
    "status %i is %s: a proxy's own 5xx may hide a request that was carried out",
    (status, kind) => {
      expect(failureOfStatus(status)).toBe(kind)
    },
  )
})

describe('retry decisions: errors that show that an earlier attempt was carried out', () => {
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
  ] as const)('%s, %i %s: %s (§3.1, §4.6, §7)', (settle, status, code, expected) => {
    expect(showsDoneBefore(settle, status, code)).toBe(expected)
  })
})

describe('retry decisions: POST oauth/token', () => {
  const token = (retry: 'repeatable' | 'once', failure: FailureKind) =>
    next(failed(failure), attemptsOf({ retry })).action

  it.each(COLUMNS)('client_credentials after %s: retry', (column) => {
    expect(token('repeatable', failureOf(column))).toBe('retry')
  })

  it.each([
    ['not sent', 'retry'],
    ['429', 'retry'],
    ['408', 'throw'],
    ['500', 'throw'],
    ['502', 'throw'],
    ['503', 'throw'],
    ['504', 'throw'],
    ['ambiguous', 'throw'],
  ] as const)('refresh_token after %s: %s, because it rotates', (column, action) => {
    expect(token('once', failureOf(column))).toBe(action)
  })
})

describe('retry decisions: the state that they count', () => {
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
  ])('%s: the failure is thrown, and nothing is counted', (_, state, retryAfterMs, budget) => {
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
  ])('with %i permitted, 401 after 401: %j, whatever maxRetries is (§5)', (maxReplays, expected) => {
    const attempts = attemptsOf({ retry: 'once', maxRetries: 0 })
    const rejected = failed('token-rejected', { outcome: 'refused', maxReplays })
    expect(expected.map(() => next(rejected, attempts).action)).toEqual(expected)
    expect(attempts).toMatchObject({ retries: 0, budgetTaken: 0, outcomeBefore: 'refused' })
  })

  it.each([
    ['ambiguous', 'retry'],
    ['unusable', 'retry'],
    ['done-before', 'throw'],
  ] as const)('%s, and a lookup showed no effect: %s', (kind, action) => {
    const undone = failed(kind)
    const attempts = (retries: number) => attemptsOf({ retry: 'once', reconcile: 'update', retries })
    expect(next(undone, attempts(0)).action).toBe('look-up')
    undone.hadNoEffect = true
    expect(next(undone, attempts(0)).action).toBe(action)
    expect(next(undone, attempts(2)).action).toBe('throw')
  })
})
