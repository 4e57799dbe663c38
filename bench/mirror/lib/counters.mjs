/** Statements that this process has sent to the database, and the time of its transactions. */
export const counters = { statements: 0, transactionMs: 0 }

/**
 * Counts the statements that any library of this process sends with pg, and measures the time of their transactions.
 * @param {typeof import('pg').Client} Client
 */
export function countStatements(Client) {
  const { query } = Client.prototype
  const begunAt = new WeakMap()
  /** @this {import('pg').Client} @param {unknown[]} values */
  Client.prototype.query = function counted(...values) {
    counters.statements += 1
    const [first] = values
    const text = typeof first === 'string' ? first : String(Object(first).text ?? '')
    if (text.startsWith('BEGIN')) begunAt.set(this, performance.now())
    const result = Reflect.apply(query, this, values)
    if (text.endsWith('COMMIT')) {
      const begun = begunAt.get(this)
      return result.then((/** @type {unknown} */ value) => {
        counters.transactionMs += performance.now() - begun
        return value
      })
    }
    return result
  }
}

/**
 * Measures the total time of the transactions of a PGlite.
 * @param {import('@electric-sql/pglite').PGlite} pglite
 */
export function countPGlite(pglite) {
  const transaction = pglite.transaction.bind(pglite)
  pglite.transaction = async (work) => {
    const begun = performance.now()
    try {
      return await transaction(work)
    } finally {
      counters.transactionMs += performance.now() - begun
    }
  }
  return pglite
}
