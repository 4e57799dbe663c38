import * as z from 'zod'

import { CANONICAL_STATUSES, PROVENANCES, RESULT_STATUSES } from '../enums.js'
import { metadataSchema } from './metadata.js'
import { open, personSchema, timestampSchema } from './shared.js'

/** §2.6 */
export const additionalRangeSchema = z.object({
  /** The range's id, for example a cycle phase or `high-risk`. */
  id: z.string(),
  /** The range's name, for people to read. */
  name: z.string(),
  /** What kind of range it is, for example `female-hormone` or `lipid-risk-target`. */
  category: z.string(),
  /** Lower end of the range, in the unit of the value it stands with; `null` when it is open below. */
  lowRange: z.number().nullable(),
  /** Upper end of the range, in the unit of the value it stands with; `null` when it is open above. */
  highRange: z.number().nullable(),
})

/** §2.6 */
export const biomarkerCategorySchema = z.object({
  /** The category's id. */
  id: z.string(),
  /** The category's name. */
  name: z.string(),
  /** What belongs to the category, in words. */
  description: z.string(),
  /** Always `biomarker-category`. */
  object: open(['biomarker-category']),
})

/** §2.6: the value in the biomarker's canonical unit, so that laboratories can be compared. */
export const canonicalValueSchema = z.object({
  /** Whether the value was canonical already, was converted, or why there is none. */
  status: open(CANONICAL_STATUSES),
  /** The service's reason for the status; `null` when it gives none. */
  reason: z.string().nullable(),
  /** The value in the canonical unit; `null` when there is no canonical value. */
  value: z.union([z.string(), z.number()]).nullable(),
  /** The canonical value with its unit; `null` when there is no canonical value. */
  formattedValue: z.string().nullable(),
  /** The canonical unit, the same for every laboratory; `null` when there is none. */
  unit: z.string().nullable(),
  /** As the biomarker's `subValueType`, for the canonical value. */
  subValueType: z.string().nullable(),
  /** Upper end of the default reference interval, in the canonical unit; `null` when there is none. */
  refIntervalHigh: z.number().nullable(),
  /** Lower end of the default reference interval, in the canonical unit; `null` when there is none. */
  refIntervalLow: z.number().nullable(),
  /** Supplementary ranges, in the canonical unit; `null` or absent when there are none. */
  additionalRanges: z.array(additionalRangeSchema).nullish(),
  /** Whether the canonical value counts as abnormal; `null` when the service does not say. */
  isAbnormal: z.boolean().nullable(),
})

/** §2.6 */
export const biomarkerSchema = z.object({
  /** The biomarker's id. */
  id: z.string(),
  /** The biomarker's name. */
  name: z.string(),
  /** The name people commonly use for it. */
  commonName: z.string(),
  /** What the biomarker is, in words. */
  description: z.string(),
  /** Always `biomarker`. */
  object: open(['biomarker']),
  /** The laboratory's value, as text. */
  value: z.string(),
  /** The value with its unit. */
  formattedValue: z.string(),
  /** `numeric` for numbers; text-valued biomarkers exist too. */
  valueType: open(['numeric']),
  /** A finer kind within `valueType`, or `null`; the specification lists none. */
  subValueType: z.string().nullable(),
  /** The unit exactly as the laboratory spelt it; `null` when there is none. */
  unit: z.string().nullable(),
  /**
   * The unit that large laboratories send most often; `null` when there is none. A description, not a standard.
   */
  mostCommonUnit: z.string().nullable(),
  /** What was collected, for example `blood` or `urine-spot`; `null` when not given. */
  sampleType: z.string().nullable(),
  /** The laboratory's notes on this biomarker; `null` when there are none. */
  notes: z.string().nullable(),
  /** Upper end of the default reference interval, the one to judge by, in `unit`; `null` when there is none. */
  refIntervalHigh: z.number().nullable(),
  /** Lower end of the default reference interval, the one to judge by, in `unit`; `null` when there is none. */
  refIntervalLow: z.number().nullable(),
  /** Supplementary ranges, in `unit`; `null` for text values, `null` or absent when there are none. */
  additionalRanges: z.array(additionalRangeSchema).nullish(),
  /** Whether the value counts as abnormal; `null` when the service does not say. */
  isAbnormal: z.boolean().nullable(),
  /** What kind of biomarker it is. */
  category: biomarkerCategorySchema,
  /** The value in the canonical unit, so that laboratories can be compared; there on text values too. */
  canonical: canonicalValueSchema,
})

