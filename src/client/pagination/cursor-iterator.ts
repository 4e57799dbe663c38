import { ignore } from '../../common/ignore.js'
import { isRecord, withSet } from '../../common/known-options.js'
import type { ListPage } from '../call/unwrap.js'
import { type CallerSignal, follow } from '../core/abort.js'
import { ConfigurationError, markCursor } from '../errors/errors.js'
import { CursorGuard } from './cursor-guard.js'
import { lackOf, PageSequence, type SequenceStart } from './page-sequence.js'
import { RecordFilter } from './skip-duplicates.js'

/** One page of a list. */
export interface Page<T> {
  /** The records on this page. */
  readonly items: readonly T[]
  /** Where the next page begins: pass it as `cursor` to go on from there. `undefined` after the last page. */
  readonly cursor: string | undefined
  /**
   * Whether the list is known to end with this page: `certain`; or `uncertain`, where the page is full and has no cursor,
   * or the service's total was not reached. `undefined` when another page follows.
   */
  readonly end: 'certain' | 'uncertain' | undefined
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

/** Selects records of a page. */
export type PageSelection = (items: readonly unknown[]) => {
  readonly items: readonly unknown[]
  /** No later page has a record to select. */
  readonly isLast: boolean
}

/** How a list is fetched and walked. */
export interface CursorIteratorParts {
  /**
   * Fetches the page that begins at `cursor`; the first one when it is `undefined`. `signal` is given where the walk
   * can end before its caller wants it to.
   */
  readonly fetchPage: (cursor: string | undefined, signal?: AbortSignal) => Promise<ListPage>
  /** Where to begin. */
  readonly cursor: string | undefined
  readonly prefetch: boolean
  /** Omits records that an earlier page contained. */
  readonly skipDuplicates: boolean
  /** Makes the selection of one iteration. */
  readonly select: (() => PageSelection) | undefined
  readonly signal: CallerSignal | undefined
  /** What is known of the list before its first page. */
  readonly start: SequenceStart
  /** The error for a list that gives the same cursor again. */
  readonly loopError: (pages: number) => Error
  /** The error for a list whose records may be missing; `undefined` where it is not to end in one. */
  readonly incompleteError: (detail: string, pages: number) => Error | undefined
  /** Every page must hold what it says: a record that is missing would be taken for one that does not exist. */
  readonly mustBeComplete: boolean
}

/**
 * A list, walked page by page as far as you go and no further (§4.7).
 *
 * ```ts
 * for await (const referral of client.referrals.list({ sort: 'desc' })) …
 * ```
 *
 * It can be walked more than once; each walk begins anew. Besides what the list's calls throw, a walk throws a
 * `InvalidResponseError` with reason `cursor-loop` when the service gives the same cursor again, and under
 * `responseValidation: 'strict'` one with reason `incomplete-list` when its last page is full and has no cursor. An
 * error in the middle carries `cursor`: a new list with that cursor goes on where this one broke off.
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
    const reader = new PageReader<T>(this.#parts, abort?.signal)
    const guard = new CursorGuard()
    const filtered = this.#filter()
    let cursor = this.#parts.cursor
    if (cursor !== undefined) guard.admit(cursor)
    let next: Promise<Page<T>> | undefined
    try {
      for (;;) {
        const page = filtered(await (next ?? reader.read(cursor)))
        next = undefined
        cursor = page.cursor
        if (cursor !== undefined && !guard.admit(cursor)) {
          yield { ...page, cursor: undefined, end: 'uncertain' }
          throw this.#parts.loopError(guard.seen)
        }
        if (abort !== undefined && cursor !== undefined) next = held(reader.read(cursor))
        yield page
        if (cursor === undefined) return reader.finish()
      }
    } finally {
      unfollow()
      abort?.abort()
    }
  }

  /** The first page alone. */
  async firstPage(): Promise<Page<T>> {
    const reader = new PageReader<T>(this.#parts)
    const page = await reader.read(this.#parts.cursor)
    reader.finish()
    return page
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
    if (!this.#parts.skipDuplicates) return (page) => page
    const filter = new RecordFilter()
    return (page) => ({ ...page, items: filter.fresh(page.items) })
  }
}

/** The pages of one walk, fetched one after the other. */
class PageReader<T> {
  readonly #parts: CursorIteratorParts
  readonly #signal: AbortSignal | undefined
  readonly #sequence: PageSequence
  readonly #select: PageSelection | undefined
  #pages = 0
  #doubt: Error | undefined

  constructor(parts: CursorIteratorParts, signal?: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
    this.#sequence = new PageSequence(parts.start)
    this.#select = parts.select?.()
  }

  async read(cursor: string | undefined): Promise<Page<T>> {
    try {
      return this.#page(await this.#parts.fetchPage(cursor, this.#signal), cursor)
    } catch (error) {
      markCursor(error, cursor)
      throw error
    }
  }

  /** Throws when records may be missing at the end that was read. */
  finish(): void {
    if (this.#doubt !== undefined) throw this.#doubt
  }

  #page(raw: ListPage, cursor: string | undefined): Page<T> {
    this.#pages += 1
    const lack = this.#parts.mustBeComplete ? lackOf(raw) : undefined
    if (lack !== undefined) throw this.#parts.incompleteError(lack, this.#pages)
    const { next, doubt } = this.#sequence.take(raw)
    const selected = this.#select?.(raw.items) ?? { items: raw.items, isLast: false }
    if (doubt !== undefined && !selected.isLast) {
      this.#doubt = this.#parts.incompleteError(doubt, this.#pages)
      markCursor(this.#doubt, cursor)
    }
    const continues = next !== undefined && !selected.isLast
    const end = doubt === undefined || selected.isLast ? 'certain' : 'uncertain'
    return {
      items: selected.items as readonly T[],
      cursor: continues ? next : undefined,
      end: continues ? undefined : end,
      pageInfo: raw.cursor,
      totalResults: raw.totalResults,
    }
  }
}

/** A page fetched ahead: its failure is thrown when the page is asked for, not before. */
function held<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore)
  return promise
}

/** All of what is walked in an array, or as much as was asked for. */
async function collected<T>(
  records: AsyncIterable<T>,
  options: { readonly limit?: number | undefined },
): Promise<T[]> {
  const limit = limitOf(options)
  const all: T[] = []
  if (limit <= 0) return all
  for await (const item of records) {
    all.push(item)
    if (all.length >= limit) break
  }
  return all
}

/** `toArray(5)` would walk the whole list. */
function limitOf(options: { readonly limit?: number | undefined }): number {
  const { limit = Number.POSITIVE_INFINITY } = isRecord(options)
    ? withSet(options, {})
    : { limit: Number.NaN }
  if (typeof limit === 'number' && !Number.isNaN(limit)) return limit
  throw new ConfigurationError('toArray takes an object, such as { limit: 100 }')
}
