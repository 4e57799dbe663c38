import * as z from 'zod'

import { BUNDLE_VISIBILITIES } from '../enums.js'
import { biomarkerCategorySchema } from './result.js'
import { open, timestampSchema } from './shared.js'

// §2.8
export const catalogueBiomarkerSchema = z.object({
  /** The biomarker's id. */
  id: z.string(),
  /** The biomarker's name. */
  name: z.string(),
  /** The biomarker's common name. */
  commonName: z.string().nullish(),
  /** Always `biomarker`. */
  object: open(['biomarker']),
  /** `numeric` for numbers. Biomarkers with text values also exist. */
  valueType: z.string().nullish(),
  /** The collected sample, such as `blood` or `urine-spot`. */
  sampleType: z.string().nullish(),
  /** The unit of the biomarker's values, if they have one. */
  unit: z.string().nullish(),
  /** A description for people to read. */
  description: z.string().nullish(),
  /** The biomarker's category. */
  category: biomarkerCategorySchema.nullish(),
  /** The unit of `canonical` values in results, if there is one. */
  canonicalUnit: z.string().nullish(),
  /** The unit that large laboratories use most often, if there is one. It is not a standard. */
  mostCommonUnit: z.string().nullish(),
  /** Status of the biomarker's standard unit. The service does not document the possible values. */
  standardStatus: z.string().nullish(),
})

// §2.7
export const turnAroundTimeSchema = z.object({
  /** The pathology provider's id. */
  providerId: z.string(),
  /** The pathology provider's name. */
  providerName: z.string(),
  /** Minimum number of days, as a string. */
  minimumDays: z.string(),
  /** Maximum number of days, as a string. */
  maximumDays: z.string(),
  /** Always `providerTurnaroundTime`. */
  object: open(['providerTurnaroundTime']),
})

// §2.7
export const turnAroundTimeAverageSchema = z.object({
  /** Minimum number of days, as a string or a number. */
  minimumDays: z.union([z.string(), z.number()]),
  /** Maximum number of days, as a string or a number. */
  maximumDays: z.union([z.string(), z.number()]),
  /** Always `turnaroundTime`. */
  object: open(['turnaroundTime']),
})

// §2.7
export const testSchema = z.object({
  /** The test's id, used to order it. */
  id: z.string(),
  /** The test's name. */
  name: z.string(),
  /** The test's short name. */
  shortName: z.string(),
  /** Always `test`. */
  object: open(['test']),
  /** Turnaround times, one entry per pathology provider. */
  turnAroundTimes: z.array(turnAroundTimeSchema),
  /** Average turnaround time; `null` if there is none. */
  turnAroundTimeAverage: turnAroundTimeAverageSchema.nullable(),
  /** `true` when the test is accepted in `medicareTests`. A patient can still be ineligible. */
  medicareListed: z.boolean(),
  /** The price in Australian dollars. */
  price: z.number(),
  /** The price in Australian cents, an integer. */
  priceCents: z.int(),
  /** Biomarkers of the test. Present only with `include: ['biomarkers']`; may be empty. */
  biomarkers: z.array(catalogueBiomarkerSchema).optional(),
})

// §2.9
export const bundleSchema = z.object({
  /** The bundle's id, used to order it. */
  id: z.string(),
  /** The bundle's name. */
  name: z.string(),
  /** Always `bundle`. */
  object: open(['bundle']),
  /** The tests in the bundle. */
  tests: z.array(testSchema),
  /** Creation time, ISO 8601. */
  createdAt: timestampSchema,
  /** `PRIVATE` bundles are listed only with `includeUnlisted: true`. */
  visibility: open(BUNDLE_VISIBILITIES),
})

const amountSchema = z.object({
  /** The amount in cents, an integer. */
  amount: z.int(),
  /** The reason, for people to read. */
  reason: z.string(),
})

// §2.13. The specification names the amounts without formulas and does not say who pays them. The descriptions below
// are derived from the names.
export const priceSchema = z.object({
  /** Amount in cents. The service does not document it; its name suggests the sum of the prices of all tests. */
  testsTotal: z.int(),
  /** Each test with its price. */
  tests: z.array(
    z.object({
      /** The test's name. */
      name: z.string(),
      /** The test's price in cents, an integer. */
      price: z.int(),
    }),
  ),
  /** Discounts. The service does not document the entries of this list: check each field that you read. */
  discounts: z.array(z.unknown()),
  /** Fees, each with its reason. */
  fees: z.array(amountSchema),
  /** Taxes, each with its reason. */
  tax: z.array(amountSchema),
  /** Amount in cents. The service does not document it; its name suggests the amount before fees and tax. */
  subTotal: z.int(),
  /**
   * Amount in cents. The service does not document it; its name suggests the total without the organisation's markup.
   */
  totalWithoutMarkup: z.int(),
  /** Amount in cents. The service does not document it; its name suggests the total before tax. */
  grandTotal: z.int(),
  /**
   * Amount in cents. The service does not document it; its name suggests the total with tax. The service does not
   * document who pays it, the patient or the organisation.
   */
  grandTotalIncTax: z.int(),
  /**
   * Amount in cents. The service does not document it; its name suggests `grandTotalIncTax` without quantity discounts.
   */
  grandTotalIncTaxWithoutBulkDiscounts: z.int(),
  /** Amount in cents. The service does not document it; its name suggests `grandTotal` without quantity discounts. */
  grandTotalWithoutBulkDiscounts: z.int(),
})
