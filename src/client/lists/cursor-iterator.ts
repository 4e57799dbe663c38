import { ignore } from '../../common/ignore.js'
import { isRecord } from '../../common/known-options.js'
import { type CallerSignal, follow } from '../call/shared-signals.js'
import { ConfigurationError, markCursor } from '../errors/errors.js'
import { CursorGuard } from './cursor-guard.js'
import { RecordFilter } from './dedupe.js'
import type { RawPage } from './unwrap.js'

/** One page of a list. */
export interface Page<T> {
  /** The records on this page. */
  readonly items: readonly T[]
  /** Where the next page begins: pass it as `cursor` to go on from there. `undefined` after the last page. */
  readonly cursor: string | undefined
  /** The service's own account of the page (§2.14); `undefined` when it gave none. */
  readonly pageInfo:
    | {
        /** Opaque; passed back to get the next page. */
        readonly cursor: string
        /** The page size the service applied. */
        readonly count: number
        /** The records on this page. */
        readonly resultCount: number
      }
    | undefined
  /** Records on all pages together, where the list tells (§4.5). */
  readonly totalResults: number | undefined
}

/** How far the walk of a list has come. */
export interface ListProgress {
  /** Pages so far. */
  readonly pages: number
  /** Records on these pages. */
  readonly items: number
  /** Records on all pages together, where the list tells: collection centres (§4.5). */
  readonly totalResults: number | undefined
}

/** How a list is fetched and walked. */
export interface CursorIteratorParts {
  /**
   * Fetches the page that begins at `cursor`; the first one when it is `undefined`. `signal` is given where the walk
   * can end before its caller wants it to.
   */
  readonly fetchPage: (cursor: string | undefined, signal?: AbortSignal) => Promise<RawPage>
  /** Where to begin. */
  readonly cursor: string | undefined
  readonly prefetch: boolean
  /** Leaves out records that came on a page before. */
  readonly dedupe: boolean
  readonly signal: CallerSignal | undefined
  /** Hears of each page before it is handed out. Must not throw. */
  readonly onProgress?: (progress: ListProgress) => void
  /** The error for a list that gives the same cursor again. */
  readonly loopError: (pages: number) => Error
}

/**
 * A list, walked page by page as far as you go and no further (§4.7).
 *
 * ```ts
 * for await (const referral of client.referrals.list({ sort: 'desc' })) …
 * ```
 *
 * It can be walked more than once; each walk begins anew. Besides what the list's calls throw, a walk throws a
 * `ResponseError` with reason `cursor-loop` when the service gives the same cursor again. An error in the middle
 * carries `cursor`: a new list with that cursor goes on where this one broke off.
 */
export class CursorIterator<T> implements AsyncIterable<T> {
  readonly #parts: CursorIteratorParts

  constructor(parts: CursorIteratorParts) {
    this.#parts = parts
  }

  /** Record by record. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items
  }

  /** Page by page, each with the cursor to go on from. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const abort = this.#parts.prefetch ? new AbortController() : undefined
    const unfollow = abort === undefined ? ignore : follow(abort, this.#parts.signal)
    const fetch = this.#fetcher(abort?.signal)
    const guard = new CursorGuard()
    const tell = this.#teller()
    const filtered = this.#filter()
    let cursor = this.#parts.cursor
    if (cursor !== undefined) guard.admit(cursor)
    let next: Promise<Page<T>> | undefined
    try {
      for (;;) {
        const page = filtered(await (next ?? fetch(cursor)))
        next = undefined
        cursor = page.cursor
        tell(page)
        if (cursor !== undefined && !guard.admit(cursor)) {
          yield { ...page, cursor: undefined }
          throw this.#parts.loopError(guard.seen)
        }
        if (abort !== undefined && cursor !== undefined) next = held(fetch(cursor))
        yield page
        if (cursor === undefined) return
      }
    } finally {
      unfollow()
      abort?.abort()
    }
  }

  /** The first page alone. */
  async firstPage(): Promise<Page<T>> {
    return this.#fetcher()(this.#parts.cursor)
  }

  /**
   * All records in an array.
   *
   * @param options - `limit`: stop after so many records; without it the whole list is read into memory.
   */
  async toArray(options: { readonly limit?: number | undefined } = {}): Promise<T[]> {
    return collected(this, options)
  }

  #filter(): (page: Page<T>) => Page<T> {
    if (!this.#parts.dedupe) return (page) => page
    const filter = new RecordFilter()
    return (page) => ({ ...page, items: filter.fresh(page.items) })
  }

  #teller(): (page: Page<T>) => void {
    const { onProgress } = this.#parts
    if (onProgress === undefined) return ignore
    let [pages, items] = [0, 0]
    return (page) => {
      pages += 1
      items += page.items.length
      onProgress({ pages, items, totalResults: page.totalResults })
    }
  }

  #fetcher(signal?: AbortSignal): (cursor: string | undefined) => Promise<Page<T>> {
    const { fetchPage } = this.#parts
    return async (cursor) => {
      try {
        return toPage<T>(await fetchPage(cursor, signal))
      } catch (error) {
        markCursor(error, cursor)
        throw error
      }
    }
  }
}

/**
 * Stops by the count the service applied, not the one that was asked for (§4.7 rule 4). Of a page that miscounts itself
 * the records count: one request too many rather than a record too few.
 */
function toPage<T>(raw: RawPage): Page<T> {
  const { cursor: info, totalResults } = raw
  const items = raw.items as readonly T[]
  const isFull = info !== undefined && Math.max(info.resultCount, items.length) >= info.count
  const more = isFull && items.length > 0
  return { items, cursor: more ? info.cursor : undefined, pageInfo: info, totalResults }
}

/** A page fetched ahead: its failure is thrown when the page is asked for, not before. */
function held<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore)
  return promise
}

/** All of what is walked in an array, or as much as was asked for. */
export async function collected<T>(
  walk: AsyncIterable<T>,
  options: { readonly limit?: number | undefined } = {},
): Promise<T[]> {
  const limit = limitOf(options)
  const all: T[] = []
  if (limit <= 0) return all
  for await (const item of walk) {
    all.push(item)
    if (all.length >= limit) break
  }
  return all
}

/** `toArray(5)` would walk the whole list. */
function limitOf(options: { readonly limit?: number | undefined }): number {
  const { limit = Number.POSITIVE_INFINITY } = isRecord(options) ? options : { limit: Number.NaN }
  if (typeof limit === 'number' && !Number.isNaN(limit)) return limit
  throw new ConfigurationError('toArray takes an object, such as { limit: 100 }')
}
