// Made from the schemas by 'npm run checks'; not to be edited.
import type { ResponseSchemaName } from './schemas/index.js'

/** Tells whether a value is what its schema says. */
export type Check = (value: unknown) => boolean

type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isListOf(entry: Check, value: unknown): boolean {
  if (!Array.isArray(value)) return false
  for (let index = 0; index < value.length; index += 1) {
    if (!entry(value[index])) return false
  }
  return true
}

const text: Check = (value) => typeof value === 'string'
const textOrNone: Check = (value) => value === null || value === undefined || text(value)
const address: Check = (value) =>
  isFields(value) &&
  text(value['addressLine1']) &&
  textOrNone(value['addressLine2']) &&
  text(value['city']) &&
  text(value['state']) &&
  textOrNone(value['postCode']) &&
  text(value['country'])
const textOrNull: Check = (value) => value === null || text(value)
const person: Check = (value) =>
  isFields(value) &&
  text(value['firstName']) &&
  text(value['lastName']) &&
  text(value['email']) &&
  text(value['phone']) &&
  address(value['address']) &&
  textOrNull(value['dob']) &&
  text(value['gender'])
const listOfText: Check = (value) => isListOf(text, value)
const fields: Check = (value) => isFields(value)
const fieldsOrNull: Check = (value) => value === null || fields(value)
const flag: Check = (value) => typeof value === 'boolean'
const flagOrAbsent: Check = (value) => value === undefined || flag(value)
const orderingPractitioner: Check = (value) =>
  isFields(value) && text(value['name']) && text(value['address']) && text(value['providerNumber'])
const orderingPractitionerOrNone: Check = (value) =>
  value === null || value === undefined || orderingPractitioner(value)
const referral: Check = (value) =>
  isFields(value) &&
  text(value['uuid']) &&
  text(value['object']) &&
  text(value['status']) &&
  person(value['person']) &&
  listOfText(value['tests']) &&
  textOrNone(value['bundleId']) &&
  textOrNull(value['productId']) &&
  textOrNull(value['productName']) &&
  text(value['origin']) &&
  text(value['referralType']) &&
  text(value['reference']) &&
  text(value['referenceNumber']) &&
  textOrNull(value['referralAttachment']) &&
  textOrNull(value['emailSentAt']) &&
  text(value['createdAt']) &&
  text(value['updatedAt']) &&
  textOrNull(value['deletedAt']) &&
  textOrNull(value['resultsUuid']) &&
  fieldsOrNull(value['metadata']) &&
  flagOrAbsent(value['medicare']) &&
  flagOrAbsent(value['bulkBilled']) &&
  orderingPractitionerOrNone(value['orderingPractitioner']) &&
  textOrNone(value['medicareCardNumber']) &&
  textOrNone(value['dvaNumber']) &&
  textOrNone(value['orderingPractitionerClinicalNotes']) &&
  textOrNull(value['routingMessage'])
const listOfReferral: Check = (value) => isListOf(referral, value)
const referralOrListOfReferral: Check = (value) => referral(value) || listOfReferral(value)
const labPatientAddress: Check = (value) =>
  isFields(value) &&
  textOrNone(value['addressLine1']) &&
  textOrNone(value['addressLine2']) &&
  textOrNone(value['city']) &&
  textOrNone(value['state']) &&
  textOrNone(value['postCode']) &&
  textOrNone(value['country'])
const labPatientAddressOrNone: Check = (value) =>
  value === null || value === undefined || labPatientAddress(value)
const labPatient: Check = (value) =>
  isFields(value) &&
  textOrNone(value['firstName']) &&
  textOrNone(value['lastName']) &&
  textOrNone(value['dob']) &&
  textOrNone(value['gender']) &&
  textOrNone(value['email']) &&
  textOrNone(value['phone']) &&
  textOrNone(value['medicareNumber']) &&
  labPatientAddressOrNone(value['address'])
const labPatientOrNull: Check = (value) => value === null || labPatient(value)
const resultReport: Check = (value) => isFields(value) && listOfText(value['pit'])
const resultReportOrNull: Check = (value) => value === null || resultReport(value)
const doctor: Check = (value) =>
  isFields(value) && text(value['uuid']) && text(value['firstName']) && text(value['lastName'])
const doctorOrNull: Check = (value) => value === null || doctor(value)
const whole: Check = (value) => Number.isSafeInteger(value)
const biomarkerSummary: Check = (value) =>
  isFields(value) &&
  whole(value['normal']) &&
  whole(value['abnormal']) &&
  whole(value['critical']) &&
  whole(value['total'])
const biomarkerSummaryOrNull: Check = (value) => value === null || biomarkerSummary(value)
const number: Check = (value) => Number.isFinite(value)
const numberOrNull: Check = (value) => value === null || number(value)
const additionalRange: Check = (value) =>
  isFields(value) &&
  text(value['id']) &&
  text(value['name']) &&
  text(value['category']) &&
  numberOrNull(value['lowRange']) &&
  numberOrNull(value['highRange'])
