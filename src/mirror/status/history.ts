import { ConfigurationError, PathologyError } from '../../common/errors.js'
import { UUID_PATTERN } from '../../contract/identifiers.js'
import { isDate } from '../../contract/realms.js'
import { isInstant } from '../../contract/times.js'
import type { RecordKind } from '../copy/record-kinds.js'
import { type MirrorContext, namesOf } from '../core/context.js'
import { timestampOf } from '../core/storable.js'
import { methodOptions } from '../method-options.js'

/** Options of {@link RecordHistory.at}. */
export interface HistoryOptions {
  /**
   * Name of the organisation. Pass the name if several organisations can have a record with this UUID.
   * @defaultValue the organisation with the latest change of a record with this UUID, at or before `time`
   */
  readonly organisation?: string | undefined
}

interface StateRow {
  readonly isErased: boolean
  readonly body: unknown
}

/**
 * The last change of a record ($1, $2) of organisations ($3) at a time ($4). `changed_at` has microseconds, but a `Date`
 * has only milliseconds, so all changes until the end of the millisecond count.
 */
const AT = `
SELECT body, action = 'erased' OR EXISTS (SELECT 1 FROM {schema}.erased AS erased
  WHERE erased.organisation = change.organisation AND erased.uuid = change.uuid) AS "isErased"
FROM {schema}.change AS change
WHERE kind = $1 AND uuid = $2 AND organisation = ANY($3::text[])
  AND changed_at < $4::timestamptz + interval '1 millisecond'
ORDER BY position DESC LIMIT 1`

/** Earlier states of one kind of records. Available as `mirror.referrals` and `mirror.results`. */
export class RecordHistory<Entity> {
  readonly #ready: () => Promise<MirrorContext>
  readonly #kind: RecordKind

  /** @param ready - Opens the database. */
  constructor(ready: () => Promise<MirrorContext>, kind: RecordKind) {
    this.#ready = ready
    this.#kind = kind
  }

  /**
   * Returns a record as the copy had it at a time, without its signed URL. Returns `undefined` if the copy did not have
   * the record at that time, and for an erased record. Returns the last state if the service no longer returned the
   * record at that time.
   *
   * @param time - ISO 8601 with an offset, or a `Date`, of the years 1 to 9999. Changes in the same millisecond count.
   * @throws {@link PathologyError} with code `HISTORY_CLEARED` if the option `history` has removed this state.
   * @throws {@link PathologyError} with code `UNKNOWN_ORGANISATION` if `organisation` is not a name from
   * `createMirror`.
   * @throws {@link ConfigurationError} if `uuid` is not a UUID, `time` is not such a time, or an option is invalid.
   *
   * @example
   * ```ts
   * const known = await mirror.results.at(uuid, '2026-11-01T00:00:00Z')
   * ```
   */
  async at(uuid: string, time: Date | string, options: HistoryOptions = {}): Promise<Entity | undefined> {
    const { organisation } = methodOptions(`${this.#kind}s.at`, options)
    if (typeof uuid !== 'string' || !UUID_PATTERN.test(uuid.toLowerCase())) {
      throw new ConfigurationError(`mirror.${this.#kind}s.at: uuid must be a UUID`)
    }
    const at = readTime(time)
    if (at === null) {
      throw new ConfigurationError(
        `mirror.${this.#kind}s.at: the time must be a Date, or ISO 8601 with an offset, of the years 1 to 9999`,
      )
    }
    const context = await this.#ready()
    const names = namesOf(context, organisation)
    const row = await context.database.first<StateRow>(AT, [this.#kind, uuid.toLowerCase(), names, at])
    // The client returned the record with this type before it was stored.
    if (row?.isErased === false && row.body !== null) return row.body as Entity
    if (row === undefined || row.isErased) return undefined
    throw new PathologyError(
      `The state of this ${this.#kind} at that time was cleared, because it is older than the option history. Read a later time.`,
      { code: 'HISTORY_CLEARED' },
    )
  }
}

/** Returns a time as ISO 8601; `null` if Postgres cannot compare it. */
function readTime(time: Date | string): string | null {
  if (typeof time === 'string') return isInstant(time) ? timestampOf(time) : null
  const ms = isDate(time) ? time.getTime() : Number.NaN
  return Number.isNaN(ms) ? null : timestampOf(new Date(ms).toISOString())
}
