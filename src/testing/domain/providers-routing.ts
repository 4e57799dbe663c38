import { type Fields, isFields } from '../../contract/check.js'
import { checkRequest } from '../../contract/check-request.js'
import type { KnownErrorCode } from '../../contract/error-codes.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import { FakeApiError, rejection } from '../server/api-error.js'
import { bodyFields } from '../server/call-input.js'
import type { FakeCall } from '../server/context.js'
import type { FakeContext } from '../state/context.js'
import type { AttestationRecord, ConnectionRecord, ProviderRecord } from '../state/providers.js'
import { connectionView } from './providers-view.js'
import { enabledVendors } from './vendors.js'

/** Error codes of a routing request, in order of priority. INVALID_PAYLOAD has priority over all of them. */
const CODES: readonly KnownErrorCode[] = ['NO_VENDORS_SELECTED', 'UNKNOWN_VENDOR', 'MISSING_ATTESTATION']

const ATTESTATION_FIELDS: readonly (string | undefined)[] = [
  'attestation',
  'attestation.attestedBy',
  'attestation.doctorSignedAt',
]

interface RoutingRequest {
  readonly vendorIds: readonly string[]
  readonly attestation: AttestationRecord
}

/**
 * Responds to `POST /v1/providers/{providerNumber}/routing` (§4.4). Creates or renews the connection with each
 * requested vendor, and records the attestation. Does not send anything to a laboratory.
 *
 * @throws FakeApiError - The body is invalid, or MISSING_SIGNATURE.
 */
export function requestRouting(context: FakeContext, call: FakeCall, record: ProviderRecord): unknown {
  const request = readRequest(context, call)
  if (record.signature === null) throw new FakeApiError('MISSING_SIGNATURE')
  const consentedAt = context.clock.tick()
  const consent = { consentedAt, attestation: request.attestation }
  const named = request.vendorIds.map((vendorId) => connect(context, record, vendorId, consent))
  const shown = context.options.routingResponse === 'named' ? named : record.connections
  return { connections: shown.map(connectionView) }
}

/**
 * Creates or renews the connection with a vendor (§3.3). A new connection is NOT_SUBMITTED. A repeated request renews
 * the attestation and `consentedAt`. The request does not change the status, except that a status in
 * `restartedRoutingStatuses` becomes NOT_SUBMITTED.
 */
function connect(
  context: FakeContext,
  record: ProviderRecord,
  vendorId: string,
  consent: Pick<ConnectionRecord, 'consentedAt' | 'attestation'>,
): ConnectionRecord {
  const held = record.connections.find((connection) => connection.vendorId === vendorId)
  if (held === undefined) {
    const connection: ConnectionRecord = {
      vendorId,
      status: 'NOT_SUBMITTED',
      confirmedAt: null,
      actionNeededReason: null,
      ...consent,
    }
    record.connections.push(connection)
    return connection
  }
  Object.assign(held, consent)
  if (context.options.restartedRoutingStatuses.includes(held.status)) restart(held)
  return held
}

function restart(connection: ConnectionRecord): void {
  connection.status = 'NOT_SUBMITTED'
  connection.confirmedAt = null
  connection.actionNeededReason = null
}

function readRequest(context: FakeContext, call: FakeCall): RoutingRequest {
  const body = bodyFields(call)
  const vendorIds = Array.isArray(body['vendorIds']) ? body['vendorIds'] : []
  const issues = [
    ...checkRequest('RoutingRequest', body, call.version).map((issue) => withCode(issue, body)),
    ...unknownVendorIssues(context, vendorIds),
  ]
  if (issues.length > 0) throw rejection(issues, CODES)
  return { vendorIds: [...new Set(vendorIds.map(String))], attestation: toAttestation(body['attestation']) }
}

function withCode(issue: IssueDraft, body: Fields): IssueDraft {
  const { field } = issue
  if (ATTESTATION_FIELDS.includes(field)) return { ...issue, code: 'MISSING_ATTESTATION' }
  if (field?.startsWith('vendorIds[')) return { ...issue, code: 'UNKNOWN_VENDOR' }
  const none =
    body['vendorIds'] === undefined || body['vendorIds'] === null || Array.isArray(body['vendorIds'])
  return field === 'vendorIds' && none ? { ...issue, code: 'NO_VENDORS_SELECTED' } : issue
}

function unknownVendorIssues(context: FakeContext, vendorIds: readonly unknown[]): IssueDraft[] {
  const known = new Set(enabledVendors(context).map((vendor) => vendor.id))
  return vendorIds.flatMap((id, place) => {
    const named = typeof id === 'string' && id.trim() !== ''
    if (!named || known.has(id)) return []
    return [fieldIssue(['vendorIds', place], 'is not the id of an enabled vendor', 'UNKNOWN_VENDOR')]
  })
}

function toAttestation(value: unknown): AttestationRecord {
  const fields = isFields(value) ? value : {}
  const { attestedBy, doctorSignedAt, reference } = fields
  return {
    attestedBy: String(attestedBy),
    doctorSignedAt: String(doctorSignedAt),
    reference: typeof reference === 'string' ? reference : null,
  }
}
