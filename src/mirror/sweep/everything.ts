import type { Rest, SweepPlan } from './plan.js'

const lacked = (kind: string): string => `
SELECT '${kind}' AS kind, uuid FROM {schema}.${kind}
WHERE organisation = $1 AND deleted_at IS NULL AND gone_at IS NULL
  AND read_at < (SELECT started_at FROM started)
  AND (listed_at IS NULL OR listed_at < (SELECT started_at FROM started))`

// A record that was read since the start exists, even if it was created after the list was read.
const LACKED = `
WITH started AS (SELECT started_at FROM {schema}.iteration WHERE organisation = $1 AND name = $2)
${lacked('referral')} UNION ALL ${lacked('result')}`

/** Finds anything: both lists, oldest first; then by UUID what the copy has and the lists lacked. */
export const EVERYTHING: SweepPlan = {
  source: 'sweep',
  sort: 'asc',
  isPaced: true,
  marksListed: true,
  marksGone: true,
  keepsComparison: false,
  isLast: () => false,
  rest: async ({ database, organisation, name }) =>
    (await database.query<Rest>(LACKED, [organisation, name])).rows,
}
