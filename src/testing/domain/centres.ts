import type { CollectionCentre } from '../../contract/types.js'
import { FakeApiError } from '../server/api-error.js'
import type { FakeCall, FakeContext, HandlerTable } from '../server/context.js'
import { writeCursor } from '../server/cursors.js'
import { centreIndex } from './centres-index.js'
import { readCentreQuery } from './centres-query.js'
import { type FoundCentre, pageOf, positionOf, searchCentres } from './centres-search.js'

/** The collection centre directory (§4.5). */
export const handlers: HandlerTable = { 'centres.list': list, 'centres.retrieve': retrieve }

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
