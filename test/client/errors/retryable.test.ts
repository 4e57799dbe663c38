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
import { describe, expect, it } from 'vitest'

const OUTCOMES: readonly Outcome[] = ['not-sent', 'refused', 'failed', 'unknown']
const NOT_SENT = { outcome: 'not-sent', attempts: 0 } as const
const LOST = { outcome: 'unknown', attempts: 1 } as const

/** Properties of an error, with each outcome. */
function eachOutcome<T>(make: (facts: { outcome: Outcome; attempts: number }) => T): Record<Outcome, T> {
  const made = OUTCOMES.map((outcome) => [outcome, make({ outcome, attempts: 1 })] as const)
  return Object.fromEntries(made) as Record<Outcome, T>
}

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

const CONNECTION: Readonly<Record<ConnectionReason, boolean>> = {
  dns: true,
  refused: true,
  'connect-timeout': true,
  tls: false,
  reset: true,
  protocol: true,
  proxy: true,
  closed: true,
  other: true,
}

const RESPONSE: Readonly<Record<InvalidResponseReason, boolean>> = {
  truncated: true,
  'not-json': true,
  empty: true,
  shape: false,
  'error-envelope': true,
  'too-large': false,
  encoding: false,
  redirect: false,
  'cursor-loop': false,
  'incomplete-list': true,
  'not-pdf': true,
  'no-document': true,
  'unsafe-url': false,
}

const STATUS: Readonly<Record<number, boolean>> = {
  ...{ 400: false, 401: false, 403: false, 404: false, 408: true, 409: false, 418: false },
  ...{ 429: true, 500: true, 501: true, 502: true, 503: true, 504: true, 524: true },
}

describe('retryable: the same call may be repeated and can succeed', () => {
  it.each(BY_CLASS)('%s', (_title, error, retryable) => {
    expect(error.retryable).toBe(retryable)
    expect(error.toJSON()).toMatchObject({ retryable })
  })

  it.each(Object.entries(CONNECTION))(
    'a failed connection (%s): %s, unless its outcome is unknown',
    (reason, retryable) => {
      const errors = eachOutcome(
        (facts) => new ConnectionError('x', { ...facts, reason: reason as ConnectionReason }),
      )
      for (const outcome of OUTCOMES)
        expect(errors[outcome].retryable, outcome).toBe(retryable && outcome !== 'unknown')
    },
  )

  it.each(Object.entries(RESPONSE))(
    'an invalid response (%s): %s, unless its outcome is unknown',
    (reason, retryable) => {
      const errors = eachOutcome(
        (facts) => new InvalidResponseError('x', { ...facts, reason: reason as InvalidResponseReason }),
      )
      for (const outcome of OUTCOMES)
        expect(errors[outcome].retryable, outcome).toBe(retryable && outcome !== 'unknown')
    },
  )

  it.each(Object.entries(STATUS))('status %s: %s, unless its outcome is unknown', (status, retryable) => {
    const errors = eachOutcome((facts) => new ApiError({ ...apiFacts, ...facts, status: Number(status) }))
    for (const outcome of OUTCOMES)
      expect(errors[outcome].retryable, outcome).toBe(retryable && outcome !== 'unknown')
  })

  it('a call that timed out: true, unless its outcome is unknown', () => {
    const errors = eachOutcome((facts) => new TimeoutError('x', { ...facts, timeout: 1 }))
    expect(OUTCOMES.filter((outcome) => errors[outcome].retryable)).toEqual(['not-sent', 'refused', 'failed'])
  })

  it('the unknown outcome of a repeatable request: true', () => {
    const facts = { outcome: 'unknown', attempts: 1, isRepeatable: true } as const
    expect(new TimeoutError('x', { ...facts, timeout: 1 }).retryable).toBe(true)
    expect(new ServerError({ ...apiFacts, ...facts, status: 503 }).retryable).toBe(true)
    expect(new BadRequestError({ ...apiFacts, ...facts, status: 400 }).retryable).toBe(false)
  })
})

describe('retryAfter: the wait before the next call, in milliseconds', () => {
  it('is that of the service, also for 503, and is shown if it is known', () => {
    for (const status of [429, 503]) {
      const facts = { ...apiFacts, outcome: 'refused', attempts: 1, status, retryAfter: 5_000 } as const
      const error = status === 429 ? new RateLimitError(facts) : new ServerError(facts)
      expect(error.retryAfter).toBe(5_000)
      expect(error.toJSON()).toMatchObject({ retryAfter: 5_000 })
    }
    const unknown = new OrderOutcomeUnknownError({ ...orderFacts, hasOwnKey: true, retryAfter: 90_000 })
    expect(unknown.toJSON()).toMatchObject({ retryAfter: 90_000 })
  })

  it('is undefined if it is not known', () => {
    const error = new RateLimitError({ ...apiFacts, outcome: 'refused', attempts: 1, status: 429 })
    expect(error.retryAfter).toBeUndefined()
    expect(error.toJSON()).not.toHaveProperty('retryAfter')
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
})
