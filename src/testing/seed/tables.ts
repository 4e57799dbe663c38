/** Reads a table written as text: one row a line, cells between bars; empty lines are left out. */
export function readTable(text: string): string[][] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()))
}

/** A cell that must be there: a row that lacks it is a mistake in the table. */
export function cellOf(row: readonly string[], column: number): string {
  const cell = row[column]
  if (cell === undefined) throw new RangeError(`table row without column ${column}: ${row.join(' | ')}`)
  return cell
}

/** A cell that may be left empty. */
export function optionalCell(row: readonly string[], column: number): string | undefined {
  return row[column] === '' ? undefined : row[column]
}

/** A list in one cell, separated by commas. */
export function listCell(row: readonly string[], column: number): string[] {
  return cellOf(row, column)
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** A number in one cell. */
export function numberCell(row: readonly string[], column: number): number {
  const value = Number(cellOf(row, column))
  if (Number.isNaN(value)) throw new RangeError(`not a number in column ${column}: ${row.join(' | ')}`)
  return value
}
