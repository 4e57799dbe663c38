import type { CollectionCentre } from '../../contract/types.js'
import { FakeApiError } from '../server/api-error.js'
import type { FakeCall, HandlerTable } from '../server/context.js'
import { writeCursor } from '../server/lists.js'
import type { CentreRun } from '../state/centres.js'
import type { FakeContext } from '../state/context.js'
import { centreIndex } from './centres-index.js'
import { readCentreQuery } from './centres-query.js'
import { weeklyRefresh } from './centres-refresh.js'
import { type FoundCentre, pageOf, positionOf, searchCentres } from './centres-search.js'

/** Handlers of the collection centre endpoints (§4.5). */
export const handlers: HandlerTable<FakeContext> = {
  'centres.list': list,
  'centres.retrieve': retrieve,
}

/** Control methods of the collection centre directory. They read or change it without requests to the API. */
export const centreMethods = {
  /**
   * Simulates a weekly refresh of the directory:
   * - Changes the centres as `plan` says.
   * - Retires the centres that `retireAfterMissingWeeks` consecutive listings omit, unless `plan.retired` is set.
   * - Sends `collection_centres.updated` if a centre changed.
   *
   * Throws a RangeError for an invalid `plan`. In `plan`, `created` is a number, `revivedWithNewDetails` is a number or
   * a list of UUIDs, and every other field is a number, a list of UUIDs or `'all'`.
   */
  weeklyRefresh,
  /** Returns a centre of any status. Throws a RangeError if the centre does not exist. */
  retrieve(context: FakeContext, uuid: string): CollectionCentre {
    const centre = centreIndex(context).byUuid.get(uuid.toLowerCase())
    if (centre === undefined) throw new RangeError(`the fake has no collection centre ${uuid}`)
    return centre.view
  },
  /** Returns every centre, sorted by name, including RETIRED centres and centres without usable coordinates. */
  all(context: FakeContext): CollectionCentre[] {
    return centreIndex(context).byName.map((centre) => centre.view)
  },
  /** Returns the latest 100 refreshes, oldest first, including refreshes without changes. */
  refreshes(context: FakeContext): readonly CentreRun[] {
    return context.state.centres.runs
  },
} as const

function list(context: FakeContext, call: FakeCall): unknown {
  const { filters, count, cursorKey, after } = readCentreQuery(call)
  const found = searchCentres(centreIndex(context), filters)
  const page = pageOf(found, filters, { after, count })
  const last = page.at(-1)
  const body = { collectionCentres: page.map(listEntry), totalResults: found.length }
  if (last === undefined) return body
  const cursor = writeCursor(cursorKey, positionOf(last, filters))
  return { ...body, cursor: { cursor, count, resultCount: page.length } }
}

function listEntry({ view, distanceKm }: FoundCentre): CollectionCentre {
  return distanceKm === undefined ? view : { ...view, distanceKm }
}

function retrieve(context: FakeContext, call: FakeCall): unknown {
  const uuid = call.params['uuid'] ?? ''
  const centre = centreIndex(context).byUuid.get(uuid.toLowerCase())
  if (centre === undefined) throw new FakeApiError('COLLECTION_CENTRE_NOT_FOUND')
  return centre.view
}
