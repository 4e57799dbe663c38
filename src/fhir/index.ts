/**
 * Results, referrals and collection centres as FHIR R4 with the profiles of HL7 Australia. Pure functions, without
 * network, clock or randomness.
 *
 * @module pathology-sdk/fhir
 */

export type { Biomarker, CollectionCentre, Referral, Result, Test } from '../contract/types.js'
export * from './bundle.js'
export * from './concept-map.js'
export { centreLocation, type Location } from './location.js'
export type { Observation, ObservationStatus, Quantity } from './observation.js'
export type {
  Gap,
  GapReason,
  LocationOptions,
  ReferralBundleOptions,
  ResultBundleOptions,
} from './options.js'
export type { Patient, PractitionerRole, ServiceRequest } from './order.js'
export type { DiagnosticReport, ReportStatus } from './report.js'
export type * from './types.js'
