import {
  ApiError,
  type ApiPromise,
  type CentreFilters,
  type Clock,
  type CursorIterator,
  type DocumentTarget,
  type Order,
  PathologyClient,
  PathologyError,
  type PdfDocument,
  type Referral,
} from 'pathology-sdk'
import { isKnownReferralStatus, type KnownReferralStatus } from 'pathology-sdk/display'
import {
  postgresDedupeStore,
  postgresOrderLedger,
  postgresTokenLock,
  postgresTokenStore,
} from 'pathology-sdk/postgres'
import { redisDedupeStore, redisOrderLedger, redisTokenLock, redisTokenStore } from 'pathology-sdk/redis'
import { FakePathologyService } from 'pathology-sdk/testing'
import {
  createWebhookReceiver,
  isKnownEvent,
  verifyWebhook,
  type WebhookEvent,
  type WebhookVerificationError,
} from 'pathology-sdk/webhooks'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only while both are the same type. */
const same = <A, B>(...proof: Same<A, B> extends true ? [] : [never]): number => proof.length

same<ReturnType<PathologyClient['referrals']['retrieve']>, ApiPromise<Referral>>()
same<ReturnType<PathologyClient['referrals']['list']>, CursorIterator<Referral>>()
same<Referral['referralAttachment'], string | null>()
same<Extract<Referral['status'], 'ISSUED'>, 'ISSUED'>()

// Interfaces have names: without them, `declaration` fails for what is inferred from these methods (TS4023).
export const timerOf = (clock: Clock): { cancel(): void } => clock.schedule(() => undefined, 1)
export const targetOf = (document: PdfDocument, target: DocumentTarget): Promise<void> =>
  document.pipe(target)

export function exhaustive(status: KnownReferralStatus): string {
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

export const label = ({ status }: Referral): string =>
  isKnownReferralStatus(status) ? exhaustive(status) : status

export const whole: CentreFilters[] = [
  { lat: 1, lng: 2, radiusKm: 3 },
  { north: 1, south: 0, east: 1, west: 0 },
  {},
]

export async function use(order: Order): Promise<string> {
  const fake = await FakePathologyService.start({ port: 0 })
  const client = new PathologyClient({ ...fake.clientOptions(), timeout: 10_000 })
  const { data, response } = await client.referrals.create(order, { orderKey: 'visit-17' }).withResponse()
  same<typeof response.attempts, number>()
  for await (const centre of client.centres.nearest({ lat: -37.8, lng: 144.9 }))
    return `${centre.distanceKm} km`
  fake.referrals.complete(data.referrals[0].uuid)
  await client.close()
  return data.commercial?.reference ?? ''
}

export const asBase = (error: WebhookVerificationError): PathologyError => error
export const isOurs = (error: unknown): error is PathologyError => error instanceof PathologyError
export const code = (error: unknown): string | undefined =>
  error instanceof ApiError ? error.code : undefined

export async function when(body: Uint8Array, headers: Headers): Promise<string | undefined> {
  const event: WebhookEvent = await verifyWebhook(body, headers, ['one', 'two'])
  if (!isKnownEvent(event)) return undefined
  if (event.eventName === 'collection_centres.updated') return event.data.ranAt
  return event.eventName === 'referral.created' ? event.data.createdAt : undefined
}

export const receiver = createWebhookReceiver({
  secret: 'a-signing-secret',
  on: { 'result.complete': (event, { signal }) => void [event.data.referralUuid, signal.aborted] },
})

export const stores = {
  ...{ postgresDedupeStore, postgresOrderLedger, postgresTokenLock, postgresTokenStore },
  ...{ redisDedupeStore, redisOrderLedger, redisTokenLock, redisTokenStore },
}
