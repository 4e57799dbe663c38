import {
  type AnyPathologyError,
  ApiError,
  type ConnectionReason,
  type InvalidResponseReason,
  isPathologyError,
  type KnownErrorCode,
  type Outcome,
  PathologyError,
  type PathologyErrorName,
  type PlacedOrder,
  RateLimitError,
} from 'pathology-sdk'
import { WebhookVerificationError } from 'pathology-sdk/webhooks'
import { expect, expectTypeOf, it } from 'vitest'

/** Compiles only while each name narrows to its class, and every name has its case. */
function advise(error: AnyPathologyError): unknown {
  switch (error.name) {
    case 'RateLimitError':
      expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>()
      return error.retryAfter
    case 'ConnectionError':
      expectTypeOf(error.reason).toEqualTypeOf<ConnectionReason>()
      return error.outcome
    case 'InvalidResponseError':
      expectTypeOf(error.reason).toEqualTypeOf<InvalidResponseReason>()
      return error.status
    case 'TimeoutError':
      expectTypeOf(error.timeout).toEqualTypeOf<number>()
      return error.timeout
    case 'TokenError':
      return error.type
    case 'ReferralFailedError':
      expectTypeOf(error.status).toEqualTypeOf<string>()
      return error.status
    case 'OrderLedgerError':
      expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>()
      return error.operation
    case 'OrderOutcomeUnknownError':
      expectTypeOf(error.recover).returns.resolves.toEqualTypeOf<PlacedOrder | undefined>()
      return error.orderKey
    case 'InvalidRequestError':
      expectTypeOf<(typeof error)['outcome']>().toEqualTypeOf<'not-sent'>()
      return error.issues
    case 'ApiError':
    case 'BadRequestError':
    case 'AuthenticationError':
    case 'PermissionError':
    case 'NotFoundError':
    case 'ConflictError':
    case 'ServerError':
      expectTypeOf(error).toExtend<ApiError>()
      return error.status
    case 'ConfigurationError':
    case 'PathologyError':
    case 'WebhookVerificationError':
      // @ts-expect-error none of these errors belongs to a call
      return error.outcome
    default:
      return error satisfies never
  }
}

it('a switch over the name of an error narrows to its class, and can be exhaustive', () => {
  expectTypeOf(advise).parameter(0).toEqualTypeOf<AnyPathologyError>()
  expectTypeOf<AnyPathologyError['name']>().toEqualTypeOf<PathologyErrorName>()
  expectTypeOf<AnyPathologyError>().toExtend<PathologyError>()
  expectTypeOf<RateLimitError['name']>().toEqualTypeOf<'RateLimitError'>()
  expectTypeOf<WebhookVerificationError['name']>().toEqualTypeOf<'WebhookVerificationError'>()
})

it('isPathologyError with a code narrows the code, and leaves the other errors in the other branch', () => {
  const codeOf = (error: unknown): string => {
    if (!isPathologyError(error)) throw error
    if (!isPathologyError(error, 'REFERRAL_NOT_FOUND')) return error.name
    expectTypeOf(error.code).toEqualTypeOf<'REFERRAL_NOT_FOUND'>()
    return error.name === 'NotFoundError' ? `${error.status} ${error.code}` : error.code
  }
  expectTypeOf(codeOf).returns.toEqualTypeOf<string>()
})

it('isPathologyError narrows a caught value to the union; "outcome" in it narrows to errors of calls', () => {
  const handle = (error: unknown): unknown => {
    if (!isPathologyError(error)) throw error
    expectTypeOf(error).toEqualTypeOf<AnyPathologyError>()
    if (!('outcome' in error)) return error.code
    expectTypeOf(error.outcome).toEqualTypeOf<Outcome>()
    expectTypeOf(error.attempts).toEqualTypeOf<number>()
    if (error instanceof ApiError) expectTypeOf(error.issues).items.toHaveProperty('message')
    return error.name === 'RateLimitError' ? error.retryAfter : undefined
  }
  expectTypeOf(handle).returns.toBeUnknown()
})

it('codes of errors are an open set (§7)', () => {
  expectTypeOf(isPathologyError).parameter(1).extract<KnownErrorCode>().toEqualTypeOf<KnownErrorCode>()
  expectTypeOf(isPathologyError).parameter(1).extract<'CONNECTION_CONNECT_TIMEOUT'>().not.toBeNever()
  expectTypeOf<string>().toExtend<NonNullable<Parameters<typeof isPathologyError>[1]>>()
  expectTypeOf<ApiError['code']>().extract<KnownErrorCode>().toEqualTypeOf<KnownErrorCode>()
})

it('the names of errors are those of their classes at run time', () => {
  const wait = (error: unknown): unknown =>
    isPathologyError(error) && error.name === 'RateLimitError' ? error.retryAfter : 'other'
  const facts = {
    status: 429,
    code: undefined,
    errorList: [],
    issues: [],
    method: 'GET',
    path: '/v1/vendors',
    requestId: undefined,
    retryAfter: 3_000,
    serviceMessage: undefined,
    safeDetail: undefined,
    bodyExcerpt: undefined,
    outcome: 'refused',
    attempts: 1,
  } as const
  expect(wait(new RateLimitError(facts))).toBe(3_000)
  expect(wait(new PathologyError('other'))).toBe('other')
  expect(wait(new WebhookVerificationError('body-empty'))).toBe('other')
  expect(wait({ name: 'RateLimitError', retryAfter: 1 })).toBe('other')
})
