import { ignore } from '../common/errors.js'
import { waitWithin } from '../common/time-limit.js'
import type { Database, QueryResult, Transaction, TransactionOptions } from './database.js'
import { connectionError, databaseLimits, repeated, STATEMENT_MS, sqlState } from './failures.js'
import { type PgStatement, pgStatement } from './values.js'

/** Result of a statement in pg. */
export interface PgResult {
  /** The returned rows. */
  readonly rows: readonly unknown[]
  /** Number of returned or changed rows. */
  readonly rowCount: number | null
}

/** The part of a pg `PoolClient` that this package uses. */
export interface PgPoolClient {
  /** Process id of the server's session, as the server, or a pooler before it, has stated it. */
  readonly processID?: number | null | undefined
  /** Runs a statement. */
  query(statement: string | PgStatement, values?: unknown[]): Promise<PgResult>
  /** Returns the connection to the pool, or closes it. */
  release(destroy?: boolean): void
  /** Adds a listener. */
  on(event: 'error' | 'notification' | 'end', listener: (value?: unknown) => void): unknown
  /** Removes a listener. */
  removeListener(event: string, listener: (value?: unknown) => void): unknown
}

/** The part of a pg `Pool` that this package uses. */
export interface PgPool {
  /** Acquires a connection. */
  connect(): Promise<PgPoolClient>
  /** Runs a statement on any connection. */
  query(statement: string | PgStatement, values?: unknown[]): Promise<PgResult>
  /** Adds a listener for errors of idle connections. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Closes the pool. */
  end(): Promise<void>
  /** Options of the pool. */
  readonly options?:
    | {
        /** Maximum number of connections. */
        readonly max?: number | undefined
      }
    | undefined
}

/** Maximum time for closing a pool, in milliseconds. */
const CLOSE_MS = 2_000

/** Pools that have a listener for errors. Without a listener, a restart of Postgres would end the process. */
const withListener = new WeakSet<PgPool>()

/** A Postgres server through a pool of pg. */
export class PoolDatabase implements Database {
  readonly kind = 'postgres'
  readonly isExclusive = false
  readonly #pool: PgPool
  readonly #isOwn: boolean

  /** @param isOwn - Whether `close` closes the pool. */
  constructor(pool: PgPool, isOwn: boolean) {
    this.#pool = pool
    this.#isOwn = isOwn
    if (withListener.has(pool)) return
    withListener.add(pool)
    pool.on('error', ignore)
  }

  get maxConnections(): number | undefined {
    const max = this.#pool.options?.max
    return typeof max === 'number' ? max : undefined
  }

  run<Row>(text: string, values?: readonly unknown[], signal?: AbortSignal): Promise<QueryResult<Row>> {
    return this.#withClient(signal, (client) => repeated(() => client.run<Row>(text, values)))
  }

