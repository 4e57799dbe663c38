import type { LabPatient, Person } from '../../contract/types.js'
import type { Random } from '../server/random.js'

/* Invented people. Phone numbers are from the range reserved for fiction, email addresses from a reserved domain. */

const GIVEN_NAMES = {
  female: ['Amelia', 'Bronte', 'Chau', 'Divya', 'Eleni', 'Freya', 'Grace', 'Hana', 'Imogen', 'Jedda'],
  male: ['Angus', 'Banjo', 'Cooper', 'Dinh', 'Elias', 'Farid', 'Giorgio', 'Hamish', 'Iluka', 'Jarrah'],
} as const

const FAMILY_NAMES = [
  'Abernathy',
  'Balakrishnan',
  'Castellano',
  "D'Arcy-Wren",
  'Evandale',
  'Fennimore',
  'Gundagai',
  'Hollowell',
  'Iverson-Lee',
  'Jacaranda',
  'Kettering',
  'Lockyer',
  'Marchetti',
  'Nguyen-Hart',
  "O'Dowd-Vale",
  'Pemberwick',
] as const

const STREETS = [
  'Wattle Street',
  'Banksia Road',
  'Grevillea Avenue',
  'Ironbark Lane',
  'Quandong Court',
] as const

const SUBURBS = [
  { city: 'Parramatta', state: 'NSW', postCode: '2150' },
  { city: 'Footscray', state: 'VIC', postCode: '3011' },
  { city: 'Toowong', state: 'QLD', postCode: '4066' },
  { city: 'Glenelg', state: 'SA', postCode: '5045' },
  { city: 'Fremantle', state: 'WA', postCode: '6160' },
  { city: 'Moonah', state: 'TAS', postCode: '7009' },
  { city: 'Nightcliff', state: 'NT', postCode: '0810' },
  { city: 'Dickson', state: 'ACT', postCode: '2602' },
] as const

/** Doctors who review results. */
export const DOCTORS = [
  { firstName: 'Marguerite', lastName: 'Oakhollow' },
  { firstName: 'Tobias', lastName: 'Fernleigh' },
  { firstName: 'Priyanka', lastName: 'Stanhope-Rao' },
] as const

const DAY_MS = 24 * 60 * 60 * 1_000

/** Creates a patient who is 18 to 89 years old at `now`. */
export function makePerson(random: Random, now: number): Person {
  const gender = random.pick(['female', 'male'] as const)
  const firstName: string = random.pick(GIVEN_NAMES[gender])
  const lastName: string = random.pick(FAMILY_NAMES)
  const address = {
    addressLine1: `${random.integer(1, 240)} ${random.pick(STREETS)}`,
    addressLine2: random.fraction() < 0.2 ? `Unit ${random.integer(1, 40)}` : null,
    ...random.pick(SUBURBS),
    country: 'Australia',
  }
  return {
    firstName,
    lastName,
    email: `${firstName}.${lastName}@patients.example`.replace(/'/g, '').toLowerCase(),
    phone: `0491 570 ${random.pick(['006', '156', '157', '158', '159', '110'])}`,
    address,
    dob: new Date(now - random.integer(18 * 366, 90 * 365) * DAY_MS).toISOString().slice(0, 10),
    gender,
  }
}

/**
 * Fills the missing fields of a person in a result (§2.2): empty strings, but `null` for the date of birth and the
 * second address line. A missing postcode stays absent.
 */
export function withGaps(known: Partial<Person>): Person {
  return {
    firstName: '',
    lastName: '',
    email: '',
    phone: '',
    dob: null,
    gender: '',
    ...known,
    address: { addressLine1: '', addressLine2: null, city: '', state: '', country: '', ...known.address },
  }
}

/**
 * Returns a patient as laboratories record patients: names, street and city in capitals, the last name without hyphens
 * and apostrophes, and sometimes with missing fields.
 */
export function labPatientOf(random: Random, person: Person): LabPatient {
  const { address } = person
  const vague = random.fraction() < 0.25
  return {
    firstName: person.firstName.toUpperCase(),
    lastName: person.lastName.toUpperCase().replace(/['-]/g, ' '),
    dob: person.dob,
    gender: person.gender,
    email: vague ? null : person.email,
    phone: vague ? null : person.phone.replace(/\s/g, ''),
    medicareNumber: vague ? null : '2950129671',
    address: {
      addressLine1: address.addressLine1.toUpperCase(),
      addressLine2: address.addressLine2 ?? null,
      city: address.city.toUpperCase(),
      state: address.state,
      postCode: address.postCode ?? null,
      country: address.country,
    },
  }
}
