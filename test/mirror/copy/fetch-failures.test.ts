import {
  AuthenticationError,
  ConnectionError,
  PermissionError,
  RateLimitError,
  ServerError,
  TokenError,
} from 'pathology-sdk'
import { expect, it } from 'vitest'
import { classifyFailure, classifyRecordFailure } from '../../../src/mirror/copy/fetch-failures.js'

const TOKEN = { outcome: 'not-sent', attempts: 1 } as const

const API = {
  code: undefined,
  errorList: [],
  issues: [],
  method: 'GET',
  path: '/v1/referrals',
  requestId: undefined,
  serviceMessage: undefined,
  safeDetail: undefined,
  bodyExcerpt: undefined,
  outcome: 'failed',
  attempts: 1,
} as const

it.each([
  [
    'a 429 of the token service waits for its Retry-After',
    new TokenError('x', { ...TOKEN, status: 429, retryAfter: 7_000 }),
    { kind: 'rate-limit', delayMs: 7_000 },
  ],
  [
    'a 429 of the token service without Retry-After waits five seconds',
    new TokenError('x', { ...TOKEN, status: 429 }),
    { kind: 'rate-limit', delayMs: 5_000 },
  ],
  [
    'a 429 of the API waits for its Retry-After',
    new RateLimitError({ ...API, status: 429, retryAfter: 9_000 }),
    { kind: 'rate-limit', delayMs: 9_000 },
  ],
  [
    'rejected credentials are an outage of the organisation',
    new TokenError('x', { ...TOKEN, status: 401, code: '102' }),
    { kind: 'rejected' },
  ],
  [
    'a token response that is not JSON is an outage',
    new TokenError('x', { ...TOKEN, outcome: 'failed', status: 200 }),
    { kind: 'outage' },
  ],
  [
    'a request that was not sent is an outage',
    new ConnectionError('x', { outcome: 'not-sent', attempts: 1, reason: 'refused' }),
    { kind: 'outage' },
  ],
  [
    'a 500 can be a problem of one record',
    new ServerError({ ...API, status: 500, retryAfter: undefined }),
    { kind: 'unclear' },
  ],
  [
    'a rejected access token is an outage of the organisation',
    new AuthenticationError({ ...API, status: 401, retryAfter: undefined }),
    { kind: 'rejected' },
  ],
  [
    'a token service that is down is an outage',
    new TokenError('x', { ...TOKEN, status: 503 }),
    { kind: 'outage' },
  ],
])('%s (§5, §8)', (_title, error, effect) => {
  expect(classifyFailure(error, new AbortController().signal)).toEqual(effect)
})

it.each([200, 404, 500])(
  'credentials are rejected by the code of the error, also with status %i',
  (status) => {
    const error = new TokenError('x', { ...TOKEN, status, code: 'invalid_client' })
    expect(classifyFailure(error, new AbortController().signal)).toEqual({ kind: 'rejected' })
  },
)

it('a 403 for one record is an ordinary failure, and a rejected token is an outage', () => {
  const { signal } = new AbortController()
  const forbidden = new PermissionError({ ...API, status: 403, retryAfter: undefined })
  expect(classifyFailure(forbidden, signal)).toEqual({ kind: 'rejected' })
  expect(classifyRecordFailure(forbidden, signal)).toEqual({ kind: 'retry' })
  const rejected = new AuthenticationError({ ...API, status: 401, retryAfter: undefined })
  expect(classifyRecordFailure(rejected, signal)).toEqual({ kind: 'rejected' })
})

it('a read that fails while the worker stops does not count', () => {
  const error = new TokenError('x', { ...TOKEN, status: 401 })
  expect(classifyFailure(error, AbortSignal.abort())).toEqual({ kind: 'interrupted' })
})
