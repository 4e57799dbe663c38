import { describe, expect, it } from 'vitest'
import {
  decideRetry,
  type FailureKind,
  failureOfStatus,
  type RetryAction,
  showsDoneBefore,
} from '../../../src/client/core/retry-policy.js'
import { ENDPOINTS } from '../../../src/contract/endpoints.js'

/**
 * Retry decisions, written out. 'reconcile' looks up first whether the request was carried out; for `create` that
 * is a lookup of the order.
 */
const COLUMNS = ['not sent', '429', '408', '500', '502', '503', '504', 'ambiguous'] as const
type Column = (typeof COLUMNS)[number]
type Row = { readonly ids: readonly string[] } & { readonly [C in Column]: RetryAction }

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
    '408': 'reconcile',
    '500': 'reconcile',
    '502': 'reconcile',
    '503': 'reconcile',
    '504': 'reconcile',
    ambiguous: 'reconcile',
  },
  'PATCH referrals': {
    ids: ['referrals.update'],
    'not sent': 'retry',
    '429': 'retry',
    '408': 'reconcile',
    '500': 'reconcile',
    '502': 'reconcile',
    '503': 'reconcile',
    '504': 'reconcile',
    ambiguous: 'reconcile',
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
    '500': 'reconcile',
    '502': 'reconcile',
    '503': 'reconcile',
    '504': 'reconcile',
    ambiguous: 'reconcile',
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

const decide = (id: string, failure: FailureKind, { retries = 0, maxRetries = 2 } = {}): RetryAction => {
  const { retry, reconcile: settle } = endpointOf(id)
  return decideRetry({ retry, reconcile: settle, failure, retries, maxRetries })
}

const operations = Object.values(DOCUMENT).flatMap((row) => row.ids.map((id) => ({ id, row })))

/** Decisions for one endpoint, after each failure of the table. */
const rowOf = (id: string, limits?: { retries?: number; maxRetries?: number }) =>
  Object.fromEntries(COLUMNS.map((column) => [column, decide(id, failureOf(column), limits)]))

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
    for (const { id } of operations) expect(decide(id, failureOfStatus(status)), id).toBe('throw')
  })

  it('create after 429: at most two retries, whatever maxRetries is', () => {
    const after = (retries: number) => decide('referrals.create', 'rate-limited', { retries, maxRetries: 9 })
    expect([0, 1, 2, 3].map(after)).toEqual(['retry', 'retry', 'throw', 'throw'])
  })

  it('every other retryable failure: at most maxRetries retries', () => {
    const after = (retries: number) => decide('referrals.list', 'gateway', { retries, maxRetries: 5 })
    expect([0, 4, 5].map(after)).toEqual(['retry', 'retry', 'throw'])
  })

  it('a response that another attempt would not change is not retried', () => {
    const lookedUp = ['referrals.create', 'referrals.update', 'webhooks.create']
    for (const { id } of operations) {
      expect(decide(id, 'unusable'), id).toBe(lookedUp.includes(id) ? 'reconcile' : 'throw')
    }
  })

  it('a redirect is not followed; an order is looked up, in case it was placed', () => {
    for (const { id } of operations) {
      expect(decide(id, 'redirect'), id).toBe(id === 'referrals.create' ? 'reconcile' : 'throw')
    }
  })

  it.each(['safe', 'repeatable', 'once'] as const)(
    '%s that cannot be looked up: the error of a rejected retry is thrown',
    (retry) => {
      const facts = {
        retry,
        reconcile: undefined,
        failure: 'done-before',
        retries: 0,
        maxRetries: 2,
      } as const
      expect(decideRetry(facts)).toBe('throw')
    },
  )

  it.each(['referrals.delete', 'providers.retire', 'webhooks.delete', 'webhooks.create', 'referrals.update'])(
    '%s: an error that shows that an earlier attempt succeeded leads to a lookup',
    (id) => expect(decide(id, 'done-before', { retries: 1 })).toBe('reconcile'),
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
    decideRetry({ retry, reconcile: undefined, failure, retries: 0, maxRetries: 2 })

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
