import {
  CENTRE_EVENT_NAMES,
  type CentresUpdatedData,
  EVENT_VERSION,
  type EventName,
  type KnownEventName,
  REFERRAL_EVENT_NAMES,
  RESULT_EVENT_NAMES,
  type ReferralEventName,
  type ResultEventName,
} from '../../contract/events.js'
import type { FakeContext } from '../server/context.js'
import type { Organisation, ReferralRow, ResultRow } from '../state/orders.js'
import type { EventRecord } from '../state/webhooks.js'
import { resultStatus } from './results-status.js'

/** What an event is about. */
export type EventSubject = 'referral' | 'result' | 'centres'

/** The events of §6 and what each is about: the rows that `trigger` and the documentation read. */
export const EVENT_SUBJECTS: ReadonlyMap<string, EventSubject> = new Map<KnownEventName, EventSubject>([
  ...REFERRAL_EVENT_NAMES.map((name) => [name, 'referral'] as const),
  ...RESULT_EVENT_NAMES.map((name) => [name, 'result'] as const),
  ...CENTRE_EVENT_NAMES.map((name) => [name, 'centres'] as const),
])

const DOCUMENTED: ReadonlySet<string> = new Set<KnownEventName>([
  'referral.created',
  'referral.updated',
  'result.created',
  'result.updated',
])

/**
 * The data of a referral's event (§6). The table shows it for two events; the others carry the same, or the
 * UUID alone with `options.undocumentedPayloads: 'uuid-only'`.
 */
export function referralEventData(
  context: FakeContext,
  eventName: EventName,
  row: ReferralRow,
): Record<string, unknown> {
  if (isBare(context, eventName)) return { uuid: row.uuid }
  return {
    uuid: row.uuid,
    status: row.status,
    issuedAt: row.issuedAt,
    metadata: row.metadata,
    createdAt: row.createdAt,
    reference: row.reference,
    updatedAt: row.updatedAt,
    profileUuid: row.profileUuid,
    organisationUuid: context.state.orders.organisationUuids[row.organisation],
  }
}

/** The data of a result's event (§6); see {@link referralEventData} on events the table does not show. */
export function resultEventData(
  context: FakeContext,
  eventName: EventName,
  row: ResultRow,
): Record<string, unknown> {
  if (isBare(context, eventName)) return { uuid: row.uuid }
  return {
    uuid: row.uuid,
    status: resultStatus(row),
    metadata: row.metadata,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    profileUuid: row.profileUuid,
    referralUuid: row.referralUuid,
    organisationUuid: context.state.orders.organisationUuids[row.organisation],
    provenance: row.provenance,
  }
}

/** The data of `collection_centres.updated` when a test gives none: a refresh that changed nothing (§6). */
export function emptyRefreshData(context: FakeContext): CentresUpdatedData {
  return {
    runUuid: context.random.uuid(),
    ranAt: context.clock.iso(),
    counts: { created: 0, updated: 0, revived: 0, missing: 0, retired: 0 },
    changed: { created: [], updated: [], revived: [], missing: [], retired: [] },
  }
}

/** Sends a referral's event. */
export function emitReferralEvent(
  context: FakeContext,
  eventName: ReferralEventName,
  row: ReferralRow,
): void {
  context.emit(eventName, row.uuid, referralEventData(context, eventName, row))
}

/** Sends a result's event. */
export function emitResultEvent(context: FakeContext, eventName: ResultEventName, row: ResultRow): void {
  context.emit(eventName, row.uuid, resultEventData(context, eventName, row))
}

/** An event with the exact text that is signed and sent (§6). */
export function createEvent(
  context: FakeContext,
  eventName: EventName,
  entityUuid: string,
  data: Readonly<Record<string, unknown>>,
): EventRecord {
  const eventUuid = context.random.uuid()
  return {
    eventUuid,
    eventName,
    entityUuid,
    organisation: owner(context, entityUuid),
    body: JSON.stringify({ eventName, eventUuid, version: EVENT_VERSION, data }),
    emittedAt: context.clock.iso(),
  }
}

function owner(context: FakeContext, entityUuid: string): Organisation | null {
  const { referrals, results } = context.state.orders
  return (referrals.get(entityUuid) ?? results.get(entityUuid))?.organisation ?? null
}

function isBare(context: FakeContext, eventName: EventName): boolean {
  return context.options.undocumentedPayloads === 'uuid-only' && !DOCUMENTED.has(eventName)
}
