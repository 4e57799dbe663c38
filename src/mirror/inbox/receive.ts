import type { PathologyClient } from '../../client/client.js'
import { PathologyError } from '../../common/errors.js'
import { errorName, LimitedLog, type SafeLogger } from '../../common/logger.js'
import { waitWithin } from '../../common/time-limit.js'
import { UUID_PATTERN } from '../../contract/identifiers.js'
import { sqlState } from '../../database/failures.js'
import { createWebhookReceiver, type WebhookEvent, type WebhookReceiver } from '../../webhooks/index.js'
import { RECORD_KINDS } from '../copy/record-kinds.js'
import { Batches } from '../core/batches.js'
import type { MirrorContext, Organisation } from '../core/context.js'
import { storableObject, storableText, timestampOf } from '../core/storable.js'
import { isConflict, isDatabaseUnavailable } from '../schema/mirror-database.js'
import { CENTRES, ONLY_KEY } from '../work/kinds.js'

/**
 * Maximum time to store an event, in milliseconds. The receiver must respond within 2.5 s, because the service waits
 * only 3 s.
 */
const STORE_TIMEOUT_MS = 2_000

/** Maximum number of events that one statement stores. */
const STORED = 50

/**
 * Stores events ($1) of an organisation ($3), and makes their records due. One statement needs one round trip and is one transaction. If another
 * delivery stores the same event at this time, the statement waits for the commit of that delivery; with several events,
 * it waits at most $2 milliseconds for any lock. An event that names no record can announce any: a sweep finds it.
 */
const RECEIVE = `/* prepared */
WITH received AS MATERIALIZED (
  SELECT event.*, EXISTS (SELECT 1 FROM {schema}.erased AS erased
      WHERE erased.organisation = $3 AND erased.kind = COALESCE(event.kind, 'referral')
        AND erased.uuid = ANY(event.uuids)) AS is_erased
  FROM (SELECT set_config('lock_timeout', $2, true)) AS patience CROSS JOIN json_to_recordset($1::json) AS event (
    event_uuid text, event_name text, kind text, key text, promised_at timestamptz, body jsonb, uuids text[])
  ORDER BY event_uuid
), added AS (
  INSERT INTO {schema}.event (organisation, event_uuid, event_name, kind, key, promised_at, body)
  SELECT $3, event_uuid, event_name, kind, key, promised_at, CASE WHEN is_erased THEN NULL ELSE body END
  FROM received ORDER BY event_uuid ON CONFLICT DO NOTHING RETURNING event_uuid
)
INSERT INTO {schema}.work AS work (organisation, kind, key, source, promised_at)
SELECT $3, COALESCE(kind, 'sweep'), COALESCE(key, 'recent'),
  CASE WHEN kind IS NULL THEN 'sweep' ELSE 'webhook' END, max(promised_at)
FROM received JOIN added USING (event_uuid) WHERE NOT is_erased
GROUP BY kind, key ORDER BY 2, 3
ON CONFLICT (organisation, kind, key) DO UPDATE SET
  wanted = work.wanted + 1,
  run_at = CASE WHEN work.lease IS NULL THEN LEAST(work.run_at, EXCLUDED.run_at) ELSE work.run_at END,
  since = CASE WHEN work.dead THEN EXCLUDED.since ELSE work.since END,
  attempts = CASE WHEN work.dead THEN 0 ELSE work.attempts END,
  error = CASE WHEN work.dead THEN NULL ELSE work.error END,
  rereads = CASE WHEN EXCLUDED.promised_at IS NULL AND NOT work.dead THEN work.rereads ELSE 0 END,
  dead = false,
  source = CASE WHEN EXCLUDED.source = 'webhook' THEN EXCLUDED.source ELSE work.source END,
  promised_at = GREATEST(work.promised_at, EXCLUDED.promised_at)`

/** Maximum wait of a batch of events for a lock, in milliseconds. */
const LOCK_MS = 500

