import { SORT_ORDERS, type SortOrder } from '../../contract/enums.js'
import { fieldIssue, type RequestIssue } from '../../contract/issues.js'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../contract/limits.js'
import type { PageCursor } from '../../contract/types.js'
import { FakeApiError } from './api-error.js'
import type { FakeCall } from './context.js'
import { type CursorPosition, readCursor, writeCursor } from './cursors.js'

/** How one list pages (§4.7, §8). */
export interface PageRules {
  /** The endpoint's id, which a cursor is bound to. */
  readonly endpointId: string
  readonly defaultCount: number
  readonly maxCount: number
}

/** The page rules of every list but the centres'. */
export function standardPages(endpointId: string): PageRules {
  return { endpointId, defaultCount: DEFAULT_PAGE_SIZE, maxCount: MAX_PAGE_SIZE }
}

/** What a list request asks for, checked. */
export interface PageRequest {
  readonly count: number
  readonly sort: SortOrder
  /** The last record of the page before; `undefined` on the first page. */
  readonly after: CursorPosition | undefined
}

/** What a cursor is bound to besides its endpoint. */
export interface PageBinding {
  /** The order when the caller names none. */
  readonly sortDefault: SortOrder
  /** The filters in one text; a cursor works only with the text it was given for. Default ''. */
  readonly fingerprint?: string
  /** Query parameters of this list besides `count`, `cursor` and `sort`. */
  readonly filters?: readonly string[]
  /** Problems that the caller found with its filters, to be told with the others. */
  readonly issues?: readonly RequestIssue[]
}

/** Records in ascending order of `position`, and where each stands. */
export interface PageSource<Row> {
  readonly rows: readonly Row[]
  /** Strictly ascending along `rows`, and never changed: a number given to each record as it is created. */
  readonly position: (row: Row) => number
  /** Which records the list shows. Default all. */
  readonly shows?: (row: Row) => boolean
}

/** One page; without records it has no cursor (§4.7). */
export interface ListPage<Row> {
  readonly items: readonly Row[]
  readonly cursor?: PageCursor
}

/**
 * One page of a list, in time that grows with the page and not with the list. Records added or removed between
 * pages move nothing: a cursor holds the position of the last record seen.
 *
 * @throws FakeApiError - INVALID_PARAMETER, with every problem of the query.
 */
export function listPage<Row>(
  call: FakeCall,
  rules: PageRules,
  source: PageSource<Row>,
  binding: PageBinding,
): ListPage<Row> {
  const request = readPageRequest(call, rules, binding)
  const items = takePage(source, request)
  const last = items.at(-1)
  if (last === undefined) return { items }
  return { items, cursor: pageCursor(rules, binding, request, items.length, [source.position(last)]) }
}

/**
 * The page that a query asks for (§4.7).
 *
 * @throws FakeApiError - INVALID_PARAMETER, with every problem of the query.
 */
export function readPageRequest(call: FakeCall, rules: PageRules, binding: PageBinding): PageRequest {
  const issues: RequestIssue[] = [
    ...unknownParameters(call, ['count', 'cursor', 'sort', ...(binding.filters ?? [])]),
  ]
  const count = readCount(call.query, rules, issues)
  const sort = readSort(call.query, binding.sortDefault, issues)
  const text = single(call.query, 'cursor', issues)
  const after = text === undefined ? undefined : readCursor(text, cursorKey(rules, binding, sort))
  if (text !== undefined && after === undefined) {
    issues.push(fieldIssue(['cursor'], 'must be a cursor that this list gave for the same filters and sort'))
  }
  if (binding.issues !== undefined) issues.push(...binding.issues)
  if (issues.length > 0) throw new FakeApiError('INVALID_PARAMETER', issues)
  return { count, sort, after }
}

/** The cursor of a page whose last record stands at `position`. */
export function pageCursor(
  rules: PageRules,
  binding: PageBinding,
  request: PageRequest,
  resultCount: number,
  position: CursorPosition,
): PageCursor {
  const cursor = writeCursor(cursorKey(rules, binding, request.sort), position)
  return { cursor, count: request.count, resultCount }
}

/** Query parameters that are not among `known`, as problems (§7). */
export function unknownParameters(call: FakeCall, known: readonly string[]): RequestIssue[] {
  if (call.query.size === 0) return []
  const names = new Set(call.query.keys())
  return [...names]
    .filter((name) => !known.includes(name))
    .map((name) => fieldIssue([name], 'is not a parameter of this endpoint'))
}

/** The one value of a parameter; a repeated one is a problem. */
export function single(query: URLSearchParams, name: string, issues: RequestIssue[]): string | undefined {
  const values = query.getAll(name)
  if (values.length > 1) issues.push(fieldIssue([name], 'must be given once'))
  return values[0]
}

function readCount(query: URLSearchParams, rules: PageRules, issues: RequestIssue[]): number {
  const text = single(query, 'count', issues)
  if (text === undefined) return rules.defaultCount
  if (/^\d+$/.test(text) && Number(text) >= 1) return Math.min(Number(text), rules.maxCount)
  issues.push(fieldIssue(['count'], 'must be a whole number from 1 up'))
  return rules.defaultCount
}

function readSort(query: URLSearchParams, sortDefault: SortOrder, issues: RequestIssue[]): SortOrder {
  const text = single(query, 'sort', issues)
  if (text === undefined) return sortDefault
  const sort = SORT_ORDERS.find((order) => order === text)
  if (sort !== undefined) return sort
  issues.push(fieldIssue(['sort'], `must be ${SORT_ORDERS.join(' or ')}`))
  return sortDefault
}

function cursorKey(rules: PageRules, binding: PageBinding, sort: SortOrder): string {
  return `${rules.endpointId}|${sort}|${binding.fingerprint ?? ''}`
}

function takePage<Row>(source: PageSource<Row>, request: PageRequest): Row[] {
  const { rows, position } = source
  const step = request.sort === 'asc' ? 1 : -1
  const after = request.after?.[0]
  const items: Row[] = []
  for (let index = firstIndex(source, step, after); items.length < request.count; index += step) {
    const row = rows[index]
    if (row === undefined) break
    const seen = typeof after === 'number' && (position(row) - after) * step <= 0
    if (!seen && (source.shows?.(row) ?? true)) items.push(row)
  }
  return items
}

/** Where reading begins: the first record at or past `after`, found by halving. */
function firstIndex<Row>(source: PageSource<Row>, step: 1 | -1, after: string | number | undefined): number {
  const { rows, position } = source
  if (typeof after !== 'number') return step === 1 ? 0 : rows.length - 1
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const row = rows[middle]
    if (row !== undefined && position(row) < after) low = middle + 1
    else high = middle
  }
  return step === -1 && low === rows.length ? low - 1 : low
}
