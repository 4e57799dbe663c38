import type { PathologyClient } from '../client/client.js'
import type { Logger } from '../common/logger.js'
import type { DatabaseSource } from '../database/open.js'
import type { WebhookSecrets } from '../webhooks/verification/signature.js'
import type { ChangeHandlers, ConsumerOptions } from './changes/handlers.js'
import type { DocumentStorage } from './copy/object-store.js'
import type { MigrationMode } from './schema/schema-change.js'
import type { SweepOptions } from './sweep/options.js'

/** An organisation of a mirror. */
export interface OrganisationOptions {
  /**
   * Client with the organisation's credentials. The mirror records each `referral.created` event in the client's
   * `orderLedger`, as `client.referrals.recordOrder` does.
   */
  readonly client: PathologyClient
  /**
   * Signing secret of the organisation's webhooks, or several during a change of secrets. Without a secret, the mirror
   * receives no webhooks of this organisation.
   */
  readonly secret?: WebhookSecrets | undefined
}

/** Options of `createMirror`. */
export interface MirrorOptions {
  /**
   * A pg `Pool`, a `PGlite`, a `postgres://` URL, or a directory for PGlite. If you pass a `Pool` or a `PGlite`, you
   * close it.
   * @defaultValue `'./pathology-mirror'`: PGlite in this directory, for one process
   */
  readonly database?: DatabaseSource | undefined
  /**
   * Database schema of all tables: at most 48 lower-case letters, digits and underscores, not starting with a digit or
   * `pg_`. Use a separate schema for each environment.
   * @defaultValue `'pathology'`
   */
  readonly schema?: string | undefined
  /** Client, for a mirror of one organisation. Exactly one of `client` and `organisations` is required. */
  readonly client?: PathologyClient | undefined
  /**
   * Signing secret of the webhooks, only together with `client`. Without a secret, `mirror.receiver` throws. With
   * `organisations`, set the secret of each organisation instead.
   */
  readonly secret?: WebhookSecrets | undefined
  /**
   * Organisations by name, at least one. A name has at most 48 lower-case letters, digits and underscores, and does not
   * start with a digit or `pg_`.
   */
  readonly organisations?: Readonly<Record<string, OrganisationOptions>> | undefined
  /** Handlers of the consumer `default`. This consumer receives all changes, from the first change of the copy. */
  readonly on?: ChangeHandlers | undefined
  /**
   * Further consumers by name. A name has at most 48 lower-case letters, digits and underscores, and does not start
   * with a digit or `pg_`. With `on`, the name `default` is not available.
   */
  readonly consumers?: Readonly<Record<string, ConsumerOptions>> | undefined
  /**
   * Storage of PDFs: `database` as bytea, `none` for no PDFs, or an object store of your own.
   * @defaultValue `'database'`
   */
  readonly documents?: DocumentStorage | undefined
  /**
   * Number of days for which a state of a record is kept after a newer state has replaced it: 1 to 36,500; `keep` keeps
   * all states. States that a consumer has not received yet are always kept.
   * @defaultValue `'keep'`
   */
  readonly history?: 'keep' | number | undefined
  /**
   * Number of days for which received events are kept: 1 to 36,500.
   * @defaultValue 30
   */
  readonly eventDays?: number | undefined
  /**
   * Maximum number of handlers that run at the same time in this process, 0 to 64. Four times as many records are read
   * from the service at the same time, and stored together. Slow handlers do not stop the copy, because its other work
   * has the same number of places. With 0, this process only receives webhooks, except during `drain`, `backfill` and
   * `sweep`. A `Pool` must permit at least three connections more than this number.
   * @defaultValue 4; 1 on PGlite
   */
  readonly concurrency?: number | undefined
  /**
   * Milliseconds until another process takes over the work of an ended process: 1,000 to 86,400,000. A running process
   * renews its leases after a third of this time.
   * @defaultValue 60,000
   */
  readonly lease?: number | undefined
  /**
   * Interval at which an idle process polls for due work, in milliseconds: 10 to 3,600,000. New work in the same
   * process starts at once.
   * @defaultValue 500
   */
  readonly poll?: number | undefined
  /**
   * `true` when this process notifies other processes of new work, and listens to their notifications, by LISTEN and
   * NOTIFY. Set it in every process. Listening uses one connection of the pool: one of the three that `concurrency`
   * does not use. PGlite ignores this option.
   * @defaultValue `false`
   */
  readonly listen?: boolean | undefined
  /**
   * Schedule of the sweeps. A sweep reads the service and finds changes that no event announced.
   * @defaultValue `recent` every 15 minutes, `open` and `centres` every 24 hours, `everything` every 7 days
   */
  readonly sweep?: SweepOptions | undefined
  /**
   * Number of failed attempts after which work is dead. Dead work waits for `mirror.dead.retry()`. Some dead work also
   * becomes due again in another way:
   *
   * - the read of a record, by a new event, or by a sweep that requests this read
   * - the download of a PDF, when the copy stores a change of its record
   * - a sweep or the read of a directory, at its next schedule
   * - a backfill, at the next `start`
   * - a sweep or a backfill, by a call of its method
   * - a delivery, by `mirror.replay()`
   *
   * The change of a dead delivery can be skipped with `mirror.dead.skip()`.
   * @defaultValue `{ fetch: 12, handler: 12 }`
   */
  readonly attempts?:
    | {
        /**
         * Maximum number of failed reads of a record, a PDF, a directory, or a page of a sweep: at least 1. These do
         * not count: responses with 429, failures of the database, rejected credentials, and failures during an outage
         * of the service.
         */
        readonly fetch?: number | undefined
        /**
         * Maximum number of failed calls of a handler for one change: at least 1. A call does not count if a lost
         * connection to the database, a lost lease, or `mirror.stop()` ended it.
         */
        readonly handler?: number | undefined
      }
    | undefined
  /**
   * Maximum time of a handler in milliseconds, 1 to 600,000. After this time, its transaction is rolled back.
   * @defaultValue 30,000; 1,000 on PGlite, whose only connection the handler holds
   */
  readonly handlerTimeout?: number | undefined
  /**
   * Handling of missing migrations when `start` or another method opens the database: `auto` applies them; with
   * `manual`, the method rejects with an error that lists them.
   * @defaultValue `'auto'`
   */
  readonly migrations?: MigrationMode | undefined
  /**
   * `true` enables row security, which the mirror never disables. The views then show every role only the rows of the
   * organisation in the Postgres setting `pathology.organisation`. The tables with a column `organisation` show only
   * these rows to every role except superusers, roles with BYPASSRLS, their owner, and the writer role of
   * `npx pathology mirror grants --row-security`.
   * @defaultValue `false`
   */
  readonly rowSecurity?: boolean | undefined
  /**
   * Logger, such as console, pino or winston. The lines contain names, codes, numbers, UUIDs, and the line of your code
   * at which a handler failed, but no other data of records.
   */
  readonly logger?: Logger | undefined
}
