import { checkFields, integer, type ValueRule } from '../server/value-rules.js'
import type { CentreRecord } from '../state/centres.js'
import type { FakeContext } from '../state/context.js'
import { centreIndex } from './centres-index.js'

/**
 * A number of centres, the UUIDs of centres, or `all`. For a number, the fake chooses centres at random, except for
 * `retired`. The description of each field in {@link RefreshPlan} says which status the centres must have.
 */
export type CentreSelection = number | readonly string[] | 'all'

/** Changes in the laboratories' next listing. An absent field means no change of that kind, except for `retired`. */
export interface RefreshPlan {
  /** Number of new centres, 0 to 50,000. */
  readonly created?: number | undefined
  /** ACTIVE centres whose details change. For the first, third and so on, only the opening hours change. */
  readonly updated?: CentreSelection | undefined
  /** MISSING centres that become ACTIVE again. */
  readonly revived?: CentreSelection | undefined
  /** Revived centres whose details also change. The event lists these centres in `updated` too. */
  readonly revivedWithNewDetails?: number | readonly string[] | undefined
  /** ACTIVE centres that are not in the listing. They become MISSING. */
  readonly missing?: CentreSelection | undefined
  /**
   * MISSING centres to retire now. A number selects the centres that are MISSING longest. Default: the centres that
   * `retireAfterMissingWeeks` consecutive listings omit, including this listing.
   */
  readonly retired?: CentreSelection | undefined
}

const count = integer(0)
const selection: ValueRule = {
  accepts: (value) => value === 'all' || countOrUuids.accepts(value),
  words: "an integer of at least 0, a list of UUIDs, or 'all'",
}
const countOrUuids: ValueRule = {
  accepts: (value) => Array.isArray(value) || count.accepts(value),
  words: 'an integer of at least 0 or a list of UUIDs',
}

const PLAN_RULES: { readonly [Field in keyof Required<RefreshPlan>]: ValueRule } = {
  created: integer(0, 50_000),
  updated: selection,
  revived: selection,
  revivedWithNewDetails: countOrUuids,
  missing: selection,
  retired: selection,
}

/** The centres that a plan selects, by kind of change. */
export interface Chosen {
  readonly updated: readonly CentreRecord[]
  readonly revived: readonly CentreRecord[]
  readonly missing: readonly CentreRecord[]
  readonly retired: readonly CentreRecord[]
  /** Centres that stay MISSING for another listing. */
  readonly stillMissing: readonly CentreRecord[]
}

/**
 * Selects the centres of a plan, except `created` and `revivedWithNewDetails`. A centre is not selected twice.
 *
 * @throws RangeError - A field is unknown or invalid, selects too many centres, or names a centre that does not exist,
 * has another status or is already selected.
 */
export function choose(context: FakeContext, plan: RefreshPlan): Chosen {
  checkFields(plan, PLAN_RULES, 'plan')
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

/** Chooses the centres to retire. A number selects the centres that have been MISSING longest. */
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

export function uuidsOf(records: readonly CentreRecord[]): string[] {
  return records.map((record) => record.uuid)
}

/** Selects centres of a checked plan: a number of centres, the centres with given UUIDs, or all centres. */
export function pick(
  context: FakeContext,
  from: readonly CentreRecord[],
  selection: CentreSelection,
  kind: string,
): CentreRecord[] {
  if (selection === 'all') return [...from]
  if (typeof selection !== 'number') return pickNamed(from, selection, kind)
  if (selection > from.length) {
    throw new RangeError(
      `cannot select ${selection} centres: only ${from.length} are ${kind} and not selected yet`,
    )
  }
  return shuffled(context, from, selection)
}

function pickNamed(from: readonly CentreRecord[], uuids: readonly unknown[], kind: string): CentreRecord[] {
  const free = new Map(from.map((record) => [record.uuid, record]))
  return uuids.map((uuid) => {
    const key = String(uuid).toLowerCase()
    const record = free.get(key)
    if (record === undefined)
      throw new RangeError(
        `centre ${key} cannot be selected: it is not ${kind}, or the plan selects it twice`,
      )
    free.delete(key)
    return record
  })
}

/** Returns the first `count` entries of a shuffled copy (Fisher-Yates). */
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
