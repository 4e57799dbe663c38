import {
  centreLocation,
  conceptMap,
  type ResultBundleOptions,
  referralBundle,
  resultBundle,
  transaction,
} from 'pathology-sdk/fhir'
import { FakePathologyService } from 'pathology-sdk/testing'
import { expect, it } from 'vitest'
import { bundleProblems, problemsOf } from '../../tools/fhir/validators.js'

const BASE = 'https://clinic.example/pathology'
const fake = new FakePathologyService({ seedReferrals: 400 })
const results = fake.results.all()
const referrals = fake.referrals.all()
const tests = [...new Set(referrals.flatMap((referral) => referral.tests))].map((id) => ({
  id,
  name: `Test ${id}`,
}))

/** Medplum takes an effective time that consists of an extension for a missing day. */
const isFalseAlarm = (problem: string): boolean =>
  problem.startsWith('medplum: Observation.effective') && problem.includes('au-core-obs-02')

/** Returns how often each problem occurs. */
function counted(problems: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const problem of problems) if (!isFalseAlarm(problem)) counts[problem] = (counts[problem] ?? 0) + 1
  return counts
}

const loinc = { code: 'tsh', target: [{ code: '3016-3', equivalence: 'equal' }] }
const codes = conceptMap({ group: [{ target: 'http://loinc.org', element: [loinc] }] })

it.each<readonly [string, Partial<ResultBundleOptions>]>([
  ['defaults', {}],
  [
    'what the caller knows',
    { codes, tests, collectedAt: '2026-03-02T08:10:00+11:00', laboratory: 'Lab', discipline: 'CH' },
  ],
  ['canonical values', { codes, values: 'canonical', reviewerInterprets: true, pdf: Buffer.from('%PDF') }],
])('the validators find no fault in results: %s', (_, options) => {
  const every = options.tests === undefined ? 25 : 9
  const made = results
    .filter((_result, index) => index % every === 0)
    .map((result) => {
      const referral = referrals.find(({ uuid }) => uuid === result.referralUuid)
      return resultBundle(result, { base: BASE, include: ['in-review', 'deleted'], referral, ...options })
        .bundle
    })
  expect(counted(made.flatMap(bundleProblems))).toEqual({})
  expect(counted(made.slice(0, 2).map(transaction).flatMap(bundleProblems))).toEqual({})
})

it('the validators find no fault in referrals', () => {
  const made = referrals
    .slice(0, 40)
    .map((referral) => referralBundle(referral, { base: BASE, tests }).bundle)
  expect(counted(made.flatMap(bundleProblems))).toEqual({})
})

it('the validators find no fault in collection centres', () => {
  const made = fake.centres
    .all()
    .slice(0, 20)
    .map((centre) => centreLocation(centre, { base: BASE }))
  expect(counted(made.flatMap(problemsOf))).toEqual({})
})
