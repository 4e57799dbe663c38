import {
  DVA_NUMBER_RULES,
  DVA_SHAPE,
  type DvaNumberReason,
  type IdentifierRule,
  MEDICARE_CARD_RULES,
  MEDICARE_IRN_RULE,
  type MedicareCardReason,
  PROVIDER_NUMBER_RULES,
  type ProviderNumberReason,
} from './identifier-rules.js'
import { fieldOf } from './read.js'

export type { DvaNumberReason, MedicareCardReason, ProviderNumberReason } from './identifier-rules.js'

/** Check result of an invalid identifier. */
export interface InvalidIdentifier<Reason extends string> {
  /** `false`: the identifier breaks a rule. */
  readonly valid: false
  /** Stable code of the first broken rule. */
  readonly reason: Reason
  /** Description of the broken rule. It never contains the value, which is personal data. */
  readonly message: string
}

/** A valid Medicare card number and its parts. */
export interface ValidMedicareCardNumber {
  /** `true`: the number passes every rule. */
  readonly valid: true
  /** 10 digits, or 11 with the IRN, without separators. */
  readonly normalised: string
  /** The first 10 digits, which identify the card. */
  readonly cardNumber: string
  /** Digit 10, which increases each time the card is issued again. */
  readonly issueNumber: string
  /** Digit 11, printed next to the patient's name; `null` if absent. */
  readonly irn: string | null
}

/** Result of {@link checkMedicareCardNumber}. */
export type MedicareCardCheck = ValidMedicareCardNumber | InvalidIdentifier<MedicareCardReason>

/** Options of the Medicare card number check. */
export interface MedicareCardOptions {
  /**
   * `true` when the IRN is required. An order with `medicareTests` requires it.
   * @defaultValue `false`: 10 digits are enough
   */
  readonly requireIrn?: boolean | undefined
}

/** A valid Medicare provider number and its parts. */
export interface ValidProviderNumber {
  /** `true`: the number passes every rule. */
  readonly valid: true
  /** 8 characters, upper case. */
  readonly normalised: string
  /** The six digits that identify the provider. */
  readonly stem: string
  /** The character that identifies the practice location. */
  readonly locationCharacter: string
  /** The character computed from the other seven. */
  readonly checkCharacter: string
}

/** Result of {@link checkProviderNumber}. */
export type ProviderNumberCheck = ValidProviderNumber | InvalidIdentifier<ProviderNumberReason>

/** A valid DVA file number and its parts. */
export interface ValidDvaNumber {
  /** `true`: the number passes every rule. */
  readonly valid: true
  /** 3 to 9 characters, upper case; a blank replaces a missing war code. */
  readonly normalised: string
  /** The State letter: N, V, Q, S, W or T. */
  readonly state: string
  /** One to three letters; an empty string if there is none, as in the oldest files. */
  readonly warCode: string
  /** The digits after the war code. */
  readonly fileDigits: string
  /** The letter of a dependant of the veteran; `null` for the veteran. */
  readonly dependantLetter: string | null
}

/** Result of {@link checkDvaNumber}. */
export type DvaNumberCheck = ValidDvaNumber | InvalidIdentifier<DvaNumberReason>

const SEPARATORS = /[\s\-\u2010-\u2015\u2212]+/g

/** Returns an empty string for a value that is not a string, because callers in JavaScript may pass any value. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function upperCaseAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

/**
 * Removes spaces, hyphens and the slash before the IRN from a Medicare card number, as the client does before it sends
 * an order. Other characters are kept, so an invalid number stays invalid. A value that is not a string becomes an
 * empty string.
 */
export function normaliseMedicareCardNumber(value: string): string {
  return textOf(value)
    .replace(SEPARATORS, '')
    .replace(/^(\d{10})\/(\d)$/, '$1$2')
}

/**
 * Removes spaces and hyphens from a Medicare provider number and converts it to upper case, as the client does before
 * it sends the number. A value that is not a string becomes an empty string.
 */
export function normaliseProviderNumber(value: string): string {
  return upperCaseAscii(textOf(value).replace(SEPARATORS, ''))
}

/**
 * Removes spaces and hyphens from a DVA file number and converts it to upper case. If the war code is missing, inserts
 * the official blank after the State letter. A value that is not a string becomes an empty string.
 */
export function normaliseDvaNumber(value: string): string {
  return upperCaseAscii(textOf(value).replace(SEPARATORS, '')).replace(/^([A-Z])(?=\d)/, '$1 ')
}

function firstBroken<Reason extends string>(
  rules: readonly IdentifierRule<Reason>[],
  normalised: string,
): InvalidIdentifier<Reason> | undefined {
  const broken = rules.find((rule) => !rule.holds(normalised))
  return broken && { valid: false, reason: broken.reason, message: broken.message }
}

