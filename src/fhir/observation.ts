import type { Biomarker, CanonicalValue } from '../contract/types.js'
import { CONCEPTS, discipline, EXTENSIONS, PROFILES, rangeMeaning, SYSTEMS, ucumCode } from './codes.js'
import * as element from './elements.js'
import type { Context, GapReason } from './options.js'
import type { CodeableConcept, Element } from './types.js'

/** Status of an Observation. */
export type ObservationStatus = 'final' | 'preliminary' | 'amended' | 'entered-in-error'

/** One biomarker of a result. */
export interface Observation extends ReturnType<typeof observationOf> {}

export function observationOf(id: string, biomarker: Biomarker, status: ObservationStatus, context: Context) {
  const gap = (path: string, reason: GapReason, exists: boolean): void => {
    if (exists) context.gaps.push({ element: `Observation.${path}`, reason, biomarker: biomarker.id })
  }
  const codes = context.codes?.(biomarker) ?? []
  const isStandard = codes.some(({ system }) => system === SYSTEMS.loinc || system === SYSTEMS.snomed)
  const { canonical } = biomarker
  const isCanonical =
    context.values === 'canonical' && CANONICAL.has(canonical.status) && canonical.value !== null
  const reading = isCanonical ? canonical : biomarker
  const [unit] = element.textsOf(reading.unit)
  const code = unit && ucumCode(unit, context.units)
  const units = element.filled({ unit, system: code && SYSTEMS.ucum, code })
  const value = valueIn(reading, units)
  gap('code', 'no-code', codes.length === 0)
  gap('value.code', 'no-code', unit !== undefined && code === undefined)
  gap('value', 'no-canonical', context.values === 'canonical' && !isCanonical)
  gap('value', 'not-recorded', value.dataAbsentReason !== undefined)
  return element.filled({
    ...element.head('Observation', id, isStandard ? PROFILES.codedObservation : PROFILES.observation),
    status,
    category: [CONCEPTS.laboratory, ...element.textsOf(context.discipline).map(discipline)],
    code: element.conceptOf(`${context.base}/biomarker`, biomarker.id, biomarker.name, codes),
    subject: context.subject,
    ...element.effective(context.collectedAt),
    performer: element.named(context.laboratory),
    ...value,
    interpretation: interpretationOf(reading, value.valueQuantity),
    note: element.noted(biomarker.notes),
    specimen: element.named(biomarker.sampleType)[0],
    referenceRange: rangesOf(reading, units),
  })
}

/** Only with these statuses, the service vouches for a canonical value. */
const CANONICAL = new Set<string>(['already-standard', 'converted'])

/** The fields that a reported and a canonical value have in common. */
type Reading = Omit<CanonicalValue, 'status' | 'reason' | 'formattedValue' | 'subValueType'>
type Units = { unit?: string; system?: string; code?: string }
/** A number with a unit. */
export type Quantity = Units & {
  value: number
  _value?: Element
  comparator?: '<' | '<=' | '>=' | '>'
}
type Value = { valueQuantity?: Quantity; valueString?: string; dataAbsentReason?: CodeableConcept }

const NUMBER = /^([<>]=?)?\s*(-?\d+(?:\.(\d{1,100}))?)$/
const COMPARATORS: ReadonlyMap<string, Quantity['comparator']> = new Map(
  (['<', '<=', '>=', '>'] as const).map((sign) => [sign, sign]),
)

/** Returns a number as a quantity. Any other text, and a number whose digits JavaScript cannot hold, stays text. */
function valueIn({ value }: Reading, units: Units): Value {
  const [text] = element.textsOf(value === null ? null : String(value))
  if (text === undefined) return { dataAbsentReason: CONCEPTS.unknown }
  const ascii = text.replace('≤', '<=').replace('≥', '>=')
  const [, sign = '', digits = '', decimals = ''] = NUMBER.exec(ascii) ?? []
  const number = Number(digits)
  const isExact = number.toFixed(decimals.length) === digits.replace(/^(-?)0+(?=\d)/, '$1')
  if (!isExact || !isPlain(number))
    return { valueString: /\d/.test(text) ? element.textsOf(text, units.unit).join(' ') : text }
  const precision = { extension: [{ url: EXTENSIONS.precision, valueInteger: decimals.length }] }
  const _value = decimals.endsWith('0') ? precision : undefined
  const comparator = COMPARATORS.get(sign)
  return { valueQuantity: element.filled({ value: number, _value, comparator, ...units }) }
}

/** `false` for a number that JSON writes with an exponent, which some FHIR servers refuse. */
const isPlain = (number: number | null): boolean => !String(number).includes('e')

/** Returns what the service says: normal or abnormal, with the side of the interval if the value shows it. */
function interpretationOf(reading: Reading, { value = Number.NaN, comparator }: Partial<Quantity> = {}) {
  const low = reading.refIntervalLow ?? Number.NEGATIVE_INFINITY
  const high = reading.refIntervalHigh ?? Number.POSITIVE_INFINITY
  if (reading.isAbnormal === null) return []
  if (!reading.isAbnormal) return [CONCEPTS.normal]
  const isLow = value < low || (value === low && comparator === '<')
  if (isLow && !comparator?.startsWith('>')) return [CONCEPTS.low]
  const isHigh = value > high || (value === high && comparator === '>')
  return [isHigh && !comparator?.startsWith('<') ? CONCEPTS.high : CONCEPTS.abnormal]
}

function rangesOf(reading: Reading, units: Units) {
  const { refIntervalLow: lowRange, refIntervalHigh: highRange, additionalRanges } = reading
  const ranges = [{ id: '', name: '', lowRange, highRange }, ...(additionalRanges ?? [])]
  return ranges.map(({ id, name, lowRange: low, highRange: high }) => {
    const isHeld = isPlain(low) && isPlain(high)
    const limit = (value: number | null) => (isHeld && value !== null ? { value, ...units } : undefined)
    const limits = isHeld ? '' : `${low ?? ''} to ${high ?? ''} ${units.unit ?? ''}`
    const [text] = element.textsOf(element.textsOf(name || id, limits).join(' '))
    return element.filled({
      low: limit(low),
      high: limit(high),
      type: text ? rangeMeaning(id) : undefined,
      text,
    })
  })
}
