import * as z from 'zod'

import { AUSTRALIAN_STATES, GENDERS, SORT_ORDERS, TEST_INCLUDES, TESTING_TYPES } from '../enums.js'
import { UUID_PATTERN } from '../identifiers.js'
import {
  MAX_CENTRE_UUIDS,
  MAX_RADIUS_KM,
  MAX_SEARCH_LENGTH,
  MIN_NAME_LENGTH,
  MIN_PHONE_LENGTH,
} from '../limits.js'
import {
  dobSchema,
  emailSchema,
  instantSchema,
  metadataSchema,
  textOfAtLeast,
  textSchema,
} from './field-types.js'

// §2.1
export const addressInputSchema = z.strictObject({
  /** Street address. */
  addressLine1: textSchema,
  /** Second line of the street address. */
  addressLine2: z.string().nullish(),
  /** City or suburb. */
  city: textSchema,
  /** State or territory, such as `WA`. Not empty; the service does not document which spellings it accepts. */
  state: textSchema,
  /** Postcode as a string, which keeps leading zeros. */
  postCode: z.string().optional(),
  /** Country. Not empty; the service does not document whether it expects a code or a name. */
  country: textSchema,
})

// §2.3
export const orderingPractitionerInputSchema = z.strictObject({
  /** The doctor's full name. */
  name: textSchema,
  /** The doctor's address as one string. */
  address: textSchema,
  /** Medicare provider number, eight characters. */
  providerNumber: textSchema,
})

const testIdsSchema = z.array(textSchema)

// §4.1. Rules that span several fields are in `contract/rules.ts`.
export const orderInputSchema = z.strictObject({
  /** First name, not empty. Updates require at least two characters, so send at least two. */
  firstName: textSchema,
  /** Last name, not empty. Updates require at least two characters, so send at least two. */
  lastName: textSchema,
  /** Email address. The service sends the referral there unless `emailReferralToCustomer` is `false`. */
  email: emailSchema,
  /** Phone number in any format, not empty. Updates require at least six characters, so send at least six. */
  phone: textSchema,
  /** The patient's postal address. */
  address: addressInputSchema,
  /** Date of birth as `YYYY-MM-DD`. */
  dob: dobSchema,
  /** The patient's gender. */
  gender: z.enum(GENDERS),
  /** Your own reference, not empty; the service returns it on the referral and its result. */
  referenceNumber: textSchema,
  /** Test ids, billed to the organisation. At least one of `tests`, `bundleId` and `medicareTests` is required. */
  tests: testIdsSchema.optional(),
  /** Orders all tests of the bundle in addition to `tests`. Requires API version 1.1.0. */
  bundleId: textSchema.optional(),
  /** Test ids to claim under Medicare, on a separate referral. Requires API version 1.1.0. */
  medicareTests: testIdsSchema.optional(),
  /** `false`: the service does not email the referral, and you deliver it to the patient. Default `true`. */
  emailReferralToCustomer: z.boolean().optional(),
  /** Your own data, stored with the referral and its result. */
  metadata: metadataSchema.optional(),
  /** The ordering doctor. Required with `medicareTests`. */
  orderingPractitioner: orderingPractitionerInputSchema.optional(),
  /**
   * The patient's Medicare card number. An order with `medicareTests` requires eleven digits, with the IRN. For any
   * other order, the number is optional and ten digits are enough.
   */
  medicareCardNumber: z.string().optional(),
  /** The patient's file number at the Department of Veterans' Affairs; shown on the Medicare referral. */
  dvaNumber: z.string().optional(),
  /** The ordering doctor's notes for the Medicare referral. */
  clinicalNotes: z.string().optional(),
})

// §4.1
export const referralPatchSchema = z.strictObject({
  /** First name, at least two characters. */
  firstName: textOfAtLeast(MIN_NAME_LENGTH).optional(),
  /** Last name, at least two characters. */
  lastName: textOfAtLeast(MIN_NAME_LENGTH).optional(),
  /** Email address. */
  email: emailSchema.optional(),
  /** Date of birth as `YYYY-MM-DD`. */
  dob: dobSchema.optional(),
  /** The patient's gender. */
  gender: z.enum(GENDERS).optional(),
  /** Phone number, at least six characters. */
  phone: textOfAtLeast(MIN_PHONE_LENGTH).optional(),
  /** The complete new address. It replaces the stored address. */
  address: addressInputSchema.optional(),
  /** Merged into the stored metadata; a key set to `null` is removed. */
  metadata: metadataSchema.optional(),
})

// §4.6
export const webhookCreateSchema = z.strictObject({
  /**
   * Public https URL of your endpoint. The service normalises the URL. To find this webhook later, use the `url` of the
   * returned webhook.
   */
  url: textSchema,
  /** Names of the events to receive, at least one. */
  events: z.array(textSchema).min(1),
  /** `false`: the webhook does not receive events. Default `true`. */
  active: z.boolean().optional(),
})

// §4.6
export const webhookUpdateSchema = z.strictObject({
  /**
   * Public https URL of your endpoint. The service normalises the URL. To find this webhook later, use the `url` of the
   * returned webhook.
   */
  url: textSchema.optional(),
  /** The complete new list. It replaces the stored list. */
  events: z.array(textSchema).min(1).optional(),
  /** `true` when the webhook receives events. `false` pauses it and keeps its settings. */
  active: z.boolean().optional(),
})

const providerDetails = {
  /** The doctor's title, printed on referrals. */
  title: z.string().optional(),
  /** The doctor's phone number, printed on referrals. */
  phone: z.string().optional(),
  /** The doctor's email address, printed on referrals. */
  email: z.string().optional(),
}

