import type { SweepPlan } from './plan.js'

/** Records can appear in a list after younger ones. */
const MARGIN_MS = 3_600_000

/**
 * Finds new records: both lists, newest first, back to an hour before the newest record of the last run. Times are those of
 * the service alone.
 */
export const RECENT: SweepPlan = {
  source: 'sweep',
  sort: 'desc',
  isPaced: false,
  marksListed: false,
  marksGone: false,
  keepsComparison: true,
  isLast: (page, { mark }) => {
    const limit = mark === undefined ? Number.NaN : Date.parse(mark) - MARGIN_MS
    const older = page.filter(({ createdAt }) => createdAt < limit)
    const isDated = !Number.isNaN(limit) && page.some(({ createdAt }) => !Number.isNaN(createdAt))
    return isDated
      ? older.length > 0 && older.every(({ isKnown }) => isKnown)
      : page.every(({ isKnown }) => isKnown)
  },
  rest: async () => [],
}

/** Reads everything once. New records are appended to the lists, so none is left out. */
export const BACKFILL: SweepPlan = {
  source: 'backfill',
  sort: 'asc',
  isPaced: false,
  marksListed: false,
  marksGone: false,
  keepsComparison: false,
  isLast: () => false,
  rest: async () => [],
}
