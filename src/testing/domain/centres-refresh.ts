import type { CentreChangeKinds } from '../../contract/events.js'
import { refreshTimes } from '../options/directory-options.js'
import { makeCentre, readCentreParts } from '../seed/centres.js'
import type { JobTable } from '../server/context.js'
import type { CentreRecord, CentreRun } from '../state/centres.js'
import type { FakeContext } from '../state/context.js'
import { changeDetails } from './centres-details.js'
import { centreIndex, putCentres } from './centres-index.js'
import { choose, pick, type RefreshPlan, uuidsOf } from './centres-plan.js'
import { emitEvent } from './deliveries.js'
import { byKind } from './events.js'

/** Outcome of a refresh. */
export interface RefreshOutcome extends CentreRun {
  /** Number of changed centres, by kind of change. */
  readonly counts: CentreChangeKinds<number>
  /** `true` when the fake queued the event for all subscribed webhooks, if any; `false` if no centre changed. */
  readonly eventSent: boolean
}

const KEPT_RUNS = 100

/**
 * Simulates a weekly refresh (§3.4, §6):
 * - Changes the centres as `plan` says.
 * - Retires the centres that `retireAfterMissingWeeks` consecutive listings omit, unless `plan.retired` is set.
 * - Sends `collection_centres.updated` if a centre changed.
 *
 * @throws RangeError - A field is unknown or invalid, selects too many centres, or names a centre that does not exist,
 * has another status or is already selected.
 */
export function weeklyRefresh(context: FakeContext, plan: RefreshPlan = {}): RefreshOutcome {
  const chosen = choose(context, plan)
  const now = Date.parse(context.clock.tick())
  const parts = readCentreParts()
  const revived = chosen.revived.map((record) => revive(record, now))
  const renewed = pick(context, revived, plan.revivedWithNewDetails ?? 0, 'revived')
  const records = {
    created: Array.from({ length: plan.created ?? 0 }, () => makeCentre(context.random, parts, now)),
    revived,
    updated: [...chosen.updated, ...renewed].map((record, place) => ({
      ...record,
      ...changeDetails(context.random, parts, record, place),
      changedAt: now,
    })),
    missing: chosen.missing.map((record) => goMissing(context, record, now)),
    retired: chosen.retired.map((record): CentreRecord => ({ ...record, status: 'RETIRED', changedAt: now })),
  }
  context.state.centres.refreshedAt = now
  putCentres(context, [...chosen.stillMissing, ...Object.values(records).flat()])
  return report(context, byKind<readonly CentreRecord[], string[]>(records, uuidsOf), now)
}

/**
 * Stores a refresh, and sends its event if a centre changed. `ranAt` is the time of the changes, so that
 * `changedSince: ranAt` finds the changed centres (§4.5).
 */
function report(context: FakeContext, changed: CentreRun['changed'], now: number): RefreshOutcome {
  const run: CentreRun = { runUuid: context.random.uuid(), ranAt: new Date(now).toISOString(), changed }
  const counts = byKind(changed, ({ length }) => length)
  const { runs } = context.state.centres
  runs.push(run)
  runs.splice(0, runs.length - KEPT_RUNS)
  const eventSent = Object.values(counts).some((count) => count > 0)
  const outcome = structuredClone({ ...run, counts, eventSent })
  if (eventSent) {
    emitEvent(context, 'collection_centres.updated', run.runUuid, { ...run, counts, changed })
  }
  return outcome
}

function revive(record: CentreRecord, now: number): CentreRecord {
  return { ...record, status: 'ACTIVE', missingWeeks: 0, changedAt: now }
}

/**
 * Marks a centre as MISSING. `lastSeenAt` becomes the time of the previous listing, the last listing with the centre.
 */
function goMissing(context: FakeContext, record: CentreRecord, now: number): CentreRecord {
  const lastSeenAt = context.state.centres.refreshedAt
  return { ...record, status: 'MISSING', missingWeeks: 1, lastSeenAt, changedAt: now }
}

const SCHEDULED = 'centres.weeklyRefresh'

/** Schedules the weekly refresh unless `options.centreRefresh` is `off`. Call this once for a new state. */
export function startCentreRefresh(context: FakeContext): void {
  const times = refreshTimes(context.options.centreRefresh)
  if (times !== undefined) context.schedule(times.firstAfterMs, { kind: SCHEDULED, argument: {} })
}

/** Runs the scheduled refresh, and schedules the next refresh. */
export const jobs: JobTable<FakeContext> = {
  [SCHEDULED]: (context) => {
    const times = refreshTimes(context.options.centreRefresh)
    if (times !== undefined) context.schedule(times.everyMs, { kind: SCHEDULED, argument: {} })
    weeklyRefresh(context, ordinaryWeek(context))
  },
}

function ordinaryWeek(context: FakeContext): RefreshPlan {
  const { random } = context
  const { byName } = centreIndex(context)
  const active = byName.filter(({ record }) => record.status === 'ACTIVE').length
  const absent = byName.filter(({ record }) => record.status === 'MISSING').length
  return {
    created: random.integer(0, 4),
    updated: Math.min(random.integer(20, 80), Math.floor(active / 10)),
    missing: Math.min(random.integer(2, 12), Math.floor(active / 10)),
    revived: Math.min(random.integer(0, 6), Math.floor(absent / 2)),
  }
}
