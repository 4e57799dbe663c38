/** The tables of §2 as shapes, written from the specification only. */
import {
  boolean,
  either,
  filled,
  integer,
  is,
  listOf,
  matches,
  nothing,
  nullable,
  number,
  object,
  optional,
  type Shape,
  shaped,
  string,
  timestamp,
  url,
  uuid,
} from './check.js'

export const referralStatuses = [
  'PENDING_VERIFICATION',
  'CREATED',
  'ISSUED',
  'SCHEDULED_REISSUE',
  'PARTIAL_RESULTS',
  'COMPLETE',
  'INSUFFICIENT_DATA',
  'REFUNDED',
  'FAILED_TEST',
  'BILLING_FAILED',
  'TRANSFERRED',
]
const origins = ['CONSUMER_WEBSITE', 'BUNDLE_PURCHASE', 'API', 'STORE_INTEGRATION', 'UNKNOWN']
const text = nullable(string)
const day = matches(/^\d{4}-\d\d-\d\d$/)

export const address: Shape = {
  addressLine1: string,
  addressLine2: optional(text),
  city: string,
  state: string,
  postCode: optional(string),
  country: string,
}

export const person: Shape = {
  firstName: string,
  lastName: string,
  email: string,
  phone: string,
  address: shaped(address),
  dob: nullable(day),
  gender: is('male', 'female', ''),
}

const practitioner: Shape = { name: filled, address: filled, providerNumber: matches(/^\w{8}$/) }

export const referral: Shape = {
  uuid,
  object: is('referral'),
  status: is(...referralStatuses),
  person: shaped(person),
  tests: listOf(filled),
  bundleId: optional(text),
  productId: text,
  productName: text,
  origin: is(...origins),
  referralType: filled,
  reference: matches(/^\d{8}$/),
  referenceNumber: string,
  referralAttachment: nullable(url),
  emailSentAt: nullable(timestamp),
  createdAt: timestamp,
  updatedAt: timestamp,
  deletedAt: nullable(timestamp),
  resultsUuid: nullable(uuid),
  metadata: nullable(object),
  medicare: boolean,
  orderingPractitioner: nullable(shaped(practitioner)),
  medicareCardNumber: text,
  dvaNumber: text,
  orderingPractitionerClinicalNotes: text,
  routingMessage: text,
}

const range: Shape = {
  id: filled,
  name: filled,
  category: filled,
  lowRange: nullable(number),
  highRange: nullable(number),
}
const ranges = nullable(listOf(shaped(range)))

const canonical: Shape = {
  status: filled,
  reason: text,
  value: nullable(either(string, number)),
  formattedValue: text,
  unit: text,
  subValueType: text,
  refIntervalHigh: nullable(number),
  refIntervalLow: nullable(number),
  additionalRanges: ranges,
  isAbnormal: nullable(boolean),
}

export const category: Shape = {
  id: filled,
  name: filled,
  description: string,
  object: is('biomarker-category'),
}

export const biomarker: Shape = {
  id: filled,
  name: filled,
  commonName: string,
  description: string,
  object: is('biomarker'),
  value: string,
  formattedValue: string,
  valueType: filled,
  subValueType: text,
  unit: text,
  mostCommonUnit: text,
  sampleType: text,
  notes: text,
  refIntervalHigh: nullable(number),
  refIntervalLow: nullable(number),
  additionalRanges: optional(ranges),
  isAbnormal: nullable(boolean),
  category: shaped(category),
  canonical: shaped(canonical),
}

const labPatient: Shape = {
  firstName: text,
  lastName: text,
  dob: text,
  gender: text,
  email: text,
  phone: text,
  medicareNumber: text,
  address: nullable(object),
}

