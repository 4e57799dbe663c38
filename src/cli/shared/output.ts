import Papa from 'papaparse'
import { styled, type Terminal } from './terminal.js'

/** Output options of every command with rows. */
export interface RowOptions {
  readonly json?: boolean | undefined
  readonly csv?: boolean | undefined
  readonly table?: boolean | undefined
  /** Paths of fields, separated by commas. */
  readonly columns?: string | undefined
}

/** One column: its heading, and its value for a record. A text is the path of a field. */
export type Column<T> = string | readonly [heading: string, value: (record: T) => unknown]

/** Format of the output. */
export type RowFormat = 'json' | 'csv' | 'table'

/** The chosen format. Without an option: a table in a terminal, CSV for a program or a file. */
export function formatOf(terminal: Terminal, options: RowOptions): RowFormat {
  if (options.json === true) return 'json'
  if (options.csv === true) return 'csv'
  return options.table === true || terminal.stdout.isTTY ? 'table' : 'csv'
}

/** Writes records as rows. JSON has the complete records; CSV and tables have the columns. Returns their number. */
export async function writeRows<T extends object>(
  terminal: Terminal,
  options: RowOptions,
  columns: readonly Column<T>[],
  records: AsyncIterable<T> | Iterable<T>,
): Promise<number> {
  const format = formatOf(terminal, options)
  if (format === 'json') return writeJsonRows(terminal, records)
  const shown: readonly Column<T>[] = options.columns?.split(',').map((path) => path.trim()) ?? columns
  return format === 'csv' ? writeCsv(terminal, shown, records) : writeTable(terminal, shown, records)
}

/** Writes one object: as JSON, or as lines of names and values. */
export function writeObject(terminal: Terminal, options: RowOptions, value: object): void {
  if (options.json === true || !(terminal.stdout.isTTY || options.table === true)) {
    writeJson(terminal, value)
    return
  }
  const entries = fieldsOf(value)
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  for (const [name, text] of entries) {
    terminal.stdout.write(`${styled(terminal, 'bold', name.padEnd(width))}  ${text}\n`)
  }
}

/** Writes a value as indented JSON. */
export function writeJson({ stdout }: Terminal, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

async function writeJsonRows<T>(
  { stdout }: Terminal,
  records: AsyncIterable<T> | Iterable<T>,
): Promise<number> {
  let count = 0
  for await (const record of records) {
    stdout.write(`${count === 0 ? '[' : ','}\n${indented(JSON.stringify(record, null, 2))}`)
    count += 1
  }
  stdout.write(count === 0 ? '[]\n' : '\n]\n')
  return count
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}

async function writeCsv<T>(
  { stdout }: Terminal,
  columns: readonly Column<T>[],
  records: AsyncIterable<T> | Iterable<T>,
): Promise<number> {
  const line = (cells: readonly string[]): string => `${Papa.unparse([[...cells]], { newline: '\r\n' })}\r\n`
  const heading = line(columns.map(headingOf))
  let count = 0
  for await (const record of records) {
    if (count === 0) stdout.write(heading)
    stdout.write(line(columns.map((column) => cellOf(column, record))))
    count += 1
  }
  // A list that fails before its first record prints nothing.
  if (count === 0) stdout.write(heading)
  return count
}

async function writeTable<T>(
  terminal: Terminal,
  columns: readonly Column<T>[],
  records: AsyncIterable<T> | Iterable<T>,
): Promise<number> {
  const rows: string[][] = []
  for await (const record of records) rows.push(columns.map((column) => oneLine(cellOf(column, record))))
  const headings = columns.map(headingOf)
  const widths = headings.map((heading, at) =>
    Math.max(heading.length, ...rows.map((row) => (row[at] ?? '').length)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  terminal.stdout.write(`${styled(terminal, 'bold', line(headings))}\n`)
  for (const row of rows) terminal.stdout.write(`${line(row)}\n`)
  return rows.length
}

function headingOf<T>(column: Column<T>): string {
  return typeof column === 'string' ? column : column[0]
}

function cellOf<T>(column: Column<T>, record: T): string {
  return textOf(typeof column === 'string' ? valueAt(record, column) : column[1](record))
}

/** Follows a path such as `person.lastName`. */
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

/** Control characters would move the cursor of a terminal. */
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
