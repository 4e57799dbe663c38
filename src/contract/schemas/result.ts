import * as z from 'zod'

import { CANONICAL_STATUSES, PROVENANCES, RESULT_STATUSES } from '../enums.js'
import { metadataSchema } from './field-types.js'
import { open, personSchema, timestampSchema } from './shared.js'

// §2.6
export const additionalRangeSchema = z.object({
  /** The range's id, such as a cycle phase or `high-risk`. */
  id: z.string(),
  /** The range's name, for people to read. */
  name: z.string(),
  /** Kind of range, such as `female-hormone` or `lipid-risk-target`. */
  category: z.string(),
  /** Lower limit in the unit of the value; `null` without a lower limit. */
  lowRange: z.number().nullable(),
  /** Upper limit in the unit of the value; `null` without an upper limit. */
  highRange: z.number().nullable(),
})

// §2.6
export const biomarkerCategorySchema = z.object({
  /** The category's id. */
  id: z.string(),
  /** The category's name. */
  name: z.string(),
  /** A description of the category. */
  description: z.string(),
  /** Always `biomarker-category`. */
  object: open(['biomarker-category']),
})

// §2.6
export const canonicalValueSchema = z.object({
  /** Result of the conversion: the value already had the canonical unit, was converted, or could not be converted. */
  status: open(CANONICAL_STATUSES),
  /** The service's reason for the status; `null` if there is none. */
  reason: z.string().nullable(),
  /** The value in the canonical unit; `null` without a canonical value. */
  value: z.union([z.string(), z.number()]).nullable(),
  /** The canonical value with its unit; `null` without a canonical value. */
  formattedValue: z.string().nullable(),
  /** The canonical unit, the same for every laboratory; `null` if there is none. */
  unit: z.string().nullable(),
  /** `subValueType` of the canonical value. */
  subValueType: z.string().nullable(),
  /** Upper limit of the default reference interval, in the canonical unit; `null` if there is none. */
  refIntervalHigh: z.number().nullable(),
  /** Lower limit of the default reference interval, in the canonical unit; `null` if there is none. */
  refIntervalLow: z.number().nullable(),
  /** Supplementary ranges in the canonical unit; `null` or absent if there are none. */
  additionalRanges: z.array(additionalRangeSchema).nullish(),
  /** `true` when the canonical value is abnormal; `null` if not stated. */
  isAbnormal: z.boolean().nullable(),
})

// §2.6
export const biomarkerSchema = z.object({
  /** The biomarker's id. */
  id: z.string(),
  /** The biomarker's name. */
  name: z.string(),
  /** The biomarker's common name. */
  commonName: z.string(),
  /** A description for people to read. */
  description: z.string(),
  /** Always `biomarker`. */
  object: open(['biomarker']),
  /** The laboratory's value, as text. */
  value: z.string(),
  /** The value with its unit. */
  formattedValue: z.string(),
  /** `numeric` for numbers. The service does not document the `valueType` of text values, such as `<5`. */
  valueType: open(['numeric']),
  /** A subtype of `valueType`, or `null`. The service does not document the possible values. */
  subValueType: z.string().nullable(),
  /** The unit in the laboratory's spelling; `null` if there is none. */
  unit: z.string().nullable(),
  /** The unit that large laboratories use most often; `null` if there is none. It is not a standard. */
  mostCommonUnit: z.string().nullable(),
  /** The collected sample, such as `blood` or `urine-spot`; `null` if not given. */
  sampleType: z.string().nullable(),
  /** The laboratory's notes on this biomarker; `null` if there are none. */
  notes: z.string().nullable(),
  /**
   * Upper limit of the default reference interval, in `unit`; `null` if there is none. Assess the value with this
   * interval.
   */
  refIntervalHigh: z.number().nullable(),
  /**
   * Lower limit of the default reference interval, in `unit`; `null` if there is none. Assess the value with this
   * interval.
   */
  refIntervalLow: z.number().nullable(),
  /** Supplementary ranges in `unit`; `null` or absent if there are none, such as for a text value. */
  additionalRanges: z.array(additionalRangeSchema).nullish(),
  /** `true` when the value is abnormal; `null` if not stated. */
  isAbnormal: z.boolean().nullable(),
  /** The biomarker's category. */
  category: biomarkerCategorySchema,
  /**
   * The value in the canonical unit, for comparison between laboratories. Biomarkers with text values have this field
   * too.
   */
  canonical: canonicalValueSchema,
})

