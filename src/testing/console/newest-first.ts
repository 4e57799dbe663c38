/** One page of a list, newest first. */
export interface NewestPage<Item> {
  readonly items: readonly Item[]
  /** Number of matching records on all pages. */
  readonly total: number
  /** Number of matching records that are newer than this page. */
  readonly newer: number
}

/** Records in order of creation, with functions that select records and convert them for a list. */
export interface NewestSource<Row, Item> {
  readonly rows: readonly Row[]
  /** Number of a record. The number increases along `rows` and never changes. */
  readonly position: (row: Row) => number
  /** Selects records; `undefined` for all records. */
  readonly matches: ((row: Row) => boolean) | undefined
  readonly show: (row: Row) => Item
}

const DEFAULT_COUNT = 50
const MAX_COUNT = 200

/**
 * Returns the page for `?before=` (a position; default the newest page) and `?count=`. New records do not shift a page
 * with `before`, because `before` is the position of a record.
 */
export function newestFirst<Row, Item>(
  source: NewestSource<Row, Item>,
  query: URLSearchParams,
): NewestPage<Item> {
  const { position, matches, show } = source
  const rows = matches === undefined ? source.rows : source.rows.filter(matches)
  const before = readNumber(query.get('before'), Number.POSITIVE_INFINITY)
  const count = Math.min(readNumber(query.get('count'), DEFAULT_COUNT), MAX_COUNT)
  const end = firstFrom(rows, position, before)
  const items = rows
    .slice(Math.max(0, end - count), end)
    .reverse()
    .map(show)
  return { items, total: rows.length, newer: rows.length - end }
}

/** Returns a condition that requires all given conditions; `undefined` if there are none. */
export function every<Row>(
  ...tests: readonly (((row: Row) => boolean) | undefined)[]
): ((row: Row) => boolean) | undefined {
  const given = tests.filter((test) => test !== undefined)
  return given.length === 0 ? undefined : (row) => given.every((test) => test(row))
}

/**
 * Returns a condition that is true when `textOf` returns the value of the query parameter `name`. Returns `undefined`
 * if the parameter is missing or empty.
 */
export function equals<Row>(
  query: URLSearchParams,
  name: string,
  textOf: (row: Row) => string,
): ((row: Row) => boolean) | undefined {
  const wanted = query.get(name) ?? ''
  return wanted === '' ? undefined : (row) => textOf(row) === wanted
}

/**
 * Returns a condition that is true when a text of the record contains the value of `?search=`, case-insensitive. Returns
 * `undefined` without a search.
 */
export function finds<Row>(
  query: URLSearchParams,
  textsOf: (row: Row) => readonly (string | null)[],
): ((row: Row) => boolean) | undefined {
  const wanted = (query.get('search') ?? '').trim().toLowerCase()
  if (wanted === '') return undefined
  return (row) => textsOf(row).some((text) => text?.toLowerCase().includes(wanted) === true)
}

/** Returns the number of records whose position is less than `limit`, by binary search. */
function firstFrom<Row>(rows: readonly Row[], position: (row: Row) => number, limit: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const row = rows[middle]
    if (row !== undefined && position(row) < limit) low = middle + 1
    else high = middle
  }
  return low
}

function readNumber(text: string | null, otherwise: number): number {
  const value = Number(text ?? '')
  return text === null || text === '' || !Number.isInteger(value) || value < 0 ? otherwise : value
}
