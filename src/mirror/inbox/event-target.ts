import { UUID_PATTERN } from '../../contract/identifiers.js'
import type { WebhookEvent } from '../../webhooks/index.js'
import { timestampOf } from '../core/storable.js'
import { CENTRES, ONLY_KEY } from '../work/kinds.js'

/** Work that an event requires. */
export interface EventTarget {
  readonly kind: string
  readonly key: string
}

interface TargetRule {
  /** Prefix of the names of these events. A prefix also matches names that the service adds later. */
  readonly prefix: string
  readonly kind: string
  /** Field of the event's data that contains the key; `undefined` if this kind of work has only one key. */
  readonly field: 'uuid' | undefined
}

/** Rules that map an event's name to the kind of its work. */
export const EVENT_TARGETS: readonly TargetRule[] = [
  { prefix: 'referral.', kind: 'referral', field: 'uuid' },
  { prefix: 'result.', kind: 'result', field: 'uuid' },
  { prefix: 'collection_centres.', kind: CENTRES, field: undefined },
]

/** Returns the work that an event requires; `undefined` for an event that names no record. */
export function targetOf({ eventName, data }: WebhookEvent): EventTarget | undefined {
  const rule = EVENT_TARGETS.find(({ prefix }) => eventName.startsWith(prefix))
  if (rule === undefined) return undefined
  if (rule.field === undefined) return { kind: rule.kind, key: ONLY_KEY }
  const key: unknown = data[rule.field]
  return typeof key === 'string' && UUID_PATTERN.test(key)
    ? { kind: rule.kind, key: key.toLowerCase() }
    : undefined
}

/** Returns the record's `updatedAt` in an event, ISO 8601; `null` if it has none. */
export function updatedAtOf({ data }: WebhookEvent): string | null {
  return timestampOf(data['updatedAt'])
}

/** Returns the UUIDs of the records that an event names, in lower case. */
export function uuidsOf({ data }: WebhookEvent): readonly string[] {
  return [data['uuid'], data['referralUuid']].flatMap((uuid) =>
    typeof uuid === 'string' && UUID_PATTERN.test(uuid) ? [uuid.toLowerCase()] : [],
  )
}
