import { BUNDLE_VISIBILITIES, type KnownBundleVisibility } from '../../contract/enums.js'
import type { Bundle, Test } from '../../contract/types.js'
import { boolean, checkFields, integer, notBlank, oneOf, type ValueRule } from '../server/value-rules.js'
import { findBiomarker, findBundle, findTest, type TestRecord } from '../state/catalogue.js'
import type { FakeContext } from '../state/context.js'
import { bundleView, testView } from './catalogue-views.js'

/** A test to add to the catalogue. */
export interface NewTest {
  /** Id of the test. Another test must not have the same id. */
  readonly id: string
  /** Name of the test. */
  readonly name: string
  /** Short name. Default: the name. */
  readonly shortName?: string | undefined
  /** The sample. Default `blood`. Only blood tests can be listed by Medicare. */
  readonly sample?: string | undefined
  /** `true` when Medicare lists the test. Default `false`. */
  readonly medicareListed?: boolean | undefined
  /** Price in Australian cents, an integer. */
  readonly priceCents: number
  /** Ids of biomarkers in the catalogue. Default none. */
  readonly biomarkerIds?: readonly string[] | undefined
}

/** A bundle to add to the catalogue. */
export interface NewBundle {
  /** Id of the bundle. Another bundle of the organisation must not have the same id. */
  readonly id: string
  /** Name of the bundle. */
  readonly name: string
  /** Ids of the bundle's tests, at least one. */
  readonly testIds: readonly string[]
  /** Visibility. Default `PUBLIC`. */
  readonly visibility?: KnownBundleVisibility | undefined
}

const ids: ValueRule = {
  accepts: (value) => Array.isArray(value) && value.every((id) => typeof id === 'string'),
  words: 'a list of ids',
}

const TEST_RULES: { readonly [Field in keyof Required<NewTest>]: ValueRule } = {
  id: notBlank,
  name: notBlank,
  shortName: notBlank,
  sample: notBlank,
  medicareListed: boolean,
  priceCents: integer(0),
  biomarkerIds: ids,
}
const BUNDLE_RULES: { readonly [Field in keyof Required<NewBundle>]: ValueRule } = {
  id: notBlank,
  name: notBlank,
  testIds: ids,
  visibility: oneOf(...BUNDLE_VISIBILITIES),
}

/** Control methods of the catalogue. With added records, a test suite can use ids of its own (§2.7, §2.9). */
export const catalogueMethods = {
  /**
   * Adds a test. The test does not have turnaround times. Throws a RangeError for an existing id, an unknown biomarker,
   * a missing, unknown or invalid field, or a Medicare-listed test whose sample is not blood.
   */
  addTest(context: FakeContext, test: NewTest): Test {
    const { catalogue } = context.state
    checkFields(test, TEST_RULES, 'test', ['id', 'name', 'priceCents'])
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
    rejectIf(findTest(catalogue, record.id) !== undefined, `the catalogue already has a test '${record.id}'`)
    rejectIf(record.medicareListed && record.sample !== 'blood', 'only blood tests can be Medicare-listed')
    const unknown = record.biomarkerIds.filter((id) => findBiomarker(catalogue, id) === undefined)
    rejectIf(unknown.length > 0, `the catalogue has no biomarkers ${unknown.join(', ')}`)
    catalogue.tests.push(record)
    return testView(catalogue, record, true)
  },
  /**
   * Adds a bundle. Throws a RangeError for an existing id, an unknown test, an empty list of tests, or a missing,
   * unknown or invalid field.
   */
  addBundle(context: FakeContext, bundle: NewBundle): Bundle {
    const { catalogue } = context.state
    checkFields(bundle, BUNDLE_RULES, 'bundle', ['id', 'name', 'testIds'])
    const { visibility = 'PUBLIC' } = bundle
    const unknown = bundle.testIds.filter((id) => findTest(catalogue, id) === undefined)
    rejectIf(unknown.length > 0, `the catalogue has no tests ${unknown.join(', ')}`)
    rejectIf(bundle.testIds.length === 0, 'a bundle needs at least one test')
    rejectIf(
      findBundle(catalogue, bundle.id) !== undefined,
      `the catalogue already has a bundle '${bundle.id}'`,
    )
    const record = {
      sequence: (catalogue.bundles.at(-1)?.sequence ?? 0) + 1,
      organisation: 'own' as const,
      id: bundle.id,
      name: bundle.name,
      productId: `product-${bundle.id}`,
      productName: bundle.name,
      testIds: [...new Set(bundle.testIds)],
      visibility,
      createdAt: context.clock.tick(),
    }
    catalogue.bundles.push(record)
    return bundleView(catalogue, record)
  },
} as const

function rejectIf(condition: boolean, message: string): void {
  if (condition) throw new RangeError(message)
}
