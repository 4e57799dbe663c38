import { NotFoundError, type PathologyClient, type Result } from 'pathology-sdk'
import type { WatchList } from './watch-list.js'

const DAY_MS = 24 * 3_600_000

/** Results can be corrected after they are complete; for so long they are looked at. */
const WATCH_MS = 60 * DAY_MS

/**
 * The list is read again so far back: a result shows when it is released, which can be long after it was created. No
 * longer than results are watched, or each would be new again.
 */
const OVERLAP_MS = 30 * DAY_MS

export interface SweepReport {
  readonly found: number
  readonly changed: number
  readonly watched: number
}

/**
 * Finds results that no webhook told of: new ones from the list, newest first, back to where the last sweep was; and
 * changes of those that can still change. `keep` gets each whole; it may get one twice.
 */
export async function sweep(
  client: PathologyClient,
  list: WatchList,
  keep: (result: Result) => Promise<void>,
): Promise<SweepReport> {
  const before = new Map(Object.entries(list.watched))
  const found = await sweepNew(client, list, keep)
  let changed = 0
  for (const [uuid, { updatedAt, since }] of before) {
    const result = await client.results.retrieve(uuid).catch(ifGone)
    if (result !== undefined && result.updatedAt !== updatedAt) {
      await keep(result)
      changed += 1
    }
    const isOver = result === undefined || Date.now() - Date.parse(since) > WATCH_MS
    if (isOver) delete list.watched[uuid]
    else list.watched[uuid] = { updatedAt: result.updatedAt, since }
  }
  return { found, changed, watched: Object.keys(list.watched).length }
}

async function sweepNew(
  client: PathologyClient,
  list: WatchList,
  keep: (result: Result) => Promise<void>,
): Promise<number> {
  const back = list.newestCreatedAt === '' ? 0 : Date.parse(list.newestCreatedAt) - OVERLAP_MS
  let found = 0
  let newest = list.newestCreatedAt
  for await (const result of client.results.list({ sort: 'desc', prefetch: true })) {
    const { uuid, createdAt, updatedAt } = result
    if (Date.parse(createdAt) < back) break
    if (createdAt > newest) newest = createdAt
    if (Object.hasOwn(list.watched, uuid)) continue
    await keep(result)
    list.watched[uuid] = { updatedAt, since: createdAt }
    found += 1
  }
  list.newestCreatedAt = newest // only after the walk: one that breaks off is made again
  return found
}

function ifGone(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error
}