export const result: Shape = {
  uuid,
  object: is('result'),
  provenance: is('ORDERED', 'INCOMING', 'UPLOADED'),
  referralUuid: nullable(uuid),
  referenceNumber: text,
  reference: text,
  status: is('CREATED', 'IN_REVIEW', 'PARTIAL_RESULTS', 'COMPLETE'),
  person: shaped(person),
  labPatient: nullable(shaped(labPatient)),
  productId: text,
  productName: text,
  resultAttachment: nullable(url),
  report: nullable(shaped({ pit: listOf(string) })),
  createdAt: timestamp,
  updatedAt: timestamp,
  deletedAt: nullable(timestamp),
  resultDate: timestamp,
  reviewedBy: nullable(shaped({ uuid, firstName: string, lastName: string })),
  metadata: nullable(object),
  biomarkerSummary: nullable(
    shaped({ normal: integer, abnormal: integer, critical: integer, total: integer }),
  ),
  biomarkers: listOf(shaped(biomarker)),
}

export const catalogueBiomarker: Shape = {
  id: filled,
  name: filled,
  commonName: string,
  object: is('biomarker'),
  valueType: filled,
  sampleType: text,
  unit: text,
  description: string,
  category: shaped(category),
  canonicalUnit: text,
  mostCommonUnit: text,
  standardStatus: text,
}

const days = either(string, number)

export const test: Shape = {
  id: filled,
  name: filled,
  shortName: string,
  object: is('test'),
  turnAroundTimes: listOf(
    shaped({
      providerId: filled,
      providerName: filled,
      minimumDays: string,
      maximumDays: string,
      object: is('providerTurnaroundTime'),
    }),
  ),
  turnAroundTimeAverage: shaped({ minimumDays: days, maximumDays: days, object: is('turnaroundTime') }),
  medicareListed: boolean,
  price: number,
  priceCents: integer,
}

export const bundle: Shape = {
  id: filled,
  name: filled,
  object: is('bundle'),
  tests: listOf(shaped(test)),
  createdAt: timestamp,
  visibility: is('PUBLIC', 'PRIVATE'),
}

export const connection: Shape = {
  object: is('providerConnection'),
  vendorId: filled,
  vendorName: filled,
  status: is('NOT_SUBMITTED', 'PENDING_CONFIRMATION', 'CONNECTED', 'ACTION_NEEDED', 'STOP_REQUESTED'),
  consentedAt: timestamp,
  confirmedAt: nullable(timestamp),
  actionNeededReason: text,
}

export const provider: Shape = {
  object: is('provider'),
  providerNumber: matches(/^\w{8}$/),
  name: filled,
  address: filled,
  title: text,
  phone: text,
  email: text,
  hasSignature: boolean,
  signatureSignedAt: nullable(timestamp),
  encodedSignature: either(nothing, matches(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/)),
  createdAt: timestamp,
  updatedAt: timestamp,
  connections: listOf(shaped(connection)),
}

export const vendor: Shape = { object: is('vendor'), id: filled, name: filled, route: filled }

const time = matches(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/)
const hours: Shape = {
  day: is('MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'),
  status: is('OPEN', 'CLOSED', 'UNKNOWN'),
  periods: listOf(shaped({ opens: time, closes: time })),
  text,
}

const hyphenated = matches(/^[a-z0-9]+(-[a-z0-9]+)*$/i)
export const centre: Shape = {
  object: is('collectionCentre'),
  uuid,
  pathologyProviderId: hyphenated,
  pathologyProviderName: filled,
  vendorId: filled,
  vendorName: filled,
  name: filled,
  venueName: text,
  address: filled,
  city: filled,
  state: is('NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'NT', 'ACT'),
  country: matches(/^[A-Z]{2,3}$/),
  postcode: matches(/^\d{4}$/),
  lat: number,
  lng: number,
  phone: text,
  notes: text,
  bookingUrl: text,
  services: listOf(string),
  openingHours: nullable(listOf(shaped(hours))),
  testingTypes: listOf(is('PATHOLOGY', 'IMAGING')),
  status: is('ACTIVE', 'MISSING', 'RETIRED'),
  lastSeenAt: timestamp,
}

export const webhook: Shape = {
  object: is('webhook'),
  id: filled,
  url,
  events: listOf(filled),
  active: boolean,
  createdAt: timestamp,
  updatedAt: timestamp,
}

export const cursor: Shape = { cursor: filled, count: integer, resultCount: integer }