// §2.5
export const labPatientSchema = z.object({
  /** First name, as recorded by the laboratory; `null` or absent if not given. */
  firstName: z.string().nullish(),
  /** Last name, as recorded by the laboratory; `null` or absent if not given. */
  lastName: z.string().nullish(),
  /** Date of birth, as recorded by the laboratory; `null` or absent if not given. */
  dob: z.string().nullish(),
  /** Gender, as recorded by the laboratory; `null` or absent if not given. */
  gender: z.string().nullish(),
  /** Email address, as recorded by the laboratory; `null` or absent if not given. */
  email: z.string().nullish(),
  /** Phone number, as recorded by the laboratory; `null` or absent if not given. */
  phone: z.string().nullish(),
  /** Medicare number, as recorded by the laboratory; `null` or absent if not given. */
  medicareNumber: z.string().nullish(),
  /** Address, as recorded by the laboratory; `null` or absent if not given. */
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
      /** Postcode as a string, which keeps leading zeros. */
      postCode: z.string().nullish(),
      /** Country, as a code or a name. */
      country: z.string().nullish(),
    })
    .nullish(),
})

// §2.5
export const doctorSchema = z.object({
  /** The doctor's id, a UUID. */
  uuid: z.string(),
  /** The doctor's first name. */
  firstName: z.string(),
  /** The doctor's last name. */
  lastName: z.string(),
})

// §2.5
export const biomarkerSummarySchema = z.object({
  /** Number of normal biomarkers. */
  normal: z.int(),
  /** Number of abnormal biomarkers. */
  abnormal: z.int(),
  /** Number of critical biomarkers. */
  critical: z.int(),
  /** Number of all biomarkers. */
  total: z.int(),
})

// §2.5
export const resultSchema = z.object({
  /** The result's id, a UUID. */
  uuid: z.string(),
  /** Always `result`. */
  object: open(['result']),
  /** Source of the result: `ORDERED`, `INCOMING` (sent by a laboratory without a referral) or `UPLOADED`. */
  provenance: open(PROVENANCES),
  /** The referral's id, a UUID; `null` for an INCOMING result. */
  referralUuid: z.string().nullable(),
  /** Your own reference from the order; `null` for an INCOMING result. */
  referenceNumber: z.string().nullable(),
  /** The service's own reference of the referral; `null` if there is none. */
  reference: z.string().nullable(),
  /** The result's status, such as `PARTIAL_RESULTS` or `COMPLETE`. */
  status: open(RESULT_STATUSES),
  /**
   * The patient as entered in the order. For an INCOMING result: the person to whom your organisation released the
   * result, with the details at the time of the release.
   */
  person: personSchema,
  /** The patient as identified by the laboratory, to match with your own records; `null` if not recorded. */
  labPatient: labPatientSchema.nullable(),
  /** Id of the ordered product; `null` if there is none. */
  productId: z.string().nullable(),
  /** Name of the ordered product; `null` if there is none. */
  productName: z.string().nullable(),
  /** Signed, time-limited URL of the PDF; `null` if there is none. */
  resultAttachment: z.string().nullable(),
  /** The laboratory's report; `null` for old results without a stored report. Read it with `reportText`. */
  report: z
    .object({
      /**
       * Report text with line numbers (PIT format): one entry per laboratory message with text, in order of arrival.
       */
      pit: z.array(z.string()),
    })
    .nullable(),
  /** Creation time, ISO 8601. */
  createdAt: timestampSchema,
  /** Time of the last change, ISO 8601. */
  updatedAt: timestampSchema,
  /** Deletion time, ISO 8601; `null` unless deleted. */
  deletedAt: timestampSchema.nullable(),
  /** The date of the result, ISO 8601; `null` if there is none. */
  resultDate: timestampSchema.nullable(),
  /** The reviewing doctor; `null` if there is none. */
  reviewedBy: doctorSchema.nullable(),
  /** A copy of the referral's metadata; `null` if there is none. */
  metadata: metadataSchema.nullable(),
  /** Numbers of normal, abnormal and critical biomarkers; `null` if not counted. */
  biomarkerSummary: biomarkerSummarySchema.nullable(),
  /** All biomarkers so far; empty if the result consists only of report text. */
  biomarkers: z.array(biomarkerSchema),
})
