import { MAX_CENTRE_PAGE_SIZE } from '../../contract/limits.js'
import type { CollectionCentre } from '../../contract/types.js'
import type { CursorIterator, Page } from './cursor-iterator.js'

/** Operation on a copy of the directory. */
export type CentreChange =
  | {
      /** Inserts `centre`, or replaces the centre with this `uuid`. */
      readonly type: 'upsert'
      /** ID of the centre, a UUID. */
      readonly uuid: string
      /** Present state of the centre. */
      readonly centre: CollectionCentre
    }
  | {
      /** Removes the centre from the copy. */
      readonly type: 'remove'
      /** ID of the centre, a UUID. */
      readonly uuid: string
      /** Present state of the centre, RETIRED. */
      readonly centre: CollectionCentre
    }

/** `nextSince` is this much before the start of the iteration, in milliseconds. Some changes are read twice, without effect. */
const OVERLAP_MS = 60_000

/** Functions that read the changes. */
export interface CentreChangesParts {
  /** Reads the list. */
  readonly list: (query: { readonly count: number }) => CursorIterator<CollectionCentre>
  /** Returns the service's time, in milliseconds. */
  readonly serviceNow: () => number
}

/**
 * Changes of the directory since a time, as operations on a copy: remove retired centres, and insert or replace
 * all others. Iterate to the end, then save `nextSince` with your copy.
 */
export class CentreChanges implements AsyncIterable<CentreChange> {
  readonly #parts: CentreChangesParts
  #nextSince: string | undefined

  constructor(parts: CentreChangesParts) {
    this.#parts = parts
  }

  /**
   * The `since` of the next call, ISO 8601; `undefined` until the iteration has reached its end. It is a minute
   * before the start of the iteration by the service's clock, so no change is lost between two iterations.
   */
  get nextSince(): string | undefined {
    return this.#nextSince
  }

  /** Iterates over the changes. */
  async *[Symbol.asyncIterator](): AsyncGenerator<CentreChange, void, undefined> {
    for await (const page of this.pages()) yield* page
  }

  /** Iterates over pages of up to 10,000 changes, for example to write each page in one transaction. */
  async *pages(): AsyncGenerator<readonly CentreChange[], void, undefined> {
    this.#nextSince = undefined
    const startedAt = this.#parts.serviceNow()
    let began: number | undefined
    for await (const page of this.#readPages()) {
      // The first response corrects the server clock. The earlier of the times before and after the correction is used.
      began ??= Math.min(startedAt, this.#parts.serviceNow())
      yield page.items.map(toChange)
    }
    this.#nextSince = new Date((began ?? startedAt) - OVERLAP_MS).toISOString()
  }

  #readPages(): AsyncIterable<Page<CollectionCentre>> {
    return this.#parts.list({ count: MAX_CENTRE_PAGE_SIZE }).pages()
  }
}

function toChange(centre: CollectionCentre): CentreChange {
  return { type: centre.status === 'RETIRED' ? 'remove' : 'upsert', uuid: centre.uuid, centre }
}
