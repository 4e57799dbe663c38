/** Reads a table from text: one row on each line, with bars between the cells. Ignores empty lines. */
export function readTable(text: string): string[][] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()))
}

/** Returns a required cell. */
export function cellOf(row: readonly string[], column: number): string {
  const cell = row[column]
  if (cell === undefined) throw new RangeError(`table row without column ${column}: ${row.join(' | ')}`)
  return cell
}

/** Returns a cell; `undefined` for an empty cell, and for a column that the row does not have. */
export function optionalCell(row: readonly string[], column: number): string | undefined {
  return row[column] === '' ? undefined : row[column]
}

/** Returns a cell with a list, separated by commas. */
export function listCell(row: readonly string[], column: number): string[] {
  return cellOf(row, column)
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

export function numberCell(row: readonly string[], column: number): number {
  const value = Number(cellOf(row, column))
  if (Number.isNaN(value)) throw new RangeError(`not a number in column ${column}: ${row.join(' | ')}`)
  return value
}
