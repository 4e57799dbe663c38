import type { PathologyClient, Referral, Result } from 'pathology-sdk'

/** Shorter texts, such as a state or a title, occur by chance. */
const SHORTEST = 4

/**
 * Returns the data of a service about its patients: their details, and the ids, texts and values of their referrals and
 * results. A sample must not print any of this data.
 */
export async function patientDetails(client: PathologyClient): Promise<ReadonlySet<string>> {
  const referrals = await client.referrals.list().toArray()
  const results = await client.results.list().toArray()
  const texts = [...referrals.flatMap(ofReferral), ...results.flatMap(ofResult)]
  return new Set(texts.filter((text) => text.length >= SHORTEST))
}

/** Returns the details that occur in a printed text. */
export function detailsIn(printed: string, details: ReadonlySet<string>): string[] {
  return [...details].filter((detail) => printed.includes(detail))
}

function ofReferral({ uuid, reference, person, medicareCardNumber, ...rest }: Referral): string[] {
  const notes = rest.orderingPractitionerClinicalNotes
  return [uuid, ...textsIn(reference), ...textsIn(person), ...textsIn(medicareCardNumber), ...textsIn(notes)]
}

function ofResult({ uuid, reference, person, labPatient, biomarkers, report }: Result): string[] {
  const values = biomarkers.map(({ formattedValue }) => formattedValue)
  return [
    uuid,
    ...textsIn(reference),
    ...textsIn(person),
    ...textsIn(labPatient),
    ...values,
    ...textsIn(report),
  ]
}

/** Fields whose values are public words. */
const PUBLIC: ReadonlySet<string> = new Set(['country', 'city', 'gender', 'state'])

function textsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return PUBLIC.has(name) ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, nested]) => textsIn(nested, key))
}
