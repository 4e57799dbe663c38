// Generated from the schemas by 'npm run checks'; do not edit.
import {
  ABSENT,
  ANYTHING,
  at,
  type Check,
  FIELDS,
  FLAG,
  INTEGER,
  is,
  isFields,
  isList,
  isText,
  LIST,
  NULL,
  NUMBER,
  TEXT,
} from '../check.js'
import type { ResponseSchemaName } from '../schemas/index.js'

const TEXT_OR_NULL_OR_ABSENT = TEXT | NULL | ABSENT
const TEXT_OR_NULL = TEXT | NULL
const FIELDS_OR_NULL = FIELDS | NULL
const FLAG_OR_ABSENT = FLAG | ABSENT
const FIELDS_OR_NULL_OR_ABSENT = FIELDS | NULL | ABSENT
const NUMBER_OR_NULL = NUMBER | NULL
const LIST_OR_NULL_OR_ABSENT = LIST | NULL | ABSENT
const FLAG_OR_NULL = FLAG | NULL
const TEXT_OR_NUMBER_OR_NULL = TEXT | NUMBER | NULL
const LIST_OR_ABSENT = LIST | ABSENT
const LIST_OR_NULL = LIST | NULL
const NUMBER_OR_ABSENT = NUMBER | ABSENT

