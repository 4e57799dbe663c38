import type { CollectionCentre } from '../../contract/types.js'
import type { FakeContext } from '../server/context.js'
import type { CentreRun } from '../state/centres.js'
import { centreIndex } from './centres-index.js'
import { weeklyRefresh } from './centres-refresh.js'

/** What happens to the directory beside the API, and a look at all of it (§3.4, §6). */
export const centreDrivers = {
  /**
   * Reads the laboratories' weekly listing: changes centres by the plan, retires those that were MISSING for too
   * long, and sends `collection_centres.updated` when anything changed. A plan takes numbers, lists of UUIDs or
   * `'all'` under `updated`, `revived`, `missing` and `retired`, and a number under `created`.
   */
  weeklyRefresh,
  /** A centre of any status; throws a RangeError when there never was one. */
  retrieve(context: FakeContext, uuid: string): CollectionCentre {
    const centre = centreIndex(context).byUuid.get(uuid.toLowerCase())
    if (centre === undefined) throw new RangeError(`the fake has no collection centre ${uuid}`)
    return centre.view
  },
  /** Every centre by name, the RETIRED and unmappable ones included. */
  all(context: FakeContext): CollectionCentre[] {
    return centreIndex(context).byName.map((centre) => centre.view)
  },
  /** The latest refreshes, oldest first; those that changed nothing are among them. */
  refreshes(context: FakeContext): readonly CentreRun[] {
    return context.state.centres.runs
  },
} as const
