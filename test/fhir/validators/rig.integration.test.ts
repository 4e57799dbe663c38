import { type Bundle, centreLocation, type Location, resultBundle, transaction } from 'pathology-sdk/fhir'
import { FakePathologyService } from 'pathology-sdk/testing'
import { expect, it } from 'vitest'
import { UNITS, ucumCode } from '../../../src/fhir/codes.js'
import { referral, result } from '../../support/samples.js'
import { emptyStore } from '../../tools/fhir/store.js'
import {
  bundleProblems,
  problemsOf,
  type R4Bundle,
  type R4Location,
  type Resource,
  ucumProblem,
} from '../../tools/fhir/validators.js'
import { biomarker } from '../samples.js'

const base = { base: 'https://clinic.example/pathology' }
const fake = new FakePathologyService({ seedReferrals: 40 })
const order = referral({
  tests: ['tsh'],
  orderingPractitioner: { name: 'Dr Ada Roe', address: '', providerNumber: '2426621B' },
  medicareCardNumber: '29518731251',
  dvaNumber: 'NX901234',
})
const made = resultBundle(
  result({
    referralUuid: order.uuid,
    report: { pit: ['301 Text'] },
    biomarkers: [biomarker({ unit: 'pmol/L', value: '4.10', isAbnormal: true, notes: 'Note' })],
  }),
  {
    ...base,
    referral: order,
    codes: () => [{ system: 'http://loinc.org', code: '3016-3' }],
    collectedAt: '2026-03-02T08:10:00+11:00',
  },
)
const [centre] = fake.centres.all()
if (centre === undefined) throw new Error('the fake has no centre')
const location: Location = centreLocation(centre, base)

/** The types of other packages, compiled under `strict`. */
const asMedplum: Resource = made.bundle
const asR4: R4Bundle = made.bundle
const asR4Location: R4Location = location

function resource(type: string): Resource {
  const found = [...made.bundle.entry.map((entry) => entry.resource), location].find(
    ({ resourceType }) => resourceType === type,
  )
  if (found === undefined) throw new Error(`no ${type}`)
  return found
}

/** Returns a copy with another value at a path; `undefined` removes it. */
function changed(original: Resource, path: string, value: unknown): Resource {
  const copy = structuredClone(original)
  const names = path.split('.')
  const last = names.pop() ?? ''
  let parent: object = copy
  for (const name of names) parent = Reflect.get(parent, name)
  if (value === undefined) Reflect.deleteProperty(parent, last)
  else Reflect.set(parent, last, value)
  return copy
}

