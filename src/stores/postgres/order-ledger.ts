import {
  checkedQuery,
  type LedgerEntry,
  type LedgerListOptions,
  ledgerEntry,
} from '../../client/ledger/ledger-entries.js'
import {
  checkResolution,
  type LedgerClaim,
  type LedgerNames,
  type ManagedOrderLedger,
  NamedLedger,
  type OrderClaimRequest,
  type OrderName,
  type OrderResolution,
} from '../../client/ledger/order-ledger.js'
import { ConfigurationError } from '../../common/errors.js'
import { pruneTime } from '../../common/known-options.js'
import type { StoreChores } from '../chores.js'
import { entryOfJson, ledgerClaim, severalNamespaces, storedEntryOfJson } from '../found-entry.js'
import {
  COLUMNS,
  type LedgerStatements,
  ledgerStatements,
  OPEN_ENTRIES,
  PRUNE_BATCH,
} from './order-ledger-sql.js'
import { errorCode, type PostgresClient, type PostgresStoreOptions, StoreTable } from './table.js'

const OWNER = 'postgresOrderLedger'

/** Postgres codes of a database that cannot return its timeline: not supported, no such function, not permitted. */
const NO_TIMELINE = new Set(['0A000', '42883', '42501'])

/**
 * Maximum number of attempts of one claim. An attempt fails if another statement changes the entry at the same time.
 */
const CLAIM_TRIES = 10

/** Maximum size of a key with its namespace, in bytes: the index of the primary key can certainly store them. */
const MAX_NAME_BYTES = 2_000

/** Options of an order ledger in Postgres. */
export interface PostgresLedgerOptions extends PostgresStoreOptions, LedgerNames {}

/** An order ledger in a Postgres table. */
export interface PostgresOrderLedger extends ManagedOrderLedger, StoreChores {
  setup(): Promise<void>
}

/**
 * Creates an order ledger in a Postgres table: `pathology_order_ledger`, or the table in the option `table`. All
 * processes that share the table place each order only once, unless the client option `resendAfter` is set. You open
 * and close the pool. Call `setup()` once before the first order, when every process that orders without this ledger
 * has stopped, because the ledger doesn't have their orders. Call `prune({ before })` regularly.
 *
 * The table contains keys, times, UUIDs of referrals, and keyed hashes of orders, but no health data. Times are by the
 * clock of the database. A key with a NUL character, or one with more than 2,000 bytes together with its namespace,
 * is rejected with a `ConfigurationError` before anything is sent.
 *
 * The ledger stores the time since which it has every order. This is the latest of these times:
 *
 * - the first `setup()`
 * - the first `setup()` after a failover
 * - the first order with the same `namespace`
 * - each `before` of `prune()`
 *
 * The client sends an order without a lookup if the key of the order has no entry, and the ledger has every order since
 * this time: 15 minutes before the option `since` of the order, or without this option, 24 hours before the call. If
 * the clocks of the client and the service differ by more than a minute, the 15 minutes are extended by the difference.
 *
 * A failover to an asynchronous replica can lose the last entries. The ledger notices it, unless the database can't
 * return its timeline (`pg_walfile_name`), and the client then looks up every new order before it sends it: until the
 * next `setup()`, and after that only orders that may have been placed before that call.
 *
 * @param client - A pg `Pool`, PGlite, or a pg `Client` outside a transaction. A statement takes one round trip with a
 * `Pool`, and three with any other client.
 * @throws `ConfigurationError` if the client has no `query`, or an option is invalid. Inside a transaction of
 * yours, each method rejects with it and changes nothing: other processes would not see the change, and a rollback
 * would undo it after an order was sent.
 */
export function postgresOrderLedger(
  client: PostgresClient,
  options: PostgresLedgerOptions = {},
): PostgresOrderLedger {
  return new TableLedger(client, options)
}

class TableLedger extends NamedLedger implements PostgresOrderLedger {
  readonly #table: StoreTable
  readonly #sql: LedgerStatements

