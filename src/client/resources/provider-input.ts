import { isRecord } from '../../common/known-options.js'
import { normaliseProviderNumber } from '../../contract/identifiers.js'
import { encodeSignature, type SignatureInput } from '../../contract/signature-image.js'
import { snapshot } from '../core/snapshot.js'
import { InvalidRequestError } from '../errors/errors.js'

/** Copies a provider record for the request: the number without spaces, the signature as a data URI. */
export function providerToSend(
  operation: string,
  record: { readonly encodedSignature?: SignatureInput | undefined; readonly providerNumber?: string },
): unknown {
  const given = snapshot(operation, record)
  if (!isRecord(given)) return given
  const { encodedSignature, providerNumber, ...rest } = given
  return {
    ...rest,
    ...(typeof providerNumber === 'string'
      ? { providerNumber: normaliseProviderNumber(providerNumber) }
      : {}),
    ...(encodedSignature === undefined ? {} : { encodedSignature: signature(operation, encodedSignature) }),
  }
}

function signature(operation: string, input: SignatureInput): string {
  const outcome = encodeSignature(input)
  if (outcome.valid) return outcome.encodedSignature
  const issue = { message: outcome.message, field: 'encodedSignature', code: 'INVALID_SIGNATURE' }
  throw new InvalidRequestError(operation, [issue], 'INVALID_SIGNATURE')
}

/** Copies a routing request for the request: the time as ISO 8601. */
export function routingToSend(
  operation: string,
  request: { readonly attestation: { readonly doctorSignedAt: Date | string } },
): unknown {
  const given = snapshot(operation, request)
  if (!isRecord(given)) return given
  const { attestation } = given
  const signedAt: unknown = attestation?.doctorSignedAt
  if (!(signedAt instanceof Date)) return given
  const doctorSignedAt = Number.isNaN(signedAt.getTime()) ? 'Invalid Date' : signedAt.toISOString()
  return { ...given, attestation: { ...attestation, doctorSignedAt } }
}
