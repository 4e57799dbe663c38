import * as z from 'zod'

import { REFERRAL_ORIGINS, REFERRAL_STATUSES } from '../enums.js'
import { metadataSchema } from './metadata.js'
import { open, orderingPractitionerSchema, personSchema, timestampSchema } from './shared.js'

/** §2.4 */
export const referralSchema = z.object({
  /** The referral's id, a UUID. */
  uuid: z.string(),
  /** Always `referral`. */
  object: open(['referral']),
  /** Where the referral stands (§3.1). */
  status: open(REFERRAL_STATUSES),
  /** The patient. */
  person: personSchema,
  /** Every test id on the referral, whether ordered singly or through a bundle. */
  tests: z.array(z.string()),
  /** The bundle the referral was bought from, when there was one. */
  bundleId: z.string().nullish(),
  /** The product's id, on a referral made from a bundle; else `null`. */
  productId: z.string().nullable(),
  /** The product's name, on a referral made from a bundle; else `null`. */
  productName: z.string().nullable(),
  /** Where the referral came from. */
  origin: open(REFERRAL_ORIGINS),
  /** What kind of referral it is, such as `blood`. */
  referralType: z.string(),
  /** The service's own eight-digit reference. Not `referenceNumber`, which is yours. */
  reference: z.string(),
  /** Your own reference, as given when ordering. */
  referenceNumber: z.string(),
  /** Signed, time-limited URL of the PDF; `null` until it exists, and after deletion. */
  referralAttachment: z.string().nullable(),
  /** When the referral was e-mailed to the patient, ISO 8601; `null` when it was not, or not yet. */
  emailSentAt: timestampSchema.nullable(),
  /** When the referral was made, ISO 8601. */
  createdAt: timestampSchema,
  /** When the status or a field last changed, ISO 8601. */
  updatedAt: timestampSchema,
  /** When the referral was deleted, ISO 8601; `null` while it is not. */
  deletedAt: timestampSchema.nullable(),
  /** The result's id, a UUID, once results have begun to arrive; `null` until then. */
  resultsUuid: z.string().nullable(),
  /** Data of yours, from the order and later changes; `null` when there is none. */
  metadata: metadataSchema.nullable(),
  /** Whether it was ordered under Medicare. It says nothing about what the patient pays in the end. */
  medicare: z.boolean().optional(),
  /** The name an older description of the service gives `medicare`. */
  bulkBilled: z.boolean().optional(),
  /** The doctor who ordered; `null` or absent unless ordered under Medicare. */
  orderingPractitioner: orderingPractitionerSchema.nullish(),
  /** The patient's Medicare card number; `null` or absent unless ordered under Medicare. */
  medicareCardNumber: z.string().nullish(),
  /**
   * The patient's file number at the Department of Veterans' Affairs; `null` or absent unless ordered under
   * Medicare.
   */
  dvaNumber: z.string().nullish(),
  /** The doctor's notes, `clinicalNotes` of the order; `null` or absent unless ordered under Medicare. */
  orderingPractitionerClinicalNotes: z.string().nullish(),
  /**
   * Advice on whether this doctor's results route back by themselves. Only in the answer to an order, on its
   * Medicare referral; otherwise `null`.
   */
  routingMessage: z.string().nullable(),
})

/** An order's answer in either of its shapes: one referral, or a list of them (§4.1, §9). */
export const placedReferralsSchema = z.union([referralSchema, z.array(referralSchema)])
