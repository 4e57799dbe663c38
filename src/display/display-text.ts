import { entriesOf, fieldOf } from '../contract/read.js'
import type { Biomarker, CollectionCentre } from '../contract/types.js'

/** Input of {@link flagOf} and {@link formatRange}: a biomarker, or its `canonical` value. */
export type RangedValue = Pick<Biomarker, 'unit' | 'refIntervalLow' | 'refIntervalHigh' | 'isAbnormal'> & {
  /** The value as text or as a number; `null` for a biomarker without a canonical value. */
  readonly value: string | number | null
}

/** Position of a value relative to its default reference interval. */
export type BiomarkerFlag = 'low' | 'high' | 'normal' | 'unknown'

/**
 * A number as laboratories report it. `<0.5` and `>= 100` are values outside the measuring range of a method.
 * JavaScript writes a very small or large number with an exponent: `5e-7`.
 */
const MEASURED = /^\s*([<>]=?|[≤≥])?\s*(-?\d+(?:\.\d+)?(?:e[+-]\d+)?)\s*$/

/** A number that a laboratory reported. */
export interface MeasuredNumber {
  /** The number, without comparator and unit. */
  readonly value: number
  /** How the true value compares with `value`: `<` in `<0.5`. `=` for a plain number. */
  readonly comparator: '<' | '<=' | '=' | '>=' | '>'
  /** Unit of `value`, as the laboratory spells it; `undefined` without a unit. */
  readonly unit: string | undefined
}

const COMPARATORS: ReadonlyMap<string, MeasuredNumber['comparator']> = new Map([
  ['<', '<'],
  ['<=', '<='],
  ['≤', '<='],
  ['>=', '>='],
  ['≥', '>='],
  ['>', '>'],
])

/**
 * Returns a biomarker's value as a number with its unit. The service sends values as text, such as `5.2` or `<0.5`. For
 * values that you can compare between laboratories, pass `biomarker.canonical`.
 *
 * @returns `undefined` for a value that isn't a number, such as `not detected`.
 */
export function numberOf(biomarker: Pick<RangedValue, 'value' | 'unit'>): MeasuredNumber | undefined {
  const given = fieldOf(biomarker, 'value')
  if (typeof given !== 'string' && typeof given !== 'number') return undefined
  const [, sign = '', digits] = MEASURED.exec(String(given)) ?? []
  if (digits === undefined) return undefined
  const unit = fieldOf(biomarker, 'unit')
  return {
    value: Number(digits),
    comparator: COMPARATORS.get(sign) ?? '=',
    unit: typeof unit === 'string' && unit.trim() !== '' ? unit.trim() : undefined,
  }
}

/**
 * Compares a biomarker's value with its default reference interval. Both ends belong to the interval. The result is not
 * medical advice.
 *
 * Text such as `<5` also counts as a number. If the value is not a number, or there is no default interval, only
 * `isAbnormal` decides: `false` gives `normal`, any other value gives `unknown`. A number with an interval gives
 * `unknown` in these cases:
 *
 * - The value can be inside or outside the interval, such as `<5` with an interval from 3 to 10.
 * - The value is inside the interval, but `isAbnormal` is `true`. The laboratory can use another interval: see
 * `additionalRanges`.
 */
export function flagOf(biomarker: RangedValue): BiomarkerFlag {
  const [low, high] = intervalOf(biomarker)
  const measured = measuredRange(biomarker)
  const isAbnormal = fieldOf(biomarker, 'isAbnormal')
  if (measured === undefined || (low === undefined && high === undefined))
    return isAbnormal === false ? 'normal' : 'unknown'
  const { from, to, isOpen } = measured
  const [bottom, top] = [low ?? Number.NEGATIVE_INFINITY, high ?? Number.POSITIVE_INFINITY]
  if (to < bottom || (isOpen && to === bottom)) return 'low'
  if (from > top || (isOpen && from === top)) return 'high'
  return from >= bottom && to <= top && isAbnormal !== true ? 'normal' : 'unknown'
}

