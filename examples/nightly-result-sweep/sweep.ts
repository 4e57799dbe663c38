import { NotFoundError, type PathologyClient, type Result } from 'pathology-sdk'
import type { WatchList } from './watch-list.js'

const DAY_MS = 24 * 3_600_000

/** Each result is checked for changes for this time after its creation. Laboratories can correct complete results. */
const WATCH_MS = 60 * DAY_MS

/**
 * Overlap with the previous sweep. A result can appear in the list long after its creation, when it is released. The overlap
 * must be shorter than `WATCH_MS`: otherwise results that are no longer watched would count as new.
 */
const OVERLAP_MS = 30 * DAY_MS

export interface SweepReport {
  readonly found: number
  readonly changed: number
  readonly watched: number
}

/**
 * Finds new and changed results, also if their webhooks failed. Reads the list, newest first, back to `OVERLAP_MS`
 * before the newest known result, or completely in the first sweep. Checks the watched results for changes. Calls
 * `keep` with each new or changed result. A repeated sweep can pass a result again. `now` returns the current time in
 * milliseconds since the epoch.
 */
export async function sweep(
  client: PathologyClient,
  list: WatchList,
  keep: (result: Result) => Promise<void>,
  now: () => number = Date.now,
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
    const isOver = result === undefined || now() - Date.parse(since) > WATCH_MS
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
  list.newestCreatedAt = newest // set after the loop, so that an interrupted sweep is repeated
  return found
}

function ifGone(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error
}
