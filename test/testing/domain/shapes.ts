import * as z from 'zod'

/** The objects of section 2, with exactly the fields of the specification. */

const timestamp = z.iso.datetime()
const cents = z.int().min(0)

export const cursor = z.strictObject({
  cursor: z.string().min(1),
  count: z.int().min(1),
  resultCount: z.int().min(1),
})

export const catalogueBiomarker = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  commonName: z.string().min(1),
  object: z.literal('biomarker'),
  valueType: z.string(),
  sampleType: z.string(),
  unit: z.string().nullable(),
  description: z.string(),
  category: z.strictObject({
    id: z.string(),
    name: z.string(),
    object: z.literal('biomarker-category'),
    description: z.string(),
  }),
  canonicalUnit: z.string().nullable(),
  mostCommonUnit: z.string().nullable(),
  standardStatus: z.string(),
})

const days = z.string().regex(/^\d+$/)

export const testWithoutBiomarkers = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  shortName: z.string().min(1),
  object: z.literal('test'),
  turnAroundTimes: z.array(
    z.strictObject({
      providerId: z.string(),
      providerName: z.string(),
      minimumDays: days,
      maximumDays: days,
      object: z.literal('providerTurnaroundTime'),
    }),
  ),
  turnAroundTimeAverage: z.strictObject({
    minimumDays: days,
    maximumDays: days,
    object: z.literal('turnaroundTime'),
  }),
  medicareListed: z.boolean(),
  price: z.number().min(0),
  priceCents: cents,
})

export const testWithBiomarkers = testWithoutBiomarkers.extend({ biomarkers: z.array(catalogueBiomarker) })

export const bundle = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  object: z.literal('bundle'),
  tests: z.array(testWithoutBiomarkers).min(1),
  createdAt: timestamp,
  visibility: z.enum(['PUBLIC', 'PRIVATE']),
})

const amounts = z.array(z.strictObject({ amount: cents, reason: z.string().min(1) }))

export const price = z.strictObject({
  testsTotal: cents,
  tests: z.array(z.strictObject({ name: z.string(), price: cents })),
  discounts: amounts,
  fees: amounts,
  tax: amounts,
  subTotal: cents,
  totalWithoutMarkup: cents,
  grandTotal: cents,
  grandTotalIncTax: cents,
  grandTotalIncTaxWithoutBulkDiscounts: cents,
  grandTotalWithoutBulkDiscounts: cents,
})

export const connection = z.strictObject({
  object: z.literal('providerConnection'),
  vendorId: z.string(),
  vendorName: z.string(),
  status: z.enum(['NOT_SUBMITTED', 'PENDING_CONFIRMATION', 'CONNECTED', 'ACTION_NEEDED', 'STOP_REQUESTED']),
  consentedAt: timestamp,
  confirmedAt: timestamp.nullable(),
  actionNeededReason: z.string().nullable(),
})

export const provider = z.strictObject({
  object: z.literal('provider'),
  providerNumber: z.string().length(8),
  name: z.string().min(1),
  address: z.string().min(1),
  title: z.string(),
  phone: z.string(),
  email: z.string(),
  hasSignature: z.boolean(),
  signatureSignedAt: timestamp.nullable(),
  encodedSignature: z
    .string()
    .regex(/^data:image\/png;base64,/)
    .nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  connections: z.array(connection),
})

export const vendor = z.strictObject({
  object: z.literal('vendor'),
  id: z.string().min(1),
  name: z.string().min(1),
  route: z.string().min(1),
})

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)

const openingDay = z.strictObject({
  day: z.string(),
  status: z.enum(['OPEN', 'CLOSED', 'UNKNOWN']),
  periods: z.array(z.strictObject({ opens: clockTime, closes: clockTime.or(z.literal('24:00')) })),
  text: z.string().nullable(),
})

export const centre = z.strictObject({
  object: z.literal('collectionCentre'),
  uuid: z.uuid(),
  pathologyProviderId: z.string(),
  pathologyProviderName: z.string(),
  vendorId: z.string(),
  vendorName: z.string(),
  name: z.string().min(1),
  venueName: z.string().min(1).nullable(),
  address: z.string().min(1),
  city: z.string().min(1),
  state: z.enum(['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'NT', 'ACT']),
  country: z.string().length(2),
  postcode: z.string().regex(/^\d{4}$/),
  lat: z.number(),
  lng: z.number(),
  phone: z.string().min(1).nullable(),
  notes: z.string().min(1).nullable(),
  bookingUrl: z.url().nullable(),
  services: z.array(z.string()),
  openingHours: z.array(openingDay).length(7).nullable(),
  testingTypes: z.array(z.enum(['PATHOLOGY', 'IMAGING'])),
  status: z.enum(['ACTIVE', 'MISSING', 'RETIRED']),
  distanceKm: z.number().min(0).optional(),
  lastSeenAt: timestamp,
})
export type Centre = z.infer<typeof centre>

export const centrePage = z.strictObject({
  collectionCentres: z.array(centre),
  totalResults: z.int().min(0),
  cursor: cursor.optional(),
})
export type CentrePage = z.infer<typeof centrePage>

export const errorEnvelope = z.strictObject({
  error: z.literal(true),
  code: z.string(),
  message: z.string().min(1),
  errorList: z.array(z.string()),
})
