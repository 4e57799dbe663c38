// Made from the schemas by 'npm run checks'; not to be edited.
import { at, type Check, differs, isFields, isListOf } from '../check.js'
import type { ResponseSchemaName } from '../schemas/index.js'

const text: Check = (value, place, field) => typeof value === 'string' || differs(place, field, 'string')
const textOrNone: Check = (value, place, field) =>
  value === null || value === undefined || text(value, place, field)
const address: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['addressLine1'], inside, 'addressLine1') &&
    textOrNone(value['addressLine2'], inside, 'addressLine2') &&
    text(value['city'], inside, 'city') &&
    text(value['state'], inside, 'state') &&
    textOrNone(value['postCode'], inside, 'postCode') &&
    text(value['country'], inside, 'country')
  )
}
const textOrNull: Check = (value, place, field) => value === null || text(value, place, field)
const person: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['firstName'], inside, 'firstName') &&
    text(value['lastName'], inside, 'lastName') &&
    text(value['email'], inside, 'email') &&
    text(value['phone'], inside, 'phone') &&
    address(value['address'], inside, 'address') &&
    textOrNull(value['dob'], inside, 'dob') &&
    text(value['gender'], inside, 'gender')
  )
}
const listOfText: Check = (value, place, field) => isListOf(text, value, place, field)
const fields: Check = (value, place, field) => isFields(value) || differs(place, field, 'object')
const fieldsOrNull: Check = (value, place, field) => value === null || fields(value, place, field)
const flag: Check = (value, place, field) => typeof value === 'boolean' || differs(place, field, 'boolean')
const flagOrAbsent: Check = (value, place, field) => value === undefined || flag(value, place, field)
const orderingPractitioner: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['name'], inside, 'name') &&
    text(value['address'], inside, 'address') &&
    text(value['providerNumber'], inside, 'providerNumber')
  )
}
const orderingPractitionerOrNone: Check = (value, place, field) =>
  value === null || value === undefined || orderingPractitioner(value, place, field)
const referral: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['uuid'], inside, 'uuid') &&
    text(value['object'], inside, 'object') &&
    text(value['status'], inside, 'status') &&
    person(value['person'], inside, 'person') &&
    listOfText(value['tests'], inside, 'tests') &&
    textOrNone(value['bundleId'], inside, 'bundleId') &&
    textOrNull(value['productId'], inside, 'productId') &&
    textOrNull(value['productName'], inside, 'productName') &&
    text(value['origin'], inside, 'origin') &&
    text(value['referralType'], inside, 'referralType') &&
    text(value['reference'], inside, 'reference') &&
    text(value['referenceNumber'], inside, 'referenceNumber') &&
    textOrNull(value['referralAttachment'], inside, 'referralAttachment') &&
    textOrNull(value['emailSentAt'], inside, 'emailSentAt') &&
    text(value['createdAt'], inside, 'createdAt') &&
    text(value['updatedAt'], inside, 'updatedAt') &&
    textOrNull(value['deletedAt'], inside, 'deletedAt') &&
    textOrNull(value['resultsUuid'], inside, 'resultsUuid') &&
    fieldsOrNull(value['metadata'], inside, 'metadata') &&
    flagOrAbsent(value['medicare'], inside, 'medicare') &&
    flagOrAbsent(value['bulkBilled'], inside, 'bulkBilled') &&
    orderingPractitionerOrNone(value['orderingPractitioner'], inside, 'orderingPractitioner') &&
    textOrNone(value['medicareCardNumber'], inside, 'medicareCardNumber') &&
    textOrNone(value['dvaNumber'], inside, 'dvaNumber') &&
    textOrNone(value['orderingPractitionerClinicalNotes'], inside, 'orderingPractitionerClinicalNotes') &&
    textOrNull(value['routingMessage'], inside, 'routingMessage')
  )
}
const listOfReferral: Check = (value, place, field) => isListOf(referral, value, place, field)
const referralOrListOfReferral: Check = (value, place, field) =>
  Array.isArray(value) ? listOfReferral(value, place, field) : referral(value, place, field)
