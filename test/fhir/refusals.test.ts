import { ConfigurationError, type Result } from 'pathology-sdk'
import { centreLocation, type ResultBundleOptions, referralBundle, resultBundle } from 'pathology-sdk/fhir'
import { expect, it } from 'vitest'
import { expectNoCanary } from '../support/canaries.js'
import { referral, result } from '../support/samples.js'
import { BASE } from './samples.js'

/** Returns the error with which a bundle is refused. */
function refusal(given: Result, options: object): unknown {
  try {
    resultBundle(given, { base: BASE, ...options } as ResultBundleOptions)
  } catch (error) {
    return error
  }
  return undefined
}

const deletedAt = '2026-03-02T00:00:00Z'
const refused: [option: string, options: object, change?: Partial<Result>][] = [
  ...[undefined, '', '/pathology', 'clinic.example', 'ftp://clinic.example', 'urn:oid:1.2', 7, null].map(
    (base): [string, object] => ['base', { base }],
  ),
  ['base', { base: 'https://user:pass@clinic.example' }],
  ['base', { base: 'https://clinic.example?a=1' }],
  ['base', { base: 'https://clinic.example/#a' }],
  ['collectedAt', { collectedAt: '2026-03-02T08:10:00' }],
  ['collectedAt', { collectedAt: '2026-02-30T08:10:00Z' }],
  ['collectedAt', { collectedAt: '2026-03-02T08:10Z' }],
  ['collectedAt', { collectedAt: '2026-03' }],
  ['collectedAt', { collectedAt: '' }],
  ['referral', { referral: referral() }],
  ['referral', { referral: referral() }, { referralUuid: null }],
  ['previous', { previous: result() }],
  ['subject', { subject: {} }],
  ['subject', { subject: { display: 'Someone' } }],
  ['identity', { identity: 'laboratory' }],
  ['include', {}, { status: 'IN_REVIEW' }],
  ['include', { include: ['deleted'] }, { status: 'IN_REVIEW' }],
  ['include', { include: ['in-review'] }, { deletedAt }],
  ['include', { include: ['deleted'] }, { deletedAt, status: 'IN_REVIEW' }],
  ['options', { colectedAt: '2026-03-02' }],
]

it.each(refused)('resultBundle refuses %s: %j %j', (option, options, change) => {
  const error = refusal(result(change), options)
  expect(error).toBeInstanceOf(ConfigurationError)
  expect(String(error)).toContain(option)
  expectNoCanary(error)
})

it('referralBundle and centreLocation refuse an invalid base', () => {
  expect(() => referralBundle(referral(), { base: 'clinic' })).toThrow(ConfigurationError)
  expect(() => centreLocation({} as never, { base: '' })).toThrow(ConfigurationError)
})

it.each([{ collectedAt: '2026-03-02' }, { collectedAt: '2026-03-02T08:10:00+11:00' }, { base: 'http://h/' }])(
  'resultBundle accepts %j',
  (options) => {
    expect(refusal(result(), options)).toBeUndefined()
  },
)