// §4.4
export const providerSaveSchema = z.strictObject({
  /** Medicare provider number, eight characters. It identifies the record and cannot change. */
  providerNumber: textSchema,
  /** The doctor's name, printed on referrals. Not empty. */
  name: textSchema,
  /** The doctor's address as one string, printed on referrals. Not empty. */
  address: textSchema,
  ...providerDetails,
  /** The signature: a base64 PNG or its data URI. */
  encodedSignature: z.string().optional(),
})

// §4.4. Absent fields stay unchanged.
export const providerUpdateSchema = z.strictObject({
  /** The doctor's name, printed on referrals. Not empty. */
  name: textSchema.optional(),
  /** The doctor's address as one string, printed on referrals. Not empty. */
  address: textSchema.optional(),
  ...providerDetails,
  /** The signature: a base64 PNG or its data URI. If absent, the stored signature stays. */
  encodedSignature: z.string().optional(),
})

// §4.4
export const routingRequestSchema = z.strictObject({
  /** Ids of the laboratory companies from which routing is requested, at least one. */
  vendorIds: z.array(textSchema).min(1),
  /** Confirmation of the doctor's signature. */
  attestation: z.strictObject({
    /** Name of the person who attests the doctor's signature. Not empty. */
    attestedBy: textSchema,
    /** Time of the doctor's signature, ISO 8601. */
    doctorSignedAt: instantSchema,
    /** Your own reference for the attestation. */
    reference: z.string().optional(),
  }),
})

// §4.3
export const priceRequestSchema = z.strictObject({
  /** Test ids; optional with a `bundleId`. */
  tests: testIdsSchema.optional(),
  /** The bundle's id; can be combined with `tests`. */
  bundleId: textSchema.optional(),
})

const pageSizeSchema = z.int().min(1)

const paging = {
  /**
   * Number of records per page, at least 1. Default and maximum: 20; for centres, default 50 and maximum 10,000. The
   * service reduces a larger number to the maximum.
   */
  count: pageSizeSchema.optional(),
  /** Cursor from a page of the same list with the same filters and `sort`. The response contains the next page. */
  cursor: textSchema.optional(),
}

// §4.7
export const listQuerySchema = z.strictObject({
  ...paging,
  /** Order by time: `asc` returns the oldest first, `desc` the newest. The default depends on the list. */
  sort: z.enum(SORT_ORDERS).optional(),
})

// §4.3
export const bundleListQuerySchema = z.strictObject({
  ...paging,
  /** Order by time: `asc` returns the oldest first, `desc` the newest. The service does not document its default. */
  sort: z.enum(SORT_ORDERS).optional(),
  /** `true` also lists PRIVATE bundles. */
  includeUnlisted: z.boolean().optional(),
})

// §4.3
export const testListQuerySchema = z.strictObject({
  /** Additional data of each test: `biomarkers`. */
  include: z.array(z.enum(TEST_INCLUDES)).min(1).optional(),
})

// §4.5. An empty list is rejected, because it would filter nothing. Rules that span several fields are in
// `contract/rules.ts`.
export const centreQuerySchema = z.strictObject({
  /** Only these centres, with any status; up to 100. */
  uuids: z
    .array(
      z
        .string()
        .refine((value) => UUID_PATTERN.test(value), { message: 'must be a UUID', params: { rule: 'uuid' } }),
    )
    .min(1)
    .max(MAX_CENTRE_UUIDS)
    .optional(),
  /** Ids of pathology providers (the centres' brands). */
  pathologyProviders: z.array(textSchema).min(1).optional(),
  /** Ids of laboratory companies. */
  vendors: z.array(textSchema).min(1).optional(),
  /** Kinds of testing. Every centre offers PATHOLOGY, and no centre offers IMAGING. */
  testingTypes: z.array(z.enum(TESTING_TYPES)).min(1).optional(),
  /** Abbreviations of states and territories. */
  states: z.array(z.enum(AUSTRALIAN_STATES)).min(1).optional(),
  /** Postcodes of exactly four digits each: `0810`, not `810`. */
  postcodes: z
    .array(
      z.string().refine((value) => /^\d{4}$/.test(value), {
        message: 'must be exactly four digits',
        params: { rule: 'postcode' },
      }),
    )
    .min(1)
    .optional(),
  /** Part of the name, venue, street address or suburb, case-insensitive; up to 100 characters. */
  search: z.string().max(MAX_SEARCH_LENGTH).optional(),
  /**
   * Only centres that were created, changed, reported missing, found again or retired at or after this time, ISO 8601.
   */
  changedSince: instantSchema.optional(),
  /** Latitude of a point to search around, in degrees; requires `lng`. The nearest centres come first. */
  lat: z.number().min(-90).max(90).optional(),
  /** Longitude of a point to search around, in degrees; requires `lat`. */
  lng: z.number().min(-180).max(180).optional(),
  /** Maximum distance from the point in a straight line, in kilometres, up to 5,000; requires `lat` and `lng`. */
  radiusKm: z.number().min(0).max(MAX_RADIUS_KM).optional(),
  /** Northern edge of a box, in degrees, inclusive, not south of `south`; requires the other three edges. */
  north: z.number().min(-90).max(90).optional(),
  /** Southern edge of a box, in degrees, inclusive; requires the other three edges. */
  south: z.number().min(-90).max(90).optional(),
  /** Eastern edge of a box, in degrees, inclusive, not west of `west`; requires the other three edges. */
  east: z.number().min(-180).max(180).optional(),
  /** Western edge of a box, in degrees, inclusive; requires the other three edges. */
  west: z.number().min(-180).max(180).optional(),
  ...paging,
})
