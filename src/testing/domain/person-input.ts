import * as z from 'zod'
import { joinProblems } from '../../contract/issues.js'
import { toRequestIssues } from '../../contract/request-issues.js'
import { dobSchema } from '../../contract/schemas/field-types.js'
import { doctorSchema, labPatientSchema } from '../../contract/schemas/result.js'
import { addressSchema, personSchema } from '../../contract/schemas/shared.js'
import type { Doctor, LabPatient, Person } from '../../contract/types.js'

const address = z.strictObject(addressSchema.shape)
const fields = { ...personSchema.shape, dob: dobSchema.nullable() }
const replacement = z.strictObject({ ...fields, address }).partial()
const person = z.strictObject({ ...fields, address: address.partial() }).partial()

const labAddress = z.strictObject(labPatientSchema.shape.address.unwrap().unwrap().shape)
const labPatient = z.strictObject({ ...labPatientSchema.shape, address: labAddress.nullish() })
const doctor = z.strictObject(doctorSchema.shape)

/** Throws a RangeError with every field that is unknown, missing or invalid. */
function check(name: string, schema: z.core.$ZodType, given: unknown): void {
  const [input, rules] = [{ [name]: given }, z.object({ [name]: schema })]
  const outcome = rules.safeParse(input)
  if (outcome.success) return
  const problems = toRequestIssues(outcome.error.issues, input, rules, false)
  throw new RangeError(joinProblems(problems.map(({ message }) => message)))
}

function given(changes: Partial<Person>): Partial<Person> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

/** Returns the known fields of a person, also of their address. */
export function checkedPerson(changes: Partial<Person>): Partial<Person> {
  check('person', person, changes)
  return given(changes)
}

/** Returns fields that replace those of a person. The address replaces the complete address. */
export function checkedReplacement(changes: Partial<Person>): Partial<Person> {
  check('person', replacement, changes)
  return given(changes)
}

export function checkedLabPatient(patient: LabPatient): LabPatient {
  check('labPatient', labPatient, patient)
  return patient
}

export function checkedDoctor(reviewer: Doctor): Doctor {
  check('doctor', doctor, reviewer)
  return reviewer
}
