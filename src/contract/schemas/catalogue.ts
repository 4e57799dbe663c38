import * as z from 'zod'

import { BUNDLE_VISIBILITIES } from '../enums.js'
import { biomarkerCategorySchema } from './result.js'
import { open, timestampSchema } from './shared.js'

/** §2.8 */
export const catalogueBiomarkerSchema = z.object({
  id: z.string(),
  name: z.string(),
  commonName: z.string().nullish(),
  object: open(['biomarker']),
  valueType: z.string().nullish(),
  sampleType: z.string().nullish(),
  unit: z.string().nullish(),
  description: z.string().nullish(),
  category: biomarkerCategorySchema.nullish(),
  canonicalUnit: z.string().nullish(),
  mostCommonUnit: z.string().nullish(),
  standardStatus: z.string().nullish(),
})

/** §2.7 */
export const turnAroundTimeSchema = z.object({
  providerId: z.string(),
  providerName: z.string(),
  /** Days, as a string. */
  minimumDays: z.string(),
  /** Days, as a string. */
  maximumDays: z.string(),
  object: open(['providerTurnaroundTime']),
})

/** §2.7 */
export const turnAroundTimeAverageSchema = z.object({
  minimumDays: z.string(),
  maximumDays: z.string(),
  object: open(['turnaroundTime']),
})

/** §2.7 */
export const testSchema = z.object({
  id: z.string(),
  name: z.string(),
  shortName: z.string(),
  object: open(['test']),
  turnAroundTimes: z.array(turnAroundTimeSchema),
  turnAroundTimeAverage: turnAroundTimeAverageSchema.nullable(),
  /** Accepted in `medicareTests`; no statement about a given patient's eligibility. */
  medicareListed: z.boolean(),
  /** Australian dollars. */
  price: z.number(),
  /** Australian cents, whole. */
  priceCents: z.int(),
  /** Present only when asked for with `include: ['biomarkers']`. */
  biomarkers: z.array(catalogueBiomarkerSchema).optional(),
})

/** §2.9 */
export const bundleSchema = z.object({
  id: z.string(),
  name: z.string(),
  object: open(['bundle']),
  tests: z.array(testSchema),
  createdAt: timestampSchema,
  visibility: open(BUNDLE_VISIBILITIES),
})

const amountSchema = z.object({
  /** Whole cents. */
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
  tests: z.array(
    z.object({
      name: z.string(),
      /** Whole cents. */
      price: z.int(),
    }),
  ),
  /** The specification shows no entry of this list, so check what you read. */
  discounts: z.array(z.unknown()),
  fees: z.array(amountSchema),
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
