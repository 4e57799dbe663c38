import type * as z from 'zod'

import { checkRequest, issueCode } from '../../contract/check-request.js'
import { isKnownErrorCode } from '../../contract/error-codes.js'
import { checkMedicareCardNumber } from '../../contract/identifier-checks.js'
import { PATH_PARAMETERS } from '../../contract/identifiers.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import { REQUEST_SCHEMAS } from '../../contract/schemas/index.js'
import { MULTI_REFERRAL_VERSION } from '../../contract/versions.js'
import { FakeApiError } from '../server/api-error.js'
import type { FakeCall } from '../server/context.js'
import { findBundle, findTest, isBloodTest } from '../state/catalogue.js'
import type { FakeContext } from '../state/context.js'
import { findProvider } from '../state/providers.js'

export type CheckedOrder = z.output<typeof REQUEST_SCHEMAS.Order>

/**
 * Checks the body of an order against every rule of §4.1.
 *
 * @throws FakeApiError - The problems' own code if all have the same code, otherwise INVALID_PAYLOAD (rule 8).
 */
export function checkOrder(context: FakeContext, call: FakeCall): CheckedOrder {
  const fields = fieldsOf(call.body)
  const issues = [
    ...checkRequest('Order', call.body, call.version),
    ...cardSpellingIssues(fields),
    ...testIssues(context, fields, call),
    ...bundleIssues(context, fields, call),
    ...medicareTestIssues(context, fields, call),
    ...providerIssues(context, fields),
  ].map((issue) => withCardCode(context, fields, issue))
  if (issues.length === 0) return REQUEST_SCHEMAS.Order.parse(call.body)
  const code = issueCode(issues, 'INVALID_PAYLOAD')
  throw new FakeApiError(isKnownErrorCode(code) ? code : 'INVALID_PAYLOAD', issues)
}

type Fields = ReadonlyMap<string, unknown>

function fieldsOf(body: unknown): Fields {
  return new Map(typeof body === 'object' && body !== null ? Object.entries(body) : [])
}

function textsIn(value: unknown): { readonly text: string; readonly index: number }[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((text: unknown, index) =>
    typeof text === 'string' && text.trim() !== '' ? [{ text, index }] : [],
  )
}

/** Rejects a card number with spaces, hyphens or a slash: the service accepts only digits (§4.1). */
function cardSpellingIssues(fields: Fields): IssueDraft[] {
  const card = fields.get('medicareCardNumber')
  const spelled = typeof card === 'string' && checkMedicareCardNumber(card).valid && !/^\d+$/.test(card)
  if (!spelled) return []
  return [fieldIssue(['medicareCardNumber'], 'must contain only digits', 'INVALID_MEDICARE_NUMBER')]
}

function testIssues(context: FakeContext, fields: Fields, call: FakeCall): IssueDraft[] {
  return textsIn(fields.get('tests')).flatMap(({ text, index }) => {
    const test = findTest(context.state.catalogue, text)
    if (test === undefined) return [fieldIssue(['tests', index], 'must be the id of a test')]
    if (call.version >= MULTI_REFERRAL_VERSION || isBloodTest(test)) return []
    return [
      fieldIssue(
        ['tests', index],
        `is not a blood test: it needs API version ${MULTI_REFERRAL_VERSION} in the Accept header`,
      ),
    ]
  })
}

function bundleIssues(context: FakeContext, fields: Fields, call: FakeCall): IssueDraft[] {
  const bundleId = fields.get('bundleId')
  if (call.version < MULTI_REFERRAL_VERSION || typeof bundleId !== 'string' || bundleId.trim() === '')
    return []
  if (findBundle(context.state.catalogue, bundleId) !== undefined) return []
  return [fieldIssue(['bundleId'], 'must be the id of a bundle of the organisation', 'INVALID_BUNDLE_ID')]
}

function medicareTestIssues(context: FakeContext, fields: Fields, call: FakeCall): IssueDraft[] {
  if (call.version < MULTI_REFERRAL_VERSION) return []
  return textsIn(fields.get('medicareTests')).flatMap(({ text, index }) => {
    const test = findTest(context.state.catalogue, text)
    if (test === undefined) return [fieldIssue(['medicareTests', index], 'must be the id of a test')]
    if (test.medicareListed) return []
    const rule = 'is not accepted under Medicare: medicareListed of this test is false'
    return [fieldIssue(['medicareTests', index], rule, 'INVALID_MEDICARE_TEST')]
  })
}

function providerIssues(context: FakeContext, fields: Fields): IssueDraft[] {
  const practitioner = fields.get('orderingPractitioner')
  const number = fieldsOf(practitioner).get('providerNumber')
  const medicare = textsIn(fields.get('medicareTests')).length > 0
  if (!medicare || typeof number !== 'string') return []
  // The schema already reports a malformed number.
  if (!PATH_PARAMETERS.providerNumber.pattern.test(number)) return []
  const path = ['orderingPractitioner', 'providerNumber']
  const provider = findProvider(context.state.providers, number)
  if (provider === undefined) {
    return [fieldIssue(path, 'is not registered for the organisation', 'INVALID_PROVIDER_NUMBER')]
  }
  if (provider.signature !== null) return []
  return [fieldIssue(path, 'has no stored Medicare signature', 'MISSING_PROVIDER_SIGNATURE')]
}

/** Sets the error code of a ten-digit card on a Medicare order. §4.1 rule 7 and §7 document different codes. */
function withCardCode(context: FakeContext, fields: Fields, issue: IssueDraft): IssueDraft {
  const code = context.options.shortMedicareCardCode
  if (issue.field !== 'medicareCardNumber' || code === 'INVALID_PAYLOAD') return issue
  const check = checkMedicareCardNumber(fields.get('medicareCardNumber'))
  return check.valid && check.irn === null ? { ...issue, code } : issue
}
