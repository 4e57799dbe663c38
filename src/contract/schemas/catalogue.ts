import * as z from 'zod'

import { BUNDLE_VISIBILITIES } from '../enums.js'
import { biomarkerCategorySchema } from './result.js'
import { open, timestampSchema } from './shared.js'

/** §2.8 */
export const catalogueBiomarkerSchema = z.object({
  /** The biomarker's id. */
  id: z.string(),
  /** The biomarker's name. */
  name: z.string(),
  /** The name people commonly use for it. */
  commonName: z.string().nullish(),
  /** Always `biomarker`. */
  object: open(['biomarker']),
  /** `numeric` for numbers; text-valued biomarkers exist too. */
  valueType: z.string().nullish(),
  /** What is collected, for example `blood` or `urine-spot`. */
  sampleType: z.string().nullish(),
  /** The unit of its values, where they have one. */
  unit: z.string().nullish(),
  /** What the biomarker is, in words. */
  description: z.string().nullish(),
  /** What kind of biomarker it is. */
  category: biomarkerCategorySchema.nullish(),
  /** The unit that `canonical` values of results are in, where there is one. */
  canonicalUnit: z.string().nullish(),
  /** The unit that large laboratories send most often, where there is one. A description, not a standard. */
  mostCommonUnit: z.string().nullish(),
  /** Where the biomarker stands as to its standard unit; the specification lists no values. */
  standardStatus: z.string().nullish(),
})

/** §2.7 */
export const turnAroundTimeSchema = z.object({
  /** The pathology provider's id. */
  providerId: z.string(),
  /** The pathology provider's name. */
  providerName: z.string(),
  /** Days at the least, as a string. */
  minimumDays: z.string(),
  /** Days at the most, as a string. */
  maximumDays: z.string(),
  /** Always `providerTurnaroundTime`. */
  object: open(['providerTurnaroundTime']),
})

/** §2.7 */
export const turnAroundTimeAverageSchema = z.object({
  /** Days at the least, as a string. */
  minimumDays: z.string(),
  /** Days at the most, as a string. */
  maximumDays: z.string(),
  /** Always `turnaroundTime`. */
  object: open(['turnaroundTime']),
})

/** §2.7 */
export const testSchema = z.object({
  /** The test's id, by which it is ordered. */
  id: z.string(),
  /** The test's name. */
  name: z.string(),
  /** The test's name in short. */
  shortName: z.string(),
  /** Always `test`. */
  object: open(['test']),
  /** How long results take, one entry for each pathology provider. */
  turnAroundTimes: z.array(turnAroundTimeSchema),
  /** How long results take on average; `null` when there is no average. */
  turnAroundTimeAverage: turnAroundTimeAverageSchema.nullable(),
  /** Whether it is accepted in `medicareTests`; no statement about a given patient's eligibility. */
  medicareListed: z.boolean(),
  /** The price in Australian dollars. */
  price: z.number(),
  /** The price in Australian cents, whole. */
  priceCents: z.int(),
  /**
   * What the test measures. Only there when asked for with `include: ['biomarkers']`; empty when it measures
   * none.
   */
  biomarkers: z.array(catalogueBiomarkerSchema).optional(),
})

/** §2.9 */
export const bundleSchema = z.object({
  /** The bundle's id, by which it is ordered. */
  id: z.string(),
  /** The bundle's name. */
  name: z.string(),
  /** Always `bundle`. */
  object: open(['bundle']),
  /** The tests in the bundle. */
  tests: z.array(testSchema),
  /** When the bundle was made, ISO 8601. */
  createdAt: timestampSchema,
  /** `PRIVATE` bundles are listed only when asked for with `includeUnlisted` (§4.3). */
  visibility: open(BUNDLE_VISIBILITIES),
})

const amountSchema = z.object({
  /** The amount, in whole cents. */
  amount: z.int(),
  /** What for, for people to read. */
  reason: z.string(),
})

/**
 * §2.13. Every amount is whole cents. The specification names the amounts and does not say how they are made up, nor
 * which of them is charged to whom: what is said here beyond that is read from their names.
 */
export const priceSchema = z.object({
  /** The tests together, in cents. */
  testsTotal: z.int(),
  /** Each test with its price. */
  tests: z.array(
    z.object({
      /** The test's name. */
      name: z.string(),
      /** The test's price, in whole cents. */
      price: z.int(),
    }),
  ),
  /** Discounts. The specification shows no entry of this list, so check what you read. */
  discounts: z.array(z.unknown()),
  /** Fees, each with what it is for. */
  fees: z.array(amountSchema),
  /** Taxes, each with what it is for. */
  tax: z.array(amountSchema),
  /** In cents, by its name before fees and tax. */
  subTotal: z.int(),
  /** In cents, by its name what is left without the organisation's markup. Which amounts are markup is not specified. */
  totalWithoutMarkup: z.int(),
  /** In cents, by its name everything before tax. */
  grandTotal: z.int(),
  /** In cents, by its name everything with tax. Nothing in the specification says who pays it, patient or organisation. */
  grandTotalIncTax: z.int(),
  /** `grandTotalIncTax` as it would be without discounts for quantity, in cents. */
  grandTotalIncTaxWithoutBulkDiscounts: z.int(),
  /** `grandTotal` as it would be without discounts for quantity, in cents. */
  grandTotalWithoutBulkDiscounts: z.int(),
})
