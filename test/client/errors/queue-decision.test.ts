import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  InvalidResponseError,
  NotFoundError,
  OrderLedgerError,
  OrderOutcomeUnknownError,
  PathologyError,
  PermissionError,
  queueDecision,
  RateLimitError,
  ReferralFailedError,
  ServerError,
  TimeoutError,
  TokenError,
} from 'pathology-sdk'
import { WebhookVerificationError } from 'pathology-sdk/webhooks'
import { expect, it } from 'vitest'

const FAILED = { outcome: 'failed', attempts: 1 } as const
const REFUSED = { outcome: 'refused', attempts: 1 } as const
const LOST = { outcome: 'unknown', attempts: 1 } as const
const NOT_SENT = { outcome: 'not-sent', attempts: 0 } as const

const api = (
  status: number,
  code: string | undefined,
  outcome: typeof FAILED | typeof REFUSED | typeof LOST = FAILED,
) => ({
  ...outcome,
  ...{ status, code, method: 'POST', path: '/v1/referrals', requestId: undefined, retryAfter: undefined },
})

const unknownOrder = (hasOwnKey: boolean) =>
  new OrderOutcomeUnknownError({
    ...{ orderKey: 'key', startedAt: new Date(0), attempts: 1, candidates: [], cause: undefined, hasOwnKey },
    recover: async () => undefined,
  })

const MINUTE = 60_000

const TABLE: readonly (readonly [string, unknown, 'retry' | 'park' | 'drop', number])[] = [
  [
    'a rate limit with its wait',
    new RateLimitError({ ...api(429, undefined, REFUSED), retryAfter: 7_500 }),
    'retry',
    7_500,
  ],
  ['a rate limit without a wait', new RateLimitError(api(429, undefined, REFUSED)), 'retry', MINUTE],
  ['a wait of no time', new RateLimitError({ ...api(429, undefined, REFUSED), retryAfter: 0 }), 'retry', 0],
  ['a server that failed', new ServerError(api(503, undefined)), 'retry', MINUTE],
  ['a server that may have carried it out', new ServerError(api(503, undefined, LOST)), 'park', 0],
  ['a connection that failed', new ConnectionError('x', { ...NOT_SENT, reason: 'refused' }), 'retry', MINUTE],
  ['a closed client', new ConnectionError('x', { ...NOT_SENT, reason: 'closed' }), 'retry', MINUTE],
  ['a certificate that is not trusted', new ConnectionError('x', { ...NOT_SENT, reason: 'tls' }), 'park', 0],
  ['a call that was too slow', new TimeoutError('x', { ...FAILED, timeout: 1 }), 'retry', MINUTE],
  ['a request that may have been carried out', new TimeoutError('x', { ...LOST, timeout: 1 }), 'park', 0],
  [
    'a response that cannot be read',
    new InvalidResponseError('x', { ...LOST, reason: 'not-json' }),
    'park',
    0,
  ],
  [
    'a ledger that failed before the order',
    new OrderLedgerError('x', { ...NOT_SENT, operation: 'claim' }),
    'retry',
    MINUTE,
  ],
  ['an unknown order under an own key', unknownOrder(true), 'retry', MINUTE],
  ['an unknown order under a generated key', unknownOrder(false), 'park', 0],
  ['a key of another order', new InvalidRequestError('x', [], 'ORDER_KEY_IN_USE'), 'park', 0],
  ['an invalid request', new InvalidRequestError('x', []), 'drop', 0],
  ['a refused request', new BadRequestError(api(400, 'INVALID_PAYLOAD')), 'drop', 0],
  ['a refused status without a class', new ApiError(api(422, 'INVALID_STATUS')), 'drop', 0],
  [
    'a missing signature, which a person can store',
    new BadRequestError(api(400, 'MISSING_PROVIDER_SIGNATURE')),
    'park',
    0,
  ],
  ['a refusal of a gateway', new BadRequestError(api(400, undefined)), 'park', 0],
  ['a record that does not exist', new NotFoundError(api(404, 'REFERRAL_NOT_FOUND')), 'drop', 0],
  ['a wrong base URL', new NotFoundError(api(404, undefined)), 'park', 0],
  ['a conflict', new ConflictError(api(409, 'DUPLICATE_WEBHOOK_SUBSCRIPTION')), 'drop', 0],
  ['a provider in use', new ConflictError(api(409, 'PROVIDER_HAS_ACTIVE_ROUTING')), 'park', 0],
  ['a rejected token', new AuthenticationError(api(401, 'INVALID_JWT', REFUSED)), 'park', 0],
  ['a missing permission', new PermissionError(api(403, undefined)), 'park', 0],
  ['rejected credentials', new TokenError('x', { ...REFUSED, code: '123', status: 401 }), 'park', 0],
  ['a token service that failed', new TokenError('x', { ...FAILED, status: 503 }), 'retry', MINUTE],
  ['an invalid option', new ConfigurationError('x'), 'park', 0],
  ['a failed referral', new ReferralFailedError('x', { attempts: 1, status: 'FAILED_TEST' }), 'park', 0],
  ['a webhook that is not valid', new WebhookVerificationError('signature-mismatch'), 'drop', 0],
  ['a receiver that is set up wrongly', new WebhookVerificationError('body-not-raw'), 'park', 0],
  ['another error of this package', new PathologyError('x'), 'park', 0],
  [
    'another error of this package that can be repeated',
    new PathologyError('x', { retryable: true, retryAfter: 5 }),
    'retry',
    5,
  ],
  ['an error of a database', Object.assign(new Error('x'), { code: '08006' }), 'retry', MINUTE],
  ['an aborted call', new DOMException('x', 'AbortError'), 'retry', MINUTE],
  ['a failed fetch of the job', new TypeError('fetch failed', { cause: new Error('x') }), 'retry', MINUTE],
  ['a mistake in the program', new TypeError('x is not a function'), 'park', 0],
  ['a value that is not an error', undefined, 'retry', MINUTE],
]

it.each(TABLE)('a job queue decides about %s', (_, error, action, delayMs) => {
  expect(queueDecision(error)).toEqual({ action, delayMs })
})
