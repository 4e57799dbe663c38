import { isoTime } from '../../database/values.js'
import { type MirrorContext, namesOf } from '../core/context.js'
import { pause } from '../work/backoff.js'
import { type Change, type ChangeRow, changeOf } from './change.js'

/** Options of `mirror.changes`. */
export interface FeedOptions {
  /**
   * Position of the last change that you have. Store it in your own transaction.
   * @defaultValue 0: from the beginning
   */
  readonly after?: number | undefined
  /**
   * Name of the only organisation whose changes are read.
   * @defaultValue all organisations of the mirror
   */
  readonly organisation?: string | undefined
  /**
   * `true` when the feed waits for further changes instead of ending. The feed reads further changes at the interval
   * `poll` of `createMirror`.
   * @defaultValue `false`
   */
  readonly follow?: boolean | undefined
  /** Ends the feed when the signal aborts. The feed then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const BATCH = 200

/** Reads the next changes of organisations ($2) after a position ($1). */
const READ = `
SELECT position, organisation, kind, uuid, group_key, action, source, recovered, status_before, status_after,
  ${isoTime('updated_at')} AS updated_at, body, ${isoTime('changed_at')} AS changed_at
FROM {schema}.change
WHERE position > $1::bigint AND organisation = ANY($2::text[]) ORDER BY position LIMIT ${BATCH}`

/**
 * Reads changes in the order of their positions. The positions are also in the order of the commits, so no change is
 * skipped.
 */
export async function* readChanges(
  ready: () => Promise<MirrorContext>,
  pollMs: number,
  { after = 0, organisation, follow = false, signal }: FeedOptions,
): AsyncGenerator<Change, void, undefined> {
  const context = await ready()
  const { database } = context
  const names = namesOf(context, organisation)
  let position = after
  for (;;) {
    signal?.throwIfAborted()
    const { rows } = await database.query<ChangeRow>(READ, [String(position), names], signal)
    for (const change of rows.map(changeOf)) {
      signal?.throwIfAborted()
      position = change.position
      yield change
    }
    if (rows.length === BATCH) continue
    if (!follow) return
    await pause(pollMs, signal)
  }
}
