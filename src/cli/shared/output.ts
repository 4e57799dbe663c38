import Papa from 'papaparse'
import { similarName } from '../../contract/similar.js'
import { writeColumns } from './table.js'
import { styled, type Terminal } from './terminal.js'
import { timeZone } from './times.js'

/** Output options of every command with rows. */
export interface RowOptions {
  readonly json?: boolean | undefined
  readonly csv?: boolean | undefined
  readonly table?: boolean | undefined
  /** Paths of fields, separated by commas. */
  readonly columns?: string | undefined
  /** Time zone of the times in a table. Default: the time zone of this machine. */
  readonly tz?: string | undefined
}

/** A column: the path of a field, or a heading with a function that returns the value. */
export type Column<T> = string | readonly [heading: string, value: (record: T) => unknown]

export interface RowLayout<T> {
  readonly columns: readonly Column<T>[]
  /** Columns of a table, if they differ from the columns of CSV. The ones on the right give way in a narrow terminal. */
  readonly table?: readonly Column<T>[]
  /** Number of columns of a table, from the left, that are always shown whole. Default 1. */
  readonly whole?: number
  /** `true`: columns for which a terminal is too narrow follow on a line below their row. */
  readonly continues?: boolean
  /** Sentence that is shown if there are no rows. */
  readonly empty?: string
}

export type RowFormat = 'json' | 'csv' | 'table'

/** Returns the chosen format. The default is a table in a terminal, and CSV in a pipe or a file. */
export function formatOf(terminal: Terminal, options: RowOptions): RowFormat {
  if (options.json === true) return 'json'
  if (options.csv === true) return 'csv'
  return options.table === true || terminal.stdout.isTTY ? 'table' : 'csv'
}

/** Writes records as rows. JSON has the complete records; CSV and tables have the columns. */
export async function writeRows<T extends object>(
  terminal: Terminal,
  options: RowOptions,
  layout: RowLayout<T>,
  records: AsyncIterable<T> | Iterable<T>,
): Promise<undefined> {
  const format = formatOf(terminal, options)
  if (format === 'json') return writeJsonRows(terminal, records)
  const chosen = options.columns?.split(',').map((path) => path.trim())
  const checked = chosen === undefined ? records : withKnownColumns(terminal, chosen, records)
  if (format === 'csv') return writeCsv(terminal, chosen ?? layout.columns, checked)
  const columns = chosen ?? layout.table ?? layout.columns
  const rows: string[][] = []
  for await (const record of checked) rows.push(columns.map((column) => oneLine(cellOf(column, record))))
  if (rows.length === 0) terminal.stderr.write(`${layout.empty ?? 'No rows.'}\n`)
  else
    writeColumns(terminal, columns.map(tableHeadingOf), rows, {
      zone: timeZone(options.tz),
      whole: layout.whole,
      continues: layout.continues,
    })
  return undefined
}

/** Writes one object as JSON, or as lines of names and values. Lists of objects become tables. */
export function writeObject(
  terminal: Terminal,
  options: RowOptions,
  value: object,
  tables: Readonly<Record<string, readonly Column<object>[]>> = {},
): undefined {
  if (formatOf(terminal, options) !== 'table') return writeJson(terminal, value)
  const lists = Object.entries(value).filter(([, entry]) => isListOfObjects(entry))
  const names = new Set(lists.map(([name]) => name))
  const fields = fieldsOf(Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name))))
  const entries = fields.map(([name, text]) => [oneLine(name), text] as const)
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  for (const [name, text] of entries) {
    terminal.stdout.write(`${styled(terminal, 'bold', name.padEnd(width))}  ${text}\n`)
  }
  for (const [name, list] of lists) {
    const columns = tables[name] ?? columnsOf(list)
    terminal.stdout.write(`\n${styled(terminal, 'bold', oneLine(`${name} (${list.length})`))}\n`)
    writeColumns(
      terminal,
      columns.map(tableHeadingOf),
      list.map((record: object) => columns.map((column) => oneLine(cellOf(column, record)))),
      { zone: timeZone(options.tz) },
    )
  }
  return undefined
}

function isListOfObjects(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((entry) => typeof entry === 'object' && entry !== null)
  )
}

/** Returns the names of the fields that have a simple value, such as a text, in at least one record. */
function columnsOf(list: readonly object[]): string[] {
  const names = list.flatMap((record) =>
    Object.entries(record).flatMap(([name, entry]) => (typeof entry === 'object' ? [] : [name])),
  )
  return [...new Set(names)]
}

export function writeJson({ stdout }: Terminal, value: unknown): undefined {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`)
  return undefined
}

async function writeJsonRows<T>(
  { stdout }: Terminal,
  records: AsyncIterable<T> | Iterable<T>,
): Promise<undefined> {
  let isFirst = true
  for await (const record of records) {
    stdout.write(`${isFirst ? '[' : ','}\n${JSON.stringify(record, null, 2).replace(/^/gm, '  ')}`)
    isFirst = false
  }
  stdout.write(isFirst ? '[]\n' : '\n]\n')
  return undefined
}

async function writeCsv<T>(
  { stdout }: Terminal,
  columns: readonly Column<T>[],
  records: AsyncIterable<T> | Iterable<T>,
): Promise<undefined> {
  const line = (cells: readonly string[]): string => `${Papa.unparse([[...cells]], { newline: '\r\n' })}\r\n`
  // The heading is written with the first record, so that a list that fails at once prints nothing.
  let heading = line(columns.map(headingOf))
  for await (const record of records) {
    stdout.write(`${heading}${line(columns.map((column) => cellOf(column, record)))}`)
    heading = ''
  }
  stdout.write(heading)
  return undefined
}

/** Yields the records, then warns of each chosen column that no record has. */
async function* withKnownColumns<T extends object>(
  terminal: Terminal,
  chosen: readonly string[],
  records: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T> {
  let unseen = chosen
  const fields = new Set<string>()
  for await (const record of records) {
    unseen = unseen.filter((path) => valueAt(record, path) === undefined)
    if (unseen.length > 0) for (const [path] of fieldsOf(record)) fields.add(path)
    yield record
  }
  // Without a record, the columns cannot be checked.
  if (fields.size > 0) for (const path of unseen) warnOfColumn(terminal, path, fields)
}

function warnOfColumn({ stderr }: Terminal, path: string, fields: ReadonlySet<string>): void {
  const meant = similarName(path, fields)
  const next = meant === undefined ? '--json shows all fields' : `did you mean ${meant}?`
  stderr.write(`${oneLine(`No record has the field ${path}, so its column is empty; ${next}`)}\n`)
}

function headingOf<T>(column: Column<T>): string {
  return typeof column === 'string' ? column : column[0]
}

function tableHeadingOf<T>(column: Column<T>): string {
  return oneLine(headingOf(column))
}

function cellOf<T>(column: Column<T>, record: T): string {
  return textOf(typeof column === 'string' ? valueAt(record, column) : column[1](record))
}

/** Returns the value at a path such as `person.lastName`. */
function valueAt(record: unknown, path: string): unknown {
  let value = record
  for (const name of path.split('.')) {
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined
  }
  return value
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object')) return value.join(' ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Replaces control characters, which would move the cursor of a terminal. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

function fieldsOf(value: object, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, entry]): [string, string][] => {
    const path = `${prefix}${name}`
    const isNested = typeof entry === 'object' && entry !== null && !Array.isArray(entry)
    return isNested ? fieldsOf(entry, `${path}.`) : [[path, oneLine(textOf(entry))]]
  })
}
