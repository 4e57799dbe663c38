import * as z from 'zod'

import { CANONICAL_STATUSES, PROVENANCES, RESULT_STATUSES } from '../enums.js'
import { metadataSchema } from './metadata.js'
import { open, personSchema, timestampSchema } from './shared.js'

/** §2.6 */
export const additionalRangeSchema = z.object({
  /** For example a cycle phase, or `high-risk`. */
  id: z.string(),
  name: z.string(),
  /** For example `female-hormone` or `lipid-risk-target`. */
  category: z.string(),
  /** `null` when the range has no lower end. */
  lowRange: z.number().nullable(),
  /** `null` when the range has no upper end. */
  highRange: z.number().nullable(),
})

/** §2.6 */
export const biomarkerCategorySchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  object: open(['biomarker-category']),
})

/** §2.6: the value in the biomarker's canonical unit, so that laboratories can be compared. */
export const canonicalValueSchema = z.object({
  /** Whether the value was canonical already, was converted, or why there is none. */
  status: open(CANONICAL_STATUSES),
  reason: z.string().nullable(),
  value: z.union([z.string(), z.number()]).nullable(),
  formattedValue: z.string().nullable(),
  unit: z.string().nullable(),
  subValueType: z.string().nullable(),
  refIntervalHigh: z.number().nullable(),
  refIntervalLow: z.number().nullable(),
  additionalRanges: z.array(additionalRangeSchema).nullish(),
  isAbnormal: z.boolean().nullable(),
})

/** §2.6 */
export const biomarkerSchema = z.object({
  id: z.string(),
  name: z.string(),
  commonName: z.string(),
  description: z.string(),
  object: open(['biomarker']),
  /** The laboratory's value. */
  value: z.string(),
  /** The value with its unit. */
  formattedValue: z.string(),
  /** `numeric` for numbers; text-valued biomarkers exist too. */
  valueType: open(['numeric']),
  subValueType: z.string().nullable(),
  /** The unit exactly as the laboratory spelt it. */
  unit: z.string().nullable(),
  /** The unit that large laboratories send most often: a description, not a standard. */
  mostCommonUnit: z.string().nullable(),
  /** For example `blood` or `urine-spot`. */
  sampleType: z.string().nullable(),
  /** The laboratory's notes on this biomarker. */
  notes: z.string().nullable(),
  refIntervalHigh: z.number().nullable(),
  refIntervalLow: z.number().nullable(),
  additionalRanges: z.array(additionalRangeSchema).nullish(),
  isAbnormal: z.boolean().nullable(),
  category: biomarkerCategorySchema,
  canonical: canonicalValueSchema,
})

/** §2.5: the patient exactly as the laboratory identified them. */
export const labPatientSchema = z.object({
  firstName: z.string().nullish(),
  lastName: z.string().nullish(),
  dob: z.string().nullish(),
  gender: z.string().nullish(),
  email: z.string().nullish(),
  phone: z.string().nullish(),
  medicareNumber: z.string().nullish(),
  address: z
    .object({
      addressLine1: z.string().nullish(),
      addressLine2: z.string().nullish(),
      city: z.string().nullish(),
      state: z.string().nullish(),
      postCode: z.string().nullish(),
      country: z.string().nullish(),
    })
    .nullish(),
})

/** §2.5 */
export const doctorSchema = z.object({ uuid: z.string(), firstName: z.string(), lastName: z.string() })

/** §2.5 */
export const biomarkerSummarySchema = z.object({
  normal: z.int(),
  abnormal: z.int(),
  critical: z.int(),
  total: z.int(),
})

/** §2.5 */
export const resultSchema = z.object({
  uuid: z.string(),
  object: open(['result']),
  /** How the result reached the organisation. */
  provenance: open(PROVENANCES),
  /** `null` for an INCOMING result. */
  referralUuid: z.string().nullable(),
  /** `null` for an INCOMING result. */
  referenceNumber: z.string().nullable(),
  /** The service's own reference of the originating referral. */
  reference: z.string().nullable(),
  status: open(RESULT_STATUSES),
  person: personSchema,
  /** The patient as the laboratory identified them; for matching to your own records. */
  labPatient: labPatientSchema.nullable(),
  productId: z.string().nullable(),
  productName: z.string().nullable(),
  /** Signed, time-limited URL of the PDF; `null` while there is none. */
  resultAttachment: z.string().nullable(),
  /** Line-numbered report text, one entry per laboratory message; see `reportText`. */
  report: z.object({ pit: z.array(z.string()) }).nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  deletedAt: timestampSchema.nullable(),
  resultDate: timestampSchema.nullable(),
  reviewedBy: doctorSchema.nullable(),
  /** A copy of the referral's metadata. */
  metadata: metadataSchema.nullable(),
  biomarkerSummary: biomarkerSummarySchema.nullable(),
  biomarkers: z.array(biomarkerSchema),
})