/** §2.5: the patient exactly as the laboratory identified them. */
export const labPatientSchema = z.object({
  /** First name, as the laboratory has it; `null` or absent when it gave none. */
  firstName: z.string().nullish(),
  /** Last name, as the laboratory has it; `null` or absent when it gave none. */
  lastName: z.string().nullish(),
  /** Date of birth, as the laboratory has it; `null` or absent when it gave none. */
  dob: z.string().nullish(),
  /** Gender, as the laboratory has it; `null` or absent when it gave none. */
  gender: z.string().nullish(),
  /** E-mail address, as the laboratory has it; `null` or absent when it gave none. */
  email: z.string().nullish(),
  /** Phone number, as the laboratory has it; `null` or absent when it gave none. */
  phone: z.string().nullish(),
  /** Medicare number, as the laboratory has it; `null` or absent when it gave none. */
  medicareNumber: z.string().nullish(),
  /** Address, as the laboratory has it; `null` or absent when it gave none. */
  address: z
    .object({
      /** Street address. */
      addressLine1: z.string().nullish(),
      /** Second line of the street address. */
      addressLine2: z.string().nullish(),
      /** City or suburb. */
      city: z.string().nullish(),
      /** State or territory. */
      state: z.string().nullish(),
      /** Postcode, as a string so that leading zeros survive. */
      postCode: z.string().nullish(),
      /** Country, as a code or a name. */
      country: z.string().nullish(),
    })
    .nullish(),
})

/** §2.5 */
export const doctorSchema = z.object({
  /** The doctor's id, a UUID. */
  uuid: z.string(),
  /** The doctor's first name. */
  firstName: z.string(),
  /** The doctor's last name. */
  lastName: z.string(),
})

/** §2.5 */
export const biomarkerSummarySchema = z.object({
  /** How many biomarkers are normal. */
  normal: z.int(),
  /** How many biomarkers are abnormal. */
  abnormal: z.int(),
  /** How many biomarkers are critical. */
  critical: z.int(),
  /** How many biomarkers there are in all. */
  total: z.int(),
})

/** §2.5 */
export const resultSchema = z.object({
  /** The result's id, a UUID. */
  uuid: z.string(),
  /** Always `result`. */
  object: open(['result']),
  /** How the result reached the organisation. */
  provenance: open(PROVENANCES),
  /** The referral's id, a UUID; `null` for an INCOMING result. */
  referralUuid: z.string().nullable(),
  /** Your own reference, as given when ordering; `null` for an INCOMING result. */
  referenceNumber: z.string().nullable(),
  /** The service's own reference of the referral; `null` when there is none. */
  reference: z.string().nullable(),
  /** How far the result has come (§3.2). */
  status: open(RESULT_STATUSES),
  /** The patient: as ordered, or for an INCOMING result the client it was released to, as they were then. */
  person: personSchema,
  /**
   * The patient as the laboratory identified them, for matching to your own records; `null` when not recorded.
   */
  labPatient: labPatientSchema.nullable(),
  /** The id of the product that was ordered; `null` when there is none. */
  productId: z.string().nullable(),
  /** The name of the product that was ordered; `null` when there is none. */
  productName: z.string().nullable(),
  /** Signed, time-limited URL of the PDF; `null` while there is none. */
  resultAttachment: z.string().nullable(),
  /** The laboratory's report; `null` for results released before report text was kept. See `reportText`. */
  report: z
    .object({
      /**
       * Line-numbered report text (PIT format): one entry for each laboratory message that had any, in order of
       * arrival.
       */
      pit: z.array(z.string()),
    })
    .nullable(),
  /** When the result was made, ISO 8601. */
  createdAt: timestampSchema,
  /** When the result last changed, ISO 8601. */
  updatedAt: timestampSchema,
  /** When the result was deleted, ISO 8601; `null` while it is not. */
  deletedAt: timestampSchema.nullable(),
  /** The date of the result, ISO 8601; `null` when it has none. */
  resultDate: timestampSchema.nullable(),
  /** The doctor who reviewed it; `null` when there is none. */
  reviewedBy: doctorSchema.nullable(),
  /** A copy of the referral's metadata; `null` when there is none. */
  metadata: metadataSchema.nullable(),
  /** How many biomarkers are normal, abnormal and critical; `null` when not counted. */
  biomarkerSummary: biomarkerSummarySchema.nullable(),
  /** Every biomarker there is so far; empty when the report text is all there is. */
  biomarkers: z.array(biomarkerSchema),
})
