import { normaliseDvaNumber, normaliseMedicareCardNumber, normaliseProviderNumber } from './identifiers.js'
import { fieldOf } from './read.js'

/** The rule of a Medicare card number that a value breaks. */
export type MedicareCardReason =
  | 'not-a-string'
  | 'empty'
  | 'characters'
  | 'length'
  | 'first-digit'
  | 'check-digit'
  | 'issue-number'
  | 'irn'
  | 'irn-missing'

/** The rule of a Medicare provider number that a value breaks. */
export type ProviderNumberReason = 'not-a-string' | 'empty' | 'malformed' | 'check-character'

/** The rule of a DVA file number that a value breaks. */
export type DvaNumberReason = 'not-a-string' | 'empty' | 'characters' | 'state' | 'format' | 'length'

/** Rules of an identifier in its normalised form. They are checked in order, and the first broken rule is reported. */
type Rules<Reason extends string> = readonly (readonly [
  reason: Reason,
  text: string,
  holds: (normalised: string) => boolean,
])[]

const CARD_WEIGHTS = [1, 3, 7, 9, 1, 3, 7, 9]
const PROVIDER_WEIGHTS = [3, 5, 8, 4, 2, 1]
const LOCATION_WEIGHT = 6
const LOCATION_CHARACTERS = '0123456789ABCDEFGHJKLMNPQRTUVWXY'
const PROVIDER_CHECK_CHARACTERS = 'YXWTLKJHFBA'
const PROVIDER_SHAPE = new RegExp(`^\\d{6}[${LOCATION_CHARACTERS}][A-Z]$`)
/** Pattern of a normalised DVA file number. Its groups: State letter, war code or blank, digits, dependant letter. */
const DVA_SHAPE = /^([NVQSWT])( |[A-Z]{1,3})(\d+)([A-Z]?)$/
const DVA_FILE_LENGTH = 7

function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, place) => sum + weight * Number(digits.charAt(place)), 0)
}

const CARD_RULES: Rules<MedicareCardReason> = [
  ['empty', 'must not be empty', (card) => card !== ''],
  [
    'characters',
    'must contain only digits, spaces, hyphens, or a slash before the IRN',
    (card) => /^\d+$/.test(card),
  ],
  ['length', 'must have 10 digits, or 11 with the IRN', (card) => card.length === 10 || card.length === 11],
  ['first-digit', 'must begin with a digit from 2 to 6', (card) => /^[2-6]/.test(card)],
  [
    'check-digit',
    'has an invalid check digit: digit 9 is computed from digits 1 to 8',
    (card) => weightedSum(card, CARD_WEIGHTS) % 10 === Number(card.charAt(8)),
  ],
  ['issue-number', 'must have an issue number (digit 10) from 1 to 9', (card) => card.charAt(9) !== '0'],
  ['irn', 'must have an IRN (digit 11) from 1 to 9', (card) => card.charAt(10) !== '0'],
]

// §4.1
/** The rules of a card number on an order with `medicareTests`. */
const CARD_RULES_WITH_IRN: Rules<MedicareCardReason> = [
  ...CARD_RULES,
  [
    'irn-missing',
    "must have 11 digits: the IRN, the digit next to the patient's name, is missing",
    (card) => card.length === 11,
  ],
]

const PROVIDER_RULES: Rules<ProviderNumberReason> = [
  ['empty', 'must not be empty', (number) => number !== ''],
  [
    'malformed',
    'must have 8 characters: six digits, a location character (a digit or a letter other than I, O, S, Z) and a check letter',
    (number) => PROVIDER_SHAPE.test(number),
  ],
  [
    'check-character',
    'has an invalid check letter: the last letter is computed from the first seven characters',
    (number) => number.charAt(7) === providerCheckCharacter(number),
  ],
]

const DVA_RULES: Rules<DvaNumberReason> = [
  ['empty', 'must not be empty', (number) => number !== ''],
  [
    'characters',
    'must contain only letters, digits, spaces and hyphens',
    (number) => /^[A-Z0-9 ]+$/.test(number),
  ],
  [
    'state',
    'must begin with the letter of a State: N, V, Q, S, W or T',
    (number) => /^[NVQSWT]/.test(number),
  ],
  [
    'format',
    'must be a State letter, up to three letters of a war code, digits, and at most one dependant letter',
    (number) => DVA_SHAPE.test(number),
  ],
  [
    'length',
    'is too long: war code and digits have at most 7 characters together (6 digits without a war code)',
    (number) => dvaFileLength(number) <= DVA_FILE_LENGTH,
  ],
]

function providerCheckCharacter(number: string): string {
  const location = LOCATION_CHARACTERS.indexOf(number.charAt(6))
  const sum = weightedSum(number, PROVIDER_WEIGHTS) + LOCATION_WEIGHT * location
  return PROVIDER_CHECK_CHARACTERS.charAt(sum % PROVIDER_CHECK_CHARACTERS.length)
}

function dvaFileLength(number: string): number {
  const [, , warCode = '', digits = ''] = DVA_SHAPE.exec(number) ?? []
  return warCode.length + digits.length
}

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

const CARD = 'Medicare card number'
const PROVIDER = 'Medicare provider number'
const DVA = 'DVA file number'

function firstBroken<Reason extends string>(
  name: string,
  rules: Rules<Reason>,
  normalised: string,
): InvalidIdentifier<Reason> | undefined {
  const [reason, text] = rules.find(([, , holds]) => !holds(normalised)) ?? []
  return reason === undefined ? undefined : { valid: false, reason, message: `${name} ${text}` }
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
  if (typeof value !== 'string') return notAString(CARD)
  const normalised = normaliseMedicareCardNumber(value)
  const rules = fieldOf(options, 'requireIrn') ? CARD_RULES_WITH_IRN : CARD_RULES
  return (
    firstBroken(CARD, rules, normalised) ?? {
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
  if (typeof value !== 'string') return notAString(PROVIDER)
  const normalised = normaliseProviderNumber(value)
  return (
    firstBroken(PROVIDER, PROVIDER_RULES, normalised) ?? {
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
  if (typeof value !== 'string') return notAString(DVA)
  const normalised = normaliseDvaNumber(value)
  const issue = firstBroken(DVA, DVA_RULES, normalised)
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
