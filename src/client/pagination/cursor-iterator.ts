import { ignore } from '../../common/errors.js'
import { isRecord, ownOptions } from '../../common/known-options.js'
import { follow } from '../../common/time-limit.js'
import type { ListEndpoint, PageSizes, RecordIdentity } from '../../contract/endpoint.js'
import { fieldOf } from '../../contract/read.js'
import type { ApiClient } from '../call/api-client.js'
import { ApiPromise, type WithResponse } from '../call/api-promise.js'
import type { RequestOptions } from '../call/request-options.js'
import type { ListPage } from '../call/response.js'
import { responseError } from '../errors/error-texts.js'
import { ConfigurationError, markCursor } from '../errors/errors.js'

/** Page of a list. */
export interface Page<T> {
  /** Records on this page. */
  readonly items: readonly T[]
  /** Cursor of the next page: pass it as `cursor` to continue there. `undefined` on the last page. */
  readonly cursor: string | undefined
  /** The service's information about the page; `undefined` when the response has no cursor. */
  readonly pageInfo:
    | {
        /** Opaque cursor of the next page. */
        readonly cursor: string
        /** Page size that the service applied. If the service does not report it: number of records on this page. */
        readonly count: number
        /** Number of records on this page, as the service reports it. Otherwise counted by the client. */
        readonly resultCount: number
      }
    | undefined
  /** Number of records on all pages; `undefined` when the service does not count them. */
  readonly totalResults: number | undefined
}

/** Iteration over the pages of a list. */
export interface Pages<T> extends AsyncGenerator<Page<T>, void, undefined> {
  /**
   * Iterates over the pages from the start of the iteration, each with the status, headers, request ID and number of
   * attempts of its response.
   */
  withResponse(): AsyncGenerator<WithResponse<Page<T>>, void, undefined>
}

/** Selects records of a page. */
export type PageSelection = (items: readonly unknown[]) => {
  readonly items: readonly unknown[]
  /** `true` when no later page contains a record to select. */
  readonly isLast: boolean
}

/** Rules of a list that depend on the calling method. */
export interface IterationRules {
  /**
   * `true` when the caller needs the complete list, for example to conclude that a record does not exist. The iteration
   * then throws in every validation mode if records may be missing.
   */
  readonly mustBeComplete: boolean
  /**
   * Creates the selection of one iteration: the records of each page to return, and whether later pages are needed.
   * Called before the first request: an error rejects the iteration.
   */
  readonly select: (() => PageSelection) | undefined
}

/** A list to read: its endpoint, its checked query, and the rules of the method that reads it. */
export interface ListRequest extends IterationRules {
  readonly api: ApiClient
  readonly endpoint: ListEndpoint
  /** Name of the method in errors about the input. */
  readonly operation: string
  /** Filters of each page. */
  readonly query: Readonly<Record<string, unknown>> | undefined
  readonly options: RequestOptions
  readonly signal: AbortSignal | undefined
  /** Requested page size. */
  readonly requestedSize: number | undefined
  /** Cursor of the first page; `undefined` when the list is read from its start. */
  readonly cursor: string | undefined
  readonly prefetch: boolean
  /** Field that identifies a record. Repeated records are omitted. `undefined` keeps all records. */
  readonly identity: RecordIdentity | undefined
}

/**
 * List that is read page by page, only as far as you iterate, or with `prefetch` one page further. It is not an array:
 * `toArray()` returns one.
 *
 * ```ts
 * for await (const referral of client.referrals.list({ sort: 'desc' })) …
 * const newest = await client.referrals.list({ sort: 'desc' }).toArray({ limit: 50 })
 * ```
 *
 * Each iteration starts again, at the first page or at the given `cursor`. An iteration throws the errors of a single
 * call, and an `InvalidResponseError` with one of two reasons:
 *
 * - `cursor-loop`: the service returned the same cursor again.
 * - `incomplete-list`: the last page is full and has no cursor, or the list has fewer records than its total, with
 * `responseValidation: 'strict'`. Some methods throw it in every mode, such as `referrals.findByReferenceNumber`. They
 * also throw it for a page with fewer records than the page's own count.
 *
 * If the failed page was requested by a cursor, the error has this `cursor`: pass it to a new list to continue there.
 * An error with reason `cursor-loop` has no `cursor`.
 */
export class CursorIterator<T> implements AsyncIterable<T> {
  readonly #list: ListRequest

  constructor(list: ListRequest) {
    this.#list = list
  }