const listOfAdditionalRange: Check = (value) => isListOf(additionalRange, value)
const listOfAdditionalRangeOrNone: Check = (value) =>
  value === null || value === undefined || listOfAdditionalRange(value)
const flagOrNull: Check = (value) => value === null || flag(value)
const biomarkerCategory: Check = (value) =>
  isFields(value) &&
  text(value['id']) &&
  text(value['name']) &&
  text(value['description']) &&
  text(value['object'])
const textOrNumber: Check = (value) => text(value) || number(value)
const textOrNumberOrNull: Check = (value) => value === null || textOrNumber(value)
const canonicalValue: Check = (value) =>
  isFields(value) &&
  text(value['status']) &&
  textOrNull(value['reason']) &&
  textOrNumberOrNull(value['value']) &&
  textOrNull(value['formattedValue']) &&
  textOrNull(value['unit']) &&
  textOrNull(value['subValueType']) &&
  numberOrNull(value['refIntervalHigh']) &&
  numberOrNull(value['refIntervalLow']) &&
  listOfAdditionalRangeOrNone(value['additionalRanges']) &&
  flagOrNull(value['isAbnormal'])
const biomarker: Check = (value) =>
  isFields(value) &&
  text(value['id']) &&
  text(value['name']) &&
  text(value['commonName']) &&
  text(value['description']) &&
  text(value['object']) &&
  text(value['value']) &&
  text(value['formattedValue']) &&
  text(value['valueType']) &&
  textOrNull(value['subValueType']) &&
  textOrNull(value['unit']) &&
  textOrNull(value['mostCommonUnit']) &&
  textOrNull(value['sampleType']) &&
  textOrNull(value['notes']) &&
  numberOrNull(value['refIntervalHigh']) &&
  numberOrNull(value['refIntervalLow']) &&
  listOfAdditionalRangeOrNone(value['additionalRanges']) &&
  flagOrNull(value['isAbnormal']) &&
  biomarkerCategory(value['category']) &&
  canonicalValue(value['canonical'])
const listOfBiomarker: Check = (value) => isListOf(biomarker, value)
const result: Check = (value) =>
  isFields(value) &&
  text(value['uuid']) &&
  text(value['object']) &&
  text(value['provenance']) &&
  textOrNull(value['referralUuid']) &&
  textOrNull(value['referenceNumber']) &&
  textOrNull(value['reference']) &&
  text(value['status']) &&
  person(value['person']) &&
  labPatientOrNull(value['labPatient']) &&
  textOrNull(value['productId']) &&
  textOrNull(value['productName']) &&
  textOrNull(value['resultAttachment']) &&
  resultReportOrNull(value['report']) &&
  text(value['createdAt']) &&
  text(value['updatedAt']) &&
  textOrNull(value['deletedAt']) &&
  textOrNull(value['resultDate']) &&
  doctorOrNull(value['reviewedBy']) &&
  fieldsOrNull(value['metadata']) &&
  biomarkerSummaryOrNull(value['biomarkerSummary']) &&
  listOfBiomarker(value['biomarkers'])
const turnAroundTime: Check = (value) =>
  isFields(value) &&
  text(value['providerId']) &&
  text(value['providerName']) &&
  text(value['minimumDays']) &&
  text(value['maximumDays']) &&
  text(value['object'])
const listOfTurnAroundTime: Check = (value) => isListOf(turnAroundTime, value)
const turnAroundTimeAverage: Check = (value) =>
  isFields(value) && text(value['minimumDays']) && text(value['maximumDays']) && text(value['object'])
const turnAroundTimeAverageOrNull: Check = (value) => value === null || turnAroundTimeAverage(value)
const biomarkerCategoryOrNone: Check = (value) =>
  value === null || value === undefined || biomarkerCategory(value)
const catalogueBiomarker: Check = (value) =>
  isFields(value) &&
  text(value['id']) &&
  text(value['name']) &&
  textOrNone(value['commonName']) &&
  text(value['object']) &&
  textOrNone(value['valueType']) &&
  textOrNone(value['sampleType']) &&
  textOrNone(value['unit']) &&
  textOrNone(value['description']) &&
  biomarkerCategoryOrNone(value['category']) &&
  textOrNone(value['canonicalUnit']) &&
  textOrNone(value['mostCommonUnit']) &&
  textOrNone(value['standardStatus'])
const listOfCatalogueBiomarker: Check = (value) => isListOf(catalogueBiomarker, value)
const listOfCatalogueBiomarkerOrAbsent: Check = (value) =>
  value === undefined || listOfCatalogueBiomarker(value)
const test: Check = (value) =>
  isFields(value) &&
  text(value['id']) &&
  text(value['name']) &&
  text(value['shortName']) &&
  text(value['object']) &&
  listOfTurnAroundTime(value['turnAroundTimes']) &&
  turnAroundTimeAverageOrNull(value['turnAroundTimeAverage']) &&
  flag(value['medicareListed']) &&
  number(value['price']) &&
  whole(value['priceCents']) &&
  listOfCatalogueBiomarkerOrAbsent(value['biomarkers'])
