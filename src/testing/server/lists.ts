import { createHash } from 'node:crypto'

import type { ListEndpoint } from '../../contract/endpoint.js'
import { SORT_ORDERS, type SortOrder } from '../../contract/enums.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import type { PageCursor } from '../../contract/types.js'
import { FakeApiError } from './api-error.js'
import type { FakeCall } from './context.js'

/** Position of a cursor: the sort key of the last record of a page. */
export type CursorPosition = readonly (string | number)[]

/** Page sizes of one list (§4.7, §8). */
export interface PageRules {
  /** The endpoint's id. A cursor is valid for this endpoint only. */
  readonly endpointId: string
  readonly defaultCount: number
  readonly maxCount: number
  /** Order of a request without `sort`. */
  readonly sortDefault: SortOrder
}

/** Returns the page rules in the row of a list's endpoint. */
export function pagesOf({ id, response: { paged, sort } }: ListEndpoint): PageRules {
  if (paged === false) throw new Error(`${id} has one page`)
  return {
    endpointId: id,
    defaultCount: paged.byDefault,
    maxCount: paged.atMost,
    sortDefault: sort?.byDefault ?? 'asc',
  }
}

/** A checked request for a page. */
export interface PageRequest {
  readonly count: number
  readonly sort: SortOrder
  /** Position of the previous page's last record; `undefined` for the first page. */
  readonly after: CursorPosition | undefined
}

/** The list's filters and their problems. A cursor is valid only for the same order and filters. */
export interface PageBinding {
  /** Order of a request without `sort`, where an option of the fake decides it. */
  readonly sortDefault?: SortOrder
  /** The filters as one text. A cursor is valid for the same text only. Default ''. */
  readonly fingerprint?: string
  /** Query parameters of this list, apart from `count`, `cursor` and `sort`. */
  readonly filters?: readonly string[]
  /** Problems of the filters, reported together with the other problems of the request. */
  readonly issues?: readonly IssueDraft[]
}

/** Records in ascending order of `position`. */
export interface PageSource<Row> {
  readonly rows: readonly Row[]
  /** Returns the record's number, which never changes. Each number is larger than the number of the row before. */
  readonly position: (row: Row) => number
  /** Selects the records that the list shows. Default all. */
  readonly shows?: (row: Row) => boolean
}

/** One page. A page without records has no cursor (§4.7). */
export interface ListPage<Row> {
  readonly items: readonly Row[]
  readonly cursor?: PageCursor
}

/**
 * Returns one page of a list. The cost depends on the size of the page, not of the list, unless `shows` hides many
 * records. A cursor contains the position of the last record. So records that are added or removed between pages do not
 * shift a page.
 *
 * @throws FakeApiError - INVALID_PARAMETER, with every problem of the query.
 */
export function listPage<Row>(
  call: FakeCall,
  rules: PageRules,
  source: PageSource<Row>,
  binding: PageBinding = {},
): ListPage<Row> {
  const request = readPageRequest(call, rules, binding)
  const items = takePage(source, request)
  const last = items.at(-1)
  if (last === undefined) return { items }
  return { items, cursor: pageCursor(rules, binding, request, items.length, [source.position(last)]) }
}

/**
 * Reads and checks the page that a query requests (§4.7).
 *
 * @throws FakeApiError - INVALID_PARAMETER, with every problem of the query.
 */
export function readPageRequest(call: FakeCall, rules: PageRules, binding: PageBinding): PageRequest {
  const issues: IssueDraft[] = [
    ...unknownParameters(call, ['count', 'cursor', 'sort', ...(binding.filters ?? [])]),
  ]
  const count = readCount(call.query, rules, issues)
  const sort = readSort(call.query, binding.sortDefault ?? rules.sortDefault, issues)
  const text = single(call.query, 'cursor', issues)
  const after = text === undefined ? undefined : readCursor(text, cursorKey(rules, binding, sort))
  if (text !== undefined && after === undefined) {
    issues.push(fieldIssue(['cursor'], 'must be a cursor of this list, with the same filters and sort'))
  }
  if (binding.issues !== undefined) issues.push(...binding.issues)
  if (issues.length > 0) throw new FakeApiError('INVALID_PARAMETER', issues)
  return { count, sort, after }
}

/** Returns the cursor of a page whose last record is at `position`. */
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

/** Returns one issue for each query parameter that is not in `known` (§7). */
export function unknownParameters(call: FakeCall, known: readonly string[]): IssueDraft[] {
  if (call.query.size === 0) return []
  const names = new Set(call.query.keys())
  return [...names]
    .filter((name) => !known.includes(name))
    .map((name) => fieldIssue([name], 'is not a parameter of this endpoint'))
}

/** Returns the value of a parameter. Adds an issue if the parameter is repeated. */
export function single(query: URLSearchParams, name: string, issues: IssueDraft[]): string | undefined {
  const values = query.getAll(name)
  if (values.length > 1) issues.push(fieldIssue([name], 'must not be repeated'))
  return values[0]
}

function readCount(query: URLSearchParams, rules: PageRules, issues: IssueDraft[]): number {
  const text = single(query, 'count', issues)
  if (text === undefined) return rules.defaultCount
  if (/^\d+$/.test(text) && Number(text) >= 1) return Math.min(Number(text), rules.maxCount)
  issues.push(fieldIssue(['count'], 'must be an integer of at least 1'))
  return rules.defaultCount
}

function readSort(query: URLSearchParams, sortDefault: SortOrder, issues: IssueDraft[]): SortOrder {
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

/** Returns the index at which to start reading, by binary search. The caller skips a record of the previous page. */
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
