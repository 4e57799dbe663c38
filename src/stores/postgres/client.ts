import { ConfigurationError } from '../../common/errors.js'
import { isPGlite, isPool } from '../../database/drivers.js'
import { PGLITE_OPTIONS, pgStatement } from '../../database/values.js'

/** The part of a pg `Pool` or `Client` that a store uses. PGlite has this part too. */
export interface PostgresClient {
  query(
    text: string,
    values: unknown[],
  ): Promise<{
    /** The returned rows. */
    readonly rows: readonly unknown[]
  }>
}

/** Name of a setting. The value of the setting lasts until the end of the transaction that sets it. */
const PROBE = 'pathology_sdk.probe'

/** SQLSTATE of a statement in a transaction in which an earlier statement has failed. */
const FAILED_TRANSACTION = '25P02'

/**
 * Returns a client whose values do not depend on the parsers of the application. An object of another kind than pg or
 * PGlite gets plain statements.
 */
export function withOwnParsers(client: PostgresClient): PostgresClient {
  const given: unknown = client
  if (isPGlite(given)) return { query: (text, values) => given.query(text, values, PGLITE_OPTIONS) }
  if (isPool(given)) return { query: (text, values) => given.query(pgStatement(text, values)) }
  return client
}

/**
 * Returns a client that rejects statements inside a transaction of the caller. A pool needs no check, because each of
 * its statements is a transaction of its own. Any other client has one connection, so the store's statements wait for
 * one another: none may run between a check and its statement.
 */
export function outsideTransactions(owner: string, given: PostgresClient): PostgresClient {
  const client = withOwnParsers(given)
  if (typeof Reflect.get(given, 'totalCount') === 'number') return client
  let last: Promise<unknown> = Promise.resolve()
  const checked = async (text: string, values: unknown[]): ReturnType<PostgresClient['query']> => {
    if (await isInTransaction(client)) {
      throw new ConfigurationError(
        `${owner}: the client is inside a transaction, so other processes would not see the change and a rollback would undo it; nothing was written. Pass a Pool, or a client that no other code uses`,
      )
    }
    return client.query(text, values)
  }
  return {
    query(text, values) {
      const result = last.then(() => checked(text, values))
      last = result.catch(() => undefined)
      return result
    },
  }
}

/**
 * The first statement sets a value that lasts until the end of its transaction, so the second one sees it only if both
 * are in the same. Comparing `now()` with `statement_timestamp()` fails in the extended protocol.
 */
async function isInTransaction(client: PostgresClient): Promise<boolean> {
  const probe = globalThis.crypto.randomUUID()
  try {
    await client.query('SELECT set_config($1, $2, true)', [PROBE, probe])
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === FAILED_TRANSACTION) return true
    throw error
  }
  const { rows } = await client.query('SELECT current_setting($1, true) AS probe', [PROBE])
  return Reflect.get(Object(rows[0]), 'probe') === probe
}
