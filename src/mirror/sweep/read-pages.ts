import type { Page } from '../../client/pagination/cursor-iterator.js'
import { isPathologyError, PathologyError } from '../../common/errors.js'
import type { RecordKind } from '../copy/record-kinds.js'
import type { StoreHook } from '../copy/store-batch.js'
import type { MirrorContext, Organisation } from '../core/context.js'
import type { Claim } from '../work/work-table.js'
import { type ListState, restarted } from './list-state.js'
import type { ResolvedSweepOptions } from './options.js'
import type { SweepPlan } from './plans.js'
import type { Progress } from './progress.js'

/** Input of one step that reads a list. */
export interface PageTask {
  readonly context: MirrorContext
  readonly plan: SweepPlan
  readonly sweep: ResolvedSweepOptions
  readonly hooks: readonly StoreHook[]
  readonly owner: Organisation
  readonly claim: Claim
  readonly kind: RecordKind
  readonly signal: AbortSignal
}

/** The parts of a page that an iteration uses. */
export interface ListPage {
  readonly items: readonly object[]
  /** Cursor of the next page; `undefined` after the last one. */
  readonly cursor: string | undefined
}

/** Pages of a list that are stored together. */
export interface PageBatch {
  /** The pages, at least one. */
  readonly pages: readonly ListPage[]
  /** State of the list before these pages. */
  readonly list: ListState
}

/**
 * Reads the next pages of a list. Rejects if the first page fails. If a later page fails, returns the pages before it.
 * The next batch then starts at the failed page.
 */
export async function readPages(task: PageTask, { cursor, lists }: Progress): Promise<PageBatch> {
  const { page: first, list } = await readFirst(task, cursor, lists[task.kind] ?? {})
  const pages = [first]
  try {
    for (let next = first.cursor; next !== undefined && pages.length < task.plan.pagesAtOnce; ) {
      const page = await readPage(task, next)
      pages.push(page)
      next = page.cursor
    }
  } catch {
    // The pages before the failed page are stored. Otherwise a page that always fails would prevent their storage.
  }
  return { pages, list }
}

/**
 * Reads the first page. If the service rejects the cursor, reads the list from its start. The records that were already
 * stored are then unchanged, and are not stored again. If restarts of the list make no progress, throws the error of
 * the service.
 */
async function readFirst(
  task: PageTask,
  cursor: string | null,
  list: ListState,
): Promise<{ readonly page: ListPage; readonly list: ListState }> {
  try {
    return { page: await readPage(task, cursor), list }
  } catch (error) {
    const again = restarted(list)
    if (cursor === null || again === undefined || !isPathologyError(error, 'INVALID_PARAMETER')) throw error
    task.context.logger.warn(
      `mirror: the service no longer accepts the cursor of ${task.claim.key}; the list is read from its start`,
    )
    return { page: await readPage(task, null), list: again }
  }
}

async function readPage({ owner, kind, plan, signal }: PageTask, cursor: string | null): Promise<ListPage> {
  const query = { sort: plan.sort, ...(cursor === null ? {} : { cursor }) }
  const list =
    kind === 'referral'
      ? owner.client.referrals.list(query, { signal })
      : owner.client.results.list(query, { signal })
  const page = await list.firstPage()
  checkComplete(page)
  return page
}

/** Page size of the service's lists of referrals and results. */
const PAGE_SIZE = 20

/**
 * Checks that no record is missing on a page or after it.
 *
 * @throws {@link PathologyError} if the page has fewer records than it counts, or is full and has no cursor.
 */
export function checkComplete({ items, pageInfo }: Pick<Page<object>, 'items' | 'pageInfo'>): void {
  const { resultCount = 0 } = pageInfo ?? {}
  const isCut = resultCount > items.length || (pageInfo === undefined && items.length >= PAGE_SIZE)
  if (!isCut) return
  throw new PathologyError(
    'A page of the service has fewer records than it counts, or is full and has no cursor, so records may be missing. The records that were already stored remain. The read is repeated.',
    { code: 'RESPONSE_INCOMPLETE_LIST' },
  )
}
