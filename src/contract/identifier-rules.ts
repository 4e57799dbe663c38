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

/** One rule of an identifier. Rules are checked in order, and the first broken rule is reported. */
export interface IdentifierRule<Reason extends string> {
  readonly reason: Reason
  readonly message: string
  readonly holds: (normalised: string) => boolean
}

const CARD_WEIGHTS = [1, 3, 7, 9, 1, 3, 7, 9]
const PROVIDER_WEIGHTS = [3, 5, 8, 4, 2, 1]
const LOCATION_WEIGHT = 6
const LOCATION_CHARACTERS = '0123456789ABCDEFGHJKLMNPQRTUVWXY'
const PROVIDER_CHECK_CHARACTERS = 'YXWTLKJHFBA'
const PROVIDER_SHAPE = new RegExp(`^\\d{6}[${LOCATION_CHARACTERS}][A-Z]$`)
/** Pattern of a normalised DVA file number. Its groups: State letter, war code or blank, digits, dependant letter. */
export const DVA_SHAPE = /^([NVQSWT])( |[A-Z]{1,3})(\d+)([A-Z]?)$/
const DVA_FILE_LENGTH = 7

function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, place) => sum + weight * Number(digits.charAt(place)), 0)
}

/** The rules of a normalised Medicare card number, in the order they are checked. */
export const MEDICARE_CARD_RULES: readonly IdentifierRule<MedicareCardReason>[] = [
  { reason: 'empty', message: 'Medicare card number must not be empty', holds: (card) => card !== '' },
  {
    reason: 'characters',
    message: 'Medicare card number must contain only digits, spaces, hyphens, or a slash before the IRN',
    holds: (card) => /^\d+$/.test(card),
  },
  {
    reason: 'length',
    message: 'Medicare card number must have 10 digits, or 11 with the IRN',
    holds: (card) => card.length === 10 || card.length === 11,
  },
  {
    reason: 'first-digit',
    message: 'Medicare card number must begin with a digit from 2 to 6',
    holds: (card) => /^[2-6]/.test(card),
  },
  {
    reason: 'check-digit',
    message: 'Medicare card number has an invalid check digit: digit 9 is computed from digits 1 to 8',
    holds: (card) => weightedSum(card, CARD_WEIGHTS) % 10 === Number(card.charAt(8)),
  },
  {
    reason: 'issue-number',
    message: 'Medicare card number must have an issue number (digit 10) from 1 to 9',
    holds: (card) => card.charAt(9) !== '0',
  },
  {
    reason: 'irn',
    message: 'Medicare card number must have an IRN (digit 11) from 1 to 9',
    holds: (card) => card.charAt(10) !== '0',
  },
]

// §4.1
/** The additional rule of a Medicare card number on an order with `medicareTests`. */
export const MEDICARE_IRN_RULE: IdentifierRule<MedicareCardReason> = {
  reason: 'irn-missing',
  message:
    "Medicare card number must have 11 digits: the IRN, the digit next to the patient's name, is missing",
  holds: (card) => card.length === 11,
}

/** The rules of a normalised Medicare provider number, in the order they are checked. */
export const PROVIDER_NUMBER_RULES: readonly IdentifierRule<ProviderNumberReason>[] = [
  {
    reason: 'empty',
    message: 'Medicare provider number must not be empty',
    holds: (number) => number !== '',
  },
  {
    reason: 'malformed',
    message:
      'Medicare provider number must have 8 characters: six digits, a location character (a digit or a letter other than I, O, S, Z) and a check letter',
    holds: (number) => PROVIDER_SHAPE.test(number),
  },
  {
    reason: 'check-character',
    message:
      'Medicare provider number has an invalid check letter: the last letter is computed from the first seven characters',
    holds: (number) => number.charAt(7) === providerCheckCharacter(number),
  },
]

/** The rules of a normalised DVA file number, in the order they are checked. */
export const DVA_NUMBER_RULES: readonly IdentifierRule<DvaNumberReason>[] = [
  { reason: 'empty', message: 'DVA file number must not be empty', holds: (number) => number !== '' },
  {
    reason: 'characters',
    message: 'DVA file number must contain only letters, digits, spaces and hyphens',
    holds: (number) => /^[A-Z0-9 ]+$/.test(number),
  },
  {
    reason: 'state',
    message: 'DVA file number must begin with the letter of a State: N, V, Q, S, W or T',
    holds: (number) => /^[NVQSWT]/.test(number),
  },
  {
    reason: 'format',
    message:
      'DVA file number must be a State letter, up to three letters of a war code, digits, and at most one dependant letter',
    holds: (number) => DVA_SHAPE.test(number),
  },
  {
    reason: 'length',
    message:
      'DVA file number is too long: war code and digits have at most 7 characters together (6 digits without a war code)',
    holds: (number) => dvaFileLength(number) <= DVA_FILE_LENGTH,
  },
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
