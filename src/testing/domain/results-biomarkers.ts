import type { Biomarker, BiomarkerSummary, CanonicalValue } from '../../contract/types.js'
import { isCritical, NEUTRAL_TEXTS, spellingsOf } from '../seed/biomarkers.js'
import { type BiomarkerRecord, findBiomarker, findTest } from '../state/catalogue.js'
import type { FakeContext } from '../state/context.js'
import type { ResultRow } from '../state/orders.js'
import { choiceOf, numericValue, round, textValue } from './results-values.js'

/** About one result in six comes from a laboratory with other units. */
const OTHER_UNITS_EVERY = 6

/** Returns the ids of the biomarkers of some tests, each id once, in the laboratory's order. */
export function biomarkerIdsOf(context: FakeContext, testIds: readonly string[]): string[] {
  const { catalogue } = context.state
  return [...new Set(testIds.flatMap((id) => findTest(catalogue, id)?.biomarkerIds ?? []))]
}

/** Returns the biomarkers of some tests, each once. */
export function biomarkersOfTests(context: FakeContext, testIds: readonly string[]): BiomarkerRecord[] {
  const { catalogue } = context.state
  return biomarkerIdsOf(context, testIds).flatMap((id) => findBiomarker(catalogue, id) ?? [])
}

/** Returns the biomarkers of a result that have arrived so far (§2.6). */
export function reportedBiomarkers(context: FakeContext, row: ResultRow): Biomarker[] {
  if (row.reportOnly) return []
  const reported = row.messages.at(-1)?.reported ?? 0
  return biomarkersOfTests(context, row.tests)
    .slice(0, reported)
    .map((record) => toBiomarker(context, row, record))
}

/**
 * Returns the number of normal, abnormal and critical biomarkers. Each biomarker is counted once (§2.5): a critical
 * biomarker is not counted as abnormal, and a biomarker whose `isAbnormal` is `null` is counted as normal.
 */
export function summarise(biomarkers: readonly Biomarker[]): BiomarkerSummary {
  const critical = biomarkers.filter((biomarker) => isCritical(biomarker.id, canonicalNumber(biomarker)))
  const abnormal = biomarkers.filter((biomarker) => biomarker.isAbnormal === true)
  const severe = abnormal.filter((biomarker) => critical.includes(biomarker)).length
  return {
    normal: biomarkers.length - abnormal.length,
    abnormal: abnormal.length - severe,
    critical: severe,
    total: biomarkers.length,
  }
}

function canonicalNumber(biomarker: Biomarker): number {
  return Number(biomarker.canonical.value ?? Number.NaN)
}

/**
 * Returns a biomarker of a result. The code names every field, because object spreads would take most of the time of a
 * page of results.
 */
function toBiomarker(context: FakeContext, row: ResultRow, record: BiomarkerRecord): Biomarker {
  const isText = record.valueType === 'text'
  return {
    id: record.id,
    name: record.name,
    commonName: record.commonName,
    description: record.description,
    object: 'biomarker',
    sampleType: record.sampleType,
    mostCommonUnit: record.mostCommonUnit,
    category: { ...record.category },
    ...(isText ? textReading(row, record) : numericReading(context, row, record)),
  }
}

type Reading = Pick<
  Biomarker,
  | 'value'
  | 'formattedValue'
  | 'valueType'
  | 'subValueType'
  | 'unit'
  | 'notes'
  | 'refIntervalHigh'
  | 'refIntervalLow'
  | 'additionalRanges'
  | 'isAbnormal'
  | 'canonical'
>

const NO_MEASURE = {
  unit: null,
  subValueType: null,
  refIntervalHigh: null,
  refIntervalLow: null,
  additionalRanges: null,
} as const

function textReading(row: ResultRow, record: BiomarkerRecord): Reading {
  const value = row.values[record.id] ?? textValue(row, record)
  const isAbnormal = NEUTRAL_TEXTS.has(record.id) ? null : value !== record.texts[0]
  return {
    ...NO_MEASURE,
    value,
    formattedValue: value,
    valueType: 'text',
    notes: null,
    isAbnormal,
    canonical: {
      ...NO_MEASURE,
      status: 'not-numeric',
      reason: 'The laboratory reported a text, which has no unit.',
      value: null,
      formattedValue: null,
      isAbnormal,
    },
  }
}

