import { isRecord } from '../../common/known-options.js'
import { isCalendarDate } from '../../contract/times.js'
import type { LabPatient, Person } from '../../contract/types.js'
import { checkFields, type ValueRule } from '../server/value-rules.js'

type Address = Person['address']

const string: ValueRule = { accepts: (value) => typeof value === 'string', words: 'a string' }
const stringOrNull: ValueRule = {
  accepts: (value) => value === null || typeof value === 'string',
  words: 'a string or null',
}

const PERSON_RULES: { readonly [Field in keyof Required<Person>]: ValueRule } = {
  firstName: string,
  lastName: string,
  email: string,
  phone: string,
  address: { accepts: isRecord, words: 'an object' },
  dob: {
    accepts: (value) => value === null || (typeof value === 'string' && isCalendarDate(value)),
    words: 'a date such as 1980-02-29, or null',
  },
  gender: string,
}

const ADDRESS_RULES: { readonly [Field in keyof Required<Address>]: ValueRule } = {
  addressLine1: string,
  addressLine2: stringOrNull,
  city: string,
  state: string,
  postCode: stringOrNull,
  country: string,
}

type LabAddress = NonNullable<LabPatient['address']>

const LAB_PATIENT_RULES: { readonly [Field in keyof Required<LabPatient>]: ValueRule } = {
  firstName: stringOrNull,
  lastName: stringOrNull,
  dob: stringOrNull,
  gender: stringOrNull,
  email: stringOrNull,
  phone: stringOrNull,
  medicareNumber: stringOrNull,
  address: { accepts: (value) => value === null || isRecord(value), words: 'an object or null' },
}

const LAB_ADDRESS_RULES: { readonly [Field in keyof Required<LabAddress>]: ValueRule } = {
  addressLine1: stringOrNull,
  addressLine2: stringOrNull,
  city: stringOrNull,
  state: stringOrNull,
  postCode: stringOrNull,
  country: stringOrNull,
}

const ADDRESS_NEEDS = ['addressLine1', 'city', 'state', 'country'] as const

/**
 * Checks fields of a person that a caller sets. Returns the fields that are not `undefined`.
 *
 * @throws RangeError - The person is not an object, or a field is unknown or invalid.
 */
export function checkedPerson(person: Partial<Person>): Partial<Person> {
  checkFields(person, PERSON_RULES, 'person')
  checkFields(person.address ?? {}, ADDRESS_RULES, 'address')
  return Object.fromEntries(Object.entries(person).filter(([, value]) => value !== undefined))
}

/**
 * Checks fields that replace those of a person. The address replaces the complete address.
 *
 * @throws RangeError - The person is not an object, a field is unknown or invalid, or the address is incomplete.
 */
export function checkedReplacement(person: Partial<Person>): Partial<Person> {
  const given = checkedPerson(person)
  const { address } = given
  const missing = ADDRESS_NEEDS.find((name) => address !== undefined && address[name] === undefined)
  if (missing !== undefined) throw new RangeError(`address: ${missing} is missing`)
  return given
}

/**
 * Checks a patient as a laboratory recorded them.
 *
 * @throws RangeError - The patient is not an object, or a field is unknown or invalid.
 */
export function checkedLabPatient(patient: LabPatient): LabPatient {
  checkFields(patient, LAB_PATIENT_RULES, 'labPatient')
  checkFields(patient.address ?? {}, LAB_ADDRESS_RULES, 'labPatient address')
  return patient
}
