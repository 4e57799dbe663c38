import { styled, type Terminal } from './terminal.js'

/** Minimum width, in characters, of a column that is cut to fit the terminal. */
const MIN_WIDTH = 12

/** Identifiers are never cut, because readers copy them from the table. */
const IDENTIFIER = /^[\w-]{20,40}$/

/**
 * Writes headings and rows in columns. In a terminal, wide columns are cut with `…` to fit its width. Columns with
 * identifiers are never cut, so a row can still be too wide.
 */
export function writeColumns(
  terminal: Terminal,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const { stdout } = terminal
  const widths = columnWidths(headings, rows, stdout.isTTY ? stdout.columns : undefined)
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cut(cell, widths[at] ?? 0).padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  stdout.write(`${styled(terminal, 'bold', line(headings))}\n`)
  for (const row of rows) stdout.write(`${line(row)}\n`)
}

/** Returns the widths of the columns. The widest column is narrowed until all fit, or until none can be cut. */
function columnWidths(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  available: number | undefined,
): readonly number[] {
  const widths = headings.map((heading, at) =>
    // `Math.max` with an argument for each row would fail from about 120,000 rows.
    rows.reduce((width, row) => Math.max(width, row[at]?.length ?? 0), heading.length),
  )
  if (available === undefined) return widths
  const least = headings.map((heading, at) =>
    rows.some((row) => IDENTIFIER.test(row[at] ?? ''))
      ? (widths[at] ?? 0)
      : Math.max(heading.length, MIN_WIDTH),
  )
  const excess = (): number => widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1)) - available
  for (let over = excess(); over > 0; over = excess()) {
    const spare = widths.map((width, at) => (width > (least[at] ?? 0) ? width : 0))
    const widest = spare.indexOf(Math.max(...spare))
    const width = spare[widest] ?? 0
    if (width === 0) break
    widths[widest] = Math.max(least[widest] ?? 0, width - over, secondWidest(spare, widest))
    if (widths[widest] === width) widths[widest] = width - 1
  }
  return widths
}

/**
 * Returns the width of the second widest column. The widest column is not cut below this width, so wide columns shrink
 * together.
 */
function secondWidest(widths: readonly number[], widest: number): number {
  return Math.max(0, ...widths.filter((_, at) => at !== widest))
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}
