import type { PageSizes } from '../../contract/endpoint.js'
import type { ListPage } from '../call/unwrap.js'

/** What is known of a list before its first page. */
export interface SequenceStart {
  /** The page sizes that are documented; `false` for a list with one page, which carries no cursor. */
  readonly sizes: PageSizes | false
  /** The page size that was asked for. */
  readonly asked: number | undefined
  /** Whether the first page is that of the whole list. */
  readonly isFromStart: boolean
}

/** What a page says of the pages after it. */
export interface PageVerdict {
  /** Where the next page begins; `undefined` after the last one. */
  readonly next: string | undefined
  /** Why records may be missing at the end that this page is; `undefined` when the end is certain, or not reached. */
  readonly doubt: string | undefined
}

/** Decides, page by page, where a list ends, and whether that end is certain (§4.7). */
export class PageSequence {
  readonly #start: SequenceStart
  /** The smallest page size that the service said it applied. */
  #smallest: number | undefined
  #records = 0

  constructor(start: SequenceStart) {
    this.#start = start
  }

  /** Takes the next page. */
  take(page: ListPage): PageVerdict {
    const { items, cursor } = page
    const count = this.#appliedSize(page)
    if (count !== undefined) this.#smallest = Math.min(count, this.#smallest ?? count)
    this.#records += items.length
    if (cursor !== undefined && items.length > 0 && isFull(page, count)) {
      return { next: cursor.cursor, doubt: undefined }
    }
    return { next: undefined, doubt: this.#doubt(page) }
  }

  /**
   * The end is certain when the page holds fewer records than any page the service cut off, or when the service's total
   * was reached.
   */
  #doubt({ items, cursor, totalResults }: ListPage): string | undefined {
    const { isFromStart, sizes } = this.#start
    if (isFromStart && totalResults !== undefined && sizes !== false) {
      if (this.#records === totalResults) return undefined
      if (this.#records < totalResults) return 'it ends before the total that the service gives'
    }
    const isUnmarked = sizes !== false && cursor === undefined && items.length >= this.#limit(sizes)
    return isUnmarked ? 'a full page has no cursor' : undefined
  }

  #limit(sizes: PageSizes): number {
    return Math.max(1, this.#smallest ?? Math.min(sizes.byDefault, this.#start.asked ?? sizes.byDefault))
  }

  /** The page size that the service names, at most the documented one: more records than that are on two pages. */
  #appliedSize({ count }: ListPage): number | undefined {
    const { sizes } = this.#start
    if (count === undefined || count < 1) return undefined
    return sizes === false ? count : Math.min(count, sizes.atMost)
  }
}

/** Of a page that miscounts itself the records count: one request too many rather than a record too few. */
function isFull({ items, resultCount }: ListPage, count: number | undefined): boolean {
  return count === undefined || Math.max(resultCount ?? 0, items.length) >= count
}

/** Why records of a page may be missing; `undefined` when all are there. */
export function lackOf({ items, resultCount }: ListPage): string | undefined {
  return resultCount !== undefined && resultCount > items.length
    ? 'a page holds fewer records than it says'
    : undefined
}
