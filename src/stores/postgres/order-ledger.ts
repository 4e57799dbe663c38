import type {
  LedgerClaim,
  ManagedOrderLedger,
  OrderClaimRequest,
  OrderName,
  OrderResolution,
} from '../../client/orders/order-ledger.js'
import { pruneTime, type StoreChores } from '../chores.js'
import { entryOfJson, ledgerClaim, severalNamespaces } from '../found-entry.js'
import type { PostgresClient } from './client.js'
import { COLUMNS, type LedgerStatements, ledgerStatements, PRUNE_BATCH } from './order-ledger-sql.js'
import { errorCode, type PostgresStoreOptions, StoreTable } from './table.js'

const OWNER = 'postgresOrderLedger'

/** Codes of a database without timelines: not supported, no such function, not permitted. */
const NO_TIMELINE = new Set(['0A000', '42883', '42501'])

/** Number of times that a claim is repeated when other claims change the entry at the same moment. */
const CLAIM_TRIES = 10

/** An order ledger in a Postgres table. */
export interface PostgresOrderLedger extends ManagedOrderLedger, StoreChores {
  setup(): Promise<void>
}

/**
 * Creates an order ledger in the table `pathology_order_ledger`, or in the table of the options: all processes that share the
 * database place an order once. You open and close the pool. Call `setup()` once before the first order, and
 * `prune({ before })` regularly.
 *
 * The table has no health data: keys, times, UUIDs of referrals, and keyed hashes of orders. Times are those of the database.
 *
 * The ledger remembers since when it has all orders (`setup()`, or the last bound of `prune()`), and vouches for later ones:
 * an order whose key it does not have is sent without a lookup. A failover to an asynchronous replica can lose the last
 * entries. The ledger notices it and vouches for no key until `setup()` is called again, and then only for later orders.
 *
 * @param client - A pg `Pool`, PGlite, or a pg `Client` outside a transaction. A `Pool` needs one round trip for a statement,
 * and another client three.
 * @throws `ConfigurationError` if the client has no `query`, or the table's name is invalid. Each method rejects with it, and
 * changes nothing, if the client is inside a transaction: the other processes would not see the statement, and a rollback
 * would undo it after an order was sent.
 */
export function postgresOrderLedger(
  client: PostgresClient,
  options: PostgresStoreOptions = {},
): PostgresOrderLedger {
  return new TableLedger(client, options)
}

class TableLedger implements PostgresOrderLedger {
  readonly #table: StoreTable
  readonly #sql: LedgerStatements

  constructor(client: PostgresClient, options: PostgresStoreOptions) {
    this.#table = new StoreTable(client, options, {
      owner: OWNER,
      defaultName: 'pathology_order_ledger',
      columns: COLUMNS,
      endColumn: 'ends_at',
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
    const { token, leaseMs, fingerprint, mark, since } = request
    const values = [namespace, key, token, leaseMs, fingerprint.keyId, fingerprint.hash]
    for (let tries = 1; tries <= CLAIM_TRIES; tries += 1) {
      const found = await this.#found(this.#sql.claim, ...values, mark ?? null, since?.getTime() ?? null)
      if (found[0] !== undefined) return ledgerClaim(entryOfJson(found[0]), request)
    }
    throw new Error(`${OWNER}: the claim met a change of its entry ${CLAIM_TRIES} times; repeat it`)
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
    const name = typeof given === 'string' ? await this.#nameOf(given) : given
    if (name === undefined) return false
    const { namespace, key } = name
    if (outcome === 'not-placed') return this.#isDone(this.#sql.resolveNotPlaced, namespace, key)
    const referrals = JSON.stringify([...new Set(outcome.placed)])
    return this.#isDone(this.#sql.resolvePlaced, namespace, key, referrals)
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

  /** Returns the timeline, or an empty text where the database has or shows none. */
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

  /** Returns the column `found` of each row. */
  async #found(text: string, ...values: unknown[]): Promise<readonly string[]> {
    const rows = await this.#table.rows(text, ...values)
    return rows.map((row) => String(Reflect.get(Object(row), 'found')))
  }
}
