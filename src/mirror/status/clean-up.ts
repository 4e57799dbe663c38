import { errorName } from '../../common/logger.js'
import type { MirrorContext } from '../core/context.js'
import { ONLY_KEY } from '../inbox/event-target.js'
import type { Schedule } from '../work/schedules.js'
import type { Claim } from '../work/work-table.js'
import type { Job } from '../work/worker.js'

/** Kind of the work that removes old rows. */
export const CLEAN_UP = 'clean-up'

const DAY_MS = 86_400_000
const RETRY_MS = 3_600_000

const OLD_EVENTS = `
DELETE FROM {schema}.event WHERE organisation = $1 AND received_at < now() - $2::double precision * interval '1 day'`

// Keeps the state at the beginning of the kept time, and changes that a consumer has not received yet.
const OLD_BODIES = `
UPDATE {schema}.change AS change SET body = NULL
WHERE organisation = $1 AND body IS NOT NULL AND changed_at < now() - $2::double precision * interval '1 day'
  AND EXISTS (SELECT 1 FROM {schema}.change AS later
    WHERE later.organisation = change.organisation AND later.kind = change.kind AND later.uuid = change.uuid
      AND later.position > change.position AND later.changed_at < now() - $2::double precision * interval '1 day')
  AND NOT EXISTS (SELECT 1 FROM {schema}.consumer AS consumer
    LEFT JOIN {schema}.delivery AS delivery ON delivery.organisation = consumer.organisation
      AND delivery.consumer = consumer.name AND delivery.group_key = change.group_key
    WHERE consumer.organisation = change.organisation
      AND COALESCE(delivery.position, consumer.from_position) < change.position)`

/** Number of days for which data is kept. */
export interface CleanUpOptions {
  readonly eventDays: number
  /** `keep` keeps the bodies of all changes. */
  readonly history: 'keep' | number
}

/** Removes old events, and the bodies of old changes. */
export class CleanUpJob implements Job {
  readonly #context: MirrorContext
  readonly #options: CleanUpOptions

  constructor(context: MirrorContext, options: CleanUpOptions) {
    this.#context = context
    this.#options = options
  }

  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const { database, table } = this.#context
    const { eventDays, history } = this.#options
    await database.transaction(
      async (tx) => {
        await tx.query(OLD_EVENTS, [claim.organisation, eventDays])
        if (history !== 'keep') await tx.query(OLD_BODIES, [claim.organisation, history])
        await table.finish(tx, claim)
      },
      { signal },
    )
  }

  async fail(claim: Claim, error: unknown): Promise<void> {
    const { database, table } = this.#context
    await table.postpone(database, claim, { delayMs: RETRY_MS, failed: true, error: errorName(error) })
  }
}

/** One clean-up a day for each organisation. */
export function cleanUpSchedules({ organisations }: MirrorContext): readonly Schedule[] {
  return [...organisations.keys()].map((organisation) => ({
    name: `${organisation}/${CLEAN_UP}`,
    organisation,
    kind: CLEAN_UP,
    key: ONLY_KEY,
    everyMs: DAY_MS,
  }))
}
