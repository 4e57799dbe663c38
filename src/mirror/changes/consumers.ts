import { ConfigurationError } from '../../common/errors.js'
import type { MirrorContext } from '../core/context.js'
import { withTableLock } from '../schema/schema-change.js'
import type { Consumer } from './handlers.js'

const KNOWN = 'SELECT organisation, name FROM {schema}.consumer'

const REGISTER = `
INSERT INTO {schema}.consumer (organisation, name, from_position)
SELECT organisation, name, CASE WHEN from_beginning THEN 0
  ELSE COALESCE((SELECT max(position) FROM {schema}.change), 0) END
FROM json_to_recordset($1::json) AS row (organisation text, name text, from_beginning boolean)
ON CONFLICT DO NOTHING`

/** Delivers all changes of the copy to new consumers `from: 'beginning'`. */
const WANT_ALL = `
INSERT INTO {schema}.work AS work (organisation, kind, key)
SELECT changed.organisation, 'deliver:' || row.name, changed.group_key
FROM json_to_recordset($1::json) AS row (organisation text, name text, from_beginning boolean)
JOIN (SELECT DISTINCT organisation, group_key FROM {schema}.change) AS changed
  ON changed.organisation = row.organisation
WHERE row.from_beginning ORDER BY 1, 2, 3
ON CONFLICT DO NOTHING`

/** Registers the consumers that the database does not have yet, for every organisation. */
export async function registerConsumers(
  { database, organisations }: MirrorContext,
  consumers: Iterable<Consumer>,
): Promise<void> {
  const { rows } = await database.query<{ organisation: string; name: string }>(KNOWN)
  const known = new Set(rows.map(({ organisation, name }) => `${organisation}/${name}`))
  const added = [...consumers].flatMap(({ name, fromBeginning }) =>
    [...organisations.keys()]
      .filter((organisation) => !known.has(`${organisation}/${name}`))
      .map((organisation) => ({ organisation, name, from_beginning: fromBeginning })),
  )
  if (added.length === 0) return
  const values = [JSON.stringify(added)]
  // The lock waits for transactions that have read the list of consumers and will still commit changes. Without the
  // lock, the new consumers would miss these changes.
  await withTableLock(database, 'consumer', async (tx) => {
    await tx.query(REGISTER, values)
    await tx.query(WANT_ALL, values)
  })
}

/**
 * Removes a consumer of the mirror's organisations, with its positions and its pending work. The changes themselves
 * stay in the database.
 *
 * @param configured - Names of the consumers with handlers in this process.
 * @returns The number of organisations in which the consumer existed.
 * @throws {@link ConfigurationError} if `configured` contains the consumer.
 */
export async function removeConsumer(
  { database, organisations }: MirrorContext,
  name: string,
  configured: ReadonlySet<string>,
): Promise<number> {
  if (configured.has(name)) {
    throw new ConfigurationError(
      `mirror.removeConsumer: ${name} has handlers in this process, so it was not removed. Remove it from createMirror in every process first`,
    )
  }
  return withTableLock(database, 'consumer', async (tx) => {
    const own = 'organisation = ANY($2::text[])'
    const values = [name, [...organisations.keys()]]
    // A delivery in progress loses its lease here, and is rolled back.
    await tx.query(`DELETE FROM {schema}.work WHERE kind = 'deliver:' || $1 AND ${own}`, values)
    await tx.query(`DELETE FROM {schema}.delivery WHERE consumer = $1 AND ${own}`, values)
    return (await tx.query(`DELETE FROM {schema}.consumer WHERE name = $1 AND ${own}`, values)).rowCount
  })
}
