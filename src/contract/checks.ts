// Made from the schemas by 'npm run checks'; not to be edited.
import { at, type Check, differs, isFields, isListOf } from './check.js'
import type { ResponseSchemaName } from './schemas/index.js'

const text: Check = (value, place) => typeof value === 'string' || differs(place, 'string')
const textOrNone: Check = (value, place) => value === null || value === undefined || text(value, place)
const address: Check = (value, place) =>
  isFields(value)
    ? text(value['addressLine1'], at(place, 'addressLine1')) &&
      textOrNone(value['addressLine2'], at(place, 'addressLine2')) &&
      text(value['city'], at(place, 'city')) &&
      text(value['state'], at(place, 'state')) &&
      textOrNone(value['postCode'], at(place, 'postCode')) &&
      text(value['country'], at(place, 'country'))
    : differs(place, 'object')
const textOrNull: Check = (value, place) => value === null || text(value, place)
const person: Check = (value, place) =>
  isFields(value)
    ? text(value['firstName'], at(place, 'firstName')) &&
      text(value['lastName'], at(place, 'lastName')) &&
      text(value['email'], at(place, 'email')) &&
      text(value['phone'], at(place, 'phone')) &&
      address(value['address'], at(place, 'address')) &&
      textOrNull(value['dob'], at(place, 'dob')) &&
      text(value['gender'], at(place, 'gender'))
    : differs(place, 'object')
const listOfText: Check = (value, place) => isListOf(text, value, place)
const fields: Check = (value, place) => isFields(value) || differs(place, 'object')
const fieldsOrNull: Check = (value, place) => value === null || fields(value, place)
const flag: Check = (value, place) => typeof value === 'boolean' || differs(place, 'boolean')
const flagOrAbsent: Check = (value, place) => value === undefined || flag(value, place)
const orderingPractitioner: Check = (value, place) =>
  isFields(value)
    ? text(value['name'], at(place, 'name')) &&
      text(value['address'], at(place, 'address')) &&
      text(value['providerNumber'], at(place, 'providerNumber'))
    : differs(place, 'object')
const orderingPractitionerOrNone: Check = (value, place) =>
  value === null || value === undefined || orderingPractitioner(value, place)
const referral: Check = (value, place) =>
  isFields(value)
    ? text(value['uuid'], at(place, 'uuid')) &&
      text(value['object'], at(place, 'object')) &&
      text(value['status'], at(place, 'status')) &&
      person(value['person'], at(place, 'person')) &&
      listOfText(value['tests'], at(place, 'tests')) &&
      textOrNone(value['bundleId'], at(place, 'bundleId')) &&
      textOrNull(value['productId'], at(place, 'productId')) &&
      textOrNull(value['productName'], at(place, 'productName')) &&
      text(value['origin'], at(place, 'origin')) &&
      text(value['referralType'], at(place, 'referralType')) &&
      text(value['reference'], at(place, 'reference')) &&
      text(value['referenceNumber'], at(place, 'referenceNumber')) &&
      textOrNull(value['referralAttachment'], at(place, 'referralAttachment')) &&
      textOrNull(value['emailSentAt'], at(place, 'emailSentAt')) &&
      text(value['createdAt'], at(place, 'createdAt')) &&
      text(value['updatedAt'], at(place, 'updatedAt')) &&
      textOrNull(value['deletedAt'], at(place, 'deletedAt')) &&
      textOrNull(value['resultsUuid'], at(place, 'resultsUuid')) &&
      fieldsOrNull(value['metadata'], at(place, 'metadata')) &&
      flagOrAbsent(value['medicare'], at(place, 'medicare')) &&
      flagOrAbsent(value['bulkBilled'], at(place, 'bulkBilled')) &&
      orderingPractitionerOrNone(value['orderingPractitioner'], at(place, 'orderingPractitioner')) &&
      textOrNone(value['medicareCardNumber'], at(place, 'medicareCardNumber')) &&
      textOrNone(value['dvaNumber'], at(place, 'dvaNumber')) &&
      textOrNone(
        value['orderingPractitionerClinicalNotes'],
        at(place, 'orderingPractitionerClinicalNotes'),
      ) &&
      textOrNull(value['routingMessage'], at(place, 'routingMessage'))
    : differs(place, 'object')
