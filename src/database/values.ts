/**
 * Parsers of the values that the statements of this package return, by the OID of the type. They are passed with each
 * statement, because an application can replace the parsers of its driver, its pool or its PGlite. A value of any other
 * type is returned as text.
 */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: Number,
  21: Number,
  23: Number,
  25: String,
  114: JSON.parse,
  700: Number,
  701: Number,
  1043: String,
  1700: Number,
  2950: String,
  3802: JSON.parse,
}

/** Parsers in the form of pg. */
export interface PgTypes {
  /** Returns the parser of a type. */
  getTypeParser(oid: number): (text: string) => unknown
}

/** A statement of pg with its own parsers. */
export interface PgStatement {
  /** Name of the prepared statement; without it, the server parses the text each time. */
  readonly name?: string | undefined
  /** SQL with the parameters `$1`, `$2` and so on. */
  readonly text: string
  /** Values of the parameters. */
  readonly values: unknown[]
  /** Parsers of the returned values. */
  readonly types: PgTypes
}

const TYPES: PgTypes = { getTypeParser: (oid) => PARSERS[oid] ?? String }

/** Returns a statement for pg whose values do not depend on the parsers of the application. */
export function pgStatement(text: string, values: readonly unknown[] = [], name?: string): PgStatement {
  return { name, text, values: [...values], types: TYPES }
}

/**
 * Options for PGlite, with the same effect as {@link pgStatement}. An application can also replace how PGlite writes the
 * values of parameters.
 */
export const PGLITE_OPTIONS = {
  parsers: { ...PARSERS },
  serializers: Object.fromEntries(Object.keys(PARSERS).map((oid) => [oid, String])),
}

/** A row before its times, which {@link isoTime} returns as text, are converted to dates. */
export type WithTexts<Row> = {
  readonly [Name in keyof Row]: Date extends Row[Name] ? Exclude<Row[Name], Date> | string : Row[Name]
}

/** Converts a time of {@link isoTime} to a date. */
export function dateOf(time: string | null | undefined): Date | null {
  return typeof time === 'string' ? new Date(time) : null
}

/** Converts times of {@link isoTime} in a row to dates. */
export function withDates<Row extends object>(row: WithTexts<Row>, ...names: readonly (keyof Row)[]): Row {
  const dates = names.map((name) => [name, dateOf(row[name] as string | null)])
  // The cast is safe if `names` has the names of all times of the row.
  return { ...row, ...Object.fromEntries(dates) } as Row
}

/**
 * Returns the SQL of a time as ISO 8601 in UTC with microseconds. A time that is returned as it is would depend on the
 * settings `DateStyle` and `TimeZone`.
 */
export function isoTime(time: string): string {
  return `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