const labPatientAddress: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    textOrNone(value['addressLine1'], inside, 'addressLine1') &&
    textOrNone(value['addressLine2'], inside, 'addressLine2') &&
    textOrNone(value['city'], inside, 'city') &&
    textOrNone(value['state'], inside, 'state') &&
    textOrNone(value['postCode'], inside, 'postCode') &&
    textOrNone(value['country'], inside, 'country')
  )
}
const labPatientAddressOrNone: Check = (value, place, field) =>
  value === null || value === undefined || labPatientAddress(value, place, field)
const labPatient: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    textOrNone(value['firstName'], inside, 'firstName') &&
    textOrNone(value['lastName'], inside, 'lastName') &&
    textOrNone(value['dob'], inside, 'dob') &&
    textOrNone(value['gender'], inside, 'gender') &&
    textOrNone(value['email'], inside, 'email') &&
    textOrNone(value['phone'], inside, 'phone') &&
    textOrNone(value['medicareNumber'], inside, 'medicareNumber') &&
    labPatientAddressOrNone(value['address'], inside, 'address')
  )
}
const labPatientOrNull: Check = (value, place, field) => value === null || labPatient(value, place, field)
const resultReport: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return listOfText(value['pit'], inside, 'pit')
}
const resultReportOrNull: Check = (value, place, field) => value === null || resultReport(value, place, field)
const doctor: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['uuid'], inside, 'uuid') &&
    text(value['firstName'], inside, 'firstName') &&
    text(value['lastName'], inside, 'lastName')
  )
}
const doctorOrNull: Check = (value, place, field) => value === null || doctor(value, place, field)
const whole: Check = (value, place, field) => Number.isSafeInteger(value) || differs(place, field, 'integer')
const biomarkerSummary: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    whole(value['normal'], inside, 'normal') &&
    whole(value['abnormal'], inside, 'abnormal') &&
    whole(value['critical'], inside, 'critical') &&
    whole(value['total'], inside, 'total')
  )
}
const biomarkerSummaryOrNull: Check = (value, place, field) =>
  value === null || biomarkerSummary(value, place, field)
const number: Check = (value, place, field) => Number.isFinite(value) || differs(place, field, 'number')
const numberOrNull: Check = (value, place, field) => value === null || number(value, place, field)
const additionalRange: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['id'], inside, 'id') &&
    text(value['name'], inside, 'name') &&
    text(value['category'], inside, 'category') &&
    numberOrNull(value['lowRange'], inside, 'lowRange') &&
    numberOrNull(value['highRange'], inside, 'highRange')
  )
}
const listOfAdditionalRange: Check = (value, place, field) => isListOf(additionalRange, value, place, field)
const listOfAdditionalRangeOrNone: Check = (value, place, field) =>
  value === null || value === undefined || listOfAdditionalRange(value, place, field)
const flagOrNull: Check = (value, place, field) => value === null || flag(value, place, field)
const biomarkerCategory: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['id'], inside, 'id') &&
    text(value['name'], inside, 'name') &&
    text(value['description'], inside, 'description') &&
    text(value['object'], inside, 'object')
  )
}
const textOrNumber: Check = (value, place, field) =>
  text(value) || number(value) || differs(place, field, 'string or number')