/** The values that a text such as `<5` can mean. `isOpen`: the range does not include its ends. */
interface MeasuredRange {
  readonly from: number
  readonly to: number
  readonly isOpen: boolean
}

/** Returns the ends of the default reference interval; `undefined` for an open end. */
function intervalOf(biomarker: unknown): readonly [low: number | undefined, high: number | undefined] {
  const [low, high] = [fieldOf(biomarker, 'refIntervalLow'), fieldOf(biomarker, 'refIntervalHigh')]
  return [typeof low === 'number' ? low : undefined, typeof high === 'number' ? high : undefined]
}

function measuredRange(biomarker: RangedValue): MeasuredRange | undefined {
  const measured = numberOf(biomarker)
  if (measured === undefined) return undefined
  const { value, comparator } = measured
  const isOpen = comparator === '<' || comparator === '>'
  if (comparator.startsWith('<')) return { from: Number.NEGATIVE_INFINITY, to: value, isOpen }
  if (comparator.startsWith('>')) return { from: value, to: Number.POSITIVE_INFINITY, isOpen }
  return { from: value, to: value, isOpen }
}

/**
 * Returns a biomarker's default reference interval: `3.5 to 5.2 mmol/L`, `up to 5.2 mmol/L` or `from 3.5 mmol/L`.
 * If the biomarker has no unit, the text has only the numbers. Returns an empty string if there is no interval.
 */
export function formatRange(biomarker: RangedValue): string {
  const range = rangeText(...intervalOf(biomarker))
  const unit = fieldOf(biomarker, 'unit')
  return range === '' || typeof unit !== 'string' || unit.trim() === '' ? range : `${range} ${unit.trim()}`
}

function rangeText(low: number | undefined, high: number | undefined): string {
  if (high === undefined) return low === undefined ? '' : `from ${low}`
  return low !== undefined ? `${low} to ${high}` : `up to ${high}`
}

/** Consecutive days with the same hours, such as Monday to Friday. */
interface DayGroup {
  readonly first: string
  last: string
  readonly hours: string
}

/**
 * Returns a collection centre's opening hours on one line:
 * `Mon to Fri 07:00-12:00, 13:00-16:00; Sat 08:00-12:00; Sun closed`. Returns `hours unknown` if the laboratory does
 * not publish the centre's hours: the centre can still be open. A day without known hours is `unknown`, as in
 * `Sun unknown`. Times are the centre's local time.
 */
export function formatOpeningHours(centre: Pick<CollectionCentre, 'openingHours'>): string {
  const days = entriesOf(fieldOf(centre, 'openingHours'))
  if (days.length === 0) return 'hours unknown'
  const groups: DayGroup[] = []
  for (const [, day] of days) {
    const name = shortName(textOf(day, 'day'))
    const hours = hoursOf(day)
    const group = groups.at(-1)
    if (group?.hours === hours) group.last = name
    else groups.push({ first: name, last: name, hours })
  }
  return groups
    .map(({ first, last, hours }) => `${first === last ? first : `${first} to ${last}`} ${hours}`)
    .join('; ')
}

function hoursOf(day: unknown): string {
  const status = fieldOf(day, 'status')
  if (status === 'CLOSED') return 'closed'
  const periods = entriesOf(fieldOf(day, 'periods'))
  if (status !== 'OPEN' || periods.length === 0) return 'unknown'
  return periods.map(([, period]) => `${textOf(period, 'opens')}-${textOf(period, 'closes')}`).join(', ')
}

function textOf(value: unknown, name: string): string {
  const text = fieldOf(value, name)
  return typeof text === 'string' ? text : ''
}

/** Converts `MONDAY` to `Mon`. */
function shortName(day: string): string {
  return day.charAt(0).toUpperCase() + day.slice(1, 3).toLowerCase()
}
