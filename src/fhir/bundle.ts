import type { Referral, Result } from '../contract/types.js'
import { derivedId, idOf, referenceTo } from './elements.js'
import type { Observation } from './observation.js'
import {
  checked,
  checkResult,
  type Gap,
  type ReferralBundleOptions,
  type ResultBundleOptions,
} from './options.js'
import { orderOf, type Patient, type PractitionerRole, patientOf, type ServiceRequest } from './order.js'
import { type DiagnosticReport, reportOf } from './report.js'

/** A resource of a {@link Bundle}. */
export type Resource = Patient | PractitionerRole | ServiceRequest | Observation | DiagnosticReport
/** A resource with its URL, and in a transaction the request that stores it. */
export type BundleEntry = { fullUrl: string; resource: Resource; request?: { method: 'PUT'; url: string } }
/** Resources that belong together. */
export type Bundle = { resourceType: 'Bundle'; type: 'collection' | 'transaction'; entry: BundleEntry[] }
/** A collection, which {@link transaction} makes a transaction of, and what it cannot say. */
export type BundleWithGaps = { bundle: Bundle; gaps: readonly Gap[] }

/**
 * Maps a result to FHIR R4: a DiagnosticReport, an Observation for each biomarker, and the Patient, unless you pass
 * your own `subject`. The same input always gives the same output, with the same ids.
 *
 * @throws `ConfigurationError` for an invalid option, and for a result that your organisation holds back
 * (`IN_REVIEW`) or that is deleted, unless `include` permits it.
 */
export function resultBundle(result: Result, options: ResultBundleOptions): BundleWithGaps {
  const own = checked('resultBundle', options)
  checkResult(result, own)
  // With the referral, the Patient is that of the referral's bundle. Without it, the Patient has no Medicare or DVA number,
  // so it has an id of its own and never replaces the one that has them.
  const record = idOf(own.referral?.uuid ?? result.uuid)
  const labPatient = own.identity === 'laboratory' ? result.labPatient : null
  return bundleOf(
    own,
    (gaps) => {
      if (labPatient === null)
        return patientOf(derivedId(record, 'Patient'), result.person, own.referral ?? {}, gaps)
      const numbers = { medicareCardNumber: labPatient.medicareNumber }
      return patientOf(derivedId(record, 'Patient', 'laboratory'), labPatient, numbers, gaps)
    },
    result,
  )
}

/**
 * Maps a referral: a ServiceRequest for each test, the Patient, and the PractitionerRole of a Medicare order.
 *
 * @throws `ConfigurationError` for an invalid option.
 */
export function referralBundle(referral: Referral, options: ReferralBundleOptions): BundleWithGaps {
  const own = checked('referralBundle', options)
  const id = derivedId(idOf(referral.uuid), 'Patient')
  return bundleOf({ ...own, referral }, (gaps) => patientOf(id, referral.person, referral, gaps))
}

/** Makes the patient, unless the caller has one, then the order and the report. */
function bundleOf(
  options: ResultBundleOptions,
  make: (gaps: Gap[]) => Patient,
  result?: Result,
): BundleWithGaps {
  const gaps: Gap[] = []
  const patients = options.subject === undefined ? [make(gaps)] : []
  const context = { ...options, gaps, subject: options.subject ?? patients.map(referenceTo)[0] ?? {} }
  const order = options.referral === undefined ? [] : orderOf(options.referral, context)
  const requests = order.filter(({ resourceType }) => resourceType === 'ServiceRequest').map(referenceTo)
  const report = result === undefined ? [] : reportOf(result, requests, context)
  // A copy, so that a caller can change a bundle.
  const resources = structuredClone([...patients, ...order, ...report])
  const entry = resources.map((resource) => ({ fullUrl: `urn:uuid:${resource.id}`, resource }))
  return { bundle: { resourceType: 'Bundle', type: 'collection', entry }, gaps }
}

/**
 * Returns a transaction that stores each resource of a bundle under its id. Sending it again, or sending a later state
 * of the result, replaces the resources and never doubles one.
 */
export function transaction(bundle: Bundle): Bundle {
  const entry = bundle.entry.map((given): BundleEntry => {
    const { resourceType, id } = given.resource
    return { ...given, request: { method: 'PUT', url: `${resourceType}/${id}` } }
  })
  return { ...bundle, type: 'transaction', entry }
}
