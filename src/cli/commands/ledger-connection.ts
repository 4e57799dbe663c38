import type { ManagedOrderLedger } from '../../client/index.js'
import { isPathologyError } from '../../common/errors.js'
import { loaded } from '../../common/lazy-import.js'
import { type EnvironmentOptions, variableReader } from '../shared/environment.js'
import { OperationError, type Terminal, UsageError } from '../shared/terminal.js'

/** URL of the database with the ledger. */
export const LEDGER_VARIABLE = 'PATHOLOGY_LEDGER_URL'

export interface LedgerOptions extends EnvironmentOptions {
  /** Table in Postgres, or prefix of the keys in Redis. */
  readonly store?: string
}

/** Time limits of a person's command: a database that does not respond should not look like a slow one. */
const CONNECT_MS = 5_000
const STATEMENT_MS = 30_000

interface OpenLedger {
  readonly ledger: ManagedOrderLedger
  readonly close: () => Promise<unknown>
}

/** Runs a function with the order ledger at `PATHOLOGY_LEDGER_URL`, and closes the connection afterwards. */
export async function withLedger<T>(
  terminal: Terminal,
  options: LedgerOptions,
  use: (ledger: ManagedOrderLedger) => Promise<T>,
): Promise<T> {
  const url = variableReader(terminal, options)(LEDGER_VARIABLE) ?? ''
  const open = opening(url)
  if (open === undefined)
    throw new UsageError(
      `${LEDGER_VARIABLE} must be the URL of the ledger's database: postgres://…, redis://… or rediss://…. The ledger in memory ends with its process, so no command can read it`,
    )
  try {
    const { ledger, close } = await open(url, options.store)
    try {
      return await use(ledger)
    } finally {
      await close()
    }
  } catch (error) {
    if (isPathologyError(error) || error instanceof UsageError || error instanceof OperationError) throw error
    throw new OperationError(`the database of the ledger failed (${reasonOf(error)}); see ${LEDGER_VARIABLE}`)
  }
}

function opening(url: string) {
  if (/^postgres(ql)?:\/\//i.test(url)) return openPostgres
  return /^rediss?:\/\//i.test(url) ? openRedis : undefined
}

async function openPostgres(connectionString: string, table: string | undefined): Promise<OpenLedger> {
  const { default: pg } = await loaded(
    import('pg'),
    'the package pg could not be loaded. Install it: npm install pg',
  )
  const { postgresOrderLedger } = await import('../../stores/postgres.js')
  const limits = { connectionTimeoutMillis: CONNECT_MS, query_timeout: STATEMENT_MS }
  const pool = new pg.Pool({ connectionString, max: 2, ...limits })
  // Without a listener, a lost idle connection would end the process.
  pool.on('error', () => undefined)
  return { ledger: postgresOrderLedger(pool, { table }), close: () => pool.end() }
}

async function openRedis(url: string, prefix: string | undefined): Promise<OpenLedger> {
  const { redisOrderLedger } = await import('../../stores/redis.js')
  const library = await import('redis').catch(() => undefined)
  if (library === undefined) {
    const { Redis } = await loaded(
      import('ioredis'),
      'neither the package redis nor ioredis could be loaded. Install one: npm install redis',
    )
    const limits = { connectTimeout: CONNECT_MS, commandTimeout: STATEMENT_MS, maxRetriesPerRequest: 0 }
    const client = new Redis(url, { ...limits, lazyConnect: true, retryStrategy: () => null })
    client.on('error', () => undefined)
    await client.connect()
    return { ledger: redisOrderLedger(client, { prefix }), close: async () => client.disconnect() }
  }
  const socket = {
    connectTimeout: CONNECT_MS,
    socketTimeout: STATEMENT_MS,
    reconnectStrategy: false,
  } as const
  const client = library.createClient({ url, socket })
  client.on('error', () => undefined)
  await client.connect()
  return { ledger: redisOrderLedger(client, { prefix }), close: async () => client.destroy() }
}

/** Returns the code or the kind of a database error. Its message can contain the URL with the password. */
function reasonOf(error: unknown): string {
  const code: unknown = Reflect.get(Object(error), 'code')
  if (typeof code === 'string') return code
  if (!(error instanceof Error)) return 'unknown reason'
  // Messages of Redis begin with a code, such as WRONGPASS.
  return /^[A-Z]{3,20}\b/.exec(error.message)?.[0] ?? error.constructor.name
}
