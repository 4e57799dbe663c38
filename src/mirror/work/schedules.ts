import type { Queryable } from '../../database/database.js'
import type { MirrorDatabase } from '../schema/mirror-database.js'
import { ONLY_KEY } from './kinds.js'
import type { WorkKey, WorkTable } from './work-table.js'

/** Work that becomes due regularly, in one process each time. */
export interface Schedule extends WorkKey {
  readonly everyMs: number
  /** `true`: due as soon as the schedule is registered for the first time; `false`: after its first period. */
  readonly isDueAtOnce: boolean
}

const REGISTER = `
INSERT INTO {schema}.schedule AS schedule (name, organisation, kind, key, every_ms, due_at)
SELECT name, organisation, kind, key, "everyMs",
  now() + CASE WHEN "isDueAtOnce" THEN interval '0' ELSE "everyMs" * interval '1 millisecond' END
FROM json_to_recordset($1::json)
  AS row (name text, organisation text, kind text, key text, "everyMs" bigint, "isDueAtOnce" boolean)
ORDER BY name
ON CONFLICT (name) DO UPDATE SET kind = EXCLUDED.kind, key = EXCLUDED.key, every_ms = EXCLUDED.every_ms,
  due_at = LEAST(schedule.due_at, now() + EXCLUDED.every_ms * interval '1 millisecond')
WHERE (schedule.kind, schedule.key, schedule.every_ms) <> (EXCLUDED.kind, EXCLUDED.key, EXCLUDED.every_ms)`

// Only one process updates a row that is due. Several missed periods make the work due only once.
const DUE = `
UPDATE {schema}.schedule SET last_run_at = now(), due_at = now() + every_ms * interval '1 millisecond'
WHERE due_at <= now() AND name = ANY($1::text[]) RETURNING organisation, kind, key`

/** An idle process asks this every ten seconds, so it needs no transaction. */
const IS_DUE = 'SELECT 1 FROM {schema}.schedule WHERE due_at <= now() AND name = ANY($1::text[]) LIMIT 1'

/** Stores schedules. After a change of its period, a schedule is due at most one new period from now. */
export async function registerSchedules(database: Queryable, schedules: readonly Schedule[]): Promise<void> {
  if (schedules.length === 0) return
  const rows = schedules.map((schedule) => ({ name: nameOf(schedule), ...schedule }))
  await database.query(REGISTER, [JSON.stringify(rows)])
}

/** Makes the work of due schedules due. Any number of processes may call this function at any time. */
export async function runSchedules(
  database: Pick<MirrorDatabase, 'transaction' | 'first'>,
  table: WorkTable,
  schedules: readonly Schedule[],
  signal?: AbortSignal,
): Promise<void> {
  if (schedules.length === 0) return
  const names = schedules.map(nameOf)
  if ((await database.first(IS_DUE, [names])) === undefined) return
  await database.transaction(
    async (tx) => {
      const { rows } = await tx.query<WorkKey>(DUE, [names])
      await table.want(
        tx,
        rows.map((due) => ({ ...due, source: 'sweep' })),
      )
    },
    { signal },
  )
}

/** Name of a schedule, unique in the schema. */
function nameOf({ organisation, kind, key }: WorkKey): string {
  return key === ONLY_KEY ? `${organisation}/${kind}` : `${organisation}/${kind}/${key}`
}
