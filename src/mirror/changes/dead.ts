import { isoTime } from '../../database/values.js'
import { type MirrorContext, namesOf } from '../core/context.js'
import { methodOptions } from '../method-options.js'
import { DELIVER, isDelivery } from '../work/kinds.js'

/**
 * Work that has failed too often. Such work waits for `retry`. A delivery can also be skipped. The option `attempts` of
 * `createMirror` lists the other ways in which dead work becomes due again.
 */
export interface DeadWork {
  /** Name of the organisation. */
  readonly organisation: string
  /** Kind of the failed work, such as `referral` or `result` for a read, or `deliver` for a consumer's handler. */
  readonly kind: string
  /** Name of the consumer; `undefined` unless a delivery failed. */
  readonly consumer: string | undefined
  /** UUID of the record, or of the group of a delivery. Other work has another key, such as a sweep's name. */
  readonly uuid: string
  /** Position of the change whose handler failed; `undefined` unless a delivery failed. */
  readonly position: number | undefined
  /** Number of failed attempts. */
  readonly attempts: number
  /** Name and code of the last error. */
  readonly error: string | null
  /** Time of the oldest cause of this work that is not processed yet, such as an event. */
  readonly since: Date
}

/** Selection of dead work. Without any field, all dead work is selected. */
export interface DeadSelection {
  /** The `uuid` of the dead work: of the record or group, or another key such as a sweep's name. */
  readonly uuid?: string | undefined
  /**
   * The `kind` of the dead work, such as `referral`. `deliver` selects the deliveries to all consumers, and `document`
   * the downloads for referrals and results.
   */
  readonly kind?: string | undefined
}

interface DeadRow {
  readonly organisation: string
  readonly kind: string
  readonly key: string
  readonly attempts: number
  readonly error: string | null
  readonly since: string
  readonly position: number | null
}

/**
 * Lists the dead work of the organisations $3 with the key $1 and the kind $2, if they are given. The position of a
 * delivery is the first change after the last delivered one.
 */
const LIST = `
SELECT organisation, kind, key, attempts, error, ${isoTime('since')} AS since, CASE WHEN kind LIKE 'deliver:%' THEN (
  SELECT min(change.position) FROM {schema}.change AS change
  WHERE change.organisation = work.organisation AND change.group_key = work.key AND change.position > COALESCE(
    (SELECT position FROM {schema}.delivery AS delivery WHERE delivery.organisation = work.organisation
      AND delivery.consumer = substr(work.kind, 9) AND delivery.group_key = work.key),
    (SELECT from_position FROM {schema}.consumer AS consumer WHERE consumer.organisation = work.organisation
      AND consumer.name = substr(work.kind, 9)), 0)) END AS position
FROM {schema}.work AS work
WHERE dead AND organisation = ANY($3::text[]) AND ($1::text IS NULL OR key = $1)
  AND ($2::text IS NULL OR kind = $2 OR starts_with(kind, $2 || ':'))
ORDER BY work.since LIMIT $4::bigint`

/** Makes dead work due again, selected as in {@link LIST}. */
const RETRY = `
UPDATE {schema}.work SET dead = false, attempts = 0, rereads = 0, error = NULL, lease = NULL, run_at = now()
WHERE dead AND organisation = ANY($3::text[]) AND ($1::text IS NULL OR key = $1)
  AND ($2::text IS NULL OR kind = $2 OR starts_with(kind, $2 || ':'))`

/** Moves each consumer ($2, or all) whose dead delivery waits at the change $1 past this change, and continues the delivery. */
const SKIP = `
WITH skipped AS (
  SELECT work.organisation, work.kind, work.key FROM {schema}.work AS work
  WHERE dead AND kind LIKE 'deliver:%' AND ($2::text IS NULL OR kind = 'deliver:' || $2)
    AND organisation = ANY($3::text[]) AND $1::bigint = (
      SELECT min(change.position) FROM {schema}.change AS change
      WHERE change.organisation = work.organisation AND change.group_key = work.key AND change.position > COALESCE(
        (SELECT position FROM {schema}.delivery AS delivery WHERE delivery.organisation = work.organisation
          AND delivery.consumer = substr(work.kind, 9) AND delivery.group_key = work.key),
        (SELECT from_position FROM {schema}.consumer AS consumer WHERE consumer.organisation = work.organisation
          AND consumer.name = substr(work.kind, 9)), 0))
  FOR UPDATE
), moved AS (
  INSERT INTO {schema}.delivery AS delivery (organisation, consumer, group_key, position)
  SELECT organisation, substr(kind, 9), key, $1::bigint FROM skipped
  ON CONFLICT (organisation, consumer, group_key) DO UPDATE SET position = EXCLUDED.position, delivered_at = now()
)
UPDATE {schema}.work AS work SET dead = false, attempts = 0, error = NULL, lease = NULL, run_at = now()
FROM skipped WHERE work.organisation = skipped.organisation AND work.kind = skipped.kind AND work.key = skipped.key`

/** The dead work of a mirror: work that has failed too often. Available as `mirror.dead`. */
export class DeadLetters {
  readonly #ready: () => Promise<MirrorContext>

  /** @param ready - Opens the database. */
  constructor(ready: () => Promise<MirrorContext>) {
    this.#ready = ready
  }

  /** Returns the selected dead work, oldest first: at most `limit` pieces of work, by default 1,000. */
  async list(
    options: DeadSelection & { readonly limit?: number | undefined } = {},
  ): Promise<readonly DeadWork[]> {
    const { limit = 1_000, ...selection } = methodOptions('dead.list', options)
    const context = await this.#ready()
    const { rows } = await context.database.query<DeadRow>(LIST, [...selected(context, selection), limit])
    return rows.map(deadWork)
  }

  /** Makes dead work due again. Returns the number of pieces of work. Changes are still delivered in order. */
  async retry(selection: DeadSelection = {}): Promise<number> {
    const own = methodOptions('dead.retry', selection)
    const context = await this.#ready()
    const { rowCount } = await context.database.query(RETRY, selected(context, own))
    context.wake()
    return rowCount
  }

  /**
   * Skips one change whose handler failed too often. Later changes of its group are then delivered.
   *
   * @returns The number of consumers that skip the change; 0 if no dead delivery waits at this change.
   */
  async skip(change: {
    /** Position of the change. */
    readonly position: number
    /** Name of the only consumer that skips the change. Default: all whose handler failed for the change. */
    readonly consumer?: string | undefined
  }): Promise<number> {
    const { position, consumer } = methodOptions('dead.skip', change)
    const context = await this.#ready()
    const values = [String(position), consumer ?? null, namesOf(context, undefined)]
    const { rowCount } = await context.database.query(SKIP, values)
    context.wake()
    return rowCount
  }
}

/** Returns the selection of {@link LIST}: its first three values. */
function selected(context: MirrorContext, { uuid, kind }: DeadSelection): readonly unknown[] {
  return [uuid?.toLowerCase() ?? null, kind ?? null, namesOf(context, undefined)]
}

function deadWork({ organisation, kind, key, attempts, error, since, position }: DeadRow): DeadWork {
  const isOfConsumer = isDelivery(kind)
  return {
    organisation,
    attempts,
    error,
    since: new Date(since),
    uuid: key,
    kind: isOfConsumer ? 'deliver' : kind,
    consumer: isOfConsumer ? kind.slice(DELIVER.length) : undefined,
    position: position ?? undefined,
  }
}
