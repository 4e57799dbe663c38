/** One page of a list, newest first. */
export interface NewestPage<Item> {
  readonly items: readonly Item[]
  /** Records that the search fits, on whatever page. */
  readonly total: number
  /** How many of them are newer than this page. */
  readonly newer: number
}

/** Records in order of creation, and what the console shows of them. */
export interface NewestSource<Row, Item> {
  readonly rows: readonly Row[]
  /** Ascending along `rows`, never changed. */
  readonly position: (row: Row) => number
  /** Which records are wanted; `undefined` for all, which needs no look at each of them. */
  readonly fits: ((row: Row) => boolean) | undefined
  readonly show: (row: Row) => Item
}

const DEFAULT_COUNT = 50
const MAX_COUNT = 200

/**
 * The page that `?before=` (a position) and `?count=` ask for. New records move nothing on it: it is anchored at a
 * record, not at a number of records.
 */
export function newestFirst<Row, Item>(
  source: NewestSource<Row, Item>,
  query: URLSearchParams,
): NewestPage<Item> {
  const { position, fits, show } = source
  const rows = fits === undefined ? source.rows : source.rows.filter(fits)
  const before = readNumber(query.get('before'), Number.POSITIVE_INFINITY)
  const count = Math.min(readNumber(query.get('count'), DEFAULT_COUNT), MAX_COUNT)
  const end = firstFrom(rows, position, before)
  const items = rows
    .slice(Math.max(0, end - count), end)
    .reverse()
    .map(show)
  return { items, total: rows.length, newer: rows.length - end }
}

/** The tests that a record must pass, as one; `undefined` when there is none. */
export function every<Row>(
  ...tests: readonly (((row: Row) => boolean) | undefined)[]
): ((row: Row) => boolean) | undefined {
  const given = tests.filter((test) => test !== undefined)
  return given.length === 0 ? undefined : (row) => given.every((test) => test(row))
}

/** Whether `textOf` a record is what the query has under `name`; `undefined` when it has nothing there. */
export function equals<Row>(
  query: URLSearchParams,
  name: string,
  textOf: (row: Row) => string,
): ((row: Row) => boolean) | undefined {
  const wanted = query.get(name) ?? ''
  return wanted === '' ? undefined : (row) => textOf(row) === wanted
}

/** Whether any text of a record has what `?search=` asks for, in whatever case; `undefined` without a search. */
export function finds<Row>(
  query: URLSearchParams,
  textsOf: (row: Row) => readonly (string | null)[],
): ((row: Row) => boolean) | undefined {
  const wanted = (query.get('search') ?? '').trim().toLowerCase()
  if (wanted === '') return undefined
  return (row) => textsOf(row).some((text) => text?.toLowerCase().includes(wanted) === true)
}

/** How many records come before `limit`, found by halving. */
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
