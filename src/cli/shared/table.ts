import { isInstant } from '../../contract/times.js'
import { styled, type Terminal } from './terminal.js'
import { shortTimes } from './times.js'

/** Width, in characters, below which a column is left out instead of cut. */
const MIN_WIDTH = 10

/** Identifiers, and cells without letters such as numbers and times, are never cut: half of one is worth nothing. */
const INDIVISIBLE = /^(?=.*\d)[\w-]{20,40}$|^\P{L}*\d\P{L}*$/u

/** How a table is shown. */
export interface TableStyle {
  /** Time zone of the times. */
  readonly zone: string
  /** Number of columns, from the left, that are always shown whole. Default 1. */
  readonly whole?: number | undefined
  /** `true`: columns that are left out follow on a line below their row. */
  readonly continues?: boolean | undefined
}

/**
 * Writes headings and rows in columns. In a terminal, the columns on the right give way until the others fit: first
 * they are cut with `…`, then they are left out, which a line on standard error says.
 */
export function writeColumns(
  terminal: Terminal,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { zone, whole = 1, continues = false }: TableStyle,
): void {
  const { stdout, stderr } = terminal
  const columns = headings.map((heading, at) =>
    columnOf(
      heading,
      rows.map((row) => row[at] ?? ''),
      zone,
      at < whole,
    ),
  )
  const shown = fitting(columns, stdout.isTTY ? stdout.columns : undefined)
  const line = (cellOf: (column: Column) => string): string =>
    shown
      .map(([column, width]) => cut(cellOf(column), width).padEnd(width))
      .join('  ')
      .trimEnd()
  stdout.write(
    `${styled(
      terminal,
      'bold',
      line(({ heading }) => heading),
    )}\n`,
  )
  const hidden = columns.filter((column) => !shown.some(([each]) => each === column))
  for (const at of rows.keys()) {
    stdout.write(`${line(({ cells }) => cells[at] ?? '')}\n`)
    const rest = hidden.map(({ heading, cells }) => `${heading} ${cells[at]}`).join('; ')
    if (continues && rest !== '') stdout.write(`  ${styled(terminal, 'dim', rest)}\n`)
  }
  if (hidden.length > 0 && !continues)
    stderr.write(`Too wide for this terminal: ${hidden.map(({ heading }) => heading).join(', ')}.\n`)
}

interface Column {
  readonly heading: string
  readonly cells: readonly string[]
  readonly width: number
  /** Width to which the column can be cut. */
  readonly least: number
  readonly canGo: boolean
}

function columnOf(heading: string, given: readonly string[], zone: string, isWhole: boolean): Column {
  const times = given.filter((cell) => cell !== '')
  const isTime = times.length > 0 && times.every(isInstant)
  const { name, texts } = isTime ? shortTimes(given, zone) : { name: '', texts: given }
  const head = isTime ? `${heading} (${name})` : heading
  // `Math.max` with an argument for each row would fail from about 120,000 rows.
  const longest = texts.reduce((width, cell) => Math.max(width, cell.length), 0)
  const isIndivisible = texts.some((cell) => INDIVISIBLE.test(cell))
  const width = Math.max(head.length, longest)
  const least = isWhole ? width : Math.min(width, isIndivisible ? Math.max(longest, MIN_WIDTH) : MIN_WIDTH)
  const isIdentifier = isIndivisible && longest >= 20
  return { heading: head, cells: texts, width, least, canGo: !isWhole && !isIdentifier }
}

/** Returns the columns that are shown, with their widths. */
function fitting(
  columns: readonly Column[],
  available: number | undefined,
): readonly (readonly [Column, number])[] {
  const widths = columns.map(({ width }) => width)
  let over = widths.reduce((sum, width) => sum + width + 2, -2) - (available ?? Number.POSITIVE_INFINITY)
  for (let at = columns.length - 1; at >= 0 && over > 0; at -= 1) {
    const less = Math.min(over, (widths[at] ?? 0) - (columns[at]?.least ?? 0))
    widths[at] = (widths[at] ?? 0) - less
    over -= less
  }
  const last = columns.findLastIndex(({ canGo }) => canGo)
  if (over > 0 && last >= 0) return fitting(columns.toSpliced(last, 1), available)
  return columns.map((column, at) => [column, widths[at] ?? 0])
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}