  async transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { first = '', signal, idleTimeoutMs = STATEMENT_MS }: TransactionOptions = {},
  ): Promise<T> {
    return this.#withClient(signal, async (client) => {
      // Without `array_nulls`, a list of parameters could not contain NULL.
      const settings = `SET LOCAL array_nulls = on; SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(idleTimeoutMs)}`
      try {
        // The statements are one text without values, so that they need only one round trip. At a higher isolation
        // level, a statement after a lock would not see what the earlier holder of the lock has committed.
        await client.run(`BEGIN ISOLATION LEVEL READ COMMITTED; ${settings}; ${first}`)
        const result = await work(client)
        signal?.throwIfAborted()
        // If `work` ignored a failed statement, COMMIT alone would roll back without an error, but SELECT fails.
        await client.run('SELECT 1; COMMIT')
        return result
      } catch (error) {
        await client.rollback()
        throw error
      }
    })
  }

  async listen(channel: string, onMessage: () => void, onLost: () => void): Promise<() => Promise<void>> {
    const client = await this.#connect(undefined)
    let isOpen = true
    const close = async (): Promise<void> => {
      if (!isOpen) return
      isOpen = false
      client.release(true)
    }
    const lost = (): void => {
      if (!isOpen) return
      void close()
      onLost()
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', onMessage)
    try {
      await waitWithin(client.query(`LISTEN ${channel}`), databaseLimits())
    } catch (error) {
      await close()
      throw connectionError(error)
    }
    return close
  }

  async close(): Promise<void> {
    if (!this.#isOwn) return
    // The time limit is necessary because `end` also waits for connections to a server that does not respond.
    await waitWithin(this.#pool.end(), { limitMs: CLOSE_MS }).catch(ignore)
  }

  async #withClient<T>(
    signal: AbortSignal | undefined,
    work: (client: HeldClient) => Promise<T>,
  ): Promise<T> {
    const held = new HeldClient(await this.#connect(signal), signal)
    try {
      return await work(held)
    } finally {
      held.release()
    }
  }

  /**
   * Acquires a connection. The wait ends at the timeout, or when the signal aborts. A connection that the pool returns
   * later is released at once.
   */
  async #connect(signal: AbortSignal | undefined): Promise<PgPoolClient> {
    signal?.throwIfAborted()
    const pending = this.#pool.connect()
    try {
      return await waitWithin(pending, { signal, ...databaseLimits() })
    } catch (error) {
      pending.then((client) => client.release(), ignore)
      throw connectionError(error)
    }
  }
}

/** A connection that is acquired for one statement or transaction. */
class HeldClient implements Transaction {
  readonly #client: PgPoolClient
  readonly #signal: AbortSignal | undefined
  #isBroken = false

  constructor(client: PgPoolClient, signal: AbortSignal | undefined) {
    this.#client = client
    this.#signal = signal
    client.on('error', this.#markBroken)
  }

  query<Row>(text: string, values: readonly unknown[] = []): Promise<QueryResult<Row>> {
    return this.#result(this.#client.query(text, [...values]))
  }

  run<Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>> {
    return this.#result(this.#run(text, values))
  }

  async #run(text: string, values?: readonly unknown[]): Promise<PgResult> {
    return this.#client.query(pgStatement(text, values, await statementName(this.#client, text)))
  }

  async #result<Row>(pending: Promise<PgResult>): Promise<QueryResult<Row>> {
    try {
      const { rows, rowCount } = await waitWithin(pending, { signal: this.#signal, ...databaseLimits() })
      // The cast is not checked: the caller names the type of the rows that its statement returns.
      return { rows: (rows ?? []) as Row[], rowCount: rowCount ?? 0 }
    } catch (error) {
      if (isUnfinished(error, this.#signal)) this.#isBroken = true
      pending.catch(ignore)
      throw connectionError(error)
    }
  }

  async execute(text: string): Promise<void> {
    await this.run(text)
  }

  async rollback(): Promise<void> {
    if (this.#isBroken || this.#signal?.aborted === true) return this.#markBroken()
    await this.run('ROLLBACK').catch(this.#markBroken)
  }

  release(): void {
    this.#client.removeListener('error', this.#markBroken)
    // A closed connection can still emit an error. Without a listener, the error would end the process.
    if (this.#isBroken) this.#client.on('error', ignore)
    this.#client.release(this.#isBroken)
  }

  readonly #markBroken = (): void => {
    this.#isBroken = true
  }
}

/** Returns `true` when the connection cannot be used again, because it failed or its statement may still run. */
function isUnfinished(error: unknown, signal: AbortSignal | undefined): boolean {
  const state = sqlState(error)
  // The connection is closed after 25P03, 25P04, and all codes that begin with 08 or 57P. After 26000, the server has
  // lost the prepared statements of the connection.
  return signal?.aborted === true || state === undefined || /^(57P|08|25P0[34]|26000)/.test(state)
}

/**
 * Start of each statement that a connection to a server prepares once. Its plan must stay good while its tables grow from
 * nothing: it finds rows by complete unique keys, or each of them with a `LIMIT`.
 */
const PREPARED = '/* prepared */'

const names = new Map<string, string>()

/** For each connection, whether it can keep prepared statements. */
const direct = new WeakMap<PgPoolClient, Promise<boolean>>()

/**
 * Returns the name of a statement that is prepared once, the same for all connections; `undefined` for other statements.
 * Behind a pooler there are no names: the server can be another one for each transaction, and does not know them.
 */
async function statementName(client: PgPoolClient, text: string): Promise<string | undefined> {
  if (!text.startsWith(PREPARED)) return undefined
  let isDirect = direct.get(client)
  if (isDirect === undefined) {
    isDirect = reachesServer(client)
    direct.set(client, isDirect)
  }
  if (!(await isDirect)) return undefined
  const name = names.get(text) ?? `pathology_${globalThis.crypto.randomUUID()}`
  names.set(text, name)
  return name
}

/** Compares the process id of the connection with the server's. A pooler gives its clients ids of its own. */
async function reachesServer(client: PgPoolClient): Promise<boolean> {
  const { processID } = client
  if (typeof processID !== 'number') return false
  try {
    const { rows } = await client.query(pgStatement('SELECT pg_backend_pid() AS pid'))
    return Reflect.get(Object(rows[0]), 'pid') === processID
  } catch {
    return false
  }
}
