import {
  CENTRE_EVENT_NAMES,
  type CentreChangeKinds,
  type CentresUpdatedData,
  EVENT_NAMES,
  EVENT_VERSION,
  type EventName,
  type KnownEventName,
  REFERRAL_EVENT_NAMES,
  RESULT_EVENT_NAMES,
} from '../../contract/events.js'
import { similarName } from '../../contract/similar.js'
import type { FakeContext } from '../state/context.js'
import { type Organisation, type ReferralRow, type ResultRow, resultStatus } from '../state/orders.js'
import type { EventRecord } from '../state/webhooks.js'

/** Kind of entity that an event is about. */
export type EventSubject = 'referral' | 'result' | 'centres'

/** Kind of entity of each event of §6, for `trigger`. */
export const EVENT_SUBJECTS: ReadonlyMap<string, EventSubject> = new Map<KnownEventName, EventSubject>([
  ...REFERRAL_EVENT_NAMES.map((name) => [name, 'referral'] as const),
  ...RESULT_EVENT_NAMES.map((name) => [name, 'result'] as const),
  ...CENTRE_EVENT_NAMES.map((name) => [name, 'centres'] as const),
])

/**
 * Rejects an event name that is similar to a known name. Other new names are accepted, because the service can add
 * events.
 *
 * @throws RangeError - The name is similar to a known name. The message contains the known name.
 */
export function rejectMisspeltEvent(name: string): void {
  const meant = similarName(name, EVENT_NAMES)
  if (meant !== undefined) throw new RangeError(`${name} is not an event; did you mean ${meant}?`)
}

const DOCUMENTED: ReadonlySet<string> = new Set<KnownEventName>([
  'referral.created',
  'referral.updated',
  'result.created',
  'result.updated',
])

/**
 * Returns the data of a referral's event (§6). The specification documents the data of two events. The other events
 * have the same data, or only the UUID with `options.undocumentedPayloads: 'uuid-only'`.
 */
export function referralEventData(
  context: FakeContext,
  eventName: EventName,
  row: ReferralRow,
): Record<string, unknown> {
  if (isUuidOnly(context, eventName)) return { uuid: row.uuid }
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

/** Returns the data of a result's event (§6); see {@link referralEventData} about undocumented events. */
export function resultEventData(
  context: FakeContext,
  eventName: EventName,
  row: ResultRow,
): Record<string, unknown> {
  if (isUuidOnly(context, eventName)) return { uuid: row.uuid }
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

const UNCHANGED = { created: [], updated: [], revived: [], missing: [], retired: [] }

/** Returns the same kinds of change with other values. */
export function byKind<From, To>(
  { created, updated, revived, missing, retired }: CentreChangeKinds<From>,
  of: (value: From) => To,
): CentreChangeKinds<To> {
  return {
    created: of(created),
    updated: of(updated),
    revived: of(revived),
    missing: of(missing),
    retired: of(retired),
  }
}

/** Returns the default data of `collection_centres.updated`: a refresh without changes (§6). */
export function emptyRefreshData(context: FakeContext): CentresUpdatedData {
  return {
    runUuid: context.random.uuid(),
    ranAt: context.clock.tick(),
    counts: byKind(UNCHANGED, () => 0),
    changed: UNCHANGED,
  }
}

/** Creates an event with the exact text that is signed and sent (§6). */
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

function isUuidOnly(context: FakeContext, eventName: EventName): boolean {
  return context.options.undocumentedPayloads === 'uuid-only' && !DOCUMENTED.has(eventName)
}
