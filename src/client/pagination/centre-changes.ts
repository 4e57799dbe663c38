import { MAX_CENTRE_PAGE_SIZE } from '../../contract/limits.js'
import type { CollectionCentre } from '../../contract/types.js'
import type { CursorIterator, Page } from './cursor-iterator.js'

/** What to do to a copy of the directory. */
export type CentreChange =
  | {
      /** Put `centre` in place of what the copy has under `uuid`, if anything. */
      readonly type: 'upsert'
      /** The centre's id, a UUID. */
      readonly uuid: string
      /** The centre as it is now. */
      readonly centre: CollectionCentre
    }
  | {
      /** Take the centre out of the copy. */
      readonly type: 'remove'
      /** The centre's id, a UUID. */
      readonly uuid: string
      /** The centre as it is now, RETIRED. */
      readonly centre: CollectionCentre
    }

/** Changes before the copy's own time are read again, in milliseconds: doing one twice changes nothing. */
const OVERLAP_MS = 60_000

/** How the changes are fetched. */
export interface CentreChangesParts {
  /** The list, and a way to learn the service's time. */
  readonly list: (query: { readonly count: number }) => CursorIterator<CollectionCentre>
  readonly serviceNow: () => number
}

/**
 * What changed in the directory since a time, as operations on a copy (§4.5): retired centres are to be removed, all
 * others put in place of what is there. Walk it to its end, then keep `nextSince` with your copy.
 */
export class CentreChanges implements AsyncIterable<CentreChange> {
  readonly #parts: CentreChangesParts
  #nextSince: string | undefined

  constructor(parts: CentreChangesParts) {
    this.#parts = parts
  }

  /**
   * The time to pass as `since` next time, ISO 8601; `undefined` until the changes have been walked to their end. It
   * lies a minute before the walk began, by the service's clock, so that nothing falls between two walks.
   */
  get nextSince(): string | undefined {
    return this.#nextSince
  }

  /** Change by change. */
  async *[Symbol.asyncIterator](): AsyncGenerator<CentreChange, void, undefined> {
    for await (const page of this.pages()) yield* page
  }

  /** Page by page, up to 10,000 changes each: for writing them in one transaction. */
  async *pages(): AsyncGenerator<readonly CentreChange[], void, undefined> {
    this.#nextSince = undefined
    const startedAt = this.#parts.serviceNow()
    let began: number | undefined
    for await (const page of this.#readPages()) {
      // The first answer's Date corrects our clock, so the start is told by both and the earlier one holds.
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
