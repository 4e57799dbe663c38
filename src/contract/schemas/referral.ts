import * as z from 'zod'

import { REFERRAL_ORIGINS, REFERRAL_STATUSES } from '../enums.js'
import { metadataSchema } from './metadata.js'
import { open, orderingPractitionerSchema, personSchema, timestampSchema } from './shared.js'

/** §2.4 */
export const referralSchema = z.object({
  uuid: z.string(),
  object: open(['referral']),
  status: open(REFERRAL_STATUSES),
  person: personSchema,
  /** Every test id on the referral, whether ordered singly or through a bundle. */
  tests: z.array(z.string()),
  /** The bundle the referral was bought from, when there was one. */
  bundleId: z.string().nullish(),
  productId: z.string().nullable(),
  productName: z.string().nullable(),
  origin: open(REFERRAL_ORIGINS),
  /** For example `blood`. */
  referralType: z.string(),
  /** The service's own eight-digit reference. */
  reference: z.string(),
  /** The integrator's own reference, as given when ordering. */
  referenceNumber: z.string(),
  /** Signed, time-limited URL of the PDF; `null` until it exists, and after deletion. */
  referralAttachment: z.string().nullable(),
  /** ISO 8601; `null` when the service sent the patient no email. */
  emailSentAt: timestampSchema.nullable(),
  createdAt: timestampSchema,
  /** Changes with the status and with every edit. */
  updatedAt: timestampSchema,
  /** Set once the referral has been deleted. */
  deletedAt: timestampSchema.nullable(),
  /** The result, once results have begun to arrive. */
  resultsUuid: z.string().nullable(),
  metadata: metadataSchema.nullable(),
  /** Ordered under Medicare. It says nothing about what the patient pays in the end. */
  medicare: z.boolean().optional(),
  /** The name an older description of the service gives `medicare`. */
  bulkBilled: z.boolean().optional(),
  /** `null`, or not there, on a referral that was not ordered under Medicare; so are the next three. */
  orderingPractitioner: orderingPractitionerSchema.nullish(),
  medicareCardNumber: z.string().nullish(),
  /** The patient's file number at the Department of Veterans' Affairs. */
  dvaNumber: z.string().nullish(),
  /** The ordering doctor's notes: `clinicalNotes` of the order. */
  orderingPractitionerClinicalNotes: z.string().nullish(),
  /** Advice on whether this doctor's results route back by themselves; only on a created Medicare referral. */
  routingMessage: z.string().nullable(),
})

/** An order's answer in either of its shapes: one referral, or a list of them (§4.1, §9). */
export const placedReferralsSchema = z.union([referralSchema, z.array(referralSchema)])
