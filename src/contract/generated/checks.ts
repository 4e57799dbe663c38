// Generated from the schemas by 'npm run checks'; do not edit.
import {
  ABSENT,
  ANYTHING,
  ARRAY,
  BOOLEAN,
  type Check,
  fieldPlace,
  hasType,
  INTEGER,
  isFields,
  isList,
  isString,
  NULL,
  NUMBER,
  OBJECT,
  STRING,
} from '../check.js'
import type { ResponseSchemaName } from '../schemas/index.js'

const STRING_OR_NULL_OR_ABSENT = STRING | NULL | ABSENT
const STRING_OR_NULL = STRING | NULL
const OBJECT_OR_NULL = OBJECT | NULL
const BOOLEAN_OR_ABSENT = BOOLEAN | ABSENT
const OBJECT_OR_NULL_OR_ABSENT = OBJECT | NULL | ABSENT
const NUMBER_OR_NULL = NUMBER | NULL
const ARRAY_OR_NULL_OR_ABSENT = ARRAY | NULL | ABSENT
const BOOLEAN_OR_NULL = BOOLEAN | NULL
const STRING_OR_NUMBER_OR_NULL = STRING | NUMBER | NULL
const STRING_OR_NUMBER = STRING | NUMBER
const ARRAY_OR_ABSENT = ARRAY | ABSENT
const ARRAY_OR_NULL = ARRAY | NULL
const NUMBER_OR_ABSENT = NUMBER | ABSENT

