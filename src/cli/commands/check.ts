import Papa from 'papaparse'
import {
  checkDvaNumber,
  checkMedicareCardNumber,
  checkProviderNumber,
} from '../../contract/identifier-checks.js'
import { similarName } from '../../contract/similar.js'
import type { CommandRow, OptionRow } from '../shared/command.js'
import { readText } from '../shared/files.js'
import { formatOf, type RowOptions, writeRows } from '../shared/output.js'
import { EXIT, type ExitCode, type Terminal, UsageError } from '../shared/terminal.js'

interface CheckOptions {
  readonly irn?: boolean
  /** File to check. */
  readonly csv?: string
  readonly column?: string
  readonly json?: boolean
  readonly table?: boolean
}

type CheckResult =
  | { readonly valid: true }
  | { readonly valid: false; readonly reason: string; readonly message: string }
type Check = (value: string, options: CheckOptions) => CheckResult

/** Kinds of numbers. `name` is the name of the command, and `words` is a part of its description. */
const KINDS: readonly (readonly [name: string, words: string, example: string, check: Check])[] = [
  [
    'medicare',
    'Medicare card numbers',
    'check medicare 2950 27566 1/1 --irn',
    (value, { irn }) => checkMedicareCardNumber(value, { requireIrn: irn }),
  ],
  ['provider', 'Medicare provider numbers', 'check provider 2426621B', checkProviderNumber],
  ['dva', 'DVA file numbers', 'check dva NX 123456', checkDvaNumber],
]

const IRN: OptionRow = ['--irn', 'require the eleventh digit, as Medicare orders do']

/** Result for one value. The result never contains the value. */
interface CheckRow {
  /** Position of the record in the CSV file. The headings are row 1. A single value has row 1. */
  readonly row: number
  readonly valid: boolean
  readonly reason: string | undefined
  readonly message: string | undefined
}

export const commands: readonly CommandRow[] = KINDS.map(([name, words, example, check]) => ({
  name: `${name} [value...]`,
  summary: `check ${words}. A value can contain spaces; - reads the value from standard input`,
  isOffline: true,
  prints: {
    json: 'print JSON',
    table: 'print one line for a value (the default), or a table for a file (the default in a terminal)',
  },
  options: [
    ...(name === 'medicare' ? [IRN] : []),
    ['--csv <file>', 'check a column of a CSV file'],
    ['--column <name>', 'heading of the column'],
  ],
  examples: [example, `check ${name} --csv patients.csv --column card`],
  run: (terminal, value: readonly string[], options: CheckOptions) =>
    run(terminal, check, value.length === 0 ? undefined : value.join(' '), options),
}))

async function run(
  terminal: Terminal,
  check: Check,
  value: string | undefined,
  options: CheckOptions,
): Promise<ExitCode> {
  if ((value === undefined) === (options.csv === undefined))
    throw new UsageError('pass either a value, or --csv <file> with --column <name>')
  const rows =
    options.csv === undefined
      ? [rowOf(1, check(await givenValue(terminal, value ?? ''), options))]
      : await rowsOfFile(terminal, check, options)
  const { json, table } = options
  const output: RowOptions = { json, table: table === true || options.csv === undefined }
  const [only] = rows
  if (options.csv === undefined && only !== undefined && formatOf(terminal, output) === 'table')
    terminal.stdout.write(only.valid ? 'valid\n' : `invalid: ${only.message} (${only.reason})\n`)
  else await writeRows(terminal, output, { columns: ['row', 'valid', 'reason', 'message'] }, rows)
  return rows.every(({ valid }) => valid) ? EXIT.ok : EXIT.findings
}

async function givenValue(terminal: Terminal, value: string): Promise<string> {
  return value === '-' ? (await readText(terminal, '-')).trim() : value
}

async function rowsOfFile(terminal: Terminal, check: Check, options: CheckOptions): Promise<CheckRow[]> {
  const { csv = '', column } = options
  if (column === undefined) throw new UsageError('--csv needs --column with the heading of the column')
  const [headings, ...records] = recordsOf(await readText(terminal, csv), column)
  const index = headings.indexOf(column)
  return records.flatMap((record, at) =>
    record.every((cell) => cell.trim() === '') ? [] : [rowOf(at + 2, check(record[index] ?? '', options))],
  )
}

/** Parses the file with each delimiter until its headings contain the column. Headings are trimmed. */
function recordsOf(text: string, column: string): [headings: string[], ...records: string[][]] {
  const seen: string[] = []
  for (const delimiter of [',', ';', '\t', '|']) {
    const { data, errors } = Papa.parse<string[]>(text, { delimiter })
    const [first = [], ...records] = data
    const headings = first.map((heading) => heading.trim())
    if (headings.includes(column)) {
      checkQuotes(errors)
      return [headings, ...records]
    }
    seen.push(...headings)
  }
  // A file without headings starts with a patient's data, so the message shows only a heading that is similar to
  // `column`.
  const meant = similarName(column, seen)
  const advice = meant === undefined ? 'the first row must contain the headings' : `did you mean ${meant}?`
  throw new UsageError(`the file has no column ${column}; ${advice}`)
}

/** Rejects a file with an invalid quotation mark, because the parser reads later records as a part of that cell. */
function checkQuotes(errors: readonly Papa.ParseError[]): void {
  const error = errors.find(({ type }) => type === 'Quotes')
  if (error === undefined) return
  const place = error.row === undefined ? 'a record' : `record ${error.row + 1}`
  const problem =
    error.code === 'InvalidQuotes'
      ? 'text after a closing quotation mark'
      : 'a quotation mark that is not closed'
  throw new UsageError(`${place} of the file has ${problem}; nothing was checked. Correct the file`)
}

function rowOf(row: number, result: CheckResult): CheckRow {
  return result.valid
    ? { row, valid: true, reason: undefined, message: undefined }
    : { row, valid: false, reason: result.reason, message: result.message }
}
