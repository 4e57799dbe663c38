import {
  ApiError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  type ConnectionReason,
  InvalidRequestError,
  InvalidResponseError,
  type InvalidResponseReason,
  OrderLedgerError,
  OrderOutcomeUnknownError,
  type Outcome,
  PathologyError,
  RateLimitError,
  ReferralFailedError,
  ServerError,
  TimeoutError,
  TokenError,
} from 'pathology-sdk'
import { WebhookVerificationError } from 'pathology-sdk/webhooks'
import { expect, it } from 'vitest'

const OUTCOMES: readonly Outcome[] = ['not-sent', 'refused', 'failed', 'unknown']
const NOT_SENT = { outcome: 'not-sent', attempts: 0 } as const
const LOST = { outcome: 'unknown', attempts: 1 } as const

const apiFacts = {
  ...{ code: undefined, errorList: [], issues: [], requestId: undefined, serviceMessage: undefined },
  ...{ method: 'GET', path: '/v1/x', safeDetail: undefined, bodyExcerpt: undefined, retryAfter: undefined },
}

const orderFacts = {
  ...{ orderKey: 'key', startedAt: new Date(0), attempts: 1, candidates: [], cause: undefined },
  recover: async () => undefined,
}

/** Errors whose class determines `retryable`. */
const BY_CLASS: readonly (readonly [string, PathologyError, boolean])[] = [
  ['a base error', new PathologyError('x'), false],
  ['an invalid option', new ConfigurationError('x'), false],
  ['an invalid request', new InvalidRequestError('x', []), false],
  ['an invalid webhook', new WebhookVerificationError('body-empty'), false],
  [
    'a ledger that failed before the sending',
    new OrderLedgerError('x', { ...NOT_SENT, operation: 'claim' }),
    true,
  ],
  ['a failed referral', new ReferralFailedError('x', { attempts: 1, status: 'FAILED_TEST' }), false],
  [
    'an unknown order with an own key',
    new OrderOutcomeUnknownError({ ...orderFacts, hasOwnKey: true }),
    true,
  ],
  ['an unknown order with a generated key', new OrderOutcomeUnknownError(orderFacts), false],
  ['rejected credentials', new TokenError('x', { ...NOT_SENT, code: '102', status: 401 }), false],
  ['a token service that is down', new TokenError('x', { ...NOT_SENT, status: 503 }), true],
  ['a token service that limits', new TokenError('x', { ...NOT_SENT, status: 429 }), true],
  ['a token service that does not respond', new TokenError('x', { ...NOT_SENT, code: 'TIMEOUT' }), true],
  ['no token after a request with an unknown outcome', new TokenError('x', { ...LOST, status: 503 }), false],
  ['no token after a lost, repeatable request', new TokenError('x', { ...LOST, isRepeatable: true }), true],
  ['a token response that is not usable', new TokenError('x', { ...NOT_SENT, status: 200 }), true],
]

interface Facts {
  readonly outcome: Outcome
  readonly attempts: number
}

const CONNECTION: Readonly<Record<ConnectionReason, boolean>> = {
  ...{ dns: true, refused: true, 'connect-timeout': true, tls: false, reset: true },
  ...{ protocol: true, proxy: true, closed: true, other: true },
}

const RESPONSE: Readonly<Record<InvalidResponseReason, boolean>> = {
  ...{ truncated: true, 'not-json': true, empty: true, shape: false, 'error-envelope': true },
  ...{ 'too-large': false, encoding: false, redirect: false, 'cursor-loop': false, 'incomplete-list': true },
  ...{ 'not-pdf': true, 'no-document': true, 'unsafe-url': false },
}

const STATUS: Readonly<Record<number, boolean>> = {
  ...{ 400: false, 401: false, 403: false, 404: false, 408: true, 409: false, 418: false },
  ...{ 429: true, 500: true, 501: true, 502: true, 503: true, 504: true, 524: true },
}

/** Errors that may be retryable unless their outcome is unknown. */
const BY_OUTCOME: readonly (readonly [string, (facts: Facts) => PathologyError, boolean])[] = [
  ...Object.entries(CONNECTION).map(([reason, retryable]) => {
    const make = (facts: Facts) => new ConnectionError('x', { ...facts, reason: reason as ConnectionReason })
    return [`a failed connection (${reason})`, make, retryable] as const
  }),
  ...Object.entries(RESPONSE).map(([reason, retryable]) => {
    const make = (facts: Facts) =>
      new InvalidResponseError('x', { ...facts, reason: reason as InvalidResponseReason })
    return [`an invalid response (${reason})`, make, retryable] as const
  }),
  ...Object.entries(STATUS).map(([status, retryable]) => {
    const make = (facts: Facts) => new ApiError({ ...apiFacts, ...facts, status: Number(status) })
    return [`status ${status}`, make, retryable] as const
  }),
  ['a call that timed out', (facts) => new TimeoutError('x', { ...facts, timeout: 1 }), true],
]

it.each(BY_CLASS)('%s is retryable as its class says', (_, error, retryable) => {
  expect(error.retryable).toBe(retryable)
  expect(error.toJSON()).toMatchObject({ retryable })
})

it.each(BY_OUTCOME)(
  '%s is retryable as the table says, and never with an unknown outcome',
  (_, make, retryable) => {
    for (const outcome of OUTCOMES)
      expect(make({ outcome, attempts: 1 }).retryable, outcome).toBe(retryable && outcome !== 'unknown')
  },
)

it('the unknown outcome of a repeatable request is retryable if a repeat can succeed', () => {
  const facts = { outcome: 'unknown', attempts: 1, isRepeatable: true } as const
  expect(new TimeoutError('x', { ...facts, timeout: 1 }).retryable).toBe(true)
  expect(new ServerError({ ...apiFacts, ...facts, status: 503 }).retryable).toBe(true)
  expect(new BadRequestError({ ...apiFacts, ...facts, status: 400 }).retryable).toBe(false)
})

it('retryAfter is the wait of the service in milliseconds, and is shown if it is known', () => {
  const facts = { ...apiFacts, outcome: 'refused', attempts: 1 } as const
  for (const error of [
    new RateLimitError({ ...facts, status: 429, retryAfter: 5_000 }),
    new ServerError({ ...facts, status: 503, retryAfter: 5_000 }),
    new OrderOutcomeUnknownError({ ...orderFacts, hasOwnKey: true, retryAfter: 5_000 }),
  ]) {
    expect(error.retryAfter).toBe(5_000)
    expect(error.toJSON()).toMatchObject({ retryAfter: 5_000 })
  }
  const unknown = new RateLimitError({ ...facts, status: 429 })
  expect(unknown.retryAfter).toBeUndefined()
  expect(unknown.toJSON()).not.toHaveProperty('retryAfter')
})

it('an OrderOutcomeUnknownError without its own retryAfter has that of its cause, if the call may be repeated', () => {
  const cause = new RateLimitError({ ...apiFacts, ...NOT_SENT, status: 429, retryAfter: 5_000 })
  const unknown = (more: object) =>
    new OrderOutcomeUnknownError({ ...orderFacts, cause, hasOwnKey: true, ...more })
  expect(unknown({})).toMatchObject({ retryAfter: 5_000 })
  expect(unknown({ retryAfter: 70_000 })).toMatchObject({ retryAfter: 70_000 })
  expect(unknown({ hasOwnKey: false })).not.toHaveProperty('retryAfter')
  expect(unknown({ cause: new Error('x') })).not.toHaveProperty('retryAfter')
})