const listOfReferral: Check = (value, place) => isListOf(referral, value, place)
const referralOrListOfReferral: Check = (value, place) =>
  Array.isArray(value) ? listOfReferral(value, place) : referral(value, place)
const labPatientAddress: Check = (value, place) =>
  isFields(value)
    ? textOrNone(value['addressLine1'], at(place, 'addressLine1')) &&
      textOrNone(value['addressLine2'], at(place, 'addressLine2')) &&
      textOrNone(value['city'], at(place, 'city')) &&
      textOrNone(value['state'], at(place, 'state')) &&
      textOrNone(value['postCode'], at(place, 'postCode')) &&
      textOrNone(value['country'], at(place, 'country'))
    : differs(place, 'object')
const labPatientAddressOrNone: Check = (value, place) =>
  value === null || value === undefined || labPatientAddress(value, place)
const labPatient: Check = (value, place) =>
  isFields(value)
    ? textOrNone(value['firstName'], at(place, 'firstName')) &&
      textOrNone(value['lastName'], at(place, 'lastName')) &&
      textOrNone(value['dob'], at(place, 'dob')) &&
      textOrNone(value['gender'], at(place, 'gender')) &&
      textOrNone(value['email'], at(place, 'email')) &&
      textOrNone(value['phone'], at(place, 'phone')) &&
      textOrNone(value['medicareNumber'], at(place, 'medicareNumber')) &&
      labPatientAddressOrNone(value['address'], at(place, 'address'))
    : differs(place, 'object')
const labPatientOrNull: Check = (value, place) => value === null || labPatient(value, place)
const resultReport: Check = (value, place) =>
  isFields(value) ? listOfText(value['pit'], at(place, 'pit')) : differs(place, 'object')
const resultReportOrNull: Check = (value, place) => value === null || resultReport(value, place)
const doctor: Check = (value, place) =>
  isFields(value)
    ? text(value['uuid'], at(place, 'uuid')) &&
      text(value['firstName'], at(place, 'firstName')) &&
      text(value['lastName'], at(place, 'lastName'))
    : differs(place, 'object')
const doctorOrNull: Check = (value, place) => value === null || doctor(value, place)
const whole: Check = (value, place) => Number.isSafeInteger(value) || differs(place, 'integer')
const biomarkerSummary: Check = (value, place) =>
  isFields(value)
    ? whole(value['normal'], at(place, 'normal')) &&
      whole(value['abnormal'], at(place, 'abnormal')) &&
      whole(value['critical'], at(place, 'critical')) &&
      whole(value['total'], at(place, 'total'))
    : differs(place, 'object')
const biomarkerSummaryOrNull: Check = (value, place) => value === null || biomarkerSummary(value, place)
const number: Check = (value, place) => Number.isFinite(value) || differs(place, 'number')
const numberOrNull: Check = (value, place) => value === null || number(value, place)
const additionalRange: Check = (value, place) =>
  isFields(value)
    ? text(value['id'], at(place, 'id')) &&
      text(value['name'], at(place, 'name')) &&
      text(value['category'], at(place, 'category')) &&
      numberOrNull(value['lowRange'], at(place, 'lowRange')) &&
      numberOrNull(value['highRange'], at(place, 'highRange'))
    : differs(place, 'object')
const listOfAdditionalRange: Check = (value, place) => isListOf(additionalRange, value, place)
const listOfAdditionalRangeOrNone: Check = (value, place) =>
  value === null || value === undefined || listOfAdditionalRange(value, place)
const flagOrNull: Check = (value, place) => value === null || flag(value, place)
const biomarkerCategory: Check = (value, place) =>
  isFields(value)
    ? text(value['id'], at(place, 'id')) &&
      text(value['name'], at(place, 'name')) &&
      text(value['description'], at(place, 'description')) &&
      text(value['object'], at(place, 'object'))
    : differs(place, 'object')
