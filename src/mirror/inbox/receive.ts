import type { PathologyClient } from '../../client/client.js'
import { PathologyError } from '../../common/errors.js'
import { errorName, LimitedLog, type SafeLogger } from '../../common/logger.js'
import { waitWithin } from '../../common/time-limit.js'
import { within } from '../../database/within.js'
import { createWebhookReceiver, type WebhookEvent, type WebhookReceiver } from '../../webhooks/index.js'
import type { MirrorContext, Organisation } from '../core/context.js'
import { storableObject, storableText } from '../core/storable.js'
import { WANT_AGAIN } from '../work/work-table.js'
import { RECENT_SWEEP, targetOf, updatedAtOf, uuidsOf } from './event-target.js'

/**
 * Maximum time to store an event, in milliseconds. The receiver must respond within 2.5 s, because the service waits
 * only 3 s.
 */
const STORE_TIMEOUT_MS = 2_000

// One statement needs one round trip and is one transaction. If another delivery stores the same event at this time,
// the statement waits for the commit of that delivery. An event that names no record can announce any: a sweep finds it.
const RECEIVE = `
WITH erased AS (
  SELECT EXISTS (SELECT 1 FROM {schema}.erased
    WHERE organisation = $1 AND kind = COALESCE($4, 'referral') AND uuid = ANY($8::text[])) AS found
), added AS (
  INSERT INTO {schema}.event (organisation, event_uuid, event_name, kind, key, promised_at, body)
  SELECT $1, $2, $3, $4, $5, $6::timestamptz, CASE WHEN erased.found THEN NULL ELSE $7::jsonb END FROM erased
  ON CONFLICT DO NOTHING RETURNING 1
)
INSERT INTO {schema}.work AS work (organisation, kind, key, source, promised_at)
SELECT $1, COALESCE($4, '${RECENT_SWEEP.kind}'), COALESCE($5, '${RECENT_SWEEP.key}'),
  CASE WHEN $4::text IS NULL THEN 'sweep' ELSE 'webhook' END, $6::timestamptz
FROM added CROSS JOIN erased WHERE NOT erased.found
${WANT_AGAIN}`

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
  let failed = 0
  return createWebhookReceiver({
    secret,
    // The primary key of the table `event` prevents duplicates.
    dedupe: false,
    enqueue: async (event, { signal }) => {
      const timeout = AbortSignal.timeout(STORE_TIMEOUT_MS)
      await storeEvent(name, ready, event, AbortSignal.any([signal, timeout]))
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
  organisation: string,
  ready: () => Promise<MirrorContext>,
  event: WebhookEvent,
  signal: AbortSignal,
): Promise<void> {
  try {
    const context = await within(ready(), signal)
    await insert(context, organisation, event, signal)
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

async function insert(
  { database, point }: MirrorContext,
  organisation: string,
  event: WebhookEvent,
  signal: AbortSignal,
): Promise<void> {
  const { kind = null, key = null } = targetOf(event) ?? {}
  const { eventUuid, eventName } = event
  await point('receive:before')
  const body = JSON.stringify(storableObject(event))
  const values = [
    organisation,
    eventUuid,
    storableText(eventName),
    kind,
    key,
    updatedAtOf(event),
    body,
    // A result of an erased referral is not stored, so the data of its event is not stored either.
    uuidsOf(event),
  ]
  await database.query(RECEIVE, values, signal)
  await point('receive:committed')
}

function unavailable(problem: string, error: unknown, cause: string): PathologyError {
  return new PathologyError(
    `${problem} (${errorName(error)}). The receiver responded with an error, so the service sends the event again. Check ${cause}.`,
    { code: 'WEBHOOK_STORE_UNAVAILABLE' },
  )
}
