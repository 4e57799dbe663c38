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
  addressLine2: z.string().nullish(),
  /** City or suburb. */
  city: textSchema,
  /** State or territory, such as `WA`. Text that is not empty; the specification lists no spellings. */
  state: textSchema,
  /** A string, so that leading zeros survive. */
  postCode: z.string().optional(),
  /** Text that is not empty; whether as a code or a name, the specification does not say. */
  country: textSchema,
})

/** §2.3, as a request carries it. */
export const orderingPractitionerInputSchema = z.strictObject({
  /** The doctor's full name. */
  name: textSchema,
  address: textSchema,
  /** Medicare provider number, eight characters. */
  providerNumber: textSchema,
})

const testIdsSchema = z.array(textSchema)

/** §4.1, the body of an order. Rules across fields are in `rules/order.ts`. */
export const orderSchema = z.strictObject({
  /** Not empty. A later change must have at least two characters, so it is well to keep to that from the start. */
  firstName: textSchema,
  /** Not empty; see `firstName`. */
  lastName: textSchema,
  /** Where the service sends the referral, unless `emailReferralToCustomer` is `false`. */
  email: emailSchema,
  /** Not empty, in any spelling. A later change must have at least six characters. */
  phone: textSchema,
  address: addressInputSchema,
  /** `YYYY-MM-DD`. */
  dob: dobSchema,
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
  /** Required with `medicareTests`. */
  orderingPractitioner: orderingPractitionerInputSchema.optional(),
  /** Required with `medicareTests`: eleven digits with the IRN. Otherwise ten digits will do. */
  medicareCardNumber: z.string().optional(),
  /** The patient's file number at the Department of Veterans' Affairs; shown on the Medicare referral. */
  dvaNumber: z.string().optional(),
  /** The ordering doctor's notes for the Medicare referral. */
  clinicalNotes: z.string().optional(),
})

/** §4.1, the body of an update. A metadata key set to `null` is removed. */
export const referralPatchSchema = z.strictObject({
  /** At least two characters. */
  firstName: textOfAtLeast(MIN_NAME_LENGTH).optional(),
  /** At least two characters. */
  lastName: textOfAtLeast(MIN_NAME_LENGTH).optional(),
  email: emailSchema.optional(),
  /** `YYYY-MM-DD`. */
  dob: dobSchema.optional(),
  gender: z.enum(GENDERS).optional(),
  /** At least six characters. */
  phone: textOfAtLeast(MIN_PHONE_LENGTH).optional(),
  /** The whole address, in place of the one that is there. */
  address: addressInputSchema.optional(),
  /** Merged into what is there; a key set to `null` is removed. */
  metadata: metadataSchema.optional(),
})

/** §4.6, the body of a new webhook. */
export const webhookCreateSchema = z.strictObject({
  /** Public, https. The service stores it normalised. */
  url: textSchema,
  events: z.array(textSchema).min(1),
  /** Default `true`. */
  active: z.boolean().optional(),
})

/** §4.6, the body of a changed webhook; `events` replaces the whole list. */
export const webhookUpdateSchema = z.strictObject({
  url: textSchema.optional(),
  events: z.array(textSchema).min(1).optional(),
  active: z.boolean().optional(),
})

const providerDetails = {
  title: z.string().optional(),
  phone: z.string().optional(),
  email: z.string().optional(),
}

/** §4.4, the body of a provider record. */
export const providerSaveSchema = z.strictObject({
  providerNumber: textSchema,
  name: textSchema,
  address: textSchema,
  ...providerDetails,
  /** A base64 PNG, or a data URI of one. */
  encodedSignature: z.string().optional(),
})

/** §4.4, the body of a changed provider record; what is left out stays. */
export const providerUpdateSchema = z.strictObject({
  name: textSchema.optional(),
  address: textSchema.optional(),
  ...providerDetails,
  encodedSignature: z.string().optional(),
})

/** §4.4, the body of a routing request. */
export const routingRequestSchema = z.strictObject({
  vendorIds: z.array(textSchema).min(1),
  attestation: z.strictObject({
    /** Who attests that the doctor signed. */
    attestedBy: textSchema,
    /** ISO 8601: when the doctor signed. */
    doctorSignedAt: instantSchema,
    reference: z.string().optional(),
  }),
})

/** §4.3, the body of a price calculation: tests, a bundle, or both. */
export const priceRequestSchema = z.strictObject({
  tests: testIdsSchema.optional(),
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
export const listQuerySchema = z.strictObject({ ...paging, sort: z.enum(SORT_ORDERS).optional() })

/** §4.3, the query of the bundle list. */
export const bundleListQuerySchema = z.strictObject({
  ...paging,
  sort: z.enum(SORT_ORDERS).optional(),
  /** `true` also lists PRIVATE bundles. */
  includeUnlisted: z.boolean().optional(),
})

/** §4.3, the query of the test list. */
export const testListQuerySchema = z.strictObject({ include: z.array(z.enum(TEST_INCLUDES)).optional() })

/** §4.5, the query of the centre list. Rules across fields are in `rules/centre-query.ts`. */
export const centreQuerySchema = z.strictObject({
  uuids: z
    .array(z.string().refine((value) => UUID_PATTERN.test(value), { message: 'must be a UUID' }))
    .max(MAX_CENTRE_UUIDS)
    .optional(),
  pathologyProviders: z.array(textSchema).optional(),
  vendors: z.array(textSchema).optional(),
  testingTypes: z.array(z.enum(TESTING_TYPES)).optional(),
  states: z.array(z.enum(AUSTRALIAN_STATES)).optional(),
  postcodes: z
    .array(z.string().refine((value) => /^\d{4}$/.test(value), { message: 'must be exactly four digits' }))
    .optional(),
  search: z.string().max(MAX_SEARCH_LENGTH).optional(),
  changedSince: instantSchema.optional(),
  lat: z.number().min(-90).max(90).optional(),
  lng: z.number().min(-180).max(180).optional(),
  radiusKm: z.number().min(0).max(MAX_RADIUS_KM).optional(),
  north: z.number().min(-90).max(90).optional(),
  south: z.number().min(-90).max(90).optional(),
  east: z.number().min(-180).max(180).optional(),
  west: z.number().min(-180).max(180).optional(),
  ...paging,
})
