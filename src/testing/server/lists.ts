import { createHash } from 'node:crypto'

import type { ListEndpoint, PageSizes } from '../../contract/endpoint.js'
import { SORT_ORDERS, type SortOrder } from '../../contract/enums.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import { FakeApiError } from './api-error.js'
import type { FakeCall } from './context.js'

/** Position of a cursor: the sort key of the last record of a page. */
export type CursorPosition = readonly (string | number)[]

/** A record of a list with pages. */
interface Row {
  /** The record's number, which never changes. Each number is larger than that of the record before. */
  readonly sequence: number
}

/** A list with pages. Its endpoint gives its key, page sizes and order (§4.7, §8). */
export interface PagedList<Item extends Row> {
  readonly endpoint: ListEndpoint
  /** The records, in ascending order of their numbers. */
  readonly rows: readonly Item[]
  readonly view: (row: Item) => unknown
  /** Selects the records that the list shows. Default all. */
  readonly shows?: (row: Item) => boolean
  /** The name of the list, where an option of the fake decides it. */
  readonly key?: string
  /** Order of a request without `sort`, where an option of the fake decides it. */
  readonly sortDefault?: SortOrder
  /** The filters as one text. A cursor is valid for the same text only. Default ''. */
  readonly fingerprint?: string
  /** Query parameters of this list, apart from `count`, `cursor` and `sort`. */
  readonly filters?: readonly string[]
  /** Problems of the filters, reported together with the other problems of the request. */
  readonly issues?: readonly IssueDraft[]
}

interface PageRequest {
  readonly count: number
  readonly sort: SortOrder
  /** Number of the previous page's last record; `undefined` for the first page. */
  readonly after: number | undefined
  readonly cursorKey: string
}

/**
 * Returns the response with one page of a list. The cost depends on the size of the page, not of the list, unless
 * `shows` hides many records. A cursor contains the number of the last record. So records that are added or removed
 * between pages do not shift a page. A page without records has no cursor (§4.7).
 *
 * @throws FakeApiError - INVALID_PARAMETER, with every problem of the query.
 */
export function pageResponse<Item extends Row>(call: FakeCall, list: PagedList<Item>): unknown {
  const { count, sort, after, cursorKey } = readPageRequest(call, list)
  const rows = takePage(list, { count, sort, after })
  const last = rows.at(-1)
  const body = { [list.key ?? list.endpoint.response.key]: rows.map(list.view) }
  if (last === undefined) return body
  const cursor = writeCursor(cursorKey, [last.sequence])
  return { ...body, cursor: { cursor, count, resultCount: rows.length } }
}

function readPageRequest<Item extends Row>({ query }: FakeCall, list: PagedList<Item>): PageRequest {
  const { id, response } = list.endpoint
  if (response.paged === false) throw new Error(`${id} has one page`)
  const issues = [...unknownParameters(query, ['count', 'cursor', 'sort', ...(list.filters ?? [])])]
  const count = readCount(query, response.paged, issues)
  const sort = readSort(query, list.sortDefault ?? response.sort?.byDefault ?? 'asc', issues)
  const cursorKey = `${id}|${sort}|${list.fingerprint ?? ''}`
  const text = single(query, 'cursor', issues)
  const [after] = (text === undefined ? undefined : readCursor(text, cursorKey)) ?? []
  if (text !== undefined && typeof after !== 'number') {
    issues.push(fieldIssue(['cursor'], 'must be a cursor of this list, with the same filters and sort'))
  }
  issues.push(...(list.issues ?? []))
  if (issues.length > 0) throw new FakeApiError('INVALID_PARAMETER', issues)
  return { count, sort, after: typeof after === 'number' ? after : undefined, cursorKey }
}

/** Returns one issue for each query parameter that is not in `known` (§7). */
export function unknownParameters(query: URLSearchParams, known: readonly string[]): IssueDraft[] {
  if (query.size === 0) return []
  return [...new Set(query.keys())]
    .filter((name) => !known.includes(name))
    .map((name) => fieldIssue([name], 'is not a parameter of this endpoint'))
}

/** Returns the value of a parameter. Adds an issue if the parameter is repeated. */
export function single(query: URLSearchParams, name: string, issues: IssueDraft[]): string | undefined {
  const values = query.getAll(name)
  if (values.length > 1) issues.push(fieldIssue([name], 'must not be repeated'))
  return values[0]
}

function readCount(query: URLSearchParams, sizes: PageSizes, issues: IssueDraft[]): number {
  const text = single(query, 'count', issues)
  if (text === undefined) return sizes.byDefault
  if (/^\d+$/.test(text) && Number(text) >= 1) return Math.min(Number(text), sizes.atMost)
  issues.push(fieldIssue(['count'], 'must be an integer of at least 1'))
  return sizes.byDefault
}

function readSort(query: URLSearchParams, sortDefault: SortOrder, issues: IssueDraft[]): SortOrder {
  const text = single(query, 'sort', issues)
  if (text === undefined) return sortDefault
  const sort = SORT_ORDERS.find((order) => order === text)
  if (sort !== undefined) return sort
  issues.push(fieldIssue(['sort'], `must be ${SORT_ORDERS.join(' or ')}`))
  return sortDefault
}

function takePage<Item extends Row>(
  { rows, shows = () => true }: PagedList<Item>,
  { count, sort, after }: Pick<PageRequest, 'count' | 'sort' | 'after'>,
): Item[] {
  const step = sort === 'asc' ? 1 : -1
  const page: Item[] = []
  for (let index = firstIndex(rows, step, after); page.length < count; index += step) {
    const row = rows[index]
    if (row === undefined) break
    if (shows(row)) page.push(row)
  }
  return page
}

/** Returns the index of the first record beyond `after`, by binary search. */
function firstIndex(rows: readonly Row[], step: 1 | -1, after: number | undefined): number {
  if (after === undefined) return step === 1 ? 0 : rows.length - 1
  const isBeyond = (row: Row): boolean => (step === 1 ? row.sequence > after : row.sequence >= after)
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const row = rows[middle]
    if (row === undefined || isBeyond(row)) high = middle
    else low = middle + 1
  }
  return step === 1 ? low : low - 1
}

const CHECK_LENGTH = 12

/**
 * Writes an opaque cursor: the position, with a checksum over the position and `key`. `readCursor` rejects a changed
 * cursor, and a cursor of another list, of other filters or of another order (§4.7).
 *
 * @param key - Endpoint, order and filters that the cursor is bound to.
 */
export function writeCursor(key: string, position: CursorPosition): string {
  const body = JSON.stringify(position)
  return Buffer.from(`${checksum(key, body)}${body}`, 'utf8').toString('base64url')
}

/** Reads the position in a cursor; `undefined` if the cursor is changed or belongs to another key. */
export function readCursor(text: string, key: string): CursorPosition | undefined {
  const plain = Buffer.from(text, 'base64url').toString('utf8')
  const body = plain.slice(CHECK_LENGTH)
  if (plain.slice(0, CHECK_LENGTH) !== checksum(key, body)) return undefined
  if (Buffer.from(plain, 'utf8').toString('base64url') !== text) return undefined
  const position: unknown = JSON.parse(body)
  return Array.isArray(position) ? position : undefined
}

function checksum(key: string, body: string): string {
  return createHash('sha256').update(`${key}\n${body}`).digest('base64url').slice(0, CHECK_LENGTH)
}
