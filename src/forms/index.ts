/**
 * Forms for orders: an order's schema for form libraries, and checks of Medicare card, provider and DVA numbers. Runs in
 * browsers.
 *
 * @module pathology-sdk/forms
 */

export {
  checkDvaNumber,
  checkMedicareCardNumber,
  checkProviderNumber,
  type DvaNumberCheck,
  type DvaNumberReason,
  type InvalidIdentifier,
  isDvaNumber,
  isMedicareCardNumber,
  isProviderNumber,
  type MedicareCardCheck,
  type MedicareCardOptions,
  type MedicareCardReason,
  type ProviderNumberCheck,
  type ProviderNumberReason,
  type ValidDvaNumber,
  type ValidMedicareCardNumber,
  type ValidProviderNumber,
} from '../contract/identifier-checks.js'
export {
  normaliseDvaNumber,
  normaliseMedicareCardNumber,
  normaliseProviderNumber,
} from '../contract/identifiers.js'
export type { IssueParams, IssueRule, RequestIssue } from '../contract/issues.js'
export type { Order } from '../contract/types.js'
export { API_VERSIONS, type ApiVersion } from '../contract/versions.js'
export { issuesByField } from './issues-by-field.js'
export { type FormInput, type OrderDraft, orderFromForm } from './order-from-form.js'
export {
  type OrderProblem,
  type OrderSchema,
  type OrderSchemaOptions,
  type OrderSchemaResult,
  orderSchema,
} from './order-schema.js'
