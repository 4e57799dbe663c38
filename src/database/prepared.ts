import { type PgStatement, pgStatement } from './values.js'

/** A connection of pg. */
interface Connection {
  readonly processID?: number | null | undefined
  query(statement: PgStatement): Promise<{ readonly rows: readonly unknown[] }>
}

/**
 * Start of each statement that a connection to a server prepares once. Its plan must stay good while its tables grow from
 * nothing: it finds rows by complete unique keys, or each of them with a `LIMIT`.
 */
const PREPARED = '/* prepared */'

const names = new Map<string, string>()

/** For each connection, whether it can keep prepared statements. */
const direct = new WeakMap<Connection, Promise<boolean>>()

/**
 * Returns the name of a statement that is prepared once, the same for all connections; `undefined` for other statements.
 * Behind a pooler there are no names: the server can be another one for each transaction, and does not know them.
 */
export async function statementName(client: Connection, text: string): Promise<string | undefined> {
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
async function reachesServer(client: Connection): Promise<boolean> {
  const { processID } = client
  if (typeof processID !== 'number') return false
  try {
    const { rows } = await client.query(pgStatement('SELECT pg_backend_pid() AS pid'))
    return Reflect.get(Object(rows[0]), 'pid') === processID
  } catch {
    return false
  }
}