  /** Iterates over the records. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.#read()) {
      // `yield*` would await each record several times.
      for (const item of data.items) yield item
    }
  }

  /**
   * Iterates over the pages, each with the cursor of the next page. `pages().withResponse()` iterates over the pages
   * with their HTTP responses.
   *
   * ```ts
   * for await (const { data: page, response } of client.results.list().pages().withResponse()) …
   * ```
   */
  pages(): Pages<T> {
    return Object.assign(withoutResponse(this.#read()), { withResponse: () => this.#read() })
  }

  async *#read(): AsyncGenerator<WithResponse<Page<T>>, void, undefined> {
    const { prefetch, signal } = this.#list
    const own = prefetch ? new AbortController() : undefined
    const reader = new PageReader<T>(this.#list, own?.signal)
    const guard = new CursorGuard()
    let { cursor } = this.#list
    if (cursor !== undefined) guard.add(cursor)
    const unfollow = own === undefined ? ignore : follow(own, signal)
    let next: Promise<WithResponse<Page<T>>> | undefined
    try {
      for (;;) {
        const { data, response } = await (next ?? reader.read(cursor))
        next = undefined
        cursor = data.cursor
        if (cursor !== undefined && !guard.add(cursor)) {
          yield { data: { ...data, cursor: undefined }, response }
          throw reader.error('cursor-loop', `after ${reader.pages} pages`)
        }
        if (own !== undefined && cursor !== undefined) {
          next = reader.read(cursor)
          // Prevents an unhandled rejection before the page is needed.
          next.catch(ignore)
        }
        yield { data, response }
        if (cursor === undefined) return reader.finish()
      }
    } finally {
      unfollow()
      own?.abort()
    }
  }

  /**
   * Returns the first page, and with `withResponse()` its HTTP response too. Throws the errors of a call, and the error
   * with reason `incomplete-list` as an iteration does.
   */
  firstPage(): ApiPromise<Page<T>> {
    return new ApiPromise(this.#firstPage())
  }

  async #firstPage(): Promise<WithResponse<Page<T>>> {
    const reader = new PageReader<T>(this.#list)
    const page = await reader.read(this.#list.cursor)
    reader.finish()
    return page
  }

  /**
   * Returns all records in an array.
   *
   * @param options - `limit`: maximum number of records. Default: no limit, so the complete list is read into
   * memory.
   * @throws {@link ConfigurationError} for an invalid option, and the errors of an iteration.
   */
  async toArray(options: { readonly limit?: number | undefined } = {}): Promise<T[]> {
    const limit = limitOf(options)
    const records: T[] = []
    if (limit < 1) return records
    for await (const record of this) {
      records.push(record)
      if (records.length + 1 > limit) break
    }
    return records
  }
}

const ONE_PAGE: PageSizes = { byDefault: Number.POSITIVE_INFINITY, atMost: Number.POSITIVE_INFINITY }

/** Fetches the pages of one iteration in order. */
class PageReader<T> {
  readonly #list: ListRequest
  /** Ends the requests in place of the caller's signal. */
  readonly #signal: AbortSignal | undefined
  readonly #select: PageSelection | undefined
  readonly #filter: ReturnType<typeof recordFilter> | undefined
  /** Number of pages so far. */
  pages = 0
  #records = 0
  #incomplete: Error | undefined
  /** Page size that the service last reported. */
  #size: number | undefined

  constructor(list: ListRequest, signal?: AbortSignal) {
    this.#list = list
    this.#signal = signal
    this.#select = list.select?.()
    this.#filter = list.identity && recordFilter(list.identity)
  }

  async read(cursor: string | undefined): Promise<WithResponse<Page<T>>> {
    const { api, endpoint, operation, query, options } = this.#list
    const pageOptions = this.#signal === undefined ? options : { ...options, signal: this.#signal }
    try {
      const page = await api.respond(endpoint, { operation, query, cursor }, pageOptions)
      return { data: this.#page(page.data, cursor), response: page.response }
    } catch (error) {
      markCursor(error, cursor)
      throw error
    }
  }

  /** Throws when records may be missing at the end of the list. */
  finish(): void {
    if (this.#incomplete !== undefined) throw this.#incomplete
  }

  error(reason: 'cursor-loop' | 'incomplete-list', detail: string): Error {
    const { api, endpoint } = this.#list
    const { origin } = api.context.options.base
    const what = `${endpoint.method} ${endpoint.path}`
    return responseError(reason, { what, origin, attempts: this.pages, outcome: 'failed', detail })
  }

  /**
   * Converts a page. The list ends with a page that has no cursor, is empty or is not full, or that `select` reports as
   * the last. A repeated cursor is an error; see {@link CursorGuard}.
   */
  #page(raw: ListPage, cursor: string | undefined): Page<T> {
    this.pages += 1
    const { api, endpoint, mustBeComplete } = this.#list
    const { items, pageInfo, resultCount = 0 } = raw
    if (mustBeComplete && resultCount > items.length)
      throw this.error('incomplete-list', 'a page has fewer records than it counts')
    const selected = this.#select?.(items) ?? { items, isLast: false }
    this.#records += items.length
    const isFull = this.#isFull(raw)
    const next = isFull && items.length > 0 && !selected.isLast ? pageInfo?.cursor : undefined
    const doubt = next === undefined && !selected.isLast ? this.#doubt(raw, isFull) : undefined
    if (doubt !== undefined && (mustBeComplete || api.context.reader.reportIncomplete(endpoint, doubt))) {
      this.#incomplete = this.error('incomplete-list', doubt)
      markCursor(this.#incomplete, cursor)
    }
    return {
      items: (this.#filter?.(selected.items) ?? selected.items) as readonly T[],
      cursor: next,
      pageInfo,
      totalResults: raw.totalResults,
    }
  }

  /** Returns why records may be missing after the last page; `undefined` if the list is complete. */
  #doubt({ pageInfo, totalResults = 0 }: ListPage, isFull: boolean): string | undefined {
    if (isFull && pageInfo === undefined) return 'a full page has no cursor'
    const { cursor, endpoint } = this.#list
    const isCounted = cursor === undefined && endpoint.response.paged !== false
    return isCounted && this.#records < totalResults ? 'the list has fewer records than its total' : undefined
  }

  /**
   * Returns `true` when a page has as many records as the service applies, or when this number is unknown: an additional
   * request is better than a lost record. A page size above the documented maximum is ignored.
   */
  #isFull({ items, pageInfo, count, resultCount = 0 }: ListPage): boolean {
    const { endpoint, requestedSize } = this.#list
    const { byDefault, atMost } = endpoint.response.paged || ONE_PAGE
    if (count !== undefined && count > 0) this.#size = Math.min(count, atMost)
    else if (pageInfo !== undefined) return true
    const size = this.#size ?? Math.max(1, Math.min(byDefault, requestedSize ?? byDefault))
    return Math.max(resultCount, items.length) >= size
  }
}

/** Maximum number of stored cursors. */
const MAX_STORED_CURSORS = 4_096

/**
 * Detector of a list whose cursors repeat. The guard stores the first 4,096 cursors, and finds a loop among these
 * cursors at the first repetition. In a longer list, the guard stores one further cursor, and replaces it each
 * time the number of pages has doubled (Brent's algorithm).
 */
export class CursorGuard {
  #seen = 0
  readonly #stored = new Set<string>()
  #mark: string | undefined
  #nextMark = MAX_STORED_CURSORS

  /** Records a page's cursor. Returns `false` for a repeated cursor, if the guard recognises the repetition. */
  add(cursor: string): boolean {
    if (cursor === this.#mark || this.#stored.has(cursor)) return false
    this.#seen += 1
    if (this.#stored.size < MAX_STORED_CURSORS) this.#stored.add(cursor)
    if (this.#seen >= this.#nextMark) {
      this.#mark = cursor
      this.#nextMark *= 2
    }
    return true
  }
}

async function* withoutResponse<T>(
  pages: AsyncIterable<WithResponse<T>>,
): AsyncGenerator<T, void, undefined> {
  for await (const { data } of pages) yield data
}

/** Returns the checked limit. Throws for `toArray(5)`, a negative limit and an unknown option. */
function limitOf(options: { readonly limit?: number | undefined }): number {
  const own = isRecord(options) ? ownOptions('toArray', options, new Set(['limit'])) : { limit: Number.NaN }
  const { limit = Number.POSITIVE_INFINITY } = own
  if (typeof limit === 'number' && limit >= 0) return limit
  throw new ConfigurationError('toArray requires an object with a limit of 0 or more, such as { limit: 100 }')
}

/** Maximum number of stored record IDs. The oldest is dropped first. */
const MAX_STORED_RECORDS = 10_000

/**
 * Returns a function that omits repeated records. A record moves to the next page when others are added before it. The
 * memory is limited for a list of any length.
 */
function recordFilter(identity: RecordIdentity): <T>(items: readonly T[]) => readonly T[] {
  const seen = new Set<unknown>()
  return (items) =>
    items.filter((item) => {
      const id = fieldOf(item, identity)
      if (seen.has(id)) return false
      seen.add(id)
      if (seen.size > MAX_STORED_RECORDS) seen.delete(seen.values().next().value)
      return true
    })
}
