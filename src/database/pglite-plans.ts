/** Result of a statement in PGlite. */
export interface PGliteResult {
  /** The returned rows. */
  readonly rows: readonly unknown[]
  /** Number of changed rows. */
  readonly affectedRows?: number | undefined
}

/** The part of PGlite's transactions that this package uses. */
export interface PGliteTransaction {
  /** Runs a statement. */
  query(text: string, values?: unknown[]): Promise<PGliteResult>
  /** Runs several statements. */
  exec(text: string): Promise<readonly PGliteResult[]>
}

/**
 * Time after which a plan is made again, in milliseconds. Postgres keeps a plan until the statistics of a table change,
 * but PGlite never updates them by itself, and the plan for an empty table is slow for a large table.
 */
const PLAN_MS = 5_000

/** The kinds of statements that PREPARE accepts. */
const WITH_PLAN = /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i

/** SQLSTATE: the prepared statement does not exist. */
const UNKNOWN_STATEMENT = '26000'

/**
 * Plans of statements with constant texts. In PGlite, a statement takes several times longer to be planned than to be run.
 * PGlite offers no prepared statements by its protocol, so these are SQL: PREPARE, and EXECUTE with literals.
 */
export class PGlitePlans {
  /** Random, because several objects can use one PGlite. */
  readonly #prefix = `plan_${globalThis.crypto.randomUUID().replaceAll('-', '')}`
  readonly #plans = new Map<string, { readonly name: string; readonly endsAt: number }>()
  #replaced: string[] = []
  #count = 0

  /** Runs a statement by its plan. A statement whose values have no literal, such as bytes, runs without a plan. */
  async run(pglite: PGliteTransaction, text: string, values: readonly unknown[]): Promise<PGliteResult> {
    const literals = values.map(literalOf)
    if (!WITH_PLAN.test(text) || literals.includes(undefined)) return pglite.query(text, [...values])
    const list = literals.length === 0 ? '' : `(${literals.join(', ')})`
    try {
      const name = this.#current(text) ?? (await this.#prepare(pglite, text))
      const [result] = await pglite.exec(`EXECUTE ${name}${list}`)
      return result ?? { rows: [] }
    } catch (error) {
      if (!isUnknown(error)) throw error
      // Someone else removed the statements, for example by DEALLOCATE ALL. Nothing was run.
      this.#plans.clear()
      return pglite.query(text, [...values])
    }
  }

  #current(text: string): string | undefined {
    const plan = this.#plans.get(text)
    return plan !== undefined && performance.now() < plan.endsAt ? plan.name : undefined
  }

  /**
   * Creates a plan. A replaced plan is removed only at the next replacement, because another call may still be waiting
   * to use the replaced plan.
   */
  async #prepare(pglite: PGliteTransaction, text: string): Promise<string> {
    this.#count += 1
    const name = `${this.#prefix}_${this.#count}`
    const removed = this.#replaced.map((old) => `DEALLOCATE ${old}; `).join('')
    this.#replaced = []
    await pglite.exec(`${removed}PREPARE ${name} AS ${text}`)
    const old = this.#plans.get(text)
    if (old !== undefined) this.#replaced.push(old.name)
    this.#plans.set(text, { name, endsAt: performance.now() + PLAN_MS })
    return name
  }
}

/** Whether an error says that a prepared statement does not exist. */
function isUnknown(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === UNKNOWN_STATEMENT
}

/** A value as SQL; `undefined` if it has no simple form. */
function literalOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return 'NULL'
  if (!Array.isArray(value)) return isSimple(value) ? quoted(String(value)) : undefined
  const entries: readonly unknown[] = value
  if (!entries.every((entry) => entry === null || isSimple(entry))) return undefined
  return quoted(`{${entries.map(entryOf).join(',')}}`)
}

/** Whether a value can be written as SQL. A NUL would end the text of the statement. */
function isSimple(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0')
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
}

function entryOf(entry: unknown): string {
  return entry === null ? 'NULL' : `"${String(entry).replaceAll(/["\\]/g, '\\$&')}"`
}

/** Returns a text as an SQL literal that means the same with both values of `standard_conforming_strings`. */
function quoted(text: string): string {
  const doubled = text.replaceAll("'", "''")
  return doubled.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`
}
