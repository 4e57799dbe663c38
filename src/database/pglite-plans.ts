import { isBytes } from '../contract/realms.js'
import { sqlState } from './failures.js'
import { PGLITE_OPTIONS } from './values.js'

/** Result of a statement in PGlite. */
export interface PGliteResult {
  /** The returned rows. */
  readonly rows: readonly unknown[]
  /** Number of changed rows. */
  readonly affectedRows?: number | undefined
}

/** Options of a statement in PGlite. */
export interface PGliteQueryOptions {
  /** Parsers of the returned values, by the OID of their type. */
  readonly parsers?: Record<number, (text: string) => unknown>
  /** Functions that return the values of parameters as text, by the OID of their type. */
  readonly serializers?: Record<number, (value: unknown) => string>
}

/** The part of PGlite's transactions that this package uses. */
export interface PGliteTransaction {
  /** Runs a statement. */
  query(text: string, values?: unknown[], options?: PGliteQueryOptions): Promise<PGliteResult>
  /** Runs several statements. */
  exec(text: string, options?: PGliteQueryOptions): Promise<readonly PGliteResult[]>
}

/**
 * Lifetime of a plan in milliseconds. A plan for an empty table is slow once the table is large. Postgres replaces a
 * plan when the statistics of its tables change, but PGlite never updates the statistics by itself.
 */
const PLAN_MS = 5_000

/** Statements that get a cached plan. PREPARE accepts all of them. */
const WITH_PLAN = /^(\/\*[^*]*\*\/)?\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i

/** SQLSTATE: the prepared statement does not exist. */
const UNKNOWN_STATEMENT = '26000'

/**
 * Cache of query plans for statements with constant texts. PGlite takes several times longer to plan a statement than
 * to run it. Its API has no prepared statements, so this class uses the SQL statements PREPARE, and EXECUTE with
 * literals.
 */
export class PGlitePlans {
  /** Random prefix of the names of plans, because several `PGlitePlans` objects can use one PGlite. */
  readonly #prefix = `plan_${globalThis.crypto.randomUUID().replaceAll('-', '')}`
  readonly #plans = new Map<string, { readonly name: string; readonly endsAt: number }>()
  #replaced: string[] = []
  #count = 0

  /** Runs a statement. Uses a cached plan if PREPARE accepts the statement and each value has an SQL literal. */
  async run(pglite: PGliteTransaction, text: string, values: readonly unknown[]): Promise<PGliteResult> {
    const literals = values.map(literalOf)
    if (!WITH_PLAN.test(text) || literals.includes(undefined))
      return pglite.query(text, [...values], PGLITE_OPTIONS)
    const list = literals.length === 0 ? '' : `(${literals.join(', ')})`
    try {
      const name = this.#current(text) ?? (await this.#prepare(pglite, text))
      const [result] = await pglite.exec(`EXECUTE ${name}${list}`, PGLITE_OPTIONS)
      return result ?? { rows: [] }
    } catch (error) {
      if (sqlState(error) !== UNKNOWN_STATEMENT) throw error
      // Other code removed the prepared statements, for example with DEALLOCATE ALL. The statement did not run.
      this.#plans.clear()
      return pglite.query(text, [...values], PGLITE_OPTIONS)
    }
  }

  #current(text: string): string | undefined {
    const plan = this.#plans.get(text)
    return plan !== undefined && performance.now() < plan.endsAt ? plan.name : undefined
  }

  /**
   * Creates a plan. Removes a replaced plan only when the next plan is created. Until then, another call may be waiting
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

/** Returns a value as an SQL literal; `undefined` if it has none that is simple to write. */
function literalOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return 'NULL'
  if (isBytes(value)) return quoted(`\\x${Buffer.from(value).toString('hex')}`)
  if (!Array.isArray(value)) return isSimple(value) ? quoted(String(value)) : undefined
  const entries: readonly unknown[] = value
  if (!entries.every((entry) => entry === null || isSimple(entry))) return undefined
  return quoted(`{${entries.map(entryOf).join(',')}}`)
}

/**
 * Returns `true` when a value can be written as an SQL literal. A string with a NUL cannot be written: the NUL would
 * end the statement.
 */
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