const address: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['addressLine1'], inside, 'addressLine1') &&
    hasType(value['addressLine2'], inside, 'addressLine2', STRING_OR_NULL_OR_ABSENT) &&
    isString(value['city'], inside, 'city') &&
    isString(value['state'], inside, 'state') &&
    hasType(value['postCode'], inside, 'postCode', STRING_OR_NULL_OR_ABSENT) &&
    isString(value['country'], inside, 'country')
  )
}
const person: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['firstName'], inside, 'firstName') &&
    isString(value['lastName'], inside, 'lastName') &&
    isString(value['email'], inside, 'email') &&
    isString(value['phone'], inside, 'phone') &&
    address(value['address'], inside, 'address') &&
    hasType(value['dob'], inside, 'dob', STRING_OR_NULL) &&
    isString(value['gender'], inside, 'gender')
  )
}
const orderingPractitioner: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['name'], inside, 'name') &&
    isString(value['address'], inside, 'address') &&
    isString(value['providerNumber'], inside, 'providerNumber')
  )
}
const referral: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['uuid'], inside, 'uuid') &&
    isString(value['object'], inside, 'object') &&
    isString(value['status'], inside, 'status') &&
    person(value['person'], inside, 'person') &&
    isList(isString, STRING, value['tests'], inside, 'tests') &&
    hasType(value['bundleId'], inside, 'bundleId', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['productId'], inside, 'productId', STRING_OR_NULL) &&
    hasType(value['productName'], inside, 'productName', STRING_OR_NULL) &&
    isString(value['origin'], inside, 'origin') &&
    isString(value['referralType'], inside, 'referralType') &&
    isString(value['reference'], inside, 'reference') &&
    isString(value['referenceNumber'], inside, 'referenceNumber') &&
    hasType(value['referralAttachment'], inside, 'referralAttachment', STRING_OR_NULL) &&
    hasType(value['emailSentAt'], inside, 'emailSentAt', STRING_OR_NULL) &&
    isString(value['createdAt'], inside, 'createdAt') &&
    isString(value['updatedAt'], inside, 'updatedAt') &&
    hasType(value['deletedAt'], inside, 'deletedAt', STRING_OR_NULL) &&
    hasType(value['resultsUuid'], inside, 'resultsUuid', STRING_OR_NULL) &&
    hasType(value['metadata'], inside, 'metadata', OBJECT_OR_NULL) &&
    hasType(value['medicare'], inside, 'medicare', BOOLEAN_OR_ABSENT) &&
    hasType(value['bulkBilled'], inside, 'bulkBilled', BOOLEAN_OR_ABSENT) &&
    orderingPractitioner(
      value['orderingPractitioner'],
      inside,
      'orderingPractitioner',
      OBJECT_OR_NULL_OR_ABSENT,
    ) &&
    hasType(value['medicareCardNumber'], inside, 'medicareCardNumber', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['dvaNumber'], inside, 'dvaNumber', STRING_OR_NULL_OR_ABSENT) &&
    hasType(
      value['orderingPractitionerClinicalNotes'],
      inside,
      'orderingPractitionerClinicalNotes',
      STRING_OR_NULL_OR_ABSENT,
    ) &&
    hasType(value['routingMessage'], inside, 'routingMessage', STRING_OR_NULL)
  )
}
const resultLabPatientAddress: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    hasType(value['addressLine1'], inside, 'addressLine1', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['addressLine2'], inside, 'addressLine2', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['city'], inside, 'city', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['state'], inside, 'state', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['postCode'], inside, 'postCode', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['country'], inside, 'country', STRING_OR_NULL_OR_ABSENT)
  )
}
const labPatient: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    hasType(value['firstName'], inside, 'firstName', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['lastName'], inside, 'lastName', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['dob'], inside, 'dob', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['gender'], inside, 'gender', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['email'], inside, 'email', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['phone'], inside, 'phone', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['medicareNumber'], inside, 'medicareNumber', STRING_OR_NULL_OR_ABSENT) &&
    resultLabPatientAddress(value['address'], inside, 'address', OBJECT_OR_NULL_OR_ABSENT)
  )
}
const resultReport: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return isList(isString, STRING, value['pit'], inside, 'pit')
}
const doctor: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['uuid'], inside, 'uuid') &&
    isString(value['firstName'], inside, 'firstName') &&
    isString(value['lastName'], inside, 'lastName')
  )
}
const biomarkerSummary: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    hasType(value['normal'], inside, 'normal', INTEGER) &&
    hasType(value['abnormal'], inside, 'abnormal', INTEGER) &&
    hasType(value['critical'], inside, 'critical', INTEGER) &&
    hasType(value['total'], inside, 'total', INTEGER)
  )
}
const additionalRange: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['id'], inside, 'id') &&
    isString(value['name'], inside, 'name') &&
    isString(value['category'], inside, 'category') &&
    hasType(value['lowRange'], inside, 'lowRange', NUMBER_OR_NULL) &&
    hasType(value['highRange'], inside, 'highRange', NUMBER_OR_NULL)
  )
}
const biomarkerCategory: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['id'], inside, 'id') &&
    isString(value['name'], inside, 'name') &&
    isString(value['description'], inside, 'description') &&
    isString(value['object'], inside, 'object')
  )
}
const canonicalValue: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['status'], inside, 'status') &&
    hasType(value['reason'], inside, 'reason', STRING_OR_NULL) &&
    hasType(value['value'], inside, 'value', STRING_OR_NUMBER_OR_NULL) &&
    hasType(value['formattedValue'], inside, 'formattedValue', STRING_OR_NULL) &&
    hasType(value['unit'], inside, 'unit', STRING_OR_NULL) &&
    hasType(value['subValueType'], inside, 'subValueType', STRING_OR_NULL) &&
    hasType(value['refIntervalHigh'], inside, 'refIntervalHigh', NUMBER_OR_NULL) &&
    hasType(value['refIntervalLow'], inside, 'refIntervalLow', NUMBER_OR_NULL) &&
    isList(
      additionalRange,
      OBJECT,
      value['additionalRanges'],
      inside,
      'additionalRanges',
      ARRAY_OR_NULL_OR_ABSENT,
    ) &&
    hasType(value['isAbnormal'], inside, 'isAbnormal', BOOLEAN_OR_NULL)
  )
}
const biomarker: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['id'], inside, 'id') &&
    isString(value['name'], inside, 'name') &&
    isString(value['commonName'], inside, 'commonName') &&
    isString(value['description'], inside, 'description') &&
    isString(value['object'], inside, 'object') &&
    isString(value['value'], inside, 'value') &&
    isString(value['formattedValue'], inside, 'formattedValue') &&
    isString(value['valueType'], inside, 'valueType') &&
    hasType(value['subValueType'], inside, 'subValueType', STRING_OR_NULL) &&
    hasType(value['unit'], inside, 'unit', STRING_OR_NULL) &&
    hasType(value['mostCommonUnit'], inside, 'mostCommonUnit', STRING_OR_NULL) &&
    hasType(value['sampleType'], inside, 'sampleType', STRING_OR_NULL) &&
    hasType(value['notes'], inside, 'notes', STRING_OR_NULL) &&
    hasType(value['refIntervalHigh'], inside, 'refIntervalHigh', NUMBER_OR_NULL) &&
    hasType(value['refIntervalLow'], inside, 'refIntervalLow', NUMBER_OR_NULL) &&
    isList(
      additionalRange,
      OBJECT,
      value['additionalRanges'],
      inside,
      'additionalRanges',
      ARRAY_OR_NULL_OR_ABSENT,
    ) &&
    hasType(value['isAbnormal'], inside, 'isAbnormal', BOOLEAN_OR_NULL) &&
    biomarkerCategory(value['category'], inside, 'category') &&
    canonicalValue(value['canonical'], inside, 'canonical')
  )
}
const result: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['uuid'], inside, 'uuid') &&
    isString(value['object'], inside, 'object') &&
    isString(value['provenance'], inside, 'provenance') &&
    hasType(value['referralUuid'], inside, 'referralUuid', STRING_OR_NULL) &&
    hasType(value['referenceNumber'], inside, 'referenceNumber', STRING_OR_NULL) &&
    hasType(value['reference'], inside, 'reference', STRING_OR_NULL) &&
    isString(value['status'], inside, 'status') &&
    person(value['person'], inside, 'person') &&
    labPatient(value['labPatient'], inside, 'labPatient', OBJECT_OR_NULL) &&
    hasType(value['productId'], inside, 'productId', STRING_OR_NULL) &&
    hasType(value['productName'], inside, 'productName', STRING_OR_NULL) &&
    hasType(value['resultAttachment'], inside, 'resultAttachment', STRING_OR_NULL) &&
    resultReport(value['report'], inside, 'report', OBJECT_OR_NULL) &&
    isString(value['createdAt'], inside, 'createdAt') &&
    isString(value['updatedAt'], inside, 'updatedAt') &&
    hasType(value['deletedAt'], inside, 'deletedAt', STRING_OR_NULL) &&
    hasType(value['resultDate'], inside, 'resultDate', STRING_OR_NULL) &&
    doctor(value['reviewedBy'], inside, 'reviewedBy', OBJECT_OR_NULL) &&
    hasType(value['metadata'], inside, 'metadata', OBJECT_OR_NULL) &&
    biomarkerSummary(value['biomarkerSummary'], inside, 'biomarkerSummary', OBJECT_OR_NULL) &&
    isList(biomarker, OBJECT, value['biomarkers'], inside, 'biomarkers')
  )
}
const turnAroundTime: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['providerId'], inside, 'providerId') &&
    isString(value['providerName'], inside, 'providerName') &&
    isString(value['minimumDays'], inside, 'minimumDays') &&
    isString(value['maximumDays'], inside, 'maximumDays') &&
    isString(value['object'], inside, 'object')
  )
}
const turnAroundTimeAverage: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    hasType(value['minimumDays'], inside, 'minimumDays', STRING_OR_NUMBER) &&
    hasType(value['maximumDays'], inside, 'maximumDays', STRING_OR_NUMBER) &&
    isString(value['object'], inside, 'object')
  )
}
const catalogueBiomarker: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['id'], inside, 'id') &&
    isString(value['name'], inside, 'name') &&
    hasType(value['commonName'], inside, 'commonName', STRING_OR_NULL_OR_ABSENT) &&
    isString(value['object'], inside, 'object') &&
    hasType(value['valueType'], inside, 'valueType', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['sampleType'], inside, 'sampleType', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['unit'], inside, 'unit', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['description'], inside, 'description', STRING_OR_NULL_OR_ABSENT) &&
    biomarkerCategory(value['category'], inside, 'category', OBJECT_OR_NULL_OR_ABSENT) &&
    hasType(value['canonicalUnit'], inside, 'canonicalUnit', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['mostCommonUnit'], inside, 'mostCommonUnit', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['standardStatus'], inside, 'standardStatus', STRING_OR_NULL_OR_ABSENT)
  )
}
const test: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['id'], inside, 'id') &&
    isString(value['name'], inside, 'name') &&
    isString(value['shortName'], inside, 'shortName') &&
    isString(value['object'], inside, 'object') &&
    isList(turnAroundTime, OBJECT, value['turnAroundTimes'], inside, 'turnAroundTimes') &&
    turnAroundTimeAverage(value['turnAroundTimeAverage'], inside, 'turnAroundTimeAverage', OBJECT_OR_NULL) &&
    hasType(value['medicareListed'], inside, 'medicareListed', BOOLEAN) &&
    hasType(value['price'], inside, 'price', NUMBER) &&
    hasType(value['priceCents'], inside, 'priceCents', INTEGER) &&
    isList(catalogueBiomarker, OBJECT, value['biomarkers'], inside, 'biomarkers', ARRAY_OR_ABSENT)
  )
}
const bundle: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['id'], inside, 'id') &&
    isString(value['name'], inside, 'name') &&
    isString(value['object'], inside, 'object') &&
    isList(test, OBJECT, value['tests'], inside, 'tests') &&
    isString(value['createdAt'], inside, 'createdAt') &&
    isString(value['visibility'], inside, 'visibility')
  )
}
const priceTestsEntry: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return isString(value['name'], inside, 'name') && hasType(value['price'], inside, 'price', INTEGER)
}
const priceFeesEntry: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return hasType(value['amount'], inside, 'amount', INTEGER) && isString(value['reason'], inside, 'reason')
}
const price: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    hasType(value['testsTotal'], inside, 'testsTotal', INTEGER) &&
    isList(priceTestsEntry, OBJECT, value['tests'], inside, 'tests') &&
    isList(hasType, ANYTHING, value['discounts'], inside, 'discounts') &&
    isList(priceFeesEntry, OBJECT, value['fees'], inside, 'fees') &&
    isList(priceFeesEntry, OBJECT, value['tax'], inside, 'tax') &&
    hasType(value['subTotal'], inside, 'subTotal', INTEGER) &&
    hasType(value['totalWithoutMarkup'], inside, 'totalWithoutMarkup', INTEGER) &&
    hasType(value['grandTotal'], inside, 'grandTotal', INTEGER) &&
    hasType(value['grandTotalIncTax'], inside, 'grandTotalIncTax', INTEGER) &&
    hasType(
      value['grandTotalIncTaxWithoutBulkDiscounts'],
      inside,
      'grandTotalIncTaxWithoutBulkDiscounts',
      INTEGER,
    ) &&
    hasType(value['grandTotalWithoutBulkDiscounts'], inside, 'grandTotalWithoutBulkDiscounts', INTEGER)
  )
}
const providerConnection: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['object'], inside, 'object') &&
    isString(value['vendorId'], inside, 'vendorId') &&
    isString(value['vendorName'], inside, 'vendorName') &&
    isString(value['status'], inside, 'status') &&
    isString(value['consentedAt'], inside, 'consentedAt') &&
    hasType(value['confirmedAt'], inside, 'confirmedAt', STRING_OR_NULL) &&
    hasType(value['actionNeededReason'], inside, 'actionNeededReason', STRING_OR_NULL)
  )
}
const provider: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['object'], inside, 'object') &&
    isString(value['providerNumber'], inside, 'providerNumber') &&
    isString(value['name'], inside, 'name') &&
    isString(value['address'], inside, 'address') &&
    hasType(value['title'], inside, 'title', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['phone'], inside, 'phone', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['email'], inside, 'email', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['hasSignature'], inside, 'hasSignature', BOOLEAN) &&
    hasType(value['signatureSignedAt'], inside, 'signatureSignedAt', STRING_OR_NULL_OR_ABSENT) &&
    hasType(value['encodedSignature'], inside, 'encodedSignature', STRING_OR_NULL_OR_ABSENT) &&
    isString(value['createdAt'], inside, 'createdAt') &&
    isString(value['updatedAt'], inside, 'updatedAt') &&
    isList(providerConnection, OBJECT, value['connections'], inside, 'connections', ARRAY_OR_NULL_OR_ABSENT)
  )
}
const retiredProvider: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['object'], inside, 'object') &&
    isString(value['providerNumber'], inside, 'providerNumber') &&
    hasType(value['deleted'], inside, 'deleted', BOOLEAN)
  )
}
const routing: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return isList(providerConnection, OBJECT, value['connections'], inside, 'connections')
}
const vendor: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['object'], inside, 'object') &&
    isString(value['id'], inside, 'id') &&
    isString(value['name'], inside, 'name') &&
    hasType(value['route'], inside, 'route', STRING_OR_NULL_OR_ABSENT)
  )
}
const openingPeriod: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return isString(value['opens'], inside, 'opens') && isString(value['closes'], inside, 'closes')
}
const openingDay: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['day'], inside, 'day') &&
    isString(value['status'], inside, 'status') &&
    isList(openingPeriod, OBJECT, value['periods'], inside, 'periods') &&
    hasType(value['text'], inside, 'text', STRING_OR_NULL)
  )
}
const centre: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['object'], inside, 'object') &&
    isString(value['uuid'], inside, 'uuid') &&
    isString(value['pathologyProviderId'], inside, 'pathologyProviderId') &&
    isString(value['pathologyProviderName'], inside, 'pathologyProviderName') &&
    isString(value['vendorId'], inside, 'vendorId') &&
    isString(value['vendorName'], inside, 'vendorName') &&
    isString(value['name'], inside, 'name') &&
    hasType(value['venueName'], inside, 'venueName', STRING_OR_NULL) &&
    isString(value['address'], inside, 'address') &&
    isString(value['city'], inside, 'city') &&
    isString(value['state'], inside, 'state') &&
    isString(value['country'], inside, 'country') &&
    isString(value['postcode'], inside, 'postcode') &&
    hasType(value['lat'], inside, 'lat', NUMBER_OR_NULL) &&
    hasType(value['lng'], inside, 'lng', NUMBER_OR_NULL) &&
    hasType(value['phone'], inside, 'phone', STRING_OR_NULL) &&
    hasType(value['notes'], inside, 'notes', STRING_OR_NULL) &&
    hasType(value['bookingUrl'], inside, 'bookingUrl', STRING_OR_NULL) &&
    isList(isString, STRING, value['services'], inside, 'services') &&
    isList(openingDay, OBJECT, value['openingHours'], inside, 'openingHours', ARRAY_OR_NULL) &&
    isList(isString, STRING, value['testingTypes'], inside, 'testingTypes') &&
    isString(value['status'], inside, 'status') &&
    hasType(value['distanceKm'], inside, 'distanceKm', NUMBER_OR_ABSENT) &&
    isString(value['lastSeenAt'], inside, 'lastSeenAt')
  )
}
const webhook: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['object'], inside, 'object') &&
    isString(value['id'], inside, 'id') &&
    isString(value['url'], inside, 'url') &&
    isList(isString, STRING, value['events'], inside, 'events') &&
    hasType(value['active'], inside, 'active', BOOLEAN) &&
    isString(value['createdAt'], inside, 'createdAt') &&
    isString(value['updatedAt'], inside, 'updatedAt')
  )
}
const deletedWebhook: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return (
    isString(value['object'], inside, 'object') &&
    isString(value['id'], inside, 'id') &&
    hasType(value['deleted'], inside, 'deleted', BOOLEAN)
  )
}
const eventNames: Check = (value, place, field, types = OBJECT) => {
  if (!isFields(value)) return hasType(value, place, field, types)
  const inside = place && fieldPlace(place, field)
  return isList(isString, STRING, value['events'], inside, 'events')
}

/** Checks of all responses. They do not load the schema library, and allocate no memory for a response that matches. */
export const CHECKS: Readonly<Record<ResponseSchemaName, Check>> = {
  Referral: referral,
  PlacedReferrals: (value, place, field) =>
    Array.isArray(value) ? isList(referral, OBJECT, value, place, field) : referral(value, place, field),
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
