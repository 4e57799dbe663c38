import type { Biomarker, Result } from 'pathology-sdk'
import { type ResultBundleOptions, resultBundle } from 'pathology-sdk/fhir'
import { expect, it } from 'vitest'
import { referral, result } from '../support/samples.js'
import { BASE, observationOf, patientOf, reportOf, resourcesOf, resultWith } from './samples.js'

const made = (given: Result, options: Partial<ResultBundleOptions> = {}) =>
  resultBundle(given, { base: BASE, ...options })

const ABSENT = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
}
const INCLUDE = { include: ['in-review', 'deleted'] } as const

it.each([
  ['CREATED', 'registered', 'preliminary'],
  ['IN_REVIEW', 'preliminary', 'preliminary'],
  ['PARTIAL_RESULTS', 'partial', 'preliminary'],
  ['COMPLETE', 'final', 'final'],
  ['toString', 'unknown', 'preliminary'],
])('a result that is %s becomes a report that is %s, and its values %s (§3.2)', (status, report, row) => {
  const bundle = made({ ...resultWith({}), status }, INCLUDE)
  expect([reportOf(bundle).status, observationOf(bundle).status]).toEqual([report, row])
})

it('a deleted result becomes a report entered in error', () => {
  const bundle = made({ ...resultWith({}), deletedAt: '2026-03-02T00:00:00Z' }, INCLUDE)
  expect([reportOf(bundle).status, observationOf(bundle).status]).toEqual(Array(2).fill('entered-in-error'))
})

it('a value that differs from an earlier complete state makes the report amended', () => {
  const previous = resultWith({}, { id: 'free-t4', value: '12.1' })
  const changed = {
    ...previous,
    biomarkers: resultWith({ value: '2.6' }, { id: 'free-t4', value: '12.1' }).biomarkers,
  }
  const bundle = made(changed, { previous })
  expect(reportOf(bundle).status).toBe('amended')
  expect(resourcesOf(bundle, 'Observation').map(({ status }) => status)).toEqual(['amended', 'final'])
  const moved = {
    ...previous,
    updatedAt: '2026-03-03T00:00:00Z',
    biomarkers: previous.biomarkers.toReversed(),
  }
  expect(reportOf(made(moved, { previous })).status).toBe('final')
  expect(reportOf(made(changed, { previous: { ...previous, status: 'PARTIAL_RESULTS' } })).status).toBe(
    'final',
  )
})

it('a changed text of a result without values makes the report amended', () => {
  const previous = result({ report: { pit: ['301 One'] } })
  const bundle = made({ ...previous, report: { pit: ['301 One', '301 Two'] } }, { previous })
  expect(reportOf(bundle).status).toBe('amended')
})

it('a biomarker that vanished is a gap, because its Observation stays', () => {
  const previous = resultWith({}, { id: 'free-t4' })
  const { gaps } = made({ ...previous, biomarkers: resultWith({}).biomarkers }, { previous })
  expect(gaps).toContainEqual({ element: 'Observation', reason: 'vanished', biomarker: 'free-t4' })
})

it('a report has the identifiers of the export, the category, the texts and the PDF', () => {
  const given = result({ productName: 'Thyroid panel', report: { pit: ['301 Ü', ' '] } })
  expect(
    reportOf(made(given, { base: `${BASE}/`, pdf: Buffer.from('%PDF'), discipline: 'CH' })),
  ).toMatchObject({
    id: given.uuid,
    identifier: [
      { system: `${BASE}/result`, value: given.uuid },
      { system: `${BASE}/reference`, value: '12345678' },
      { system: `${BASE}/reference-number`, value: 'ref-77' },
    ],
    category: [{ coding: [{ code: 'LAB' }] }, { coding: [{ code: 'CH' }] }],
    code: { coding: [{ system: 'http://loinc.org', code: '11502-2' }], text: 'Thyroid panel' },
    presentedForm: [
      { contentType: 'text/plain; charset=utf-8', data: Buffer.from('301 Ü').toString('base64') },
      { contentType: 'application/pdf', data: Buffer.from('%PDF').toString('base64') },
    ],
  })
})

