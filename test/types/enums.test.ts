import type {
  CollectionCentre,
  KnownErrorCode,
  ProviderConnection,
  Referral,
  Result,
  Webhook,
} from 'pathology-sdk'
import type {
  KnownCentreStatus,
  KnownConnectionStatus,
  KnownDayStatus,
  KnownProvenance,
  KnownReferralOrigin,
  KnownReferralStatus,
  KnownResultStatus,
  OpeningDay,
} from 'pathology-sdk/display'
import { isKnownCentreStatus, isKnownReferralStatus } from 'pathology-sdk/display'
import type { KnownEventName } from 'pathology-sdk/webhooks'
import { expectTypeOf, it } from 'vitest'

/** Each compiles only while every known value has its case and no other has one. */
function ofReferral(status: KnownReferralStatus): string {
  switch (status) {
    case 'PENDING_VERIFICATION':
    case 'CREATED':
    case 'ISSUED':
    case 'SCHEDULED_REISSUE':
    case 'PARTIAL_RESULTS':
    case 'COMPLETE':
    case 'INSUFFICIENT_DATA':
    case 'REFUNDED':
    case 'FAILED_TEST':
    case 'BILLING_FAILED':
    case 'TRANSFERRED':
      return status
    default:
      return status satisfies never
  }
}

function ofResult(status: KnownResultStatus): string {
  switch (status) {
    case 'CREATED':
    case 'IN_REVIEW':
    case 'PARTIAL_RESULTS':
    case 'COMPLETE':
      return status
    default:
      return status satisfies never
  }
}

function ofConnection(status: KnownConnectionStatus): string {
  switch (status) {
    case 'NOT_SUBMITTED':
    case 'PENDING_CONFIRMATION':
    case 'CONNECTED':
    case 'ACTION_NEEDED':
    case 'STOP_REQUESTED':
      return status
    default:
      return status satisfies never
  }
}

function ofCentre(status: KnownCentreStatus): string {
  switch (status) {
    case 'ACTIVE':
    case 'MISSING':
    case 'RETIRED':
      return status
    default:
      return status satisfies never
  }
}

it('a switch over the known values of a set is exhaustive (§3)', () => {
  expectTypeOf(ofReferral).parameter(0).toEqualTypeOf<KnownReferralStatus>()
  expectTypeOf(ofResult).returns.toEqualTypeOf<string>()
  expectTypeOf(ofConnection).returns.toEqualTypeOf<string>()
  expectTypeOf(ofCentre).returns.toEqualTypeOf<string>()
  expectTypeOf<KnownProvenance>().toEqualTypeOf<'ORDERED' | 'INCOMING' | 'UPLOADED'>()
  expectTypeOf<KnownDayStatus>().toEqualTypeOf<'OPEN' | 'CLOSED' | 'UNKNOWN'>()
})

it('an unknown value is not assignable to a known one (§3.1)', () => {
  const referral = (given: Referral): string => {
    // @ts-expect-error the service may add values
    ofReferral(given.status)
    if (!isKnownReferralStatus(given.status)) {
      expectTypeOf(given.status).toExtend<string>()
      return `new: ${given.status}`
    }
    expectTypeOf(given.status).toEqualTypeOf<KnownReferralStatus>()
    return ofReferral(given.status)
  }
  expectTypeOf(referral).returns.toEqualTypeOf<string>()
  // @ts-expect-error no such value
  ofReferral('ISUED')
  const centre = (given: CollectionCentre) => isKnownCentreStatus(given.status) && ofCentre(given.status)
  expectTypeOf(centre).returns.toEqualTypeOf<string | false>()
})

it('sets that may grow list their known members for the editor, and accept any string (§9)', () => {
  expectTypeOf<Referral['status']>().extract<'ISSUED'>().toEqualTypeOf<'ISSUED'>()
  expectTypeOf<Referral['origin']>().extract<KnownReferralOrigin>().toEqualTypeOf<KnownReferralOrigin>()
  expectTypeOf<Result['status']>().extract<KnownResultStatus>().toEqualTypeOf<KnownResultStatus>()
  expectTypeOf<Result['provenance']>().extract<KnownProvenance>().toEqualTypeOf<KnownProvenance>()
  expectTypeOf<ProviderConnection['status']>().extract<'CONNECTED'>().toEqualTypeOf<'CONNECTED'>()
  expectTypeOf<CollectionCentre['status']>().extract<'RETIRED'>().toEqualTypeOf<'RETIRED'>()
  expectTypeOf<OpeningDay['status']>().extract<KnownDayStatus>().toEqualTypeOf<KnownDayStatus>()
  expectTypeOf<Webhook['events'][number]>().extract<KnownEventName>().toEqualTypeOf<KnownEventName>()
  expectTypeOf<string>().toExtend<Referral['status']>()
  expectTypeOf<string>().toExtend<Webhook['events'][number]>()
  expectTypeOf<string>().not.toExtend<KnownErrorCode>()
})
