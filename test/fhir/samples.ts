import type { Biomarker, Result } from 'pathology-sdk'
import type { BundleWithGaps, DiagnosticReport, Observation, Patient, Resource } from 'pathology-sdk/fhir'
import { result } from '../support/samples.js'

export const BASE = 'https://clinic.example/pathology'

/** Returns a biomarker that follows the contract (§2.6). */
export function biomarker(change: Partial<Biomarker> = {}): Biomarker {
  return {
    id: 'tsh',
    name: 'Thyroid stimulating hormone',
    commonName: 'TSH',
    description: '',
    object: 'biomarker',
    value: '2.5',
    formattedValue: '2.5 mIU/L',
    valueType: 'numeric',
    subValueType: null,
    unit: 'mIU/L',
    mostCommonUnit: 'mU/L',
    sampleType: 'blood',
    notes: null,
    refIntervalHigh: 4,
    refIntervalLow: 0.4,
    additionalRanges: null,
    isAbnormal: false,
    category: { id: 'thyroid', name: 'Thyroid', description: '', object: 'biomarker-category' },
    canonical: {
      status: 'already-standard',
      reason: null,
      value: '2.5',
      formattedValue: '2.5 mIU/L',
      unit: 'mIU/L',
      subValueType: null,
      refIntervalHigh: 4,
      refIntervalLow: 0.4,
      additionalRanges: null,
      isAbnormal: false,
    },
    ...change,
  }
}

/** Returns a result with these biomarkers. */
export function resultWith(...biomarkers: readonly Partial<Biomarker>[]): Result {
  return result({ biomarkers: biomarkers.map(biomarker) })
}

type ByType = { [R in Resource as R['resourceType']]: R }

/** Returns the resources of one type. */
export function resourcesOf<Type extends keyof ByType>(
  { bundle }: BundleWithGaps,
  type: Type,
): ByType[Type][] {
  return bundle.entry.flatMap(({ resource }) => (isOf(resource, type) ? [resource] : []))
}

function isOf<Type extends keyof ByType>(resource: Resource, type: Type): resource is ByType[Type] {
  return resource.resourceType === type
}

function only<T>(list: readonly T[]): T {
  const [first] = list
  if (first === undefined || list.length > 1) throw new Error(`expected one resource, got ${list.length}`)
  return first
}

export const reportOf = (made: BundleWithGaps): DiagnosticReport =>
  only(resourcesOf(made, 'DiagnosticReport'))
export const observationOf = (made: BundleWithGaps): Observation => only(resourcesOf(made, 'Observation'))
export const patientOf = (made: BundleWithGaps): Patient => only(resourcesOf(made, 'Patient'))
