import { signatureRules } from '../../contract/rules.js'
import { signatureText } from '../../contract/signature-image.js'
import type { Provider } from '../../contract/types.js'
import { checkFields, notBlank, string, type ValueRule } from '../server/value-rules.js'
import type { FakeContext } from '../state/context.js'
import { findProvider, type ProviderRecord } from '../state/providers.js'
import { addProvider, applyFields } from './providers.js'
import { isAcceptableNumber, numberRule, type ProviderFields } from './providers-check.js'
import { providerView } from './providers-view.js'

const FIELD_RULES: { readonly [Field in keyof Required<ProviderFields>]: ValueRule } = {
  name: notBlank,
  address: notBlank,
  title: string,
  phone: string,
  email: string,
  signature: string,
}

/** Control methods of provider records (§4.4). */
export const providerMethods = {
  /**
   * Creates or changes a record, as the portal does. `GET /v1/providers` also lists the record. A new record needs a
   * name and an address. `signature` is a PNG as base64 or a data URI. Throws a RangeError for:
   * - an unknown or invalid field
   * - a new record without a name or an address
   * - a new record with an invalid number, or with a number of another organisation
   */
  saveInPortal(context: FakeContext, providerNumber: string, fields: ProviderFields = {}): Provider {
    const details = checkedDetails(fields)
    const at = context.clock.tick()
    const record =
      findProvider(context.state.providers, providerNumber) ??
      createProvider(context, providerNumber, details, at)
    applyFields(record, details, at)
    return providerView(context, record)
  },
  /** Returns every record of the client's organisation, oldest first. */
  all(context: FakeContext): Provider[] {
    return recordsOf(context, 'own')
  },
  /**
   * Returns every record of another organisation. The API rejects requests with the numbers of these records:
   * - PROVIDER_NUMBER_IN_USE for a save of the number
   * - INVALID_PROVIDER_NUMBER for a Medicare order
   * - PROVIDER_NOT_FOUND for a request with the number in its path
   */
  ofOtherOrganisation(context: FakeContext): Provider[] {
    return recordsOf(context, 'other')
  },
} as const

function recordsOf(context: FakeContext, organisation: ProviderRecord['organisation']): Provider[] {
  return context.state.providers.records
    .filter((record) => record.organisation === organisation)
    .map((record) => providerView(context, record))
}

function createProvider(
  context: FakeContext,
  providerNumber: string,
  details: ProviderFields,
  createdAt: string,
): ProviderRecord {
  if (!isAcceptableNumber(context, providerNumber)) {
    throw new RangeError(`providerNumber ${numberRule(context)}`)
  }
  if (context.state.providers.records.some((record) => record.providerNumber === providerNumber)) {
    throw new RangeError(`${providerNumber} belongs to another organisation`)
  }
  if (details.name === undefined || details.address === undefined) {
    throw new RangeError('a new record needs a name and an address')
  }
  return addProvider(context, providerNumber, 'portal', createdAt)
}

function checkedDetails(fields: ProviderFields): ProviderFields {
  checkFields(fields, FIELD_RULES, 'provider')
  const details: ProviderFields = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  )
  if (details.signature === undefined) return details
  const [problem] = signatureRules({ encodedSignature: details.signature })
  if (problem !== undefined) throw new RangeError(problem.message)
  return { ...details, signature: signatureText(details.signature) }
}