const textOrNumber: Check = (value, place) =>
  text(value) || number(value) || differs(place, 'string or number')
const textOrNumberOrNull: Check = (value, place) => value === null || textOrNumber(value, place)
const canonicalValue: Check = (value, place) =>
  isFields(value)
    ? text(value['status'], at(place, 'status')) &&
      textOrNull(value['reason'], at(place, 'reason')) &&
      textOrNumberOrNull(value['value'], at(place, 'value')) &&
      textOrNull(value['formattedValue'], at(place, 'formattedValue')) &&
      textOrNull(value['unit'], at(place, 'unit')) &&
      textOrNull(value['subValueType'], at(place, 'subValueType')) &&
      numberOrNull(value['refIntervalHigh'], at(place, 'refIntervalHigh')) &&
      numberOrNull(value['refIntervalLow'], at(place, 'refIntervalLow')) &&
      listOfAdditionalRangeOrNone(value['additionalRanges'], at(place, 'additionalRanges')) &&
      flagOrNull(value['isAbnormal'], at(place, 'isAbnormal'))
    : differs(place, 'object')
const biomarker: Check = (value, place) =>
  isFields(value)
    ? text(value['id'], at(place, 'id')) &&
      text(value['name'], at(place, 'name')) &&
      text(value['commonName'], at(place, 'commonName')) &&
      text(value['description'], at(place, 'description')) &&
      text(value['object'], at(place, 'object')) &&
      text(value['value'], at(place, 'value')) &&
      text(value['formattedValue'], at(place, 'formattedValue')) &&
      text(value['valueType'], at(place, 'valueType')) &&
      textOrNull(value['subValueType'], at(place, 'subValueType')) &&
      textOrNull(value['unit'], at(place, 'unit')) &&
      textOrNull(value['mostCommonUnit'], at(place, 'mostCommonUnit')) &&
      textOrNull(value['sampleType'], at(place, 'sampleType')) &&
      textOrNull(value['notes'], at(place, 'notes')) &&
      numberOrNull(value['refIntervalHigh'], at(place, 'refIntervalHigh')) &&
      numberOrNull(value['refIntervalLow'], at(place, 'refIntervalLow')) &&
      listOfAdditionalRangeOrNone(value['additionalRanges'], at(place, 'additionalRanges')) &&
      flagOrNull(value['isAbnormal'], at(place, 'isAbnormal')) &&
      biomarkerCategory(value['category'], at(place, 'category')) &&
      canonicalValue(value['canonical'], at(place, 'canonical'))
    : differs(place, 'object')
const listOfBiomarker: Check = (value, place) => isListOf(biomarker, value, place)
const result: Check = (value, place) =>
  isFields(value)
    ? text(value['uuid'], at(place, 'uuid')) &&
      text(value['object'], at(place, 'object')) &&
      text(value['provenance'], at(place, 'provenance')) &&
      textOrNull(value['referralUuid'], at(place, 'referralUuid')) &&
      textOrNull(value['referenceNumber'], at(place, 'referenceNumber')) &&
      textOrNull(value['reference'], at(place, 'reference')) &&
      text(value['status'], at(place, 'status')) &&
      person(value['person'], at(place, 'person')) &&
      labPatientOrNull(value['labPatient'], at(place, 'labPatient')) &&
      textOrNull(value['productId'], at(place, 'productId')) &&
      textOrNull(value['productName'], at(place, 'productName')) &&
      textOrNull(value['resultAttachment'], at(place, 'resultAttachment')) &&
      resultReportOrNull(value['report'], at(place, 'report')) &&
      text(value['createdAt'], at(place, 'createdAt')) &&
      text(value['updatedAt'], at(place, 'updatedAt')) &&
      textOrNull(value['deletedAt'], at(place, 'deletedAt')) &&
      textOrNull(value['resultDate'], at(place, 'resultDate')) &&
      doctorOrNull(value['reviewedBy'], at(place, 'reviewedBy')) &&
      fieldsOrNull(value['metadata'], at(place, 'metadata')) &&
      biomarkerSummaryOrNull(value['biomarkerSummary'], at(place, 'biomarkerSummary')) &&
      listOfBiomarker(value['biomarkers'], at(place, 'biomarkers'))
    : differs(place, 'object')
