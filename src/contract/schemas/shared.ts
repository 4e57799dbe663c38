import * as z from 'zod'

import type { OpenEnum } from '../enums.js'

// §9
/**
 * Creates the schema of a set that the service may extend: it accepts any string, and editors suggest the known values.
 */
export function open<Known extends string>(known: readonly Known[]): z.ZodType<OpenEnum<Known>> {
  return z.string().meta({ 'x-known-values': known }) as unknown as z.ZodType<OpenEnum<Known>>
}

/** An ISO 8601 timestamp. A response may contain any string here, because the service's format may vary. */
export const timestampSchema = z.string()

// §2.1
export const addressSchema = z.object({
  /** Street address. */
  addressLine1: z.string(),
  /** Second line of the street address; `null` or absent if there is none. */
  addressLine2: z.string().nullish(),
  /** City or suburb. */
  city: z.string(),
  /** State or territory, as in the order. */
  state: z.string(),
  /** Postcode as a string, which keeps leading zeros; may be `null` or absent. */
  postCode: z.string().nullish(),
  /** Country as in the order: a code or a name. */
  country: z.string(),
})

// §2.2
export const personSchema = z.object({
  /** First name. On a result, an empty string if not recorded. */
  firstName: z.string(),
  /** Last name. On a result, an empty string if not recorded. */
  lastName: z.string(),
  /** Email address. On a result, an empty string if not recorded. */
  email: z.string(),
  /** Phone number in any format. On a result, an empty string if not recorded. */
  phone: z.string(),
  /** Postal address. */
  address: addressSchema,
  /** Date of birth as `YYYY-MM-DD`; `null` if not recorded. */
  dob: z.string().nullable(),
  /** `male`, `female`, or an empty string if not recorded. */
  gender: open(['male', 'female', '']),
})

// §2.3
export const orderingPractitionerSchema = z.object({
  /** The doctor's full name. */
  name: z.string(),
  /** The doctor's address as one string. */
  address: z.string(),
  /** Medicare provider number, eight characters. */
  providerNumber: z.string(),
})

// §2.14
export const pageCursorSchema = z.object({
  /** Opaque value; send it back to get the next page. */
  cursor: z.string(),
  /** The applied page size. */
  count: z.int(),
  /** Number of records on this page. */
  resultCount: z.int(),
})

// §7
export const errorEnvelopeSchema = z.object({
  error: z.literal(true),
  code: z.string(),
  message: z.string(),
  errorList: z.array(z.string()),
})
