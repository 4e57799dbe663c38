import type { FakeCore } from '../core/fake-core.js'
import type { ListRow, View } from './view.js'

/** One page of a list, newest first, with the numbers of matching records on all pages and before this page. */
export interface ListPage {
  readonly items: readonly (ListRow & { readonly position: number })[]
  readonly total: number
  readonly newer: number
}

const DEFAULT_COUNT = 50
const MAX_COUNT = 200
/** A shorter search must not match inside a UUID: "404" is a status. */
const LONG_SEARCH = 8
/** From this length on, a search matches the start of a UUID. */
const ID_START = 4
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g

/**
 * Returns the page for `?before=` (a position; default the newest page) and `?count=`. New records do not shift a page
 * with `before`, because `before` is the position of a record.
 */
export function listPage<Row>(view: View<Row>, core: FakeCore, query: URLSearchParams): ListPage {
  const { position, texts, show } = view
  const tests = Object.entries(view.filters).flatMap(([name, { test }]) => {
    const wanted = query.get(name) ?? ''
    return wanted === '' ? [] : [(row: Row) => test(row, wanted)]
  })
  const search = (query.get('search') ?? '').trim().toLowerCase()
  if (search !== '') tests.push((row) => texts(row).some((text) => finds(String(text ?? ''), search)))
  const all = view.rows(core)
  const rows = tests.length === 0 ? all : all.filter((row) => tests.every((test) => test(row)))
  const count = Math.min(numberOf(query.get('count'), DEFAULT_COUNT), MAX_COUNT)
  const end = firstFrom(rows, position, numberOf(query.get('before'), Number.POSITIVE_INFINITY))
  const items = rows
    .slice(Math.max(0, end - count), end)
    .reverse()
    .map((row) => ({ ...show(row, core), position: position(row) }))
  return { items, total: rows.length, newer: rows.length - end }
}

/** Returns `true` when a text contains the search, in lower case, other than by chance inside a UUID. */
function finds(given: string, search: string): boolean {
  const text = given.toLowerCase()
  if (!text.includes(search)) return false
  if (search.length >= LONG_SEARCH) return true
  const isIdStart = search.length >= ID_START && text.match(UUID)?.some((id) => id.startsWith(search))
  return isIdStart === true || text.replaceAll(UUID, ' ').includes(search)
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

function numberOf(text: string | null, otherwise: number): number {
  const value = Number(text ?? '')
  return text === null || text === '' || !Number.isInteger(value) || value < 0 ? otherwise : value
}