const textOrNumberOrNull: Check = (value, place, field) => value === null || textOrNumber(value, place, field)
const canonicalValue: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['status'], inside, 'status') &&
    textOrNull(value['reason'], inside, 'reason') &&
    textOrNumberOrNull(value['value'], inside, 'value') &&
    textOrNull(value['formattedValue'], inside, 'formattedValue') &&
    textOrNull(value['unit'], inside, 'unit') &&
    textOrNull(value['subValueType'], inside, 'subValueType') &&
    numberOrNull(value['refIntervalHigh'], inside, 'refIntervalHigh') &&
    numberOrNull(value['refIntervalLow'], inside, 'refIntervalLow') &&
    listOfAdditionalRangeOrNone(value['additionalRanges'], inside, 'additionalRanges') &&
    flagOrNull(value['isAbnormal'], inside, 'isAbnormal')
  )
}
const biomarker: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['id'], inside, 'id') &&
    text(value['name'], inside, 'name') &&
    text(value['commonName'], inside, 'commonName') &&
    text(value['description'], inside, 'description') &&
    text(value['object'], inside, 'object') &&
    text(value['value'], inside, 'value') &&
    text(value['formattedValue'], inside, 'formattedValue') &&
    text(value['valueType'], inside, 'valueType') &&
    textOrNull(value['subValueType'], inside, 'subValueType') &&
    textOrNull(value['unit'], inside, 'unit') &&
    textOrNull(value['mostCommonUnit'], inside, 'mostCommonUnit') &&
    textOrNull(value['sampleType'], inside, 'sampleType') &&
    textOrNull(value['notes'], inside, 'notes') &&
    numberOrNull(value['refIntervalHigh'], inside, 'refIntervalHigh') &&
    numberOrNull(value['refIntervalLow'], inside, 'refIntervalLow') &&
    listOfAdditionalRangeOrNone(value['additionalRanges'], inside, 'additionalRanges') &&
    flagOrNull(value['isAbnormal'], inside, 'isAbnormal') &&
    biomarkerCategory(value['category'], inside, 'category') &&
    canonicalValue(value['canonical'], inside, 'canonical')
  )
}
const listOfBiomarker: Check = (value, place, field) => isListOf(biomarker, value, place, field)
const result: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['uuid'], inside, 'uuid') &&
    text(value['object'], inside, 'object') &&
    text(value['provenance'], inside, 'provenance') &&
    textOrNull(value['referralUuid'], inside, 'referralUuid') &&
    textOrNull(value['referenceNumber'], inside, 'referenceNumber') &&
    textOrNull(value['reference'], inside, 'reference') &&
    text(value['status'], inside, 'status') &&
    person(value['person'], inside, 'person') &&
    labPatientOrNull(value['labPatient'], inside, 'labPatient') &&
    textOrNull(value['productId'], inside, 'productId') &&
    textOrNull(value['productName'], inside, 'productName') &&
    textOrNull(value['resultAttachment'], inside, 'resultAttachment') &&
    resultReportOrNull(value['report'], inside, 'report') &&
    text(value['createdAt'], inside, 'createdAt') &&
    text(value['updatedAt'], inside, 'updatedAt') &&
    textOrNull(value['deletedAt'], inside, 'deletedAt') &&
    textOrNull(value['resultDate'], inside, 'resultDate') &&
    doctorOrNull(value['reviewedBy'], inside, 'reviewedBy') &&
    fieldsOrNull(value['metadata'], inside, 'metadata') &&
    biomarkerSummaryOrNull(value['biomarkerSummary'], inside, 'biomarkerSummary') &&
    listOfBiomarker(value['biomarkers'], inside, 'biomarkers')
  )
}
const turnAroundTime: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['providerId'], inside, 'providerId') &&
    text(value['providerName'], inside, 'providerName') &&
    text(value['minimumDays'], inside, 'minimumDays') &&
    text(value['maximumDays'], inside, 'maximumDays') &&
    text(value['object'], inside, 'object')
  )
}
const listOfTurnAroundTime: Check = (value, place, field) => isListOf(turnAroundTime, value, place, field)
const turnAroundTimeAverage: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['minimumDays'], inside, 'minimumDays') &&
    text(value['maximumDays'], inside, 'maximumDays') &&
    text(value['object'], inside, 'object')
  )
}
const turnAroundTimeAverageOrNull: Check = (value, place, field) =>
  value === null || turnAroundTimeAverage(value, place, field)
const biomarkerCategoryOrNone: Check = (value, place, field) =>
  value === null || value === undefined || biomarkerCategory(value, place, field)
const catalogueBiomarker: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['id'], inside, 'id') &&
    text(value['name'], inside, 'name') &&
    textOrNone(value['commonName'], inside, 'commonName') &&
    text(value['object'], inside, 'object') &&
    textOrNone(value['valueType'], inside, 'valueType') &&
    textOrNone(value['sampleType'], inside, 'sampleType') &&
    textOrNone(value['unit'], inside, 'unit') &&
    textOrNone(value['description'], inside, 'description') &&
    biomarkerCategoryOrNone(value['category'], inside, 'category') &&
    textOrNone(value['canonicalUnit'], inside, 'canonicalUnit') &&
    textOrNone(value['mostCommonUnit'], inside, 'mostCommonUnit') &&
    textOrNone(value['standardStatus'], inside, 'standardStatus')
  )
}
const listOfCatalogueBiomarker: Check = (value, place, field) =>
  isListOf(catalogueBiomarker, value, place, field)
