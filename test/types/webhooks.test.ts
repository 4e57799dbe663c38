import type { PathologyClient, Referral, Result } from 'pathology-sdk'
import {
  type CentresUpdatedData,
  createWebhookReceiver,
  isKnownEvent,
  type KnownEventName,
  parseWebhookEvent,
  type RecordClient,
  type UnknownEvent,
  verifyWebhook,
  verifyWebhookSync,
  type WebhookEvent,
  type WebhookHandlers,
  type WebhookVerificationError,
} from 'pathology-sdk/webhooks'
import { expect, expectTypeOf, it } from 'vitest'

function never(): Promise<never> {
  return Promise.reject(new Error('never called'))
}

/** Compiles only while every known name has its case. */
function describeEvent(event: WebhookEvent): string {
  if (!isKnownEvent(event)) {
    expectTypeOf(event).toEqualTypeOf<UnknownEvent>()
    return event.eventName
  }
  switch (event.eventName) {
    case 'referral.created':
    case 'referral.updated':
      expectTypeOf(event.data.uuid).toEqualTypeOf<string>()
      expectTypeOf(event.data.createdAt).toEqualTypeOf<string>()
      return event.data.reference ?? event.data.uuid
    case 'referral.issued':
    case 'referral.billing_failed':
    case 'referral.pending_verification':
    case 'referral.complete':
    case 'referral.insufficient_data':
    case 'referral.refunded':
    case 'referral.failed_test':
    case 'referral.partial_results':
    case 'referral.transferred':
    case 'referral.scheduled_reissue':
      expectTypeOf(event.data.uuid).toEqualTypeOf<string | undefined>()
      return 'referral'
    case 'result.created':
    case 'result.updated':
      expectTypeOf(event.data.referralUuid).toEqualTypeOf<string | null | undefined>()
      expectTypeOf(event.data.status).toExtend<string>()
      return 'result'
    case 'result.complete':
    case 'result.in_review':
    case 'result.partial_results':
      return event.data.provenance ?? 'result'
    case 'collection_centres.updated':
      expectTypeOf(event.data).toEqualTypeOf<CentresUpdatedData>()
      expectTypeOf(event.data.changed.retired).toEqualTypeOf<readonly string[]>()
      return event.data.ranAt
    default:
      expectTypeOf(event).toBeNever()
      return event
  }
}

it('the union of webhook events narrows by eventName, with and without the guard (§6)', () => {
  expectTypeOf(verifyWebhook).returns.resolves.toEqualTypeOf<WebhookEvent>()
  expectTypeOf(verifyWebhookSync).returns.toEqualTypeOf<WebhookEvent>()
  expectTypeOf(describeEvent).returns.toEqualTypeOf<string>()
  const unguarded = (event: WebhookEvent): string | undefined => {
    if (event.eventName === 'collection_centres.updated') return event.data.ranAt
    if (event.eventName === 'result.updated') return event.data.updatedAt
    return undefined
  }
  expectTypeOf(unguarded).returns.toEqualTypeOf<string | undefined>()
})

it('webhook handlers get the type of their own event (§6)', () => {
  const receiver = createWebhookReceiver({
    secret: 'a-signing-secret',
    on: {
      'referral.created': (event, { signal }) => {
        expectTypeOf(event.eventName).toEqualTypeOf<'referral.created'>()
        expectTypeOf(event.data.status).toExtend<string>()
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
      },
      'collection_centres.updated': ({ data }) => expectTypeOf(data).toEqualTypeOf<CentresUpdatedData>(),
      '*': (event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>(),
    },
  })
  const slip = () =>
    // @ts-expect-error a name with a slip in it
    createWebhookReceiver({ secret: 's', on: { 'referral.isued': () => undefined, '*': () => undefined } })
  expect(slip).toThrow('did you mean referral.issued?')
  expectTypeOf(receiver.fetch).parameter(0).toEqualTypeOf<Request>()
  expectTypeOf<KnownEventName>().extract<`referral.${string}`>().not.toBeNever()
  expectTypeOf<keyof WebhookHandlers>().toEqualTypeOf<KnownEventName | 'referral.*' | 'result.*' | '*'>()
})

it('every webhook event has a uuid that can be read, and retrieve() gives the type of the record', () => {
  const client = { referrals: { retrieve: never }, results: { retrieve: never } }
  createWebhookReceiver({
    secret: 'a-signing-secret',
    client,
    on: {
      'referral.issued': (_, { retrieve }) =>
        expectTypeOf(retrieve).returns.resolves.toEqualTypeOf<Referral>(),
      'result.*': ({ data }, { retrieve }) => {
        expectTypeOf(data.uuid).toEqualTypeOf<string | undefined>()
        expectTypeOf(retrieve).returns.resolves.toEqualTypeOf<Result>()
      },
      'collection_centres.updated': (_, { retrieve }) =>
        expectTypeOf(retrieve).returns.resolves.toEqualTypeOf<undefined>(),
      '*': ({ data }, { retrieve }) => {
        expectTypeOf(data.uuid).toEqualTypeOf<string | undefined>()
        expectTypeOf(retrieve).returns.resolves.toEqualTypeOf<Referral | Result | undefined>()
      },
    },
  })
  expectTypeOf<PathologyClient>().toExtend<RecordClient>()
})

it('parseWebhookEvent returns an event of a queue, and optional fields may be undefined', () => {
  const work = (row: unknown, signal: AbortSignal | undefined, failures: number | undefined) => {
    const receiver = createWebhookReceiver({ secret: 's', on: { '*': () => undefined } })
    // @ts-expect-error not known to be an event
    void receiver.dispatch(row)
    return receiver.dispatch(parseWebhookEvent(row), { signal, previousFailures: failures })
  }
  expectTypeOf(work).returns.resolves.toBeVoid()
  expectTypeOf(parseWebhookEvent).returns.toEqualTypeOf<WebhookEvent>()
})

it('the reason of a WebhookVerificationError is a closed set', () => {
  expectTypeOf<WebhookVerificationError['reason']>().extract<'signature-mismatch'>().not.toBeNever()
  expectTypeOf<string>().not.toExtend<WebhookVerificationError['reason']>()
})
