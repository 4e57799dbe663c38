import { formatOpeningHours } from '../../display/display-text.js'
import { centreIndex } from '../domain/centres-index.js'
import type { IndexedCentre } from '../state/centres.js'
import type { FakeContext } from '../state/context.js'
import { newestFirst } from './lists.js'

const MAX_ROWS = 50

/** Returns centres by status, refreshes newest first, and providers with their routing. */
export function showDirectory(context: FakeContext) {
  const centres: Record<string, number> = { ACTIVE: 0, MISSING: 0, RETIRED: 0 }
  for (const { record } of centreIndex(context).byName)
    centres[record.status] = (centres[record.status] ?? 0) + 1
  const own = context.state.providers.records.filter(({ organisation }) => organisation === 'own')
  return {
    centres,
    refreshes: context.state.centres.runs
      .slice(-MAX_ROWS)
      .reverse()
      .map(({ runUuid, ranAt, changed }) => ({
        runUuid,
        ranAt,
        counts: Object.fromEntries(Object.entries(changed).map(([kind, uuids]) => [kind, uuids.length])),
      })),
    providers: own
      .toReversed()
      .sort((one, other) => Number(other.connections.length > 0) - Number(one.connections.length > 0))
      .slice(0, MAX_ROWS)
      .map(({ providerNumber, name, signature, connections }) => ({
        providerNumber,
        name,
        signed: signature !== null,
        connections: connections.map(({ vendorId, status }) => ({ vendorId, status })),
      })),
    providerCount: own.length,
  }
}

/** Returns centres by name, filtered by `?status=` and `?search=`. */
export function listCentres(context: FakeContext, query: URLSearchParams) {
  const { byName } = centreIndex(context)
  return newestFirst(
    {
      // A list shows its last row first, and centres are shown by name.
      rows: byName.map((centre, index) => ({ ...centre, position: byName.length - index })).reverse(),
      position: ({ position }) => position,
      filters: { status: ({ record }, wanted) => record.status === wanted },
      texts: ({ text, record }) => [text, `${record.city} ${record.state} ${record.postcode}`, record.uuid],
      show: ({ position, ...centre }) => ({ position, ...centreSummary(centre) }),
    },
    query,
  )
}

/** Returns a centre as the API does, with its opening hours as text. Throws an Error for an unknown UUID. */
export function showCentre(context: FakeContext, uuid = '') {
  const centre = centreIndex(context).byUuid.get(uuid)
  if (centre === undefined) throw new Error(`the fake has no centre ${uuid}`)
  return { centre: centre.view, hours: formatOpeningHours(centre.view) }
}

function centreSummary({ record, view }: IndexedCentre) {
  const { uuid, name, status, city, state, postcode } = record
  return { uuid, name, status, place: `${city} ${state} ${postcode}`, hours: formatOpeningHours(view) }
}