const address: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['addressLine1'], inside, 'addressLine1') &&
    is(value['addressLine2'], inside, 'addressLine2', TEXT_OR_NULL_OR_ABSENT) &&
    isText(value['city'], inside, 'city') &&
    isText(value['state'], inside, 'state') &&
    is(value['postCode'], inside, 'postCode', TEXT_OR_NULL_OR_ABSENT) &&
    isText(value['country'], inside, 'country')
  )
}
const person: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['firstName'], inside, 'firstName') &&
    isText(value['lastName'], inside, 'lastName') &&
    isText(value['email'], inside, 'email') &&
    isText(value['phone'], inside, 'phone') &&
    address(value['address'], inside, 'address') &&
    is(value['dob'], inside, 'dob', TEXT_OR_NULL) &&
    isText(value['gender'], inside, 'gender')
  )
}
const orderingPractitioner: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['name'], inside, 'name') &&
    isText(value['address'], inside, 'address') &&
    isText(value['providerNumber'], inside, 'providerNumber')
  )
}
const referral: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['uuid'], inside, 'uuid') &&
    isText(value['object'], inside, 'object') &&
    isText(value['status'], inside, 'status') &&
    person(value['person'], inside, 'person') &&
    isList(isText, TEXT, value['tests'], inside, 'tests') &&
    is(value['bundleId'], inside, 'bundleId', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['productId'], inside, 'productId', TEXT_OR_NULL) &&
    is(value['productName'], inside, 'productName', TEXT_OR_NULL) &&
    isText(value['origin'], inside, 'origin') &&
    isText(value['referralType'], inside, 'referralType') &&
    isText(value['reference'], inside, 'reference') &&
    isText(value['referenceNumber'], inside, 'referenceNumber') &&
    is(value['referralAttachment'], inside, 'referralAttachment', TEXT_OR_NULL) &&
    is(value['emailSentAt'], inside, 'emailSentAt', TEXT_OR_NULL) &&
    isText(value['createdAt'], inside, 'createdAt') &&
    isText(value['updatedAt'], inside, 'updatedAt') &&
    is(value['deletedAt'], inside, 'deletedAt', TEXT_OR_NULL) &&
    is(value['resultsUuid'], inside, 'resultsUuid', TEXT_OR_NULL) &&
    is(value['metadata'], inside, 'metadata', FIELDS_OR_NULL) &&
    is(value['medicare'], inside, 'medicare', FLAG_OR_ABSENT) &&
    is(value['bulkBilled'], inside, 'bulkBilled', FLAG_OR_ABSENT) &&
    orderingPractitioner(
      value['orderingPractitioner'],
      inside,
      'orderingPractitioner',
      FIELDS_OR_NULL_OR_ABSENT,
    ) &&
    is(value['medicareCardNumber'], inside, 'medicareCardNumber', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['dvaNumber'], inside, 'dvaNumber', TEXT_OR_NULL_OR_ABSENT) &&
    is(
      value['orderingPractitionerClinicalNotes'],
      inside,
      'orderingPractitionerClinicalNotes',
      TEXT_OR_NULL_OR_ABSENT,
    ) &&
    is(value['routingMessage'], inside, 'routingMessage', TEXT_OR_NULL)
  )
}
const resultLabPatientAddress: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    is(value['addressLine1'], inside, 'addressLine1', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['addressLine2'], inside, 'addressLine2', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['city'], inside, 'city', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['state'], inside, 'state', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['postCode'], inside, 'postCode', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['country'], inside, 'country', TEXT_OR_NULL_OR_ABSENT)
  )
}
const labPatient: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    is(value['firstName'], inside, 'firstName', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['lastName'], inside, 'lastName', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['dob'], inside, 'dob', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['gender'], inside, 'gender', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['email'], inside, 'email', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['phone'], inside, 'phone', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['medicareNumber'], inside, 'medicareNumber', TEXT_OR_NULL_OR_ABSENT) &&
    resultLabPatientAddress(value['address'], inside, 'address', FIELDS_OR_NULL_OR_ABSENT)
  )
}
const resultReport: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return isList(isText, TEXT, value['pit'], inside, 'pit')
}
const doctor: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['uuid'], inside, 'uuid') &&
    isText(value['firstName'], inside, 'firstName') &&
    isText(value['lastName'], inside, 'lastName')
  )
}
const biomarkerSummary: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    is(value['normal'], inside, 'normal', INTEGER) &&
    is(value['abnormal'], inside, 'abnormal', INTEGER) &&
    is(value['critical'], inside, 'critical', INTEGER) &&
    is(value['total'], inside, 'total', INTEGER)
  )
}
const additionalRange: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['id'], inside, 'id') &&
    isText(value['name'], inside, 'name') &&
    isText(value['category'], inside, 'category') &&
    is(value['lowRange'], inside, 'lowRange', NUMBER_OR_NULL) &&
    is(value['highRange'], inside, 'highRange', NUMBER_OR_NULL)
  )
}
const biomarkerCategory: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['id'], inside, 'id') &&
    isText(value['name'], inside, 'name') &&
    isText(value['description'], inside, 'description') &&
    isText(value['object'], inside, 'object')
  )
}
const canonicalValue: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['status'], inside, 'status') &&
    is(value['reason'], inside, 'reason', TEXT_OR_NULL) &&
    is(value['value'], inside, 'value', TEXT_OR_NUMBER_OR_NULL) &&
    is(value['formattedValue'], inside, 'formattedValue', TEXT_OR_NULL) &&
    is(value['unit'], inside, 'unit', TEXT_OR_NULL) &&
    is(value['subValueType'], inside, 'subValueType', TEXT_OR_NULL) &&
    is(value['refIntervalHigh'], inside, 'refIntervalHigh', NUMBER_OR_NULL) &&
    is(value['refIntervalLow'], inside, 'refIntervalLow', NUMBER_OR_NULL) &&
    isList(
      additionalRange,
      FIELDS,
      value['additionalRanges'],
      inside,
      'additionalRanges',
      LIST_OR_NULL_OR_ABSENT,
    ) &&
    is(value['isAbnormal'], inside, 'isAbnormal', FLAG_OR_NULL)
  )
}
const biomarker: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['id'], inside, 'id') &&
    isText(value['name'], inside, 'name') &&
    isText(value['commonName'], inside, 'commonName') &&
    isText(value['description'], inside, 'description') &&
    isText(value['object'], inside, 'object') &&
    isText(value['value'], inside, 'value') &&
    isText(value['formattedValue'], inside, 'formattedValue') &&
    isText(value['valueType'], inside, 'valueType') &&
    is(value['subValueType'], inside, 'subValueType', TEXT_OR_NULL) &&
    is(value['unit'], inside, 'unit', TEXT_OR_NULL) &&
    is(value['mostCommonUnit'], inside, 'mostCommonUnit', TEXT_OR_NULL) &&
    is(value['sampleType'], inside, 'sampleType', TEXT_OR_NULL) &&
    is(value['notes'], inside, 'notes', TEXT_OR_NULL) &&
    is(value['refIntervalHigh'], inside, 'refIntervalHigh', NUMBER_OR_NULL) &&
    is(value['refIntervalLow'], inside, 'refIntervalLow', NUMBER_OR_NULL) &&
    isList(
      additionalRange,
      FIELDS,
      value['additionalRanges'],
      inside,
      'additionalRanges',
      LIST_OR_NULL_OR_ABSENT,
    ) &&
    is(value['isAbnormal'], inside, 'isAbnormal', FLAG_OR_NULL) &&
    biomarkerCategory(value['category'], inside, 'category') &&
    canonicalValue(value['canonical'], inside, 'canonical')
  )
}
const result: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['uuid'], inside, 'uuid') &&
    isText(value['object'], inside, 'object') &&
    isText(value['provenance'], inside, 'provenance') &&
    is(value['referralUuid'], inside, 'referralUuid', TEXT_OR_NULL) &&
    is(value['referenceNumber'], inside, 'referenceNumber', TEXT_OR_NULL) &&
    is(value['reference'], inside, 'reference', TEXT_OR_NULL) &&
    isText(value['status'], inside, 'status') &&
    person(value['person'], inside, 'person') &&
    labPatient(value['labPatient'], inside, 'labPatient', FIELDS_OR_NULL) &&
    is(value['productId'], inside, 'productId', TEXT_OR_NULL) &&
    is(value['productName'], inside, 'productName', TEXT_OR_NULL) &&
    is(value['resultAttachment'], inside, 'resultAttachment', TEXT_OR_NULL) &&
    resultReport(value['report'], inside, 'report', FIELDS_OR_NULL) &&
    isText(value['createdAt'], inside, 'createdAt') &&
    isText(value['updatedAt'], inside, 'updatedAt') &&
    is(value['deletedAt'], inside, 'deletedAt', TEXT_OR_NULL) &&
    is(value['resultDate'], inside, 'resultDate', TEXT_OR_NULL) &&
    doctor(value['reviewedBy'], inside, 'reviewedBy', FIELDS_OR_NULL) &&
    is(value['metadata'], inside, 'metadata', FIELDS_OR_NULL) &&
    biomarkerSummary(value['biomarkerSummary'], inside, 'biomarkerSummary', FIELDS_OR_NULL) &&
    isList(biomarker, FIELDS, value['biomarkers'], inside, 'biomarkers')
  )
}
const turnAroundTime: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['providerId'], inside, 'providerId') &&
    isText(value['providerName'], inside, 'providerName') &&
    isText(value['minimumDays'], inside, 'minimumDays') &&
    isText(value['maximumDays'], inside, 'maximumDays') &&
    isText(value['object'], inside, 'object')
  )
}
const turnAroundTimeAverage: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['minimumDays'], inside, 'minimumDays') &&
    isText(value['maximumDays'], inside, 'maximumDays') &&
    isText(value['object'], inside, 'object')
  )
}
const catalogueBiomarker: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['id'], inside, 'id') &&
    isText(value['name'], inside, 'name') &&
    is(value['commonName'], inside, 'commonName', TEXT_OR_NULL_OR_ABSENT) &&
    isText(value['object'], inside, 'object') &&
    is(value['valueType'], inside, 'valueType', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['sampleType'], inside, 'sampleType', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['unit'], inside, 'unit', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['description'], inside, 'description', TEXT_OR_NULL_OR_ABSENT) &&
    biomarkerCategory(value['category'], inside, 'category', FIELDS_OR_NULL_OR_ABSENT) &&
    is(value['canonicalUnit'], inside, 'canonicalUnit', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['mostCommonUnit'], inside, 'mostCommonUnit', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['standardStatus'], inside, 'standardStatus', TEXT_OR_NULL_OR_ABSENT)
  )
}
const test: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['id'], inside, 'id') &&
    isText(value['name'], inside, 'name') &&
    isText(value['shortName'], inside, 'shortName') &&
    isText(value['object'], inside, 'object') &&
    isList(turnAroundTime, FIELDS, value['turnAroundTimes'], inside, 'turnAroundTimes') &&
    turnAroundTimeAverage(value['turnAroundTimeAverage'], inside, 'turnAroundTimeAverage', FIELDS_OR_NULL) &&
    is(value['medicareListed'], inside, 'medicareListed', FLAG) &&
    is(value['price'], inside, 'price', NUMBER) &&
    is(value['priceCents'], inside, 'priceCents', INTEGER) &&
    isList(catalogueBiomarker, FIELDS, value['biomarkers'], inside, 'biomarkers', LIST_OR_ABSENT)
  )
}
const bundle: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['id'], inside, 'id') &&
    isText(value['name'], inside, 'name') &&
    isText(value['object'], inside, 'object') &&
    isList(test, FIELDS, value['tests'], inside, 'tests') &&
    isText(value['createdAt'], inside, 'createdAt') &&
    isText(value['visibility'], inside, 'visibility')
  )
}
const priceTestsEntry: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return isText(value['name'], inside, 'name') && is(value['price'], inside, 'price', INTEGER)
}
const priceFeesEntry: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return is(value['amount'], inside, 'amount', INTEGER) && isText(value['reason'], inside, 'reason')
}
const price: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    is(value['testsTotal'], inside, 'testsTotal', INTEGER) &&
    isList(priceTestsEntry, FIELDS, value['tests'], inside, 'tests') &&
    isList(is, ANYTHING, value['discounts'], inside, 'discounts') &&
    isList(priceFeesEntry, FIELDS, value['fees'], inside, 'fees') &&
    isList(priceFeesEntry, FIELDS, value['tax'], inside, 'tax') &&
    is(value['subTotal'], inside, 'subTotal', INTEGER) &&
    is(value['totalWithoutMarkup'], inside, 'totalWithoutMarkup', INTEGER) &&
    is(value['grandTotal'], inside, 'grandTotal', INTEGER) &&
    is(value['grandTotalIncTax'], inside, 'grandTotalIncTax', INTEGER) &&
    is(
      value['grandTotalIncTaxWithoutBulkDiscounts'],
      inside,
      'grandTotalIncTaxWithoutBulkDiscounts',
      INTEGER,
    ) &&
    is(value['grandTotalWithoutBulkDiscounts'], inside, 'grandTotalWithoutBulkDiscounts', INTEGER)
  )
}
const providerConnection: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['object'], inside, 'object') &&
    isText(value['vendorId'], inside, 'vendorId') &&
    isText(value['vendorName'], inside, 'vendorName') &&
    isText(value['status'], inside, 'status') &&
    isText(value['consentedAt'], inside, 'consentedAt') &&
    is(value['confirmedAt'], inside, 'confirmedAt', TEXT_OR_NULL) &&
    is(value['actionNeededReason'], inside, 'actionNeededReason', TEXT_OR_NULL)
  )
}
const provider: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['object'], inside, 'object') &&
    isText(value['providerNumber'], inside, 'providerNumber') &&
    isText(value['name'], inside, 'name') &&
    isText(value['address'], inside, 'address') &&
    is(value['title'], inside, 'title', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['phone'], inside, 'phone', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['email'], inside, 'email', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['hasSignature'], inside, 'hasSignature', FLAG) &&
    is(value['signatureSignedAt'], inside, 'signatureSignedAt', TEXT_OR_NULL_OR_ABSENT) &&
    is(value['encodedSignature'], inside, 'encodedSignature', TEXT_OR_NULL_OR_ABSENT) &&
    isText(value['createdAt'], inside, 'createdAt') &&
    isText(value['updatedAt'], inside, 'updatedAt') &&
    isList(providerConnection, FIELDS, value['connections'], inside, 'connections', LIST_OR_NULL_OR_ABSENT)
  )
}
const retiredProvider: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['object'], inside, 'object') &&
    isText(value['providerNumber'], inside, 'providerNumber') &&
    is(value['deleted'], inside, 'deleted', FLAG)
  )
}
const routing: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return isList(providerConnection, FIELDS, value['connections'], inside, 'connections')
}
const vendor: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['object'], inside, 'object') &&
    isText(value['id'], inside, 'id') &&
    isText(value['name'], inside, 'name') &&
    is(value['route'], inside, 'route', TEXT_OR_NULL_OR_ABSENT)
  )
}
const openingPeriod: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return isText(value['opens'], inside, 'opens') && isText(value['closes'], inside, 'closes')
}
const openingDay: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['day'], inside, 'day') &&
    isText(value['status'], inside, 'status') &&
    isList(openingPeriod, FIELDS, value['periods'], inside, 'periods') &&
    is(value['text'], inside, 'text', TEXT_OR_NULL)
  )
}
const centre: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['object'], inside, 'object') &&
    isText(value['uuid'], inside, 'uuid') &&
    isText(value['pathologyProviderId'], inside, 'pathologyProviderId') &&
    isText(value['pathologyProviderName'], inside, 'pathologyProviderName') &&
    isText(value['vendorId'], inside, 'vendorId') &&
    isText(value['vendorName'], inside, 'vendorName') &&
    isText(value['name'], inside, 'name') &&
    is(value['venueName'], inside, 'venueName', TEXT_OR_NULL) &&
    isText(value['address'], inside, 'address') &&
    isText(value['city'], inside, 'city') &&
    isText(value['state'], inside, 'state') &&
    isText(value['country'], inside, 'country') &&
    isText(value['postcode'], inside, 'postcode') &&
    is(value['lat'], inside, 'lat', NUMBER_OR_NULL) &&
    is(value['lng'], inside, 'lng', NUMBER_OR_NULL) &&
    is(value['phone'], inside, 'phone', TEXT_OR_NULL) &&
    is(value['notes'], inside, 'notes', TEXT_OR_NULL) &&
    is(value['bookingUrl'], inside, 'bookingUrl', TEXT_OR_NULL) &&
    isList(isText, TEXT, value['services'], inside, 'services') &&
    isList(openingDay, FIELDS, value['openingHours'], inside, 'openingHours', LIST_OR_NULL) &&
    isList(isText, TEXT, value['testingTypes'], inside, 'testingTypes') &&
    isText(value['status'], inside, 'status') &&
    is(value['distanceKm'], inside, 'distanceKm', NUMBER_OR_ABSENT) &&
    isText(value['lastSeenAt'], inside, 'lastSeenAt')
  )
}
const webhook: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['object'], inside, 'object') &&
    isText(value['id'], inside, 'id') &&
    isText(value['url'], inside, 'url') &&
    isList(isText, TEXT, value['events'], inside, 'events') &&
    is(value['active'], inside, 'active', FLAG) &&
    isText(value['createdAt'], inside, 'createdAt') &&
    isText(value['updatedAt'], inside, 'updatedAt')
  )
}
const deletedWebhook: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return (
    isText(value['object'], inside, 'object') &&
    isText(value['id'], inside, 'id') &&
    is(value['deleted'], inside, 'deleted', FLAG)
  )
}
const eventNames: Check = (value, place, field, types = FIELDS) => {
  if (!isFields(value)) return is(value, place, field, types)
  const inside = place && at(place, field)
  return isList(isText, TEXT, value['events'], inside, 'events')
}

/** Checks of all responses. They do not load the schema library, and allocate no memory for a response that matches. */
export const CHECKS: Readonly<Record<ResponseSchemaName, Check>> = {
  Referral: referral,
  PlacedReferrals: (value, place, field) =>
    Array.isArray(value) ? isList(referral, FIELDS, value, place, field) : referral(value, place, field),
  Result: result,
  Test: test,
  CatalogueBiomarker: catalogueBiomarker,
  Bundle: bundle,
  Price: price,
  Provider: provider,
  RetiredProvider: retiredProvider,
  Routing: routing,
  Vendor: vendor,
  CollectionCentre: centre,
  Webhook: webhook,
  DeletedWebhook: deletedWebhook,
  EventNames: eventNames,
}