const turnAroundTime: Check = (value, place) =>
  isFields(value)
    ? text(value['providerId'], at(place, 'providerId')) &&
      text(value['providerName'], at(place, 'providerName')) &&
      text(value['minimumDays'], at(place, 'minimumDays')) &&
      text(value['maximumDays'], at(place, 'maximumDays')) &&
      text(value['object'], at(place, 'object'))
    : differs(place, 'object')
const listOfTurnAroundTime: Check = (value, place) => isListOf(turnAroundTime, value, place)
const turnAroundTimeAverage: Check = (value, place) =>
  isFields(value)
    ? text(value['minimumDays'], at(place, 'minimumDays')) &&
      text(value['maximumDays'], at(place, 'maximumDays')) &&
      text(value['object'], at(place, 'object'))
    : differs(place, 'object')
const turnAroundTimeAverageOrNull: Check = (value, place) =>
  value === null || turnAroundTimeAverage(value, place)
const biomarkerCategoryOrNone: Check = (value, place) =>
  value === null || value === undefined || biomarkerCategory(value, place)
const catalogueBiomarker: Check = (value, place) =>
  isFields(value)
    ? text(value['id'], at(place, 'id')) &&
      text(value['name'], at(place, 'name')) &&
      textOrNone(value['commonName'], at(place, 'commonName')) &&
      text(value['object'], at(place, 'object')) &&
      textOrNone(value['valueType'], at(place, 'valueType')) &&
      textOrNone(value['sampleType'], at(place, 'sampleType')) &&
      textOrNone(value['unit'], at(place, 'unit')) &&
      textOrNone(value['description'], at(place, 'description')) &&
      biomarkerCategoryOrNone(value['category'], at(place, 'category')) &&
      textOrNone(value['canonicalUnit'], at(place, 'canonicalUnit')) &&
      textOrNone(value['mostCommonUnit'], at(place, 'mostCommonUnit')) &&
      textOrNone(value['standardStatus'], at(place, 'standardStatus'))
    : differs(place, 'object')
const listOfCatalogueBiomarker: Check = (value, place) => isListOf(catalogueBiomarker, value, place)
const listOfCatalogueBiomarkerOrAbsent: Check = (value, place) =>
  value === undefined || listOfCatalogueBiomarker(value, place)
const test: Check = (value, place) =>
  isFields(value)
    ? text(value['id'], at(place, 'id')) &&
      text(value['name'], at(place, 'name')) &&
      text(value['shortName'], at(place, 'shortName')) &&
      text(value['object'], at(place, 'object')) &&
      listOfTurnAroundTime(value['turnAroundTimes'], at(place, 'turnAroundTimes')) &&
      turnAroundTimeAverageOrNull(value['turnAroundTimeAverage'], at(place, 'turnAroundTimeAverage')) &&
      flag(value['medicareListed'], at(place, 'medicareListed')) &&
      number(value['price'], at(place, 'price')) &&
      whole(value['priceCents'], at(place, 'priceCents')) &&
      listOfCatalogueBiomarkerOrAbsent(value['biomarkers'], at(place, 'biomarkers'))
    : differs(place, 'object')
const listOfTest: Check = (value, place) => isListOf(test, value, place)
const bundle: Check = (value, place) =>
  isFields(value)
    ? text(value['id'], at(place, 'id')) &&
      text(value['name'], at(place, 'name')) &&
      text(value['object'], at(place, 'object')) &&
      listOfTest(value['tests'], at(place, 'tests')) &&
      text(value['createdAt'], at(place, 'createdAt')) &&
      text(value['visibility'], at(place, 'visibility'))
    : differs(place, 'object')
