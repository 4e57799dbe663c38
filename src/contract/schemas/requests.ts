import * as z from 'zod'

import { AUSTRALIAN_STATES, GENDERS, SORT_ORDERS, TEST_INCLUDES, TESTING_TYPES } from '../enums.js'
import {
  MAX_CENTRE_UUIDS,
  MAX_RADIUS_KM,
  MAX_SEARCH_LENGTH,
  MIN_NAME_LENGTH,
  MIN_PHONE_LENGTH,
} from '../limits.js'
import { UUID_PATTERN } from '../path-parameters.js'
import { metadataSchema } from './metadata.js'
import { dobSchema, emailSchema, instantSchema, textOfAtLeast, textSchema } from './rules.js'

/** §2.1, as a request carries it. */
export const addressInputSchema = z.strictObject({
  /** Street address. */
  addressLine1: textSchema,
  /** Second line of the street address, if there is one. */
  addressLine2: z.string().nullish(),
  /** City or suburb. */
  city: textSchema,
  /** State or territory, such as `WA`. Text that is not empty; the specification lists no spellings. */
  state: textSchema,
  /** Postcode, as a string so that leading zeros survive. */
  postCode: z.string().optional(),
  /** Country, as text that is not empty; whether a code or a name, the specification does not say. */
  country: textSchema,
})

/** §2.3, as a request carries it. */
export const orderingPractitionerInputSchema = z.strictObject({
  /** The doctor's full name. */
  name: textSchema,
  /** The doctor's address, as one string. */
  address: textSchema,
  /** Medicare provider number, eight characters. */
  providerNumber: textSchema,
})

const testIdsSchema = z.array(textSchema)

/** §4.1, the body of an order. Rules across fields are in `rules/order.ts`. */
export const orderSchema = z.strictObject({
  /** First name, not empty. A later change must have at least two characters: keep to that from the start. */
  firstName: textSchema,
  /** Last name, not empty; see `firstName`. */
  lastName: textSchema,
  /** E-mail address: where the service sends the referral, unless `emailReferralToCustomer` is `false`. */
  email: emailSchema,
  /** Phone number, not empty, in any spelling. A later change must have at least six characters. */
  phone: textSchema,
  /** The patient's postal address. */
  address: addressInputSchema,
  /** Date of birth as `YYYY-MM-DD`. */
  dob: dobSchema,
  /** The patient's gender. */
  gender: z.enum(GENDERS),
  /** Your own reference, not empty; the service returns it on the referral and its result. */
  referenceNumber: textSchema,
  /** Test ids, billed to the organisation. Of `tests`, `bundleId` and `medicareTests` one is needed at least. */
  tests: testIdsSchema.optional(),
  /** Orders all tests of the bundle, besides `tests`. Needs API version 1.1.0. */
  bundleId: textSchema.optional(),
  /** Test ids to claim under Medicare, on a referral of their own. Needs API version 1.1.0. */
  medicareTests: testIdsSchema.optional(),
  /** `false`: the service sends the patient nothing, and delivering the referral is up to you. Default `true`. */
  emailReferralToCustomer: z.boolean().optional(),
  /** Data of yours, kept with the referral and its result. */
  metadata: metadataSchema.optional(),
  /** The doctor who orders. Required with `medicareTests`. */
  orderingPractitioner: orderingPractitionerInputSchema.optional(),
  /**
   * The patient's Medicare card number. Required with `medicareTests`: eleven digits with the IRN. Otherwise
   * ten digits will do.
   */
  medicareCardNumber: z.string().optional(),
  /** The patient's file number at the Department of Veterans' Affairs; shown on the Medicare referral. */
  dvaNumber: z.string().optional(),
  /** The ordering doctor's notes for the Medicare referral. */
  clinicalNotes: z.string().optional(),
})

/** §4.1, the body of an update. A metadata key set to `null` is removed. */
export const referralPatchSchema = z.strictObject({
  /** First name, at least two characters. */
  firstName: textOfAtLeast(MIN_NAME_LENGTH).optional(),
  /** Last name, at least two characters. */
  lastName: textOfAtLeast(MIN_NAME_LENGTH).optional(),
  /** E-mail address. */
  email: emailSchema.optional(),
  /** Date of birth as `YYYY-MM-DD`. */
  dob: dobSchema.optional(),
  /** The patient's gender. */
  gender: z.enum(GENDERS).optional(),
  /** Phone number, at least six characters. */
  phone: textOfAtLeast(MIN_PHONE_LENGTH).optional(),
  /** The whole address, in place of the one that is there. */
  address: addressInputSchema.optional(),
  /** Merged into what is there; a key set to `null` is removed. */
  metadata: metadataSchema.optional(),
})

/** §4.6, the body of a new webhook. */
export const webhookCreateSchema = z.strictObject({
  /** Where deliveries go: public, https. The service stores it normalised. */
  url: textSchema,
  /** The events to be told of, at least one (§6). */
  events: z.array(textSchema).min(1),
  /** Whether it receives events. Default `true`. */
  active: z.boolean().optional(),
})

/** §4.6, the body of a changed webhook; `events` replaces the whole list. */
export const webhookUpdateSchema = z.strictObject({
  /** Where deliveries go: public, https. The service stores it normalised. */
  url: textSchema.optional(),
  /** In place of the whole list that is there. */
  events: z.array(textSchema).min(1).optional(),
  /** Whether it receives events: `false` pauses it, and keeps its settings. */
  active: z.boolean().optional(),
})

