import type { LabPatient, Person, Referral } from '../contract/types.js'
import { CONCEPTS, EXTENSIONS, PROFILES } from './codes.js'
import * as element from './elements.js'
import type { Context, Gap } from './options.js'
import type { Reference } from './types.js'

/** The patient. */
export interface Patient extends ReturnType<typeof patientOf> {}
/** One ordered test. */
export interface ServiceRequest extends ReturnType<typeof requestOf> {
  requester?: Reference
}
/** The doctor who ordered tests under Medicare. */
export interface PractitionerRole extends ReturnType<typeof practitionerRoleOf> {}

/** Numbers of a patient, which only a referral or a laboratory's record has. */
type Numbers = Partial<Pick<Referral, 'medicareCardNumber' | 'dvaNumber'>>

export function patientOf(id: string, person: Person | LabPatient, numbers: Numbers, gaps: Gap[]) {
  const { addressLine1, addressLine2, postCode: postalCode, city, state, country } = person.address ?? {}
  const known = {
    identifier: [
      ...element.nationalIdentifier('medicareNumber', numbers.medicareCardNumber, /^[2-6]\d{9,10}$/),
      ...element.nationalIdentifier('dvaNumber', numbers.dvaNumber),
    ],
    name: element.textsOf(person.lastName),
    gender: genderOf(person.gender ?? ''),
    birthDate: [element.dateOf(person.dob)].flatMap((date) => date ?? []),
  }
  for (const [name, values] of Object.entries(known))
    if (values.length === 0) gaps.push({ element: `Patient.${name}`, reason: 'not-recorded' })
  const [[family], [birthDate], [gender = 'unknown' as const]] = [known.name, known.birthDate, known.gender]
  const line = element.textsOf(addressLine1, addressLine2)
  return element.filled({
    ...element.head('Patient', id, PROFILES.patient),
    identifier: known.identifier.length > 0 ? known.identifier : [element.absent()],
    name: [element.filled({ family, _family: element.absentUnless(family), given: [person.firstName] })],
    telecom: element.telecomOf(person),
    gender,
    birthDate,
    _birthDate: element.absentUnless(birthDate),
    address: [element.filled({ line, city, state, postalCode, country: element.countryOf(country) })],
  })
}

/** Laboratories write a gender as a word or as a letter. */
function genderOf(text: string): ('male' | 'female')[] {
  const word = text.trim().toLowerCase()
  return (['male', 'female'] as const).filter((gender) => gender === word || gender.charAt(0) === word)
}

const STATUSES = {
  draft: ['PENDING_VERIFICATION', 'CREATED'],
  active: ['ISSUED', 'SCHEDULED_REISSUE', 'PARTIAL_RESULTS'],
  completed: ['COMPLETE'],
  revoked: ['BILLING_FAILED', 'FAILED_TEST', 'REFUNDED'],
  unknown: ['INSUFFICIENT_DATA', 'TRANSFERRED'],
} as const

/** Returns the ordering doctor, if the referral has one, and a ServiceRequest for each test. */
export function orderOf(referral: Referral, context: Context): (PractitionerRole | ServiceRequest)[] {
  const { orderingPractitioner: doctor } = referral
  const id = element.idOf(referral.uuid)
  const names = element.named(doctor?.name)
  const roles = names.map((name) => practitionerRoleOf(id, name, doctor?.providerNumber ?? ''))
  if (roles.length === 0) context.gaps.push({ element: 'ServiceRequest.requester', reason: 'not-recorded' })
  const requester = roles.map(element.referenceTo)[0]
  const tests = [...new Set(referral.tests)]
  return [
    ...roles,
    ...tests.map((test) => ({ ...requestOf(id, referral, test, context), ...(requester && { requester }) })),
  ]
}

/** The doctor's name is one text, so there is no Practitioner. */
function practitionerRoleOf(referral: string, practitioner: Reference, number: string) {
  return element.filled({
    ...element.head(
      'PractitionerRole',
      element.derivedId(referral, 'PractitionerRole'),
      PROFILES.practitionerRole,
    ),
    identifier: element.nationalIdentifier('providerNumber', number),
    practitioner,
  })
}

function requestOf(
  id: string,
  referral: Referral,
  test: string,
  { base, subject, gaps, tests = [] }: Context,
) {
  const { uuid, reference, referenceNumber, status, deletedAt } = referral
  const name = tests.find((known) => known.id === test)?.name
  if (name === undefined) gaps.push({ element: 'ServiceRequest.code', reason: 'no-code', test })
  const reasons = element.noted(status)
  return element.filled({
    ...element.head('ServiceRequest', element.derivedId(id, 'ServiceRequest', test), PROFILES.request),
    extension: reasons.map((reason) => ({ url: EXTENSIONS.statusReason, valueCodeableConcept: reason })),
    identifier: element.identifiersOf(base, { referral: uuid, 'reference-number': referenceNumber }),
    requisition: element.identifiersOf(base, { reference })[0],
    status: deletedAt === null ? element.statusIn(STATUSES, status, 'unknown') : ('revoked' as const),
    intent: 'order' as const,
    category: [CONCEPTS.laboratoryProcedure],
    code: element.conceptOf(`${base}/test`, test, name),
    subject,
    authoredOn: element.instantOf(referral.createdAt),
    note: element.noted(referral.orderingPractitionerClinicalNotes),
  })
}