const listOfTest: Check = (value) => isListOf(test, value)
const bundle: Check = (value) =>
  isFields(value) &&
  text(value['id']) &&
  text(value['name']) &&
  text(value['object']) &&
  listOfTest(value['tests']) &&
  text(value['createdAt']) &&
  text(value['visibility'])
const priceTestsEntry: Check = (value) => isFields(value) && text(value['name']) && whole(value['price'])
const listOfPriceTestsEntry: Check = (value) => isListOf(priceTestsEntry, value)
const anything: Check = (value) => value !== undefined
const listOfAnything: Check = (value) => isListOf(anything, value)
const priceFeesEntry: Check = (value) => isFields(value) && whole(value['amount']) && text(value['reason'])
const listOfPriceFeesEntry: Check = (value) => isListOf(priceFeesEntry, value)
const price: Check = (value) =>
  isFields(value) &&
  whole(value['testsTotal']) &&
  listOfPriceTestsEntry(value['tests']) &&
  listOfAnything(value['discounts']) &&
  listOfPriceFeesEntry(value['fees']) &&
  listOfPriceFeesEntry(value['tax']) &&
  whole(value['subTotal']) &&
  whole(value['totalWithoutMarkup']) &&
  whole(value['grandTotal']) &&
  whole(value['grandTotalIncTax']) &&
  whole(value['grandTotalIncTaxWithoutBulkDiscounts']) &&
  whole(value['grandTotalWithoutBulkDiscounts'])
const providerConnection: Check = (value) =>
  isFields(value) &&
  text(value['object']) &&
  text(value['vendorId']) &&
  text(value['vendorName']) &&
  text(value['status']) &&
  text(value['consentedAt']) &&
  textOrNull(value['confirmedAt']) &&
  textOrNull(value['actionNeededReason'])
const listOfProviderConnection: Check = (value) => isListOf(providerConnection, value)
const listOfProviderConnectionOrNone: Check = (value) =>
  value === null || value === undefined || listOfProviderConnection(value)
const provider: Check = (value) =>
  isFields(value) &&
  text(value['object']) &&
  text(value['providerNumber']) &&
  text(value['name']) &&
  text(value['address']) &&
  textOrNone(value['title']) &&
  textOrNone(value['phone']) &&
  textOrNone(value['email']) &&
  flag(value['hasSignature']) &&
  textOrNone(value['signatureSignedAt']) &&
  textOrNone(value['encodedSignature']) &&
  text(value['createdAt']) &&
  text(value['updatedAt']) &&
  listOfProviderConnectionOrNone(value['connections'])
const retiredProvider: Check = (value) =>
  isFields(value) && text(value['object']) && text(value['providerNumber']) && flag(value['deleted'])
const routing: Check = (value) => isFields(value) && listOfProviderConnection(value['connections'])
const vendor: Check = (value) =>
  isFields(value) &&
  text(value['object']) &&
  text(value['id']) &&
  text(value['name']) &&
  textOrNone(value['route'])
const openingPeriod: Check = (value) => isFields(value) && text(value['opens']) && text(value['closes'])
const listOfOpeningPeriod: Check = (value) => isListOf(openingPeriod, value)
const openingDay: Check = (value) =>
  isFields(value) &&
  text(value['day']) &&
  text(value['status']) &&
  listOfOpeningPeriod(value['periods']) &&
  textOrNull(value['text'])
const listOfOpeningDay: Check = (value) => isListOf(openingDay, value)
const listOfOpeningDayOrNull: Check = (value) => value === null || listOfOpeningDay(value)
const numberOrAbsent: Check = (value) => value === undefined || number(value)
const centre: Check = (value) =>
  isFields(value) &&
  text(value['object']) &&
  text(value['uuid']) &&
  text(value['pathologyProviderId']) &&
  text(value['pathologyProviderName']) &&
  text(value['vendorId']) &&
  text(value['vendorName']) &&
  text(value['name']) &&
  textOrNull(value['venueName']) &&
  text(value['address']) &&
  text(value['city']) &&
  text(value['state']) &&
  text(value['country']) &&
  text(value['postcode']) &&
  numberOrNull(value['lat']) &&
  numberOrNull(value['lng']) &&
  textOrNull(value['phone']) &&
  textOrNull(value['notes']) &&
  textOrNull(value['bookingUrl']) &&
  listOfText(value['services']) &&
  listOfOpeningDayOrNull(value['openingHours']) &&
  listOfText(value['testingTypes']) &&
  text(value['status']) &&
  numberOrAbsent(value['distanceKm']) &&
  text(value['lastSeenAt'])
const webhook: Check = (value) =>
  isFields(value) &&
  text(value['object']) &&
  text(value['id']) &&
  text(value['url']) &&
  listOfText(value['events']) &&
  flag(value['active']) &&
  text(value['createdAt']) &&
  text(value['updatedAt'])
const deletedWebhook: Check = (value) =>
  isFields(value) && text(value['object']) && text(value['id']) && flag(value['deleted'])
const eventNames: Check = (value) => isFields(value) && listOfText(value['events'])

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
