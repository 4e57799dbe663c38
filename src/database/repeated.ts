/** SQLSTATEs of conflicts between simultaneous statements. The failed statement had no effect and can be repeated. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01'])

/** Maximum attempts of a statement that fails with a conflict. */
const TRIES = 5

/**
 * Runs a statement outside a transaction, and repeats it after a conflict with another statement. At the isolation level
 * that a database sets by `default_transaction_isolation`, conflicts can be frequent.
 */
export async function repeated<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (tries === TRIES || !CONFLICTS.has(Reflect.get(Object(error), 'code'))) throw error
    }
  }
}
