import type { Order, PathologyClient, Referral } from 'pathology-sdk'
import { isUpdatableReferralStatus, UPDATABLE_REFERRAL_STATUSES } from 'pathology-sdk/display'
import { FakePathologyService } from 'pathology-sdk/testing'
import { EVENT_NAMES } from 'pathology-sdk/webhooks'
import { expect, expectTypeOf, it } from 'vitest'

/** Values of callers' code: a read-only list, and fields that may be `undefined`. */
interface Given {
  readonly ids: readonly string[]
  readonly number: number | undefined
  readonly text: string | undefined
}

it('the inputs of calls may be read-only lists', () => {
  const calls = (client: PathologyClient, order: Omit<Order, 'tests'>, { ids }: Given): unknown[] => [
    () => client.webhooks.create({ url: 'https://hooks.example.com/', events: EVENT_NAMES }),
    () => client.webhooks.update('', { events: EVENT_NAMES }),
    () => client.referrals.create({ ...order, tests: ids, medicareTests: ids }),
    () => client.prices.calculate({ tests: ids }),
    () =>
      client.providers.requestRouting('', {
        vendorIds: ids,
        attestation: { attestedBy: '', doctorSignedAt: new Date() },
      }),
    () => client.tests.list({ include: ['biomarkers'] as const }),
  ]
  expectTypeOf(calls).returns.toEqualTypeOf<unknown[]>()
  expectTypeOf<Order['tests']>().toEqualTypeOf<readonly string[] | undefined>()
})

it('optional fields of inputs may be undefined', () => {
  const calls = (client: PathologyClient, fake: FakePathologyService, { number, text }: Given): unknown[] => [
    () => client.referrals.list().toArray({ limit: number }),
    () => client.referrals.findByReferenceNumber('').toArray({ limit: number }),
    () => client.webhooks.update('', { url: text, events: undefined, active: undefined }),
    () => client.referrals.update('', { firstName: text, metadata: undefined }),
    () => fake.faults.next('*', { status: number, code: text }, { times: number, nth: number }),
    () => fake.clock.advance({ minutes: number }),
    () => fake.deliveries.fault({ kind: 'duplicate', times: number, webhookId: text }),
    () => fake.trigger('result.complete', { entityUuid: text, data: undefined }),
    () => fake.referrals.complete('', { values: undefined }),
    () => fake.results.receiveIncoming({ tests: undefined, person: undefined, partial: undefined }),
    () => fake.results.release('', { reviewedBy: undefined }),
    () => fake.webhooks.createInPortal({ url: '', events: undefined }),
    () => fake.providers.saveInPortal('', { name: text }),
  ]
  expectTypeOf(calls).returns.toEqualTypeOf<unknown[]>()
  const centreRefresh = { firstAfterMs: undefined, everyMs: 60_000 }
  expect(() => new FakePathologyService({ centreRefresh, startTime: undefined })).not.toThrow()
})

it('isUpdatableReferralStatus narrows the status of a referral (§3.1)', () => {
  const status = (referral: Referral): string => {
    if (!isUpdatableReferralStatus(referral.status)) return 'too late'
    expectTypeOf(referral.status).toEqualTypeOf<'CREATED' | 'ISSUED'>()
    return referral.status
  }
  expectTypeOf(status).returns.toBeString()
  expect(['CREATED', 'ISSUED', 'COMPLETE', 'NEW'].filter(isUpdatableReferralStatus)).toEqual([
    ...UPDATABLE_REFERRAL_STATUSES,
  ])
})
