import type { Bundle, CatalogueBiomarker, Test } from '../../contract/types.js'
import {
  type BiomarkerRecord,
  type BundleRecord,
  biomarkersOf,
  type CatalogueState,
  findTest,
  type TestRecord,
  type TurnAroundRecord,
} from '../state/catalogue.js'

/**
 * Converts a test to the service's response (§2.7).
 *
 * @param withBiomarkers - `true` adds the biomarkers, as in the response to `include=biomarkers`.
 */
export function testView(state: CatalogueState, test: TestRecord, withBiomarkers: boolean): Test {
  return {
    id: test.id,
    name: test.name,
    shortName: test.shortName,
    object: 'test',
    turnAroundTimes: test.turnAroundTimes.map((time) => ({
      providerId: time.providerId,
      providerName: time.providerName,
      minimumDays: String(time.minimumDays),
      maximumDays: String(time.maximumDays),
      object: 'providerTurnaroundTime',
    })),
    turnAroundTimeAverage: turnAroundAverage(test.turnAroundTimes),
    medicareListed: test.medicareListed,
    price: test.priceCents / 100,
    priceCents: test.priceCents,
    ...(withBiomarkers ? { biomarkers: biomarkersOf(state, test).map(biomarkerView) } : {}),
  }
}

function turnAroundAverage(times: readonly TurnAroundRecord[]): Test['turnAroundTimeAverage'] {
  if (times.length === 0) return null
  const average = (days: (time: TurnAroundRecord) => number): string =>
    String(Math.round(times.reduce((sum, time) => sum + days(time), 0) / times.length))
  return {
    minimumDays: average((time) => time.minimumDays),
    maximumDays: average((time) => time.maximumDays),
    object: 'turnaroundTime',
  }
}

/** Converts a biomarker of the catalogue to the service's response (§2.8). */
export function biomarkerView(biomarker: BiomarkerRecord): CatalogueBiomarker {
  return {
    id: biomarker.id,
    name: biomarker.name,
    commonName: biomarker.commonName,
    object: 'biomarker',
    valueType: biomarker.valueType,
    sampleType: biomarker.sampleType,
    unit: biomarker.unit,
    description: biomarker.description,
    category: biomarker.category,
    canonicalUnit: biomarker.unit,
    mostCommonUnit: biomarker.mostCommonUnit,
    standardStatus: biomarker.standardStatus,
  }
}

/** Converts a bundle to the service's response (§2.9). */
export function bundleView(state: CatalogueState, bundle: BundleRecord): Bundle {
  return {
    id: bundle.id,
    name: bundle.name,
    object: 'bundle',
    tests: bundle.testIds.flatMap((id) => {
      const test = findTest(state, id)
      return test === undefined ? [] : [testView(state, test, false)]
    }),
    createdAt: bundle.createdAt,
    visibility: bundle.visibility,
  }
}
