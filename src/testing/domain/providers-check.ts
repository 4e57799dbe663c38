import type { Fields } from '../../contract/check.js'
import { checkRequest } from '../../contract/check-request.js'
import type { KnownErrorCode } from '../../contract/error-codes.js'
import { checkProviderNumber } from '../../contract/identifier-checks.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import { PROVIDER_NUMBER_LENGTH } from '../../contract/limits.js'
import { signatureText } from '../../contract/signature-image.js'
import { rejection } from '../server/api-error.js'
import { bodyFields } from '../server/call-input.js'
import type { FakeCall } from '../server/context.js'
import type { FakeContext } from '../state/context.js'

/** Error codes of a provider request, in order of priority. INVALID_PAYLOAD has priority over all of them. */
const CODES: readonly KnownErrorCode[] = [
  'INVALID_PROVIDER_NUMBER',
  'INVALID_PROVIDER_DETAILS',
  'INVALID_SIGNATURE',
]

const REQUIRED_DETAILS: readonly (string | undefined)[] = ['name', 'address']

/** Fields of a provider record. An absent field does not change. */
export interface ProviderFields {
  /** The doctor's name. */
  readonly name?: string | undefined
  /** The doctor's address, as one string. */
  readonly address?: string | undefined
  /** The doctor's title. */
  readonly title?: string | undefined
  /** The doctor's phone number. */
  readonly phone?: string | undefined
  /** The doctor's email address. */
  readonly email?: string | undefined
  /** The signature: a PNG as base64 or a data URI. */
  readonly signature?: string | undefined
}

/**
 * Checks the fields of a save or an update (§4.4). The error lists every problem. A missing or empty name or address,
 * an invalid signature and an invalid number have error codes of their own. Any other problem gives INVALID_PAYLOAD.
 *
 * @throws FakeApiError - The body is invalid.
 */
export function readProviderFields(
  context: FakeContext,
  call: FakeCall,
  schema: 'ProviderSave' | 'ProviderUpdate',
  furtherIssues: (body: Fields) => IssueDraft[] = () => [],
): ProviderFields {
  const body = bodyFields(call)
  const issues = [
    ...checkRequest(schema, body, call.version).map((issue) => withCode(issue, body)),
    ...signatureIssues(context, body['encodedSignature']),
    ...furtherIssues(body),
  ]
  if (issues.length > 0) throw rejection(issues, CODES)
  return {
    ...textFields(body, ['name', 'address', 'title', 'phone', 'email']),
    ...signatureField(body['encodedSignature']),
  }
}

function withCode(issue: IssueDraft, body: Fields): IssueDraft {
  if (issue.field === 'encodedSignature') return { ...issue, code: 'INVALID_SIGNATURE' }
  if (!REQUIRED_DETAILS.includes(issue.field)) return issue
  const value = body[issue.field ?? '']
  const lacking = value === undefined || value === null || typeof value === 'string'
  return lacking ? { ...issue, code: 'INVALID_PROVIDER_DETAILS' } : issue
}

function signatureIssues({ options }: FakeContext, value: unknown): IssueDraft[] {
  if (typeof value !== 'string') return []
  const [, base64 = ''] = signatureText(value).split(',')
  if (Buffer.byteLength(base64, 'base64') <= options.signatureMaxBytes) return []
  return [fieldIssue(['encodedSignature'], 'is larger than the maximum', 'INVALID_SIGNATURE')]
}

function signatureField(value: unknown): Pick<ProviderFields, 'signature'> {
  return typeof value === 'string' ? { signature: signatureText(value) } : {}
}

function textFields(body: Fields, names: readonly string[]): Omit<ProviderFields, 'signature'> {
  const given = names.flatMap((name) => (typeof body[name] === 'string' ? [[name, body[name]]] : []))
  return Object.fromEntries(given)
}

/** Returns the problems of the number in a save. `options.providerNumberCheck` sets the rule (§8). */
export function providerNumberIssues(context: FakeContext, value: unknown): IssueDraft[] {
  if (typeof value !== 'string' || value.trim() === '') return []
  if (isAcceptableNumber(context, value)) return []
  return [fieldIssue(['providerNumber'], numberRule(context), 'INVALID_PROVIDER_NUMBER')]
}

const CHARACTERS = `must have ${PROVIDER_NUMBER_LENGTH} characters, each a digit or an upper-case letter`
const SHAPE = 'must have six digits, a location character and a letter, in upper case'

const NUMBER_RULES: Readonly<Record<FakeContext['options']['providerNumberCheck'], string>> = {
  length: CHARACTERS,
  stem: `${CHARACTERS}, and begin with six digits`,
  shape: SHAPE,
  'check-character': `${SHAPE}, and the letter must be the correct check character`,
}

/** Returns the rule of `options.providerNumberCheck` in words. */
export function numberRule({ options }: FakeContext): string {
  return NUMBER_RULES[options.providerNumberCheck]
}

/** Returns `true` when a provider number follows the rule of `options.providerNumberCheck` (§8). */
export function isAcceptableNumber(context: FakeContext, value: unknown): boolean {
  const { providerNumberCheck } = context.options
  if (typeof value !== 'string') return false
  if (value.length !== PROVIDER_NUMBER_LENGTH || !/^[0-9A-Z]+$/.test(value)) return false
  if (providerNumberCheck === 'length') return true
  if (providerNumberCheck === 'stem') return /^\d{6}/.test(value)
  const check = checkProviderNumber(value)
  return check.valid || (providerNumberCheck === 'shape' && check.reason === 'check-character')
}