function notAString(name: string): InvalidIdentifier<'not-a-string'> {
  return { valid: false, reason: 'not-a-string', message: `${name} must be a string` }
}

/**
 * Checks a Medicare card number. Ignores spaces, hyphens and the slash before the IRN. The rules are:
 *
 * - The number has 10 digits, or 11 with the IRN.
 * - The first digit is 2 to 6.
 * - Digit 9 is the sum of digits 1 to 8 with the weights 1 3 7 9 1 3 7 9, modulo 10.
 * - The issue number (digit 10) and the IRN (digit 11) are not 0.
 *
 * The client checks the number of every order by these rules. The service documents only the lengths and a checksum.
 *
 * @param value - Any value. A value that is not a string is reported as `not-a-string`.
 * @returns The parts of a valid number, or the first broken rule. Never throws.
 */
export function checkMedicareCardNumber(
  value: unknown,
  options: MedicareCardOptions = {},
): MedicareCardCheck {
  if (typeof value !== 'string') return notAString('Medicare card number')
  const normalised = normaliseMedicareCardNumber(value)
  const rules = fieldOf(options, 'requireIrn')
    ? [...MEDICARE_CARD_RULES, MEDICARE_IRN_RULE]
    : MEDICARE_CARD_RULES
  return (
    firstBroken(rules, normalised) ?? {
      valid: true,
      normalised,
      cardNumber: normalised.slice(0, 10),
      issueNumber: normalised.charAt(9),
      irn: normalised.charAt(10) || null,
    }
  )
}

/**
 * Checks a Medicare provider number: six digits, a location character, and a check letter computed from the other seven
 * characters. The reason `check-character` is a warning: only the service knows the existing numbers, so you may send
 * such a number. With any other reason, the number cannot exist.
 *
 * @param value - Any value. A value that is not a string is reported as `not-a-string`.
 * @returns The parts of a valid number, or the first broken rule. Never throws.
 */
export function checkProviderNumber(value: unknown): ProviderNumberCheck {
  if (typeof value !== 'string') return notAString('Medicare provider number')
  const normalised = normaliseProviderNumber(value)
  return (
    firstBroken(PROVIDER_NUMBER_RULES, normalised) ?? {
      valid: true,
      normalised,
      stem: normalised.slice(0, 6),
      locationCharacter: normalised.charAt(6),
      checkCharacter: normalised.charAt(7),
    }
  )
}

/**
 * Checks a Department of Veterans' Affairs file number: State letter, optional war code of up to three letters, digits,
 * and optional letter for a dependant. War code and digits have at most 7 characters together; a missing war code
 * counts as one of them. With the State letter and the dependant letter, a number has at most 9 characters. There is no
 * check digit.
 *
 * @param value - Any value. A value that is not a string is reported as `not-a-string`.
 * @returns The parts of a valid number, or the first broken rule. Never throws.
 */
export function checkDvaNumber(value: unknown): DvaNumberCheck {
  if (typeof value !== 'string') return notAString('DVA file number')
  const normalised = normaliseDvaNumber(value)
  const issue = firstBroken(DVA_NUMBER_RULES, normalised)
  if (issue) return issue
  const [, state = '', warCode = '', fileDigits = '', dependant = ''] = DVA_SHAPE.exec(normalised) ?? []
  return {
    valid: true,
    normalised,
    state,
    warCode: warCode.trim(),
    fileDigits,
    dependantLetter: dependant || null,
  }
}

/** Returns `true` when a value passes {@link checkMedicareCardNumber}. */
export function isMedicareCardNumber(value: unknown, options?: MedicareCardOptions): boolean {
  return checkMedicareCardNumber(value, options).valid
}

/** Returns `true` when a value passes {@link checkProviderNumber}, including the check letter. */
export function isProviderNumber(value: unknown): boolean {
  return checkProviderNumber(value).valid
}

/** Returns `true` when a value passes {@link checkDvaNumber}. */
export function isDvaNumber(value: unknown): boolean {
  return checkDvaNumber(value).valid
}

/** A UUID of any version, in upper or lower case. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID_PATTERN.test(value)
}

/** The pattern of each path parameter, and its rule in words for error messages. */
export const PATH_PARAMETERS = {
  uuid: { pattern: UUID_PATTERN, rule: 'must be a UUID' },
  // The characters of a path segment (RFC 3986), but not `.` or `..`.
  id: { pattern: /^(?!\.\.?$)[\w.~!$&'()*+,;=:@-]{1,128}$/, rule: 'must be the id of a webhook' },
  providerNumber: {
    pattern: /^[0-9A-Za-z]{8}$/,
    rule: 'must be an eight-character Medicare provider number',
  },
} as const satisfies Record<string, { readonly pattern: RegExp; readonly rule: string }>

export type PathParameter = keyof typeof PATH_PARAMETERS
