import type {
  DvaNumberReason,
  IdentifierRule,
  MedicareCardReason,
  ProviderNumberReason,
} from './identifier-rules.js'
import {
  DVA_NUMBER_RULES,
  DVA_SHAPE,
  MEDICARE_CARD_RULES,
  MEDICARE_IRN_RULE,
  PROVIDER_NUMBER_RULES,
} from './identifier-rules.js'
import { fieldOf } from './read.js'

export type { DvaNumberReason, MedicareCardReason, ProviderNumberReason } from './identifier-rules.js'

/** What a check says of an identifier that breaks one of its rules. */
export interface InvalidIdentifier<Reason extends string> {
  /** `false`: a rule was broken. */
  readonly valid: false
  /** Stable code of the first rule broken. */
  readonly reason: Reason
  /** Names the rule that was broken; it never repeats the value, which is a patient's or a doctor's. */
  readonly message: string
}

/** A Medicare card number that keeps every rule, in its parts. */
export interface ValidMedicareCardNumber {
  /** `true`: every rule was kept. */
  readonly valid: true
  /** 10 digits, or 11 with the IRN; nothing else. */
  readonly normalised: string
  /** The first 10 digits, which name the card. */
  readonly cardNumber: string
  /** Digit 10, counted up each time the card is issued again. */
  readonly issueNumber: string
  /** Digit 11, the one beside the patient's name; `null` when it was left out. */
  readonly irn: string | null
}

/** Outcome of {@link checkMedicareCardNumber}. */
export type MedicareCardCheck = ValidMedicareCardNumber | InvalidIdentifier<MedicareCardReason>

/** Options of the Medicare card number check. */
export interface MedicareCardOptions {
  /**
   * Whether the IRN must be there, as an order with `medicareTests` needs it (§4.1).
   * @defaultValue `false`: 10 digits are enough
   */
  readonly requireIrn?: boolean | undefined
}

/** A Medicare provider number that keeps every rule, in its parts. */
export interface ValidProviderNumber {
  /** `true`: every rule was kept. */
  readonly valid: true
  /** 8 characters, upper case. */
  readonly normalised: string
  /** The six digits that name the provider. */
  readonly stem: string
  /** The character that names the practice location. */
  readonly locationCharacter: string
  /** The character computed from the other seven. */
  readonly checkCharacter: string
}

/** Outcome of {@link checkProviderNumber}. */
export type ProviderNumberCheck = ValidProviderNumber | InvalidIdentifier<ProviderNumberReason>

/** A DVA file number that keeps every rule, in its parts. */
export interface ValidDvaNumber {
  /** `true`: every rule was kept. */
  readonly valid: true
  /** 3 to 9 characters, upper case; where there is no war code, a blank holds its place. */
  readonly normalised: string
  /** The State letter: N, V, Q, S, W or T. */
  readonly state: string
  /** One to three letters; an empty string where there is none, as with the oldest files. */
  readonly warCode: string
  /** The digits after the war code. */
  readonly fileDigits: string
  /** The letter of a dependant of the veteran; `null` for the veteran. */
  readonly dependantLetter: string | null
}

/** Outcome of {@link checkDvaNumber}. */
export type DvaNumberCheck = ValidDvaNumber | InvalidIdentifier<DvaNumberReason>

const SEPARATORS = /[\s\-\u2010-\u2015\u2212]+/g

/** Callers in plain JavaScript pass what a form or the service gave them. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function upperCaseAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

/**
 * Writes a Medicare card number as the service takes it: without spaces, hyphens, and the slash people
 * write before the IRN. Nothing else is changed, so what is no card number stays none; what is no text becomes empty.
 */
export function normaliseMedicareCardNumber(value: string): string {
  return textOf(value)
    .replace(SEPARATORS, '')
    .replace(/^(\d{10})\/(\d)$/, '$1$2')
}

/** Writes a Medicare provider number as the service takes it: no spaces or hyphens, upper case. What is no text becomes empty. */
export function normaliseProviderNumber(value: string): string {
  return upperCaseAscii(textOf(value).replace(SEPARATORS, ''))
}

/**
 * Writes a DVA file number without spaces and hyphens, in upper case. Where digits follow the State
 * letter at once there is no war code, and the blank that officially holds its place is put back. What is no text becomes
 * empty.
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
 * Checks a Medicare card number by the rules the service applies to every order (§4.1, §8): 10 digits,
 * or 11 with the IRN; first digit 2 to 6; digit 9 is the sum of digits 1 to 8 weighted 1 3 7 9 1 3 7 9,
 * modulo 10; issue number and IRN not 0. Spaces, hyphens and the slash before the IRN are ignored.
 *
 * @param value - anything; what is no string is reported as `not-a-string`
 * @returns the parts of a valid number, or the first rule it breaks; never throws
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
 * Checks a Medicare provider number (§2.3, §8): six digits, a location character, and a check letter
 * that follows from the other seven. Only `check-character` is advisory: the service is the authority
 * on which numbers exist, so a caller may send such a number; every other reason means it cannot be one.
 *
 * @param value - anything; what is no string is reported as `not-a-string`
 * @returns the parts of a valid number, or the first rule it breaks; never throws
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
 * Checks a Department of Veterans' Affairs file number: State letter, war code of up to three letters
 * or none, digits, and a letter for a dependant. War code and digits have at most 7 characters together,
 * and a missing war code takes one of them, so the whole number has at most 9. There is no check digit.
 *
 * @param value - anything; what is no string is reported as `not-a-string`
 * @returns the parts of a valid number, or the first rule it breaks; never throws
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

/** Whether {@link checkMedicareCardNumber} finds nothing wrong. */
export function isMedicareCardNumber(value: unknown, options?: MedicareCardOptions): boolean {
  return checkMedicareCardNumber(value, options).valid
}

/** Whether {@link checkProviderNumber} finds nothing wrong, its advisory check character included. */
export function isProviderNumber(value: unknown): boolean {
  return checkProviderNumber(value).valid
}

/** Whether {@link checkDvaNumber} finds nothing wrong. */
export function isDvaNumber(value: unknown): boolean {
  return checkDvaNumber(value).valid
}
