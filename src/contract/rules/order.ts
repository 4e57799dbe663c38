import { checkMedicareCardNumber } from '../identifiers.js'
import { fieldIssue, type IssueDraft } from '../issues.js'
import { MEDICARE_CARD_DIGITS, MEDICARE_CARD_DIGITS_WITH_IRN } from '../limits.js'
import { PATH_PARAMETERS } from '../path-parameters.js'
import { type ApiVersion, MULTI_REFERRAL_VERSION } from '../versions.js'

type Fields = Readonly<Record<string, unknown>>

// §4.1 rule 3, §9
/** Fields of an order that the first API version does not have. */
export const MULTI_REFERRAL_FIELDS = ['bundleId', 'medicareTests'] as const

// §4.1 rules 1 to 8
/** The rules of an order that span several of its fields. */
export function orderRules(order: Fields, version: ApiVersion): IssueDraft[] {
  const medicare = isNonEmptyList(order['medicareTests'])
  return [
    ...versionIssues(order, version),
    ...contentIssues(order, medicare),
    ...cardIssues(order['medicareCardNumber'], medicare),
    ...practitionerIssues(order['orderingPractitioner'], medicare),
  ]
}

function versionIssues(order: Fields, version: ApiVersion): IssueDraft[] {
  if (version >= MULTI_REFERRAL_VERSION) return []
  return MULTI_REFERRAL_FIELDS.filter((field) => order[field] !== undefined).map((field) =>
    fieldIssue(
      [field],
      `needs API version ${MULTI_REFERRAL_VERSION}: set apiVersion (the Accept header) to ${MULTI_REFERRAL_VERSION}`,
      { rule: 'api-version', params: { version: MULTI_REFERRAL_VERSION } },
    ),
  )
}

function contentIssues(order: Fields, medicare: boolean): IssueDraft[] {
  if (medicare || isNonEmptyList(order['tests']) || order['bundleId'] !== undefined) return []
  // A value that is not a list has its own issue.
  if (isNotList(order['tests']) || isNotList(order['medicareTests'])) return []
  return [AT_LEAST_ONE]
}

const AT_LEAST_ONE: IssueDraft = {
  message: 'at least one of tests, bundleId and medicareTests is required',
  field: 'tests',
  rule: 'at-least-one',
  params: { fields: ['tests', 'bundleId', 'medicareTests'] },
}

const WITH_MEDICARE = { rule: 'required-with', params: { field: 'medicareTests' } } as const

const CARD_CODE = 'INVALID_MEDICARE_NUMBER'

function cardIssues(card: unknown, medicare: boolean): IssueDraft[] {
  if (card === undefined) {
    return medicare
      ? [
          fieldIssue(['medicareCardNumber'], 'is required with medicareTests', {
            ...WITH_MEDICARE,
            code: CARD_CODE,
          }),
        ]
      : []
  }
  if (typeof card !== 'string') return []
  const check = checkMedicareCardNumber(card)
  if (!check.valid)
    return [
      { message: check.message, field: 'medicareCardNumber', code: CARD_CODE, rule: `card-${check.reason}` },
    ]
  if (medicare && check.normalised.length === MEDICARE_CARD_DIGITS) {
    return [
      fieldIssue(
        ['medicareCardNumber'],
        `must have ${MEDICARE_CARD_DIGITS_WITH_IRN} digits with medicareTests: the IRN, the digit next to the patient's name, is missing`,
        { rule: 'card-irn-missing' },
      ),
    ]
  }
  return []
}

function practitionerIssues(practitioner: unknown, medicare: boolean): IssueDraft[] {
  if (practitioner === undefined) {
    return medicare
      ? [
          fieldIssue(['orderingPractitioner'], 'is required with medicareTests', {
            ...WITH_MEDICARE,
            code: 'MISSING_PROVIDER_NUMBER',
          }),
        ]
      : []
  }
  const number =
    typeof practitioner === 'object' && practitioner !== null && Reflect.get(practitioner, 'providerNumber')
  if (typeof number !== 'string' || number.trim() === '') return []
  // The service checks the check character and the registration: only it knows the registered numbers.
  const { pattern, rule } = PATH_PARAMETERS.providerNumber
  if (pattern.test(number)) return []
  return [
    fieldIssue(['orderingPractitioner', 'providerNumber'], rule, {
      rule: 'provider-number',
      code: 'INVALID_PROVIDER_NUMBER',
    }),
  ]
}

function isNotList(value: unknown): boolean {
  return value !== undefined && !Array.isArray(value)
}

function isNonEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}
