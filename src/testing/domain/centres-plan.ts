import type { FakeContext } from '../server/context.js'
import type { CentreRecord } from '../state/centres.js'
import { centreIndex } from './centres-index.js'

/** How many centres, chosen by the fake's random numbers; or which, by uuid; or `all` that can be. */
export type CentreSelection = number | readonly string[] | 'all'

/** What the next listing of the laboratories holds that is new (§3.4, §6). What is left out does not happen. */
export interface RefreshPlan {
  /** New centres. */
  readonly created?: number | undefined
  /** ACTIVE centres whose details change; opening hours alone for every second one. */
  readonly updated?: CentreSelection | undefined
  /** MISSING centres that are back, and ACTIVE again. */
  readonly revived?: CentreSelection | undefined
  /** Of the revived ones, those that came back with new details: these are among `updated` too. */
  readonly revivedWithNewDetails?: number | readonly string[] | undefined
  /** ACTIVE centres that the listing leaves out. */
  readonly missing?: CentreSelection | undefined
  /**
   * MISSING centres to retire now; of a number, those that have been MISSING longest. Left out: those that have been MISSING for as many listings in a row as
   * `retireAfterMissingWeeks` says (§3.4).
   */
  readonly retired?: CentreSelection | undefined
}

const PLAN_FIELDS = ['created', 'updated', 'revived', 'revivedWithNewDetails', 'missing', 'retired']
const MOST_CREATED = 50_000

function checkPlan(plan: RefreshPlan): void {
  const unknown = Object.keys(plan).filter((field) => !PLAN_FIELDS.includes(field))
  if (unknown.length > 0)
    throw new RangeError(`a plan has ${PLAN_FIELDS.join(', ')}, and no ${unknown.join(', ')}`)
  const { created = 0 } = plan
  if (!isCount(created) || created > MOST_CREATED) {
    throw new RangeError(`created must be a whole number up to ${MOST_CREATED}`)
  }
}

/** The centres that a plan comes down to, by what becomes of them. */
export interface Chosen {
  readonly updated: readonly CentreRecord[]
  readonly revived: readonly CentreRecord[]
  readonly missing: readonly CentreRecord[]
  readonly retired: readonly CentreRecord[]
  /** MISSING for one more listing, and not yet for the last time. */
  readonly stillMissing: readonly CentreRecord[]
}

/**
 * No centre has two fates in one refresh: each choice is made from what the earlier ones left.
 *
 * @throws RangeError - The plan asks for more centres than there are in the status it needs, or for the wrong ones.
 */
export function choose(context: FakeContext, plan: RefreshPlan): Chosen {
  checkPlan(plan)
  const records = centreIndex(context).byName.map((centre) => centre.record)
  const absent = records.filter((record) => record.status === 'MISSING')
  const present = records.filter((record) => record.status === 'ACTIVE')
  const revived = pick(context, absent, plan.revived ?? 0, 'MISSING')
  const aged = without(absent, revived).map((record) => ({
    ...record,
    missingWeeks: record.missingWeeks + 1,
  }))
  const due = aged.filter((record) => record.missingWeeks >= context.options.retireAfterMissingWeeks)
  const retired = plan.retired === undefined ? due : chooseRetired(context, aged, plan.retired)
  const missing = pick(context, present, plan.missing ?? 0, 'ACTIVE')
  const updated = pick(context, without(present, missing), plan.updated ?? 0, 'ACTIVE')
  return { updated, revived, missing, retired, stillMissing: without(aged, retired) }
}

/** Of a number, those that have been MISSING longest. */
function chooseRetired(
  context: FakeContext,
  aged: readonly CentreRecord[],
  selection: CentreSelection,
): CentreRecord[] {
  const chosen = pick(context, aged, selection, 'MISSING')
  if (typeof selection !== 'number') return chosen
  return aged.toSorted((one, other) => other.missingWeeks - one.missingWeeks).slice(0, selection)
}

function without(records: readonly CentreRecord[], taken: readonly CentreRecord[]): CentreRecord[] {
  const uuids = new Set(uuidsOf(taken))
  return records.filter((record) => !uuids.has(record.uuid))
}

function uuidsOf(records: readonly CentreRecord[]): string[] {
  return records.map((record) => record.uuid)
}

/** Centres from a list: as many as asked for, those named, or all. */
export function pick(
  context: FakeContext,
  from: readonly CentreRecord[],
  selection: CentreSelection,
  kind: string,
): CentreRecord[] {
  if (selection === 'all') return [...from]
  if (Array.isArray(selection)) return pickNamed(from, selection, kind)
  if (typeof selection !== 'number' || !isCount(selection) || selection > from.length) {
    throw new RangeError(`cannot choose ${selection} centres: ${from.length} are ${kind} and free to choose`)
  }
  return shuffled(context, from, selection)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function pickNamed(from: readonly CentreRecord[], uuids: readonly unknown[], kind: string): CentreRecord[] {
  const free = new Map(from.map((record) => [record.uuid, record]))
  return uuids.map((uuid) => {
    const key = String(uuid).toLowerCase()
    const record = free.get(key)
    if (record === undefined) throw new RangeError(`centre ${key} is not ${kind}, or was chosen twice`)
    free.delete(key)
    return record
  })
}

/** The first `count` of a shuffled copy, by Fisher and Yates. */
function shuffled(context: FakeContext, from: readonly CentreRecord[], count: number): CentreRecord[] {
  const pool = [...from]
  const picked: CentreRecord[] = []
  while (picked.length < count) {
    const place = context.random.integer(0, pool.length - 1)
    const [record, last] = [pool[place], pool.pop()]
    if (record === undefined || last === undefined) break
    if (place < pool.length) pool[place] = last
    picked.push(record)
  }
  return picked
}
