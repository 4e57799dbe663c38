import {
  isMedicareReferral,
  type Order,
  OrderOutcomeUnknownError,
  type Referral,
  ReferralFailedError,
  TokenError,
} from 'pathology-sdk'
import { expect, it } from 'vitest'
import { expectedReferrals } from '../../../src/client/orders/match.js'
import { order, referral, UUID } from '../../support/samples.js'

const tests = ['fbc']
const bundleId = 'heart'
const medicareTests = ['tsh']

it.each<[Partial<Order>, number]>([
  [{ tests }, 1],
  [{ tests: undefined, bundleId }, 1],
  [{ tests, bundleId }, 1],
  [{ tests: undefined, medicareTests }, 1],
  [{ tests: [], medicareTests }, 1],
  [{ tests, medicareTests: [] }, 1],
  [{ tests, medicareTests }, 2],
  [{ tests: undefined, bundleId, medicareTests }, 2],
  [{ tests: [], bundleId, medicareTests }, 2],
])('an order of %j has %i referrals (§4.1)', (change, expected) => {
  expect(expectedReferrals(order(change))).toBe(expected)
})

it.each<[object, boolean]>([
  [{ medicare: true }, true],
  [{ medicare: false, bulkBilled: true }, false],
  [{ medicare: undefined, bulkBilled: true }, true],
  [{ medicare: undefined, bulkBilled: false }, false],
  [{ medicare: undefined }, false],
])('a referral with %j is a Medicare referral: %s (§2.4)', (change, expected) => {
  expect(isMedicareReferral({ ...referral(), ...change } as Referral)).toBe(expected)
})

type Facts = ConstructorParameters<typeof OrderOutcomeUnknownError>[0]

const lost = new TokenError('too many tokens', { outcome: 'not-sent', attempts: 0, retryAfter: 7_000 })

const unknownWith = (facts: Partial<Facts>): OrderOutcomeUnknownError =>
  new OrderOutcomeUnknownError({
    ...{ orderKey: 'visit-1', startedAt: new Date('2026-03-01T10:00:00Z'), attempts: 0, candidates: [] },
    ...{ cause: undefined, recover: async () => undefined },
    ...facts,
  })

const LOST = 'its response was lost, and the lookup did not find the complete order'
const PART = 'the lookup found only a part of the order or a referral that may be the order'

it.each<[string, Partial<Facts>, string]>([
  ['it was sent', { attempts: 1 }, LOST],
  ['it was sent, and a part was found', { attempts: 2, candidates: [UUID] }, LOST],
  [
    'it was not sent, and a part was found',
    { candidates: [UUID] },
    `this call sent nothing, because ${PART}`,
  ],
  ['the lookup failed', { cause: lost }, 'this call sent nothing, because the lookup failed (TokenError)'],
  ['the lookup ended', { cause: new Error('x') }, 'this call sent nothing, because the lookup failed'],
  ['there is a problem', { problem: 'P' }, 'this call sent nothing, because P'],
  ['a problem and a cause', { problem: 'P', cause: lost }, 'this call sent nothing, because P (TokenError)'],
])(
  'the error of an order whose outcome is unknown has a message for each situation: %s',
  (_, facts, reason) => {
    expect(unknownWith(facts).message).toBe(
      `it is unknown whether the order was placed: ${reason}. Do not order again yet; call recover() later; after a restart, call findByOrderKey("visit-1", { since: startedAt })`,
    )
  },
)

it('the error of an order whose outcome is unknown says that create() may be repeated only with a key of the caller', () => {
  expect(unknownWith({ hasOwnKey: true }).message).toMatch(
    /; call recover\(\) later, or repeat create\(\) with the same orderKey, "visit-1"$/,
  )
  expect(unknownWith({ hasOwnKey: true })).toMatchObject({ retryable: true })
  expect(unknownWith({})).toMatchObject({ retryable: false })
})

it.each<[string, Partial<Facts>, number | undefined]>([
  ['the given time', { hasOwnKey: true, retryAfter: 3_000, cause: lost }, 3_000],
  ['otherwise the time that the service requested', { hasOwnKey: true, cause: lost }, 7_000],
  ['none without a requested time', { hasOwnKey: true, cause: new Error('x') }, undefined],
  ['none of the cause without an own key', { cause: lost }, undefined],
  ['the given time also without an own key', { hasOwnKey: false, retryAfter: 3_000 }, 3_000],
])('the error of an order whose outcome is unknown has as its retryAfter %s', (_, facts, expected) => {
  expect(unknownWith(facts).retryAfter).toBe(expected)
})

it('the error of an order whose outcome is unknown has the fields that are safe to log', () => {
  const logged = JSON.parse(JSON.stringify(unknownWith({ candidates: [UUID], cause: lost })))
  expect(logged).toMatchObject({
    ...{ name: 'OrderOutcomeUnknownError', code: 'ORDER_OUTCOME_UNKNOWN', outcome: 'unknown', attempts: 0 },
    ...{ orderKey: 'visit-1', startedAt: '2026-03-01T10:00:00.000Z', candidates: [UUID] },
  })
})

it('the error of a referral that failed has the time of a deletion only if it was deleted (§3.1)', () => {
  const failed = new ReferralFailedError('the billing failed', { attempts: 2, status: 'BILLING_FAILED' })
  const expected = { name: 'ReferralFailedError', code: 'REFERRAL_FAILED', outcome: 'failed', attempts: 2 }
  expect(failed).toMatchObject({ ...expected, message: 'the billing failed' })
  expect(JSON.parse(JSON.stringify(failed))).toMatchObject({ ...expected, status: 'BILLING_FAILED' })
  expect(failed.toJSON()).not.toHaveProperty('deletedAt')
  const deletedAt = '2026-03-01T10:00:00Z'
  const deleted = new ReferralFailedError('deleted', { attempts: 1, status: 'ISSUED', deletedAt })
  expect(deleted.toJSON()).toMatchObject({ status: 'ISSUED', deletedAt })
})