  constructor(client: PostgresClient, { namespace, fingerprintKey, ...options }: PostgresLedgerOptions) {
    super(OWNER, { namespace, fingerprintKey })
    this.#table = new StoreTable(client, options, {
      owner: OWNER,
      defaultName: 'pathology_order_ledger',
      columns: COLUMNS,
      endColumn: 'ends_at',
      open: OPEN_ENTRIES,
      comment:
        'Orders placed by pathology-sdk: keys, times, UUIDs of referrals and keyed hashes of orders. No health data.',
      needsOwnTransactions: true,
    })
    this.#sql = ledgerStatements(this.#table.name)
  }

  async setup(): Promise<void> {
    await this.#table.create()
    await this.#table.count(this.#sql.begin, await this.#timeline())
  }

  async claim({ namespace, key }: OrderName, request: OrderClaimRequest): Promise<LedgerClaim> {
    checkName(namespace + key)
    const { token, leaseMs, fingerprint, mark = null, since } = request
    const values = [namespace, key, token, leaseMs, fingerprint.keyId, fingerprint.hash]
    for (let tries = 1; tries <= CLAIM_TRIES; tries += 1) {
      const [found] = await this.#found(this.#sql.claim, ...values, mark, since?.getTime() ?? null)
      if (found !== undefined) return ledgerClaim(entryOfJson(found), request)
    }
    throw new Error(
      `${OWNER}: other claims changed the entry during each of ${CLAIM_TRIES} attempts, so the entry was not claimed; repeat the call`,
    )
  }

  mark: ManagedOrderLedger['mark'] = ({ namespace, key }, { token, mark, replaces, leaseMs }) =>
    this.#isDone(this.#sql.mark, namespace, key, token, mark, replaces ?? null, leaseMs)

  unmark: ManagedOrderLedger['unmark'] = ({ namespace, key }, { token, mark }) =>
    this.#isDone(this.#sql.unmark, namespace, key, token, mark)

  renew: ManagedOrderLedger['renew'] = ({ namespace, key }, { token, leaseMs }) =>
    this.#isDone(this.#sql.renew, namespace, key, token, leaseMs)

  record: ManagedOrderLedger['record'] = ({ namespace, key }, { token, outcome }) => {
    const { recordPlaced, recordNotPlaced, recordUnknown } = this.#sql
    if (typeof outcome === 'object')
      return this.#isDone(recordPlaced, namespace, key, token, JSON.stringify(outcome.placed))
    return this.#isDone(outcome === 'unknown' ? recordUnknown : recordNotPlaced, namespace, key, token)
  }

  async resolve(given: OrderName | string, outcome: OrderResolution): Promise<boolean> {
    checkResolution(outcome)
    const name = typeof given === 'string' ? await this.#nameOf(given) : given
    if (name === undefined) return false
    const { namespace, key } = name
    if (outcome === 'not-placed') return this.#isDone(this.#sql.resolveNotPlaced, namespace, key)
    const referrals = JSON.stringify([...new Set(outcome.placed)])
    return this.#isDone(this.#sql.resolvePlaced, namespace, key, referrals)
  }

  async list(options?: LedgerListOptions): Promise<readonly LedgerEntry[]> {
    const { state, key, namespace, before, limit } = checkedQuery(OWNER, options)
    const text = this.#sql.list(state)
    const found = await this.#found(text, key ?? null, namespace ?? null, before ?? null, limit)
    return found.map((entry) => ledgerEntry(storedEntryOfJson(entry)))
  }

  async prune(options: { readonly before: Date }): Promise<number> {
    const before = pruneTime(OWNER, options)
    await this.#table.count(this.#sql.forget, before)
    for (let deleted = 0; ; ) {
      const batch = await this.#table.count(this.#sql.prune, before)
      deleted += batch
      if (batch < PRUNE_BATCH) return deleted
    }
  }

  /** Returns the timeline of the database, or an empty string if the database cannot return its timeline. */
  async #timeline(): Promise<string> {
    try {
      const [timeline = ''] = await this.#found(this.#sql.timeline)
      return timeline
    } catch (error) {
      if (NO_TIMELINE.has(errorCode(error))) return ''
      throw error
    }
  }

  async #nameOf(key: string): Promise<OrderName | undefined> {
    const [namespace, other] = await this.#found(this.#sql.namespaces, key)
    if (other !== undefined) throw severalNamespaces(OWNER)
    return namespace === undefined ? undefined : { namespace, key }
  }

  async #isDone(text: string, ...values: unknown[]): Promise<boolean> {
    return (await this.#table.count(text, ...values)) === 1
  }

  async #found(text: string, ...values: unknown[]): Promise<readonly string[]> {
    const rows = await this.#table.rows(text, ...values)
    return rows.map((row) => String(Reflect.get(Object(row), 'found')))
  }
}

function checkName(name: string): void {
  if (!name.includes('\0') && Buffer.byteLength(name) <= MAX_NAME_BYTES) return
  throw new ConfigurationError(
    `${OWNER}: the orderKey with its namespace contains a NUL character or is longer than 2,000 bytes, which Postgres may be unable to store; nothing was written`,
  )
}
