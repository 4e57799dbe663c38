import type { CentreChangeKinds } from '../../contract/events.js'
import { refreshTimes } from '../options/directory-options.js'
import { makeCentre } from '../seed/centres.js'
import type { FakeContext, JobTable } from '../server/context.js'
import type { CentreRecord, CentreRun } from '../state/centres.js'
import { changeDetails } from './centres-details.js'
import { centreIndex, putCentres } from './centres-index.js'
import { choose, pick, type RefreshPlan } from './centres-plan.js'

/** What a refresh did. */
export interface RefreshOutcome extends CentreRun {
  /** How many centres changed, by kind. */
  readonly counts: CentreChangeKinds<number>
  /** Whether the event went out: it does not when nothing changed. */
  readonly eventSent: boolean
}

const KEPT_RUNS = 100

/**
 * Reads the laboratories' weekly listing: changes the directory by the plan, retires what has been MISSING for too
 * long, and sends `collection_centres.updated` when anything changed (§3.4, §6).
 *
 * @throws RangeError - The plan asks for more centres than there are in the status it needs, or for the wrong ones.
 */
export function weeklyRefresh(context: FakeContext, plan: RefreshPlan = {}): RefreshOutcome {
  const chosen = choose(context, plan)
  const now = context.clock.now()
  const revived = chosen.revived.map((record) => revive(record, now))
  const renewed = pick(context, revived, plan.revivedWithNewDetails ?? 0, 'revived')
  const records = {
    created: Array.from({ length: plan.created ?? 0 }, () => createCentre(context, now)),
    revived,
    updated: [...chosen.updated, ...renewed].map((record, place) =>
      updateCentre(context, record, place, now),
    ),
    missing: chosen.missing.map((record) => goMissing(context, record, now)),
    retired: chosen.retired.map((record): CentreRecord => ({ ...record, status: 'RETIRED', changedAt: now })),
  }
  context.state.centres.refreshedAt = now
  putCentres(context, [...chosen.stillMissing, ...Object.values(records).flat()])
  const changed = {
    created: uuidsOf(records.created),
    updated: uuidsOf(records.updated),
    revived: uuidsOf(records.revived),
    missing: uuidsOf(records.missing),
    retired: uuidsOf(records.retired),
  }
  return report(context, changed, now)
}

const uuidsOf = (records: readonly CentreRecord[]): string[] => records.map((record) => record.uuid)

/** `ranAt` is the very time of the changes: sent back as `changedSince` it must find every one of them (§4.5). */
function report(context: FakeContext, changed: CentreRun['changed'], now: number): RefreshOutcome {
  const run: CentreRun = { runUuid: context.random.uuid(), ranAt: new Date(now).toISOString(), changed }
  const counts = {
    created: changed.created.length,
    updated: changed.updated.length,
    revived: changed.revived.length,
    missing: changed.missing.length,
    retired: changed.retired.length,
  }
  const { runs } = context.state.centres
  runs.push(run)
  runs.splice(0, runs.length - KEPT_RUNS)
  const eventSent = Object.values(counts).some((count) => count > 0)
  const outcome = structuredClone({ ...run, counts, eventSent })
  if (eventSent) context.emit('collection_centres.updated', run.runUuid, { ...run, counts, changed })
  return outcome
}

function createCentre(context: FakeContext, now: number): CentreRecord {
  return makeCentre(context.random, centreIndex(context).parts, now)
}

function revive(record: CentreRecord, now: number): CentreRecord {
  return { ...record, status: 'ACTIVE', missingWeeks: 0, lastSeenAt: now, changedAt: now }
}

function updateCentre(context: FakeContext, record: CentreRecord, place: number, now: number): CentreRecord {
  const { parts } = centreIndex(context)
  return { ...record, ...changeDetails(context.random, parts, record, place), changedAt: now }
}

/** The listing before this one was the last to have it. */
function goMissing(context: FakeContext, record: CentreRecord, now: number): CentreRecord {
  const lastSeenAt = context.state.centres.refreshedAt
  return { ...record, status: 'MISSING', missingWeeks: 1, lastSeenAt, changedAt: now }
}

const SCHEDULED = 'centres.weeklyRefresh'

/** Starts the refresh that runs by itself, where the option asks for one. To be called once, for a fresh state. */
export function startCentreRefresh(context: FakeContext): void {
  const times = refreshTimes(context.options.centreRefresh)
  if (times !== undefined) context.schedule(times.firstAfterMs, { kind: SCHEDULED, argument: {} })
}

/** The refresh that runs by itself: a week like any other. */
export const jobs: JobTable = {
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