const priceTestsEntry: Check = (value, place) =>
  isFields(value)
    ? text(value['name'], at(place, 'name')) && whole(value['price'], at(place, 'price'))
    : differs(place, 'object')
const listOfPriceTestsEntry: Check = (value, place) => isListOf(priceTestsEntry, value, place)
const anything: Check = (value, place) => value !== undefined || differs(place, 'value')
const listOfAnything: Check = (value, place) => isListOf(anything, value, place)
const priceFeesEntry: Check = (value, place) =>
  isFields(value)
    ? whole(value['amount'], at(place, 'amount')) && text(value['reason'], at(place, 'reason'))
    : differs(place, 'object')
const listOfPriceFeesEntry: Check = (value, place) => isListOf(priceFeesEntry, value, place)
const price: Check = (value, place) =>
  isFields(value)
    ? whole(value['testsTotal'], at(place, 'testsTotal')) &&
      listOfPriceTestsEntry(value['tests'], at(place, 'tests')) &&
      listOfAnything(value['discounts'], at(place, 'discounts')) &&
      listOfPriceFeesEntry(value['fees'], at(place, 'fees')) &&
      listOfPriceFeesEntry(value['tax'], at(place, 'tax')) &&
      whole(value['subTotal'], at(place, 'subTotal')) &&
      whole(value['totalWithoutMarkup'], at(place, 'totalWithoutMarkup')) &&
      whole(value['grandTotal'], at(place, 'grandTotal')) &&
      whole(value['grandTotalIncTax'], at(place, 'grandTotalIncTax')) &&
      whole(
        value['grandTotalIncTaxWithoutBulkDiscounts'],
        at(place, 'grandTotalIncTaxWithoutBulkDiscounts'),
      ) &&
      whole(value['grandTotalWithoutBulkDiscounts'], at(place, 'grandTotalWithoutBulkDiscounts'))
    : differs(place, 'object')
const providerConnection: Check = (value, place) =>
  isFields(value)
    ? text(value['object'], at(place, 'object')) &&
      text(value['vendorId'], at(place, 'vendorId')) &&
      text(value['vendorName'], at(place, 'vendorName')) &&
      text(value['status'], at(place, 'status')) &&
      text(value['consentedAt'], at(place, 'consentedAt')) &&
      textOrNull(value['confirmedAt'], at(place, 'confirmedAt')) &&
      textOrNull(value['actionNeededReason'], at(place, 'actionNeededReason'))
    : differs(place, 'object')
const listOfProviderConnection: Check = (value, place) => isListOf(providerConnection, value, place)
const listOfProviderConnectionOrNone: Check = (value, place) =>
  value === null || value === undefined || listOfProviderConnection(value, place)
const provider: Check = (value, place) =>
  isFields(value)
    ? text(value['object'], at(place, 'object')) &&
      text(value['providerNumber'], at(place, 'providerNumber')) &&
      text(value['name'], at(place, 'name')) &&
      text(value['address'], at(place, 'address')) &&
      textOrNone(value['title'], at(place, 'title')) &&
      textOrNone(value['phone'], at(place, 'phone')) &&
      textOrNone(value['email'], at(place, 'email')) &&
      flag(value['hasSignature'], at(place, 'hasSignature')) &&
      textOrNone(value['signatureSignedAt'], at(place, 'signatureSignedAt')) &&
      textOrNone(value['encodedSignature'], at(place, 'encodedSignature')) &&
      text(value['createdAt'], at(place, 'createdAt')) &&
      text(value['updatedAt'], at(place, 'updatedAt')) &&
      listOfProviderConnectionOrNone(value['connections'], at(place, 'connections'))
    : differs(place, 'object')
const retiredProvider: Check = (value, place) =>
  isFields(value)
    ? text(value['object'], at(place, 'object')) &&
      text(value['providerNumber'], at(place, 'providerNumber')) &&
      flag(value['deleted'], at(place, 'deleted'))
    : differs(place, 'object')