it.each([
  ['2026-03-02T10:00:00+11:00', '2026-03-02T10:00:00+11:00'],
  ['2026-03-02T10:00:00.5Z', '2026-03-02T10:00:00.5Z'],
  ['2026-03-02T10:00+1100', '2026-03-01T23:00:00.000Z'],
  ['2026-03-02T10:00:00', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02', undefined],
  ['yesterday', undefined],
  [null, undefined],
])(
  'a report with the resultDate %s is issued %s, which is never the time of the collection',
  (resultDate, issued) => {
    const bundle = made(result({ resultDate }))
    const { issued: given, _issued, effectiveDateTime, _effectiveDateTime } = reportOf(bundle)
    expect(given).toBe(issued)
    expect(_issued).toEqual(issued === undefined ? ABSENT : undefined)
    expect([effectiveDateTime, _effectiveDateTime]).toEqual([undefined, ABSENT])
  },
)

it('report and Observations say what the caller knows', () => {
  const reviewedBy = { uuid: '5c8d4f0e-9d2b-4b36-8a55-0f3a1c2b3d4e', firstName: 'Ada', lastName: 'Roe' }
  const options = { laboratory: 'Northern Pathology', collectedAt: '2026-03-01', reviewerInterprets: true }
  const bundle = made({ ...resultWith({}), reviewedBy }, { ...options, subject: { reference: 'Patient/42' } })
  const shared = {
    subject: { reference: 'Patient/42' },
    effectiveDateTime: '2026-03-01',
    performer: [{ display: 'Northern Pathology' }],
  }
  expect(observationOf(bundle)).toMatchObject(shared)
  expect(reportOf(bundle)).toMatchObject({
    ...shared,
    resultsInterpreter: [
      { identifier: { system: `${BASE}/doctor`, value: reviewedBy.uuid }, display: 'Ada Roe' },
    ],
  })
  expect(resourcesOf(bundle, 'Patient')).toEqual([])
  expect(reportOf(made(result({ reviewedBy })))).not.toHaveProperty('resultsInterpreter')
})

it('gaps name what the service does not know', () => {
  const given = { ...resultWith({ value: ' ', unit: 'index' }), resultDate: null }
  const summary = { normal: 0, abnormal: 0, critical: 1, total: 1 }
  expect(made({ ...given, biomarkerSummary: summary }).gaps).toEqual([
    { element: 'Patient.identifier', reason: 'not-recorded' },
    { element: 'Observation.code', reason: 'no-code', biomarker: 'tsh' },
    { element: 'Observation.value.code', reason: 'no-code', biomarker: 'tsh' },
    { element: 'Observation.value', reason: 'not-recorded', biomarker: 'tsh' },
    { element: 'DiagnosticReport.effective', reason: 'not-in-service' },
    { element: 'DiagnosticReport.performer', reason: 'not-in-service' },
    { element: 'Observation.effective', reason: 'not-in-service' },
    { element: 'Observation.performer', reason: 'not-in-service' },
    { element: 'DiagnosticReport.issued', reason: 'not-recorded' },
    { element: 'Observation.interpretation', reason: 'no-row' },
  ])
})

it('a caller can change a bundle without an effect on the next', () => {
  const first = made(resultWith({}))
  const category = reportOf(first).category?.[0]
  if (category?.coding?.[0]) category.coding[0].code = 'XX'
  for (const concept of observationOf(first).category ?? []) delete concept.coding
  expect(reportOf(made(resultWith({}))).category).toMatchObject([{ coding: [{ code: 'LAB' }] }])
  expect(observationOf(made(resultWith({}))).category).toMatchObject([{ coding: [{ code: 'laboratory' }] }])
})

it('the Patient has the numbers of a Medicare order', () => {
  const ordered = referral({ medicareCardNumber: '2951 87312 5-1', dvaNumber: 'NX 901234' })
  const bundle = made(result({ referralUuid: ordered.uuid }), { referral: ordered })
  expect(patientOf(bundle)).toMatchObject({
    identifier: [
      { system: 'http://ns.electronichealth.net.au/id/medicare-number', value: '29518731251' },
      { system: 'http://ns.electronichealth.net.au/id/dva', value: 'NX901234' },
    ],
    gender: 'female',
    birthDate: '1961-07-23',
  })
})

it('a Patient says in the form of HL7 Australia what is not recorded', () => {
  const { address } = result().person
  const empty = { ...address, addressLine1: '', city: '', state: '', postCode: null, country: '' }
  const person = {
    firstName: '',
    lastName: '',
    email: '',
    phone: '',
    dob: null,
    gender: '',
    address: empty,
  }
  const bundle = made(result({ person }))
  expect(patientOf(bundle)).toEqual({
    resourceType: 'Patient',
    id: expect.any(String),
    meta: expect.any(Object),
    identifier: [ABSENT],
    name: [{ _family: ABSENT }],
    gender: 'unknown',
    _birthDate: ABSENT,
  })
  expect(bundle.gaps.filter(({ element }) => element.startsWith('Patient'))).toEqual(
    ['identifier', 'name', 'gender', 'birthDate'].map((name) => ({
      element: `Patient.${name}`,
      reason: 'not-recorded',
    })),
  )
})

it("the laboratory's patient is the Patient on request, with another id", () => {
  const labPatient = {
    firstName: 'WILHELMINA',
    lastName: 'Q',
    gender: 'F',
    dob: '1961-02-30',
    medicareNumber: '1',
  }
  const given = result({ labPatient })
  const patient = patientOf(made(given, { identity: 'laboratory' }))
  expect(patient).toMatchObject({
    name: [{ family: 'Q', given: ['WILHELMINA'] }],
    gender: 'female',
    identifier: [ABSENT],
    _birthDate: ABSENT,
  })
  expect(patient.id).not.toBe(patientOf(made(given)).id)
})

const observed = (change: Partial<Biomarker>) => observationOf(made(resultWith(change)))

it.each([
  ['5.2', { value: 5.2 }],
  ['4.0', { value: 4, _value: expect.objectContaining({}) }],
  [' <5 ', { value: 5, comparator: '<' }],
  ['>= 100', { value: 100, comparator: '>=' }],
  ['≤0.10', { value: 0.1, comparator: '<=', _value: expect.objectContaining({}) }],
  ['065.88', { value: 65.88 }],
  ['-3', { value: -3 }],
  ['0', { value: 0 }],
])('the value %j of a biomarker is the number %j', (value, quantity) => {
  const { valueQuantity, valueString } = observed({ value, unit: null })
  expect(valueQuantity).toEqual(quantity)
  expect(valueString).toBeUndefined()
})

it.each(['4.0', '0.10', '42.00', '1.500'])(
  'the value %s keeps its trailing zeros as a precision',
  (value) => {
    const { valueQuantity } = observed({ value })
    const decimals = valueQuantity?._value?.extension?.[0]?.valueInteger
    expect(valueQuantity?.value.toFixed(decimals)).toBe(value)
  },
)

it.each([
  ['Not detected', null, 'Not detected'],
  ['1:80', null, '1:80'],
  ['0.0000001', 'mmol/L', '0.0000001 mmol/L'],
  ['0.12345678901234567890', null, '0.12345678901234567890'],
  ['12345678901234567890123', null, '12345678901234567890123'],
  ['5e-7', 'g/L', '5e-7 g/L'],
  ['1,234', null, '1,234'],
  ['10 - 20', '/HPF', '10 - 20 /HPF'],
  ['Trace', 'mg/L', 'Trace'],
  ['two\u0000 words\u00a0', null, 'two  words'],
])('the value %j with the unit %j stays the text %j', (value, unit, text) => {
  const { valueQuantity, valueString } = observed({ value, unit })
  expect([valueString, valueQuantity]).toEqual([text, undefined])
})

it('a biomarker without a value has a reason', () => {
  const { valueString, dataAbsentReason } = observed({ value: '' })
  expect([valueString, dataAbsentReason?.coding?.[0]?.code]).toEqual([undefined, 'unknown'])
})

it.each([
  ['µmol/L', 'umol/L'],
  ['μmol/L', 'umol/L'],
  ['x 10*9/L', '10*9/L'],
  ['mIU/L', 'm[IU]/L'],
  ['mL/min/1.73m2', 'mL/min/{1.73_m2}'],
  ['mU/L', undefined],
  ['U/mL', undefined],
  ['toString', undefined],
  ['10^9/L', '10*9/L'],
  ['x10^12/L', '10*12/L'],
  ['x10^6/L', undefined],
])('the unit %s has the UCUM code %s', (unit, code) => {
  const system = code === undefined ? undefined : 'http://unitsofmeasure.org'
  expect(observed({ unit }).valueQuantity).toEqual(
    JSON.parse(JSON.stringify({ value: 2.5, unit, system, code })),
  )
})

it('UCUM codes of the caller precede the table', () => {
  const bundle = made(resultWith({ unit: 'mU/L' }), { units: { 'mU/L': 'm[IU]/L' } })
  expect(observationOf(bundle).valueQuantity).toMatchObject({ unit: 'mU/L', code: 'm[IU]/L' })
})

it.each([
  ['5', true, 'H'],
  ['0.1', true, 'L'],
  ['2', true, 'A'],
  ['9', false, 'N'],
  ['<0.4', true, 'L'],
  ['<=0.4', true, 'A'],
  ['<3', true, 'A'],
  ['>4', true, 'H'],
  ['>=4', true, 'A'],
  ['>0.1', true, 'A'],
  ['Reactive', true, 'A'],
  ['5', null, undefined],
])('the value %s with isAbnormal %s is interpreted as %s', (value, isAbnormal, code) => {
  expect(observed({ value, isAbnormal }).interpretation?.[0]?.coding?.[0]?.code).toBe(code)
})

it('an Observation has the default range, ranges with known meanings, and texts', () => {
  const range = (id: string, name: string, lowRange: number | null, highRange: number | null) => ({
    ...{ id, name, category: 'female-hormone', lowRange, highRange },
  })
  const additionalRanges = [
    range('mid-cycle', 'Mid-cycle', 300, null),
    range('high-risk', 'High risk', null, null),
    range('tiny', 'Tiny', 1e-7, 1),
    range('luteal', '', null, null),
  ]
  expect(observed({ unit: 'pmol/L', refIntervalLow: null, additionalRanges }).referenceRange).toEqual([
    { high: { value: 4, unit: 'pmol/L', system: 'http://unitsofmeasure.org', code: 'pmol/L' } },
    {
      low: { value: 300, unit: 'pmol/L', system: 'http://unitsofmeasure.org', code: 'pmol/L' },
      type: {
        coding: [
          { system: 'http://terminology.hl7.org/CodeSystem/referencerange-meaning', code: 'midcycle' },
        ],
      },
      text: 'Mid-cycle',
    },
    { text: 'High risk' },
    { text: 'Tiny 1e-7 to 1 pmol/L' },
    expect.objectContaining({ text: 'luteal' }),
  ])
})

it("an Observation has the caller's codes first, and claims AU Core only with LOINC or SNOMED CT", () => {
  const claims = (system: string) => {
    const codes = () => [{ system, code: '11580-8' }]
    const { code, meta } = observationOf(made(resultWith({}), { codes }))
    expect(code.coding?.map((coding) => coding.system)).toEqual([system, `${BASE}/biomarker`])
    return meta.profile.some((profile) => profile.includes('/core/'))
  }
  expect([
    claims('http://loinc.org'),
    claims('http://snomed.info/sct'),
    claims('https://own.example'),
  ]).toEqual([true, true, false])
  expect(observed({}).meta.profile).toEqual(['http://hl7.org.au/fhir/StructureDefinition/au-pathologyresult'])
})

it('an Observation has the canonical value only on request, and where the service vouches for it', () => {
  const canonical = {
    ...resultWith({}).biomarkers[0]?.canonical,
    status: 'converted',
    value: 45,
    unit: 'pmol/L',
  }
  const of = (status: string) => {
    const given = resultWith({ canonical: { ...canonical, status } as never })
    const bundle = made(given, { values: 'canonical' })
    return [
      observationOf(bundle).valueQuantity?.value,
      bundle.gaps.some(({ reason }) => reason === 'no-canonical'),
    ]
  }
  expect([of('converted'), of('already-standard'), of('not-convertible')]).toEqual([
    [45, false],
    [45, false],
    [2.5, true],
  ])
})

it('several rows of one biomarker become Observations with ids of their own', () => {
  const bundle = made(resultWith({}, {}, { id: 'tsh 2' }))
  expect(new Set(bundle.bundle.entry.map(({ fullUrl }) => fullUrl)).size).toBe(bundle.bundle.entry.length)
})