const listOfCatalogueBiomarkerOrAbsent: Check = (value, place, field) =>
  value === undefined || listOfCatalogueBiomarker(value, place, field)
const test: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['id'], inside, 'id') &&
    text(value['name'], inside, 'name') &&
    text(value['shortName'], inside, 'shortName') &&
    text(value['object'], inside, 'object') &&
    listOfTurnAroundTime(value['turnAroundTimes'], inside, 'turnAroundTimes') &&
    turnAroundTimeAverageOrNull(value['turnAroundTimeAverage'], inside, 'turnAroundTimeAverage') &&
    flag(value['medicareListed'], inside, 'medicareListed') &&
    number(value['price'], inside, 'price') &&
    whole(value['priceCents'], inside, 'priceCents') &&
    listOfCatalogueBiomarkerOrAbsent(value['biomarkers'], inside, 'biomarkers')
  )
}
const listOfTest: Check = (value, place, field) => isListOf(test, value, place, field)
const bundle: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['id'], inside, 'id') &&
    text(value['name'], inside, 'name') &&
    text(value['object'], inside, 'object') &&
    listOfTest(value['tests'], inside, 'tests') &&
    text(value['createdAt'], inside, 'createdAt') &&
    text(value['visibility'], inside, 'visibility')
  )
}
const priceTestsEntry: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return text(value['name'], inside, 'name') && whole(value['price'], inside, 'price')
}
const listOfPriceTestsEntry: Check = (value, place, field) => isListOf(priceTestsEntry, value, place, field)
const anything: Check = (value, place, field) => value !== undefined || differs(place, field, 'value')
const listOfAnything: Check = (value, place, field) => isListOf(anything, value, place, field)
const priceFeesEntry: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return whole(value['amount'], inside, 'amount') && text(value['reason'], inside, 'reason')
}
const listOfPriceFeesEntry: Check = (value, place, field) => isListOf(priceFeesEntry, value, place, field)
const price: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    whole(value['testsTotal'], inside, 'testsTotal') &&
    listOfPriceTestsEntry(value['tests'], inside, 'tests') &&
    listOfAnything(value['discounts'], inside, 'discounts') &&
    listOfPriceFeesEntry(value['fees'], inside, 'fees') &&
    listOfPriceFeesEntry(value['tax'], inside, 'tax') &&
    whole(value['subTotal'], inside, 'subTotal') &&
    whole(value['totalWithoutMarkup'], inside, 'totalWithoutMarkup') &&
    whole(value['grandTotal'], inside, 'grandTotal') &&
    whole(value['grandTotalIncTax'], inside, 'grandTotalIncTax') &&
    whole(value['grandTotalIncTaxWithoutBulkDiscounts'], inside, 'grandTotalIncTaxWithoutBulkDiscounts') &&
    whole(value['grandTotalWithoutBulkDiscounts'], inside, 'grandTotalWithoutBulkDiscounts')
  )
}
const providerConnection: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['object'], inside, 'object') &&
    text(value['vendorId'], inside, 'vendorId') &&
    text(value['vendorName'], inside, 'vendorName') &&
    text(value['status'], inside, 'status') &&
    text(value['consentedAt'], inside, 'consentedAt') &&
    textOrNull(value['confirmedAt'], inside, 'confirmedAt') &&
    textOrNull(value['actionNeededReason'], inside, 'actionNeededReason')
  )
}
const listOfProviderConnection: Check = (value, place, field) =>
  isListOf(providerConnection, value, place, field)
const listOfProviderConnectionOrNone: Check = (value, place, field) =>
  value === null || value === undefined || listOfProviderConnection(value, place, field)