const routing: Check = (value, place) =>
  isFields(value)
    ? listOfProviderConnection(value['connections'], at(place, 'connections'))
    : differs(place, 'object')
const vendor: Check = (value, place) =>
  isFields(value)
    ? text(value['object'], at(place, 'object')) &&
      text(value['id'], at(place, 'id')) &&
      text(value['name'], at(place, 'name')) &&
      textOrNone(value['route'], at(place, 'route'))
    : differs(place, 'object')
const openingPeriod: Check = (value, place) =>
  isFields(value)
    ? text(value['opens'], at(place, 'opens')) && text(value['closes'], at(place, 'closes'))
    : differs(place, 'object')
const listOfOpeningPeriod: Check = (value, place) => isListOf(openingPeriod, value, place)
const openingDay: Check = (value, place) =>
  isFields(value)
    ? text(value['day'], at(place, 'day')) &&
      text(value['status'], at(place, 'status')) &&
      listOfOpeningPeriod(value['periods'], at(place, 'periods')) &&
      textOrNull(value['text'], at(place, 'text'))
    : differs(place, 'object')
const listOfOpeningDay: Check = (value, place) => isListOf(openingDay, value, place)
const listOfOpeningDayOrNull: Check = (value, place) => value === null || listOfOpeningDay(value, place)
const numberOrAbsent: Check = (value, place) => value === undefined || number(value, place)
const centre: Check = (value, place) =>
  isFields(value)
    ? text(value['object'], at(place, 'object')) &&
      text(value['uuid'], at(place, 'uuid')) &&
      text(value['pathologyProviderId'], at(place, 'pathologyProviderId')) &&
      text(value['pathologyProviderName'], at(place, 'pathologyProviderName')) &&
      text(value['vendorId'], at(place, 'vendorId')) &&
      text(value['vendorName'], at(place, 'vendorName')) &&
      text(value['name'], at(place, 'name')) &&
      textOrNull(value['venueName'], at(place, 'venueName')) &&
      text(value['address'], at(place, 'address')) &&
      text(value['city'], at(place, 'city')) &&
      text(value['state'], at(place, 'state')) &&
      text(value['country'], at(place, 'country')) &&
      text(value['postcode'], at(place, 'postcode')) &&
      numberOrNull(value['lat'], at(place, 'lat')) &&
      numberOrNull(value['lng'], at(place, 'lng')) &&
      textOrNull(value['phone'], at(place, 'phone')) &&
      textOrNull(value['notes'], at(place, 'notes')) &&
      textOrNull(value['bookingUrl'], at(place, 'bookingUrl')) &&
      listOfText(value['services'], at(place, 'services')) &&
      listOfOpeningDayOrNull(value['openingHours'], at(place, 'openingHours')) &&
      listOfText(value['testingTypes'], at(place, 'testingTypes')) &&
      text(value['status'], at(place, 'status')) &&
      numberOrAbsent(value['distanceKm'], at(place, 'distanceKm')) &&
      text(value['lastSeenAt'], at(place, 'lastSeenAt'))
    : differs(place, 'object')
const webhook: Check = (value, place) =>
  isFields(value)
    ? text(value['object'], at(place, 'object')) &&
      text(value['id'], at(place, 'id')) &&
      text(value['url'], at(place, 'url')) &&
      listOfText(value['events'], at(place, 'events')) &&
      flag(value['active'], at(place, 'active')) &&
      text(value['createdAt'], at(place, 'createdAt')) &&
      text(value['updatedAt'], at(place, 'updatedAt'))
    : differs(place, 'object')
const deletedWebhook: Check = (value, place) =>
  isFields(value)
    ? text(value['object'], at(place, 'object')) &&
      text(value['id'], at(place, 'id')) &&
      flag(value['deleted'], at(place, 'deleted'))
    : differs(place, 'object')
const eventNames: Check = (value, place) =>
  isFields(value) ? listOfText(value['events'], at(place, 'events')) : differs(place, 'object')

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
