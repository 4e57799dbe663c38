import { isRecord } from '../../common/known-options.js'
import { createRandom, type Random, seedRandom } from '../server/random.js'
import { type BiomarkerRecord, findBiomarker } from '../state/catalogue.js'
import type { FakeContext } from '../state/context.js'
import type { ResultRow } from '../state/orders.js'

/**
 * Share of generated numbers outside their reference interval, and of generated texts other than the usual text. This
 * share does not apply to computed values.
 */
const OUTSIDE_SHARE = 0.16

/** A number as laboratories report it, which may be a bound. */
const NUMBER = /^\s*[<>]?=?\s*-?\d+(?:\.\d+)?\s*$/

export type ValueSource = Pick<ResultRow, 'valueSeed' | 'values' | 'person'>

/** Values that are computed from other values of the same result, in canonical units. */
const DERIVED: Readonly<Record<string, (value: (id: string) => number) => number>> = {
  'non-hdl-cholesterol': (value) => value('total-cholesterol') - value('hdl-cholesterol'),
  'cholesterol-hdl-ratio': (value) => value('total-cholesterol') / value('hdl-cholesterol'),
  'ldl-cholesterol': (value) =>
    Math.max(0.5, value('total-cholesterol') - value('hdl-cholesterol') - value('triglycerides') / 2.2),
  'homa-ir': (value) => (value('fasting-glucose') * value('fasting-insulin')) / 22.5,
  globulin: (value) => value('total-protein') - value('albumin'),
  'albumin-creatinine-ratio': (value) => value('urine-albumin') / value('urine-creatinine'),
}

/**
 * Checks values that a caller sets.
 *
 * @param ids - Biomarkers of the result.
 * @throws RangeError - `values` is not an object, a value is not a string or not a number for a numeric biomarker, or
 * a biomarker is not in the catalogue or not in the result.
 */
export function checkedValues(
  { state: { catalogue } }: FakeContext,
  ids: readonly string[],
  values: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  if (!isRecord(values)) throw new RangeError('values must be an object with a string for each biomarker id')
  const entries = Object.entries(values)
  const unknown = entries.filter(([id]) => findBiomarker(catalogue, id) === undefined).map(([id]) => id)
  if (unknown.length > 0)
    throw new RangeError(`values: the catalogue has no biomarkers ${unknown.join(', ')}`)
  const invalid = entries.find(([, value]) => typeof value !== 'string')
  if (invalid !== undefined) throw new RangeError(`values: ${invalid[0]} must be a string, such as '5.4'`)
  const wordy = entries.find(
    ([id, value]) => findBiomarker(catalogue, id)?.valueType === 'numeric' && !NUMBER.test(value),
  )
  if (wordy !== undefined)
    throw new RangeError(`values: ${wordy[0]} must be a number, such as '5.4' or '<0.5'`)
  const absent = entries.filter(([id]) => !ids.includes(id)).map(([id]) => id)
  if (absent.length > 0) {
    const has = ids.length === 0 ? 'it has none' : `it has ${ids.join(', ')}`
    throw new RangeError(`values: the result has no biomarkers ${absent.join(', ')}; ${has}`)
  }
  return values
}

/** Returns a value in a biomarker's canonical unit. The same `source` always gives the same value. */
export function numericValue(
  source: ValueSource,
  biomarker: BiomarkerRecord,
  find: (id: string) => BiomarkerRecord | undefined,
): number {
  const derive = Object.hasOwn(DERIVED, biomarker.id) ? DERIVED[biomarker.id] : undefined
  if (derive === undefined) return independentValue(source, biomarker)
  const value = derive((id) => {
    const other = find(id)
    return other === undefined ? Number.NaN : independentValue(source, other)
  })
  return Number.isFinite(value) ? round(value, biomarker.decimals) : independentValue(source, biomarker)
}

/** Returns a text value: in most cases, the usual value of the biomarker. */
export function textValue(source: ValueSource, biomarker: BiomarkerRecord): string {
  const random = randomOf(source, biomarker.id)
  const [usual = 'Not detected', ...others] = biomarker.texts
  return others.length > 0 && random.fraction() < OUTSIDE_SHARE ? random.pick(others) : usual
}

/**
 * Returns an index from 0 to `choices - 1`. The index is always the same for one result and one `stream`, such as
 * `spelling` for the spelling of a unit.
 */
export function choiceOf(source: ValueSource, stream: string, choices: number): number {
  return randomOf(source, stream).integer(0, choices - 1)
}

export function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}

function randomOf(source: ValueSource, stream: string): Random {
  const state = seedRandom(source.valueSeed, stream)
  return createRandom(() => state)
}

function independentValue(source: ValueSource, biomarker: BiomarkerRecord): number {
  const given = Number.parseFloat((source.values[biomarker.id] ?? '').replace(/^[<>=\s]+/, ''))
  if (Number.isFinite(given)) return given
  const random = randomOf(source, biomarker.id)
  const { low, high } = usualInterval(source, biomarker)
  const width = high - low
  const place = random.fraction()
  const inside = low + width * (0.1 + 0.8 * place)
  if (random.fraction() >= OUTSIDE_SHARE || hasNoInterval(biomarker)) return round(inside, biomarker.decimals)
  const above = biomarker.refIntervalLow === null || (biomarker.refIntervalHigh !== null && place < 0.5)
  const distance = width * (0.1 + 0.3 * random.fraction())
  const outside = above ? high + distance : Math.max(low * 0.4, low - distance)
  return round(outside, biomarker.decimals)
}

function hasNoInterval(biomarker: BiomarkerRecord): boolean {
  return biomarker.refIntervalLow === null && biomarker.refIntervalHigh === null
}

interface Interval {
  readonly low: number
  readonly high: number
}

/**
 * Returns the interval for generated values, which is the first of these that exists:
 *
 * - The default interval.
 * - The additional range of the patient's sex.
 * - One of the additional ranges, such as the range of a cycle phase.
 * - 1 to 10.
 */
function usualInterval(source: ValueSource, biomarker: BiomarkerRecord): Interval {
  const { refIntervalLow, refIntervalHigh } = biomarker
  if (!hasNoInterval(biomarker)) return closed(refIntervalLow, refIntervalHigh)
  const all = biomarker.additionalRanges
  const ofSex = all.filter(({ id }) => id === source.person.gender)
  const ranges = ofSex.length > 0 ? ofSex : all
  const range = ranges[choiceOf(source, 'cycle phase', Math.max(1, ranges.length))]
  return range === undefined ? { low: 1, high: 10 } : closed(range.lowRange, range.highRange)
}

/** Replaces the missing end of an open interval with a usual value. */
function closed(low: number | null, high: number | null): Interval {
  if (low !== null && high !== null) return { low, high }
  if (high !== null) return { low: high * 0.35, high }
  return low === null ? { low: 1, high: 10 } : { low, high: low * 1.7 }
}
