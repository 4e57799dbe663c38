import {
  BUNDLE_VISIBILITIES,
  isKnownBundleVisibility,
  type KnownBundleVisibility,
} from '../../contract/enums.js'
import type { Bundle, Test } from '../../contract/types.js'
import type { FakeContext } from '../server/context.js'
import { findBiomarker, findBundle, findTest, type TestRecord } from '../state/catalogue.js'
import { bundleView, testView } from './catalogue-views.js'

/** A test of yours for the catalogue. */
export interface NewTest {
  /** The test's id, not one that the catalogue has. */
  readonly id: string
  /** The test's name. */
  readonly name: string
  /** Default: the name. */
  readonly shortName?: string | undefined
  /** What is collected. Default `blood`; only blood tests can be listed by Medicare. */
  readonly sample?: string | undefined
  /** Default `false`. */
  readonly medicareListed?: boolean | undefined
  /** The price in Australian cents, whole. */
  readonly priceCents: number
  /** Ids from the biomarker catalogue. Default none. */
  readonly biomarkerIds?: readonly string[] | undefined
}

/** A bundle of yours. */
export interface NewBundle {
  /** The bundle's id, not one that the catalogue has. */
  readonly id: string
  /** The bundle's name. */
  readonly name: string
  /** Ids of the tests in it. */
  readonly testIds: readonly string[]
  /** Default `PUBLIC`. */
  readonly visibility?: KnownBundleVisibility | undefined
}

/** Adds what your organisation has to the catalogue, so that tests can use its own ids (§2.7, §2.9). */
export const catalogueDrivers = {
  /** Adds a test. Throws a RangeError for an id that is taken, an unknown biomarker or a price that is no amount. */
  addTest(context: FakeContext, test: NewTest): Test {
    const { catalogue } = context.state
    checkTexts({
      id: test.id,
      name: test.name,
      shortName: test.shortName ?? test.name,
      sample: test.sample ?? 'blood',
    })
    checkIds('biomarkerIds', test.biomarkerIds ?? [])
    const record: TestRecord = {
      id: test.id,
      name: test.name,
      shortName: test.shortName ?? test.name,
      sample: test.sample ?? 'blood',
      medicareListed: test.medicareListed ?? false,
      priceCents: test.priceCents,
      biomarkerIds: test.biomarkerIds ?? [],
      turnAroundTimes: [],
    }
    refuseIf(findTest(catalogue, record.id) !== undefined, `the catalogue has a test '${record.id}' already`)
    refuseIf(
      !Number.isSafeInteger(record.priceCents) || record.priceCents < 0,
      'priceCents must be whole cents',
    )
    refuseIf(record.medicareListed && record.sample !== 'blood', 'only blood tests can be Medicare-listed')
    const unknown = record.biomarkerIds.filter((id) => findBiomarker(catalogue, id) === undefined)
    refuseIf(unknown.length > 0, `no biomarkers ${unknown.join(', ')} in the catalogue`)
    catalogue.tests.push(record)
    return testView(catalogue, record, true)
  },
  /** Adds a bundle. Throws a RangeError for an id that is taken, an unknown test, or no tests. */
  addBundle(context: FakeContext, bundle: NewBundle): Bundle {
    const { catalogue } = context.state
    checkTexts({ id: bundle.id, name: bundle.name })
    checkIds('testIds', bundle.testIds)
    const { visibility = 'PUBLIC' } = bundle
    refuseIf(
      !isKnownBundleVisibility(visibility),
      `visibility must be one of ${BUNDLE_VISIBILITIES.join(', ')}`,
    )
    const unknown = bundle.testIds.filter((id) => findTest(catalogue, id) === undefined)
    refuseIf(unknown.length > 0, `no tests ${unknown.join(', ')} in the catalogue`)
    refuseIf(bundle.testIds.length === 0, 'a bundle needs at least one test')
    refuseIf(findBundle(catalogue, bundle.id) !== undefined, `there is a bundle '${bundle.id}' already`)
    const record = {
      sequence: (catalogue.bundles.at(-1)?.sequence ?? 0) + 1,
      organisation: 'own' as const,
      id: bundle.id,
      name: bundle.name,
      productId: `product-${bundle.id}`,
      productName: bundle.name,
      testIds: [...new Set(bundle.testIds)],
      visibility,
      createdAt: context.clock.iso(),
    }
    catalogue.bundles.push(record)
    return bundleView(catalogue, record)
  },
} as const

/** Types alone do not hold for what comes over the control interface. */
function checkTexts(fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    refuseIf(typeof value !== 'string' || value.trim() === '', `${name} must be a string that is not empty`)
  }
}

function checkIds(name: string, value: unknown): void {
  refuseIf(
    !Array.isArray(value) || value.some((id) => typeof id !== 'string'),
    `${name} must be a list of ids`,
  )
}

function refuseIf(condition: boolean, message: string): void {
  if (condition) throw new RangeError(message)
}
