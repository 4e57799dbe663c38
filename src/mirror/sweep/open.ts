import { FINAL_STATUSES } from '../schema/final-statuses.js'
import { hasPassed } from './list-state.js'
import type { Rest, SweepPlan } from './plan.js'

// A result that is released late is not in the part of the list that was read, but its referral names it.
const OPEN = `
SELECT 'referral' AS kind, uuid FROM {schema}.referral
WHERE organisation = $1 AND NOT COALESCE(status, '') = ANY($2::text[]) AND deleted_at IS NULL AND gone_at IS NULL
  AND created_at < $3::timestamptz AND created_at >= $4::timestamptz
UNION ALL
SELECT 'result', uuid FROM {schema}.result
WHERE organisation = $1 AND NOT COALESCE(status, '') = ANY($2::text[]) AND deleted_at IS NULL AND gone_at IS NULL
  AND created_at < $3::timestamptz AND created_at >= $4::timestamptz
UNION ALL
SELECT 'result', lower(referral.results_uuid) FROM {schema}.referral AS referral
WHERE referral.organisation = $1 AND referral.results_uuid IS NOT NULL AND referral.deleted_at IS NULL
  AND referral.created_at >= $4::timestamptz
  AND NOT EXISTS (SELECT 1 FROM {schema}.result AS result
    WHERE result.organisation = $1 AND result.uuid = lower(referral.results_uuid))
  AND NOT EXISTS (SELECT 1 FROM {schema}.erased AS erased
    WHERE erased.organisation = $1 AND (erased.uuid = lower(referral.results_uuid) OR erased.group_key = referral.group_key))`

/**
 * Finds progress, corrections and late releases: both lists over the window, and by UUID each older record that is not final.
 */
export const OPEN_SWEEP: SweepPlan = {
  source: 'sweep',
  sort: 'desc',
  isPaced: false,
  marksListed: false,
  marksGone: true,
  keepsComparison: false,
  isLast: (page, list, { until }) => until !== undefined && hasPassed(page, list, Date.parse(until)),
  rest: async ({ database, organisation, limits, progress: { until } }) => {
    if (until === undefined) return []
    const oldest = new Date(Date.parse(until) + limits.windowMs - limits.openMs).toISOString()
    const { rows } = await database.query<Rest>(OPEN, [organisation, FINAL_STATUSES, until, oldest])
    return rows
  },
}
