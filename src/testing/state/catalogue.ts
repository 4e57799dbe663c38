import type { KnownBundleVisibility } from '../../contract/enums.js'
import type { AdditionalRange, BiomarkerCategory } from '../../contract/types.js'
import type { Organisation } from './orders.js'

/** A unit that some laboratories report instead of the canonical unit. */
export interface OtherUnit {
  readonly unit: string
  /** Factor from `unit` to the canonical unit. */
  readonly toCanonical: number
}

/** One biomarker of the catalogue (§2.8), with the data that results need. */
export interface BiomarkerRecord {
  readonly id: string
  readonly name: string
  readonly commonName: string
  readonly description: string
  readonly category: BiomarkerCategory
  readonly valueType: 'numeric' | 'text'
  /** The collected sample, such as `blood` or `urine-spot`. */
  readonly sampleType: string
  /** The canonical unit; `null` for a biomarker without a unit. */
  readonly unit: string | null
  /** The spelling that large laboratories send most often; `null` without a unit. */
  readonly mostCommonUnit: string | null
  readonly standardStatus: string
  /** Lower limit of the default reference interval, in the canonical unit; `null` if there is none. */
  readonly refIntervalLow: number | null
  readonly refIntervalHigh: number | null
  /** Number of digits that laboratories report after the decimal point. */
  readonly decimals: number
  readonly additionalRanges: readonly AdditionalRange[]
  /** Possible text values, the usual value first; empty for a numeric biomarker. */
  readonly texts: readonly string[]
  readonly otherUnit: OtherUnit | null
}

/** Turnaround time of one laboratory, in days (§2.7). */
export interface TurnAroundRecord {
  readonly providerId: string
  readonly providerName: string
  readonly minimumDays: number
  readonly maximumDays: number
}

/** One test that can be ordered (§2.7). */
export interface TestRecord {
  readonly id: string
  readonly name: string
  readonly shortName: string
  /** The sample, such as `blood`, `urine` or `stool`. */
  readonly sample: string
  /** `true` when `medicareTests` accepts the test. Only blood tests can be listed. */
  readonly medicareListed: boolean
  readonly priceCents: number
  readonly biomarkerIds: readonly string[]
  readonly turnAroundTimes: readonly TurnAroundRecord[]
}

/** One bundle (§2.9). */
export interface BundleRecord {
  readonly sequence: number
  readonly organisation: Organisation
  readonly id: string
  readonly name: string
  readonly productId: string
  readonly productName: string
  readonly testIds: readonly string[]
  readonly visibility: KnownBundleVisibility
  readonly createdAt: string
}

/** Tests, biomarkers and bundles. Tests and biomarkers have the order of the service's responses. */
export interface CatalogueState {
  readonly tests: TestRecord[]
  readonly biomarkers: BiomarkerRecord[]
  /** Bundles of the caller's organisation and of another organisation, oldest first. */
  readonly bundles: BundleRecord[]
}

export function findTest(state: CatalogueState, id: string): TestRecord | undefined {
  return state.tests.find((test) => test.id === id)
}

export function findBiomarker(state: CatalogueState, id: string): BiomarkerRecord | undefined {
  return state.biomarkers.find((biomarker) => biomarker.id === id)
}

/** Returns the biomarkers that a test reports, in the laboratory's order. */
export function biomarkersOf(state: CatalogueState, test: TestRecord): BiomarkerRecord[] {
  return test.biomarkerIds.flatMap((id) => findBiomarker(state, id) ?? [])
}

/** Returns a bundle of the organisation behind the credentials, PUBLIC or PRIVATE. */
export function findBundle(state: CatalogueState, id: string): BundleRecord | undefined {
  return state.bundles.find((bundle) => bundle.id === id && bundle.organisation === 'own')
}

/** Returns `true` when a test is a blood test. Version 1.0.0 and Medicare orders accept only blood tests (§4.1, §9). */
export function isBloodTest(test: TestRecord): boolean {
  return test.sample === 'blood'
}
