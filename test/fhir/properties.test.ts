import fc from 'fast-check'
import type { Biomarker, Referral, Result } from 'pathology-sdk'
import { referralBundle, resultBundle } from 'pathology-sdk/fhir'
import { FakePathologyService } from 'pathology-sdk/testing'
import { expect, it } from 'vitest'
import { RESPONSE_SCHEMAS } from '../../src/contract/schemas/index.js'
import { expectNoCanary } from '../support/canaries.js'
import { referral, result } from '../support/samples.js'
import { BASE, biomarker, resourcesOf } from './samples.js'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', ' ', '\u00a0', '\u0000', '__proto__', 'COMPLETE', '5', '<0.10', '2026-03-02', '\ud800'),
)
const numeral = fc
  .tuple(
    fc.constantFrom('', '<', '>', '<=', '>=', '≤', '≥ '),
    fc.integer(),
    fc.nat({ max: 999 }),
    fc.nat({ max: 8 }),
  )
  .map(([sign, whole, part, zeros]) => `${sign}${whole}.${part}${'0'.repeat(zeros)}`)
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(1e-7, 0, -0, 1e21),
)
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const range = fc.record({
  id: text,
  name: text,
  category: text,
  lowRange: orNull(number),
  highRange: orNull(number),
})
const ranged = {
  unit: orNull(fc.oneof(text, fc.constantFrom('mmol/L', 'mU/L'))),
  refIntervalHigh: orNull(number),
  refIntervalLow: orNull(number),
  additionalRanges: fc.option(orNull(fc.array(range, { maxLength: 2 })), { nil: undefined }),
  isAbnormal: orNull(fc.boolean()),
}
const row: fc.Arbitrary<Biomarker> = fc
  .record({
    ...ranged,
    id: fc.oneof(text, fc.constant('tsh')),
    name: text,
    value: fc.oneof(text, numeral),
    notes: orNull(text),
    sampleType: orNull(text),
    canonical: fc.record({
      ...ranged,
      status: fc.constantFrom('already-standard', 'converted', 'other'),
      value: orNull(fc.oneof(text, number, numeral)),
      reason: orNull(text),
      formattedValue: orNull(text),
      subValueType: orNull(text),
    }),
  })
  .map((change) => biomarker(change as Partial<Biomarker>))
const person = fc
  .record({ firstName: text, lastName: text, email: text, phone: text, gender: text, dob: orNull(text) })
  .map((change) => ({ ...result().person, ...change }))
const anyResult: fc.Arbitrary<Result> = fc
  .record({
    uuid: fc.oneof(fc.uuid(), text),
    status: fc.oneof(fc.constantFrom('CREATED', 'PARTIAL_RESULTS', 'COMPLETE', 'IN_REVIEW'), text),
    referenceNumber: orNull(text),
    reference: orNull(text),
    productName: orNull(text),
    resultDate: orNull(
      fc.oneof(
        text,
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      ),
    ),
    deletedAt: orNull(text),
    person,
    biomarkers: fc.array(row, { maxLength: 4 }),
    report: orNull(fc.record({ pit: fc.array(text, { maxLength: 2 }) })),
  })
  .map((change) => result({ ...change, referralUuid: change.uuid }))

const options = fc.constantFrom<Partial<Parameters<typeof resultBundle>[1]>>(
  {},
  { values: 'canonical' },
  {
    codes: () => [{ system: 'http://loinc.org', code: '1-8' }],
    discipline: 'CH',
    laboratory: 'Lab',
    collectedAt: '2026-03-02',
  },
)
const made = (given: Result, change: object) =>
  resultBundle(given, { base: BASE, include: ['in-review', 'deleted'], ...change })

/** Returns the paths of values that FHIR forbids. */
function forbiddenIn(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [path] : []
  if (typeof value === 'number') return /[eNI]/.test(JSON.stringify(value) ?? 'N') ? [path] : []
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean' ? [] : [path]
  const entries = Object.entries(value)
  return entries.length === 0
    ? [path]
    : entries.flatMap(([name, entry]) => forbiddenIn(entry, `${path}.${name}`))
}

it('any result that the contract accepts gives a bundle without forbidden values, with unique and stable ids', () => {
  fc.assert(
    fc.property(anyResult, options, (given, change) => {
      expect(RESPONSE_SCHEMAS.Result.safeParse(given).success).toBe(true)
      const one = made(given, change)
      expect(forbiddenIn(one.bundle)).toEqual([])
      const ids = one.bundle.entry.map(({ fullUrl }) => fullUrl)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.every((id) => /^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))).toBe(true)
      expect(JSON.stringify(made(structuredClone(given), change))).toBe(JSON.stringify(one))
    }),
  )
})

it('the bundle of any result keeps the text of each number, and never contradicts isAbnormal', () => {
  fc.assert(
    fc.property(anyResult, (given) => {
      const observations = resourcesOf(made(given, {}), 'Observation')
      for (const [index, { value, isAbnormal }] of given.biomarkers.entries()) {
        const { valueQuantity: quantity, interpretation } = observations[index] ?? {}
        const code = interpretation?.[0]?.coding?.[0]?.code
        expect(code === undefined ? null : code !== 'N').toBe(isAbnormal)
        if (quantity === undefined) continue
        const digits = value.replace(/^[\s\p{Cc}<>=≤≥]+/u, '').trim()
        const decimals = quantity._value?.extension?.[0]?.valueInteger
        expect(decimals === undefined ? String(quantity.value) : quantity.value.toFixed(decimals)).toBe(
          digits.replace(/^(-?)0+(?=\d)/, '$1'),
        )
      }
    }),
  )
})

it('any referral gives a bundle without forbidden values, with unique ids', () => {
  fc.assert(
    fc.property(fc.array(text), text, person, text, orNull(text), (tests, status, patient, name, notes) => {
      const given: Referral = referral({
        ...{ tests, status, person: patient, orderingPractitionerClinicalNotes: notes, reference: name },
        orderingPractitioner: { name, address: '', providerNumber: name },
      })
      const { bundle } = referralBundle(given, { base: BASE })
      expect(forbiddenIn(bundle)).toEqual([])
      expect(new Set(bundle.entry.map(({ fullUrl }) => fullUrl)).size).toBe(bundle.entry.length)
    }),
  )
})

it('the gaps of a bundle have no detail of a patient', () => {
  const given = result({ biomarkers: [biomarker({ unit: 'index', notes: 'note' })] })
  expectNoCanary(made(given, {}).gaps)
  expectNoCanary(referralBundle(referral(), { base: BASE }).gaps)
})

it('a bundle has neither URLs of PDFs nor metadata', () => {
  const url = 'https://documents.example/secret?signature=abc'
  const shown = JSON.stringify([
    made(result({ resultAttachment: url, metadata: { own: 'metadata-of-the-caller' } }), {}),
    referralBundle(referral({ referralAttachment: url, metadata: { own: 'metadata-of-the-caller' } }), {
      base: BASE,
    }),
  ])
  expect(shown).not.toMatch(/documents\.example|metadata-of-the-caller/)
})

it('every result of the fake gives a bundle without forbidden values', () => {
  const fake = new FakePathologyService({ seedReferrals: 60 })
  for (const given of fake.results.all()) expect(forbiddenIn(made(given, {}).bundle)).toEqual([])
})
