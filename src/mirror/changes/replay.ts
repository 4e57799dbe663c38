import { ConfigurationError } from '../../common/errors.js'
import { type MirrorContext, namesOf } from '../core/context.js'

/** Options of `mirror.replay`. */
export interface ReplayOptions {
  /** Name of the consumer. `default` is the consumer of the handlers in `on`. */
  readonly consumer: string
  /**
   * UUID of a referral or a result. Only the changes of its group, a referral with its results, are delivered again.
   */
  readonly uuid?: string | undefined
  /**
   * Position of a change. Later changes are delivered again. Earlier changes are not repeated, but those that are still
   * undelivered are delivered too.
   * @defaultValue 0: all changes
   */
  readonly after?: number | undefined
  /**
   * Name of the only organisation whose changes are delivered again.
   * @defaultValue all organisations of the mirror
   */
  readonly organisation?: string | undefined
}

const CONSUMERS =
  'SELECT DISTINCT name FROM {schema}.consumer WHERE organisation = ANY($1::text[]) ORDER BY 1'

/** Number of groups in one step, which is one transaction. */
const STEP = 5_000

/** Groups with changes after $1, in the order of an index, from the group after $5 and $6 on. */
const GROUPS = `
SELECT DISTINCT organisation, group_key FROM {schema}.change
WHERE (organisation, group_key) > ($5, $6) AND position > $1::bigint AND organisation = ANY($3::text[])
  AND ($2::text IS NULL OR (organisation, group_key) IN (SELECT known.organisation, known.group_key
    FROM {schema}.change AS known
    WHERE known.organisation = ANY($3::text[]) AND known.kind IN ('referral', 'result') AND known.uuid = $2))
  AND EXISTS (SELECT 1 FROM {schema}.consumer AS consumer
    WHERE consumer.organisation = change.organisation AND consumer.name = $4)
ORDER BY 1, 2 LIMIT ${STEP}`

// A delivery in progress loses its lease. Such a delivery is therefore rolled back and cannot overwrite the position.
const WANT_AGAIN = `
INSERT INTO {schema}.work AS work (organisation, kind, key)
SELECT organisation, 'deliver:' || $2, group_key
FROM json_to_recordset($1::json) AS row (organisation text, group_key text) ORDER BY 1, 2, 3
ON CONFLICT (organisation, kind, key) DO UPDATE SET
  wanted = work.wanted + 1, lease = NULL, run_at = now(), attempts = 0, dead = false, error = NULL`

const MOVE = `
INSERT INTO {schema}.delivery AS delivery (organisation, consumer, group_key, position)
SELECT consumer.organisation, consumer.name, group_key, LEAST($3::bigint, consumer.from_position)
FROM json_to_recordset($1::json) AS row (organisation text, group_key text)
JOIN {schema}.consumer AS consumer ON consumer.organisation = row.organisation AND consumer.name = $2 ORDER BY 1, 2, 3
ON CONFLICT (organisation, consumer, group_key) DO UPDATE SET position = LEAST(delivery.position, $3::bigint)`

interface Group {
  readonly organisation: string
  readonly group_key: string
}

/** Makes changes due for delivery to a consumer again. Returns the number of groups with such changes. */
export async function replayChanges(
  context: MirrorContext,
  { consumer, uuid, after = 0, organisation }: ReplayOptions,
): Promise<number> {
  const { database, wake } = context
  const names = namesOf(context, organisation)
  const { rows: known } = await database.query<{ name: string }>(CONSUMERS, [names])
  if (!known.some(({ name }) => name === consumer)) {
    const existing = known.length === 0 ? 'none' : known.map(({ name }) => name).join(', ')
    throw new ConfigurationError(
      `mirror.replay: no selected organisation has a consumer of this name; nothing is delivered again. Consumers of these organisations: ${existing}`,
    )
  }
  const selection = [String(after), uuid?.toLowerCase() ?? null, names, consumer]
  let last: Group = { organisation: '', group_key: '' }
  for (let count = 0; ; ) {
    const from = [last.organisation, last.group_key]
    const { rows } = await database.query<Group>(GROUPS, [...selection, ...from])
    if (rows.length === 0) return count
    const groups = JSON.stringify(rows)
    await database.transaction(async (tx) => {
      await tx.query(WANT_AGAIN, [groups, consumer])
      await tx.query(MOVE, [groups, consumer, String(after)])
    })
    wake()
    count += rows.length
    last = rows.at(-1) ?? last
  }
}
