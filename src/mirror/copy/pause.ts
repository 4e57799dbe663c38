import type { MirrorContext } from '../core/context.js'
import { errorName } from '../work/error-name.js'

const PAUSE = `
INSERT INTO {schema}.pause AS pause (organisation, until, error) VALUES ($1, now() + interval '1 minute', $2)
ON CONFLICT (organisation) DO UPDATE SET
  until = now() + LEAST(interval '15 minutes', interval '1 minute' * 2 ^ LEAST(pause.times, 4)),
  times = pause.times + 1, error = EXCLUDED.error
WHERE pause.until <= now()
RETURNING times`

/** Pauses all reads of an organisation whose credentials the service rejects. The first pause is an alarm. */
export async function pauseOrganisation(
  { database, logger }: MirrorContext,
  organisation: string,
  error: unknown,
): Promise<void> {
  const row = await database.first<{ times: number }>(PAUSE, [organisation, errorName(error)])
  if (row?.times !== 1) return
  logger.error(
    `mirror: the service rejects the credentials of organisation ${organisation} (${errorName(error)}). Its copy is not updated until they work; events are kept. Check the client id and secret.`,
  )
}

/** Ends the pause after a successful read. */
export async function endPause({ database, logger }: MirrorContext, organisation: string): Promise<void> {
  const { rowCount } = await database.query('DELETE FROM {schema}.pause WHERE organisation = $1', [
    organisation,
  ])
  if (rowCount > 0) logger.warn(`mirror: the credentials of organisation ${organisation} work again`)
}