/** Returns the batches of events of an organisation: the events that arrive while others are stored. */
function createBatches(organisation: string, ready: () => Promise<MirrorContext>): Batches<WebhookEvent> {
  return new Batches({
    process: async (events) => {
      const { database, point } = await ready()
      await point('receive:collected')
      const lockMs = events.length === 1 ? 0 : LOCK_MS
      const values = [JSON.stringify(events.map(rowOf)), String(lockMs), organisation]
      await database.query(RECEIVE, values, AbortSignal.timeout(STORE_TIMEOUT_MS))
      await point('receive:committed')
      return undefined
    },
    most: STORED,
    isOfOneItem: (error) =>
      isConflict(error) || (sqlState(error) !== undefined && !isDatabaseUnavailable(error)),
  })
}

function rowOf(event: WebhookEvent) {
  const { eventName, eventUuid, data } = event
  const uuid = uuidOf(data['uuid'])
  const referral = uuidOf(data['referralUuid'])
  return {
    ...targetOf(eventName, uuid),
    event_uuid: eventUuid,
    event_name: storableText(eventName),
    promised_at: timestampOf(data['updatedAt']),
    body: storableObject(event),
    // A result of an erased referral is not stored, so the data of its event is not stored either.
    uuids: [uuid, referral].filter((each) => each !== undefined),
  }
}

/** Returns the work that an event requires; an empty object for an event that names no record. */
function targetOf(eventName: string, uuid: string | undefined): { kind?: string; key?: string } {
  if (eventName.startsWith('collection_centres.')) return { kind: CENTRES, key: ONLY_KEY }
  // The service can add events of a record later.
  const kind = RECORD_KINDS.find((name) => eventName.startsWith(`${name}.`))
  return kind === undefined || uuid === undefined ? {} : { kind, key: uuid }
}

function uuidOf(value: unknown): string | undefined {
  return typeof value === 'string' && UUID_PATTERN.test(value) ? value.toLowerCase() : undefined
}

/**
 * Creates the receiver of an organisation's webhooks. The receiver responds with 200 only after the event and its work
 * are committed. The receiver responds with 503 within 2.5 s if the database does not respond.
 *
 * @param ready - Opens the database.
 */
export function createInbox(
  { name, client, secret = '' }: Organisation,
  ready: () => Promise<MirrorContext>,
  logger: SafeLogger,
): WebhookReceiver {
  // The number of log lines is limited. Anyone can send invalid signatures, and every delivery fails while the database
  // does not respond.
  const warnings = new LimitedLog((line) => logger.warn(line))
  const errors = new LimitedLog((line) => logger.error(line))
  const events = createBatches(name, ready)
  let failed = 0
  return createWebhookReceiver({
    secret,
    // The primary key of the table `event` prevents duplicates.
    dedupe: false,
    enqueue: async (event, { signal }) => {
      const timeout = AbortSignal.timeout(STORE_TIMEOUT_MS)
      await storeEvent(ready, events, event, AbortSignal.any([signal, timeout]))
      await recordOrder(client, event, timeout)
      if (failed === 0) return
      logger.warn(
        `mirror: storing events works again. ${failed} deliveries got an error before; the service sends them again`,
      )
      failed = 0
      errors.reset()
    },
    logger: {
      warn: (line) => warnings.write(line),
      error: (line) => {
        failed += 1
        errors.write(line)
      },
    },
  })
}

async function storeEvent(
  ready: () => Promise<MirrorContext>,
  events: Batches<WebhookEvent>,
  event: WebhookEvent,
  signal: AbortSignal,
): Promise<void> {
  try {
    const context = await waitWithin(ready(), { signal })
    await context.point('receive:before')
    await waitWithin(events.add(event), { signal })
    context.wake()
  } catch (error) {
    throw unavailable('The event could not be stored', error, 'the database')
  }
}

/** Records in the client's `orderLedger` that an order was placed. The event is stored already. */
async function recordOrder(client: PathologyClient, event: WebhookEvent, signal: AbortSignal): Promise<void> {
  if (event.eventName !== 'referral.created') return
  try {
    await waitWithin(client.referrals.recordOrder(event), { signal })
  } catch (error) {
    throw unavailable('The event was stored, but its order was not recorded', error, 'the orderLedger')
  }
}

function unavailable(problem: string, error: unknown, cause: string): PathologyError {
  return new PathologyError(
    `${problem} (${errorName(error)}). The receiver responded with an error, so the service sends the event again. Check ${cause}.`,
    { code: 'WEBHOOK_STORE_UNAVAILABLE' },
  )
}
