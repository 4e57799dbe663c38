import * as z from 'zod'

import type { OpenEnum } from '../open.js'

/** A set the service may extend: any string is accepted, the known members complete in an editor (§9). */
export function open<Known extends string>(known: readonly Known[]): z.ZodType<OpenEnum<Known>> {
  return z.string().meta({ 'x-known-values': known }) as unknown as z.ZodType<OpenEnum<Known>>
}

/** An ISO 8601 timestamp. Answers are not checked further: the service's spelling of it may vary. */
export const timestampSchema = z.string()

/** §2.1 */
export const addressSchema = z.object({
  /** Street address. */
  addressLine1: z.string(),
  /** Second line of the street address; `null` or absent when there is none. */
  addressLine2: z.string().nullish(),
  /** City or suburb. */
  city: z.string(),
  /** State or territory, as it was given when ordering. */
  state: z.string(),
  /** Postcode, as a string so that leading zeros survive; may be `null` or absent. */
  postCode: z.string().nullish(),
  /** Country, as it was given when ordering: a code or a name. */
  country: z.string(),
})

/** §2.2 */
export const personSchema = z.object({
  /** First name. On a result an empty string when none is on record. */
  firstName: z.string(),
  /** Last name. On a result an empty string when none is on record. */
  lastName: z.string(),
  /** E-mail address. On a result an empty string when none is on record. */
  email: z.string(),
  /** Phone number, in any spelling. On a result an empty string when none is on record. */
  phone: z.string(),
  /** Postal address. */
  address: addressSchema,
  /** Date of birth as `YYYY-MM-DD`, or `null` when none is on record. */
  dob: z.string().nullable(),
  /** `male`, `female`, or an empty string when none is on record. */
  gender: open(['male', 'female', '']),
})

/** §2.3 */
export const orderingPractitionerSchema = z.object({
  /** The doctor's full name. */
  name: z.string(),
  /** The doctor's address, as one string. */
  address: z.string(),
  /** Medicare provider number, eight characters. */
  providerNumber: z.string(),
})

/** §2.14 */
export const pageCursorSchema = z.object({
  /** Opaque; passed back to get the next page. */
  cursor: z.string(),
  /** The page size the service applied. */
  count: z.number(),
  /** The records on this page. */
  resultCount: z.number(),
})

/** §7 */
export const errorEnvelopeSchema = z.object({
  error: z.literal(true),
  code: z.string(),
  message: z.string(),
  errorList: z.array(z.string()),
})