const providerDetails = {
  /** The doctor's title, printed on referrals. */
  title: z.string().optional(),
  /** The doctor's phone number, printed on referrals. */
  phone: z.string().optional(),
  /** The doctor's e-mail address, printed on referrals. */
  email: z.string().optional(),
}

/** §4.4, the body of a provider record. */
export const providerSaveSchema = z.strictObject({
  /** Medicare provider number, eight characters: the record's identity, which cannot change. */
  providerNumber: textSchema,
  /** The doctor's name, printed on referrals. Not empty. */
  name: textSchema,
  /** The doctor's address as one string, printed on referrals. Not empty. */
  address: textSchema,
  ...providerDetails,
  /** The signature: a base64 PNG, or a data URI of one. */
  encodedSignature: z.string().optional(),
})

/** §4.4, the body of a changed provider record; what is left out stays. */
export const providerUpdateSchema = z.strictObject({
  /** The doctor's name, printed on referrals. Not empty. */
  name: textSchema.optional(),
  /** The doctor's address as one string, printed on referrals. Not empty. */
  address: textSchema.optional(),
  ...providerDetails,
  /** The signature: a base64 PNG, or a data URI of one. Left out, the one on file stays. */
  encodedSignature: z.string().optional(),
})

/** §4.4, the body of a routing request. */
export const routingRequestSchema = z.strictObject({
  /** Ids of the laboratory companies to ask, at least one. */
  vendorIds: z.array(textSchema).min(1),
  /** That the doctor signed, and who says so. */
  attestation: z.strictObject({
    /** Who attests that the doctor signed. Not empty. */
    attestedBy: textSchema,
    /** When the doctor signed, ISO 8601. */
    doctorSignedAt: instantSchema,
    /** A reference of your own for the attestation. */
    reference: z.string().optional(),
  }),
})

/** §4.3, the body of a price calculation: tests, a bundle, or both. */
export const priceRequestSchema = z.strictObject({
  /** Test ids; may be left out with a `bundleId`. */
  tests: testIdsSchema.optional(),
  /** The bundle's id; with `tests` for both together. */
  bundleId: textSchema.optional(),
})

const pageSizeSchema = z.int().min(1)

const paging = {
  /** Records a page; the service caps it. */
  count: pageSizeSchema.optional(),
  /** Where to go on: a cursor that the same list gave. */
  cursor: textSchema.optional(),
}

/** §4.7, the query of a list without an order of its own. */
export const listQuerySchema = z.strictObject({
  ...paging,
  /** By time: `asc` for oldest first, `desc` for newest first. */
  sort: z.enum(SORT_ORDERS).optional(),
})

/** §4.3, the query of the bundle list. */
export const bundleListQuerySchema = z.strictObject({
  ...paging,
  /** By time: `asc` for oldest first, `desc` for newest first. */
  sort: z.enum(SORT_ORDERS).optional(),
  /** `true` also lists PRIVATE bundles. */
  includeUnlisted: z.boolean().optional(),
})

/** §4.3, the query of the test list. */
export const testListQuerySchema = z.strictObject({
  /** What to add to each test: `biomarkers`. */
  include: z.array(z.enum(TEST_INCLUDES)).min(1).optional(),
})

/**
 * §4.5, the query of the centre list. An empty list is refused: it would filter nothing. Rules across fields are in
 * `rules/centre-query.ts`.
 */
export const centreQuerySchema = z.strictObject({
  /** Only these centres, whatever their status; up to 100. */
  uuids: z
    .array(z.string().refine((value) => UUID_PATTERN.test(value), { message: 'must be a UUID' }))
    .min(1)
    .max(MAX_CENTRE_UUIDS)
    .optional(),
  /** Ids of brands on the door. */
  pathologyProviders: z.array(textSchema).min(1).optional(),
  /** Ids of laboratory companies. */
  vendors: z.array(textSchema).min(1).optional(),
  /** Kinds of testing. Every centre is PATHOLOGY, and IMAGING finds none. */
  testingTypes: z.array(z.enum(TESTING_TYPES)).min(1).optional(),
  /** States and territories, abbreviated. */
  states: z.array(z.enum(AUSTRALIAN_STATES)).min(1).optional(),
  /** Postcodes of exactly four digits each: `0810`, not `810`. */
  postcodes: z
    .array(z.string().refine((value) => /^\d{4}$/.test(value), { message: 'must be exactly four digits' }))
    .min(1)
    .optional(),
  /** Part of the name, venue, street address or suburb, in either case; up to 100 characters. */
  search: z.string().max(MAX_SEARCH_LENGTH).optional(),
  /** ISO 8601: centres created, changed, missing, back or retired at or after this time. */
  changedSince: instantSchema.optional(),
  /** Latitude of a point to search around, in degrees; needs `lng`. Nearest centres come first. */
  lat: z.number().min(-90).max(90).optional(),
  /** Longitude of a point to search around, in degrees; needs `lat`. */
  lng: z.number().min(-180).max(180).optional(),
  /** Kilometres from the point in a straight line, up to 5,000; needs `lat` and `lng`. */
  radiusKm: z.number().min(0).max(MAX_RADIUS_KM).optional(),
  /** Northern edge of a box, in degrees, itself included; needs the other three. */
  north: z.number().min(-90).max(90).optional(),
  /** Southern edge of a box, in degrees, itself included; needs the other three. */
  south: z.number().min(-90).max(90).optional(),
  /** Eastern edge of a box, in degrees, itself included; needs the other three. */
  east: z.number().min(-180).max(180).optional(),
  /** Western edge of a box, in degrees, itself included; needs the other three. */
  west: z.number().min(-180).max(180).optional(),
  ...paging,
})
