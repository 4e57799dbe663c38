import * as z from 'zod'

import { REFERRAL_ORIGINS, REFERRAL_STATUSES } from '../enums.js'
import { metadataSchema } from './field-types.js'
import { open, orderingPractitionerSchema, personSchema, timestampSchema } from './shared.js'

// §2.4
export const referralSchema = z.object({
  /** The referral's id, a UUID. */
  uuid: z.string(),
  /** Always `referral`. */
  object: open(['referral']),
  /** The referral's status, such as `ISSUED` or `COMPLETE`. */
  status: open(REFERRAL_STATUSES),
  /** The patient. */
  person: personSchema,
  /** Ids of all tests on the referral, ordered singly or through a bundle. */
  tests: z.array(z.string()),
  /** The ordered bundle's id; `null` or absent without a bundle. */
  bundleId: z.string().nullish(),
  /** The product's id on a referral created from a bundle; otherwise `null`. */
  productId: z.string().nullable(),
  /** The product's name on a referral created from a bundle; otherwise `null`. */
  productName: z.string().nullable(),
  /** Origin of the referral. */
  origin: open(REFERRAL_ORIGINS),
  /** Kind of referral, such as `blood`. */
  referralType: z.string(),
  /** The service's own eight-digit reference. Your own reference is `referenceNumber`. */
  reference: z.string(),
  /** Your own reference from the order. */
  referenceNumber: z.string(),
  /** Signed, time-limited URL of the PDF; `null` while no PDF exists, and on a deleted referral. */
  referralAttachment: z.string().nullable(),
  /** Time of the email to the patient, ISO 8601; `null` if no email was sent. */
  emailSentAt: timestampSchema.nullable(),
  /** Creation time, ISO 8601. */
  createdAt: timestampSchema,
  /** Time of the last change of the status or a field, ISO 8601. */
  updatedAt: timestampSchema,
  /** Deletion time, ISO 8601; `null` unless deleted. */
  deletedAt: timestampSchema.nullable(),
  /** The result's id, a UUID; `null` until the first result arrives. */
  resultsUuid: z.string().nullable(),
  /** Your own data from the order and later changes; `null` if there is none. */
  metadata: metadataSchema.nullable(),
  /** `true` when the referral was ordered under Medicare. The patient may still have to pay. */
  medicare: z.boolean().optional(),
  /** Older name of `medicare`. */
  bulkBilled: z.boolean().optional(),
  /** The ordering doctor; `null` or absent unless ordered under Medicare. */
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
   * Message for people to read: whether laboratories send this doctor's results to your organisation automatically.
   * Present only on the Medicare referral in the response to an order; otherwise `null`.
   */
  routingMessage: z.string().nullable(),
})

// §4.1, §9
/** The response to an order: one referral or a list. */
export const placedReferralsSchema = z.union([referralSchema, z.array(referralSchema)])
