import { checkMedicareCardNumber } from './identifier-checks.js'
import { PATH_PARAMETERS } from './identifiers.js'
import { fieldIssue, type IssueDraft } from './issues.js'
import { MEDICARE_CARD_DIGITS, MEDICARE_CARD_DIGITS_WITH_IRN } from './limits.js'
import { DATA_URI_PREFIX, DATA_URI_START } from './signature-image.js'
import { type ApiVersion, MULTI_REFERRAL_VERSION } from './versions.js'

type Fields = Readonly<Record<string, unknown>>

// §4.1 rule 3, §9
/** Fields of an order that the first API version does not have. */
export const MULTI_REFERRAL_FIELDS = ['bundleId', 'medicareTests'] as const

// §4.1 rules 1 to 8
/** Checks the rules of an order that its schema cannot check, such as rules that concern several fields. */
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
  // The schema already reports a value that is not a list.
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
  // The check character is not checked here: only the service knows which numbers are registered.
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

// §4.3
/** Checks that a price request has at least one test or a bundle. */
export function priceRules(request: Fields): IssueDraft[] {
  const { tests, bundleId } = request
  const some = bundleId !== undefined || (Array.isArray(tests) && tests.length > 0)
  return some
    ? []
    : [{ message: 'at least one of tests and bundleId is required', field: 'tests', rule: 'at-least-one' }]
}

/** Base64 of the 8 bytes at the start of a PNG; the last character has bits of the next byte. */
const PNG_START = /^iVBORw0KGg[o-r]/

// §4.4, §7
/** Checks that the signature in a provider record is a PNG image, as base64 or a data URI. */
export function signatureRules({ encodedSignature: given }: Fields): IssueDraft[] {
  if (typeof given !== 'string') return []
  const problem = problemOf(given.replace(DATA_URI_START, ''))
  return problem === undefined ? [] : [fieldIssue(['encodedSignature'], problem, 'INVALID_SIGNATURE')]
}

function problemOf(base64: string): string | undefined {
  if (base64 === '') return 'must not be empty'
  if (/^data:/i.test(base64)) return `must be a data URI that begins with ${DATA_URI_PREFIX}`
  if (!isStrictBase64(base64))
    return 'must be plain base64: standard alphabet, padded, without spaces or line breaks (a file name is not an image)'
  return PNG_START.test(base64) ? undefined : 'must be a PNG image: its bytes do not begin as those of a PNG'
}

/** Base64 as encoders write it: groups of four characters, correct padding, and unused bits that are zero. */
function isStrictBase64(text: string): boolean {
  const tail = text.slice(-4)
  if (text.length % 4 !== 0 || /[^A-Za-z0-9+/]/.test(text.slice(0, -4))) return false
  return /^[A-Za-z0-9+/]{2}(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/.test(tail) && btoa(atob(tail)) === tail
}

// §4.6
/** Checks that a webhook update changes at least one field. */
export function webhookUpdateRules(patch: Fields): IssueDraft[] {
  const given = ['url', 'events', 'active'].some((name) => patch[name] !== undefined)
  return given ? [] : [{ message: 'at least one of url, events and active is required', field: undefined }]
}

const POINT = ['lat', 'lng'] as const
const BOX = ['north', 'south', 'east', 'west'] as const

// §4.5
/** Checks the rules of a centre search that concern several parameters. */
export function centreQueryRules(query: Fields): IssueDraft[] {
  return [
    ...incomplete(query, POINT),
    ...incomplete(query, BOX),
    ...radiusIssues(query),
    ...edgeIssues(query),
  ]
}

function incomplete(query: Fields, group: readonly string[]): IssueDraft[] {
  const missing = group.filter((name) => query[name] === undefined)
  if (missing.length === 0 || missing.length === group.length) return []
  const given = group.filter((name) => query[name] !== undefined)
  return missing.map((name) =>
    fieldIssue([name], `is required with ${given.join(' and ')}`, { rule: 'required-with' }),
  )
}

function radiusIssues(query: Fields): IssueDraft[] {
  const point = POINT.every((name) => query[name] !== undefined)
  return query['radiusKm'] === undefined || point ? [] : [fieldIssue(['radiusKm'], 'needs lat and lng')]
}

function edgeIssues(query: Fields): IssueDraft[] {
  const { north, south, east, west } = query
  const issues: IssueDraft[] = []
  if (typeof north === 'number' && typeof south === 'number' && north < south) {
    issues.push(fieldIssue(['north'], 'must not be south of the south edge'))
  }
  if (typeof east === 'number' && typeof west === 'number' && east < west) {
    issues.push(
      fieldIssue(
        ['east'],
        'must not be west of the west edge; a box across the antimeridian is not supported',
      ),
    )
  }
  return issues
}