const UNKNOWN_CODE = [
  { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation', code: 'XX' }] },
]

/** Faults that maps make: type of resource, path, wrong value. */
const FAULTS: readonly (readonly [type: string, path: string, value: unknown])[] = [
  ['Observation', 'status', undefined],
  ['Observation', 'status', 'complete'],
  ['Observation', 'category.0.coding.0.code', 'lab'],
  ['Observation', 'effectiveDateTime', undefined],
  ['Observation', 'effectiveDateTime', '2026-03-02T08:10:00'],
  ['Observation', 'valueQuantity', undefined],
  ['Observation', 'dataAbsentReason', { text: 'unknown' }],
  ['Observation', 'valueQuantity.value', '4.1'],
  ['Observation', 'valueQuantity.value', 1e-7],
  ['Observation', 'valueQuantity.system', undefined],
  ['Observation', 'valueQuantity.code', 'IU/L'],
  ['Observation', 'interpretation', UNKNOWN_CODE],
  ['Observation', 'referenceRange.0', {}],
  ['Observation', 'note', [{ text: '' }]],
  ['Observation', 'unit', 'pmol/L'],
  ['DiagnosticReport', 'status', 'complete'],
  ['DiagnosticReport', 'issued', '2026-03-02T08:10:00'],
  ['DiagnosticReport', 'result', 'Observation/1'],
  ['DiagnosticReport', 'presentedForm.0.contentType', undefined],
  ['Patient', 'gender', 'F'],
  ['Patient', 'birthDate', '23/07/1961'],
  ['Patient', 'name.0.family', undefined],
  ['Patient', 'identifier.0.type.coding.0.code', 'NI'],
  ['Patient', 'telecom.0.system', undefined],
  ['PractitionerRole', 'practitioner', undefined],
  [
    'PractitionerRole',
    'identifier.1',
    { system: 'http://ns.electronichealth.net.au/id/medicare-provider-number', value: '1' },
  ],
  ['ServiceRequest', 'status', 'ISSUED'],
  ['ServiceRequest', 'authoredOn', '2026-03-02T08:10:00'],
  ['ServiceRequest', 'extension.0.valueCode', 'x'],
  ['Location', 'status', 'ACTIVE'],
  ['Location', 'hoursOfOperation', [{ daysOfWeek: ['mon'], closingTime: '24:00' }]],
  ['Location', 'position', { latitude: -42 }],
]

it('the validators accept the resources that the faults are planted in', () => {
  expect([...bundleProblems(asMedplum), ...problemsOf(location)]).toEqual([])
  expect([asR4.entry?.length, asR4Location.id]).toEqual([made.bundle.entry.length, location.id])
})

it.each(FAULTS)('the validators catch the fault %s.%s = %j', (type, path, value) => {
  const original = resource(type)
  expect(JSON.stringify(changed(original, path, value))).not.toBe(JSON.stringify(original))
  expect(problemsOf(changed(original, path, value))).not.toEqual([])
})

it('the validators catch a reference that leads nowhere', () => {
  const bundle = { ...made.bundle, entry: made.bundle.entry.slice(1) }
  expect(bundleProblems(bundle)).toContainEqual(expect.stringContaining('is not in the bundle'))
})

it("the validators accept HL7 Australia's forms of missing data", () => {
  const absent = {
    extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
  }
  const patient = {
    ...resource('Patient'),
    identifier: [absent],
    name: [{ _family: absent }],
    gender: 'unknown',
    _birthDate: absent,
  }
  Reflect.deleteProperty(patient, 'birthDate')
  expect(problemsOf(JSON.parse(JSON.stringify(patient)))).toEqual([])
  const observation = {
    ...resource('Observation'),
    _effectiveDateTime: absent,
    effectiveDateTime: undefined,
  }
  // Medplum's only false alarm: it wants a day in an effective time that consists of an extension.
  const problems = problemsOf(JSON.parse(JSON.stringify(observation)))
  expect(problems.filter((text) => !/^medplum: Observation.effective.*au-core-obs-02/.test(text))).toEqual([])
})

/** Units of the fake without one UCUM code, with the reason. A new unit has to be here or in the table. */
const TEXT_UNITS: Readonly<Record<string, string>> = {
  'kU/L': 'of an immunoassay, not of an enzyme',
  'mU/L': 'of an immunoassay, not of an enzyme',
  'U/mL': 'of an immunoassay, not of an enzyme',
  index: 'not a unit',
  'mg/L FEU': 'of a method',
  'umol/mol creat': 'two substances',
  'umol/mol creatinine': 'two substances',
}

it.each([...new Set([...UNITS.values(), '10*9/L', '10*12/L'])])(
  'the unit %s of the fake is a UCUM code in FHIR',
  (code) => {
    expect(ucumProblem(code)).toBeUndefined()
  },
)

it('the check of UCUM codes can fail', () => {
  expect(['x10^9/L', 'mIU/L', 'sec'].map((unit) => typeof ucumProblem(unit))).toEqual(Array(3).fill('string'))
})

it('each unit of the fake has a UCUM code, or a reason to have none', () => {
  const rows = new FakePathologyService({ seedReferrals: 400 }).results
    .all()
    .flatMap(({ biomarkers }) => biomarkers)
  const units = new Set(
    rows.flatMap(({ unit, mostCommonUnit, canonical }) => [unit, mostCommonUnit, canonical.unit]),
  )
  units.delete(null)
  expect(units.size).toBeGreaterThan(40)
  for (const unit of units)
    expect([unit, ucumCode(unit ?? '') !== undefined]).toEqual([unit, TEXT_UNITS[unit ?? ''] === undefined])
})

it('a FHIR store holds each resource once after two transactions, and the new state after the next', async () => {
  const store = emptyStore()
  const complete = result({
    biomarkers: [biomarker(), biomarker({ id: 'free-t4' }), biomarker({ id: 'free-t3' })],
  })
  const partial: typeof complete = {
    ...complete,
    status: 'PARTIAL_RESULTS',
    biomarkers: [...complete.biomarkers.slice(0, 1), biomarker({ id: 'withdrawn' })],
  }
  const counts: number[] = []
  const before = resultBundle(partial, base)
  for (const bundle of [before.bundle, before.bundle]) counts.push(await store.send(transaction(bundle)))
  expect(counts).toEqual([4, 4])
  expect(await statuses(before.bundle)).toEqual(['preliminary', 'preliminary', 'partial'])

  const after = resultBundle(complete, { ...base, previous: partial })
  expect(await store.send(transaction(after.bundle))).toBe(6)
  expect(await statuses(after.bundle)).toEqual(['final', 'final', 'final', 'final'])
  // The Observation that remains is the one that the gaps name.
  expect(after.gaps).toContainEqual({ element: 'Observation', reason: 'vanished', biomarker: 'withdrawn' })
  const kept = before.bundle.entry.filter(({ fullUrl }) =>
    after.bundle.entry.some((entry) => entry.fullUrl === fullUrl),
  )
  expect(kept).toHaveLength(3)

  async function statuses(bundle: Bundle): Promise<unknown[]> {
    const stored = await Promise.all(
      bundle.entry.map((entry) => store.read(entry.resource.resourceType, entry.resource.id)),
    )
    return stored.flatMap((found) => ('status' in found ? [found.status] : []))
  }
})