const provider: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['object'], inside, 'object') &&
    text(value['providerNumber'], inside, 'providerNumber') &&
    text(value['name'], inside, 'name') &&
    text(value['address'], inside, 'address') &&
    textOrNone(value['title'], inside, 'title') &&
    textOrNone(value['phone'], inside, 'phone') &&
    textOrNone(value['email'], inside, 'email') &&
    flag(value['hasSignature'], inside, 'hasSignature') &&
    textOrNone(value['signatureSignedAt'], inside, 'signatureSignedAt') &&
    textOrNone(value['encodedSignature'], inside, 'encodedSignature') &&
    text(value['createdAt'], inside, 'createdAt') &&
    text(value['updatedAt'], inside, 'updatedAt') &&
    listOfProviderConnectionOrNone(value['connections'], inside, 'connections')
  )
}
const retiredProvider: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['object'], inside, 'object') &&
    text(value['providerNumber'], inside, 'providerNumber') &&
    flag(value['deleted'], inside, 'deleted')
  )
}
const routing: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return listOfProviderConnection(value['connections'], inside, 'connections')
}
const vendor: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['object'], inside, 'object') &&
    text(value['id'], inside, 'id') &&
    text(value['name'], inside, 'name') &&
    textOrNone(value['route'], inside, 'route')
  )
}
const openingPeriod: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return text(value['opens'], inside, 'opens') && text(value['closes'], inside, 'closes')
}
const listOfOpeningPeriod: Check = (value, place, field) => isListOf(openingPeriod, value, place, field)
const openingDay: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['day'], inside, 'day') &&
    text(value['status'], inside, 'status') &&
    listOfOpeningPeriod(value['periods'], inside, 'periods') &&
    textOrNull(value['text'], inside, 'text')
  )
}
const listOfOpeningDay: Check = (value, place, field) => isListOf(openingDay, value, place, field)
const listOfOpeningDayOrNull: Check = (value, place, field) =>
  value === null || listOfOpeningDay(value, place, field)
const numberOrAbsent: Check = (value, place, field) => value === undefined || number(value, place, field)
const centre: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['object'], inside, 'object') &&
    text(value['uuid'], inside, 'uuid') &&
    text(value['pathologyProviderId'], inside, 'pathologyProviderId') &&
    text(value['pathologyProviderName'], inside, 'pathologyProviderName') &&
    text(value['vendorId'], inside, 'vendorId') &&
    text(value['vendorName'], inside, 'vendorName') &&
    text(value['name'], inside, 'name') &&
    textOrNull(value['venueName'], inside, 'venueName') &&
    text(value['address'], inside, 'address') &&
    text(value['city'], inside, 'city') &&
    text(value['state'], inside, 'state') &&
    text(value['country'], inside, 'country') &&
    text(value['postcode'], inside, 'postcode') &&
    numberOrNull(value['lat'], inside, 'lat') &&
    numberOrNull(value['lng'], inside, 'lng') &&
    textOrNull(value['phone'], inside, 'phone') &&
    textOrNull(value['notes'], inside, 'notes') &&
    textOrNull(value['bookingUrl'], inside, 'bookingUrl') &&
    listOfText(value['services'], inside, 'services') &&
    listOfOpeningDayOrNull(value['openingHours'], inside, 'openingHours') &&
    listOfText(value['testingTypes'], inside, 'testingTypes') &&
    text(value['status'], inside, 'status') &&
    numberOrAbsent(value['distanceKm'], inside, 'distanceKm') &&
    text(value['lastSeenAt'], inside, 'lastSeenAt')
  )
}
const webhook: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['object'], inside, 'object') &&
    text(value['id'], inside, 'id') &&
    text(value['url'], inside, 'url') &&
    listOfText(value['events'], inside, 'events') &&
    flag(value['active'], inside, 'active') &&
    text(value['createdAt'], inside, 'createdAt') &&
    text(value['updatedAt'], inside, 'updatedAt')
  )
}
const deletedWebhook: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return (
    text(value['object'], inside, 'object') &&
    text(value['id'], inside, 'id') &&
    flag(value['deleted'], inside, 'deleted')
  )
}
const eventNames: Check = (value, place, field) => {
  if (!isFields(value)) return differs(place, field, 'object')
  const inside = at(place, field)
  return listOfText(value['events'], inside, 'events')
}

/** A check of each answer, without the schemas: quick to load, and quick to ask. */
export const CHECKS: Readonly<Record<ResponseSchemaName, Check>> = {
  Referral: referral,
  PlacedReferrals: referralOrListOfReferral,
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