interface Measure {
  readonly value: string
  readonly unit: string | null
  readonly refIntervalHigh: number | null
  readonly refIntervalLow: number | null
  readonly additionalRanges: CanonicalValue['additionalRanges']
}

function numericReading(context: FakeContext, row: ResultRow, record: BiomarkerRecord): Reading {
  const canonical = canonicalMeasure(context, row, record)
  const converted = record.otherUnit !== null && choiceOf(row, 'laboratory', OTHER_UNITS_EVERY) === 0
  const reported = converted ? inOtherUnit(canonical, record) : canonical
  const unit = converted ? reported.unit : unitSpelling(row, record)
  const isAbnormal = isOutsideInterval(canonical)
  const subValueType = /^[<>]/.test(canonical.value) ? 'comparison' : null
  return {
    ...reported,
    unit,
    formattedValue: withUnit(reported.value, unit),
    valueType: 'numeric',
    subValueType,
    notes: isCritical(record.id, Number(canonical.value)) ? 'Telephoned to the requesting practice.' : null,
    isAbnormal,
    canonical: {
      ...canonical,
      status: converted ? 'converted' : 'already-standard',
      reason: null,
      formattedValue: withUnit(canonical.value, canonical.unit),
      subValueType,
      isAbnormal,
    },
  }
}

function canonicalMeasure(context: FakeContext, row: ResultRow, record: BiomarkerRecord): Measure {
  const { catalogue } = context.state
  const made = numericValue(row, record, (id) => findBiomarker(catalogue, id))
  const ranges = rangesFor(row, record)
  return {
    value: row.values[record.id] ?? made.toFixed(record.decimals),
    unit: record.unit,
    refIntervalHigh: record.refIntervalHigh,
    refIntervalLow: record.refIntervalLow,
    additionalRanges: ranges.length === 0 ? null : ranges,
  }
}

/** Returns the additional ranges for the patient. A man does not get the ranges of female hormones. */
function rangesFor(row: ResultRow, record: BiomarkerRecord): BiomarkerRecord['additionalRanges'][number][] {
  return record.additionalRanges
    .filter((range) => range.category !== 'female-hormone' || row.person.gender !== 'male')
    .map((range) => ({ ...range }))
}

function inOtherUnit(canonical: Measure, record: BiomarkerRecord): Measure {
  const other = record.otherUnit
  if (other === null) return canonical
  const decimals = record.decimals + (other.toCanonical > 1 ? 1 : 0)
  const convert = (value: number): number => round(value / other.toCanonical, decimals)
  const convertBound = (bound: number | null): number | null => (bound === null ? null : convert(bound))
  return {
    value: canonical.value.replace(/[\d.]+/, (digits) => convert(Number(digits)).toFixed(decimals)),
    unit: other.unit,
    refIntervalHigh: convertBound(canonical.refIntervalHigh),
    refIntervalLow: convertBound(canonical.refIntervalLow),
    additionalRanges:
      canonical.additionalRanges?.map((range) => ({
        ...range,
        lowRange: convertBound(range.lowRange),
        highRange: convertBound(range.highRange),
      })) ?? null,
  }
}

function unitSpelling(row: ResultRow, record: BiomarkerRecord): string | null {
  if (record.unit === null) return null
  const spellings = spellingsOf(record.unit, record.mostCommonUnit)
  return spellings[choiceOf(row, 'spelling', spellings.length)] ?? record.unit
}

function isOutsideInterval(measure: Measure): boolean | null {
  const { refIntervalHigh, refIntervalLow } = measure
  if (refIntervalHigh === null && refIntervalLow === null) return null
  const value = Number(measure.value.replace(/^[<>=\s]+/, ''))
  if (Number.isNaN(value)) return null
  return (
    (refIntervalLow !== null && value < refIntervalLow) ||
    (refIntervalHigh !== null && value > refIntervalHigh)
  )
}

function withUnit(value: string, unit: string | null): string {
  return unit === null ? value : `${value} ${unit}`
}
