import type { KnownConnectionStatus } from '../../contract/enums.js'
import { vendorSeed } from '../seed/brands.js'
import { checkFields, text } from '../server/value-rules.js'
import type { FakeContext } from '../state/context.js'
import {
  type AttestationRecord,
  type ConnectionRecord,
  findProvider,
  type ProviderRecord,
} from '../state/providers.js'

/** Selection of the NOT_SUBMITTED connections to submit. An absent field does not limit the selection. */
export interface BatchSelection {
  /** Only this provider's connections. */
  readonly providerNumber?: string | undefined
  /** Only connections with this vendor (laboratory company). */
  readonly vendorId?: string | undefined
}

/** A connection of a provider with a vendor. */
export interface ConnectionRef {
  /** Medicare provider number. */
  readonly providerNumber: string
  /** Id of the vendor (laboratory company). */
  readonly vendorId: string
}

/**
 * Submits the selected NOT_SUBMITTED connections. The status of the connections becomes PENDING_CONFIRMATION.
 *
 * @returns The changed connections.
 * @throws RangeError - The provider or the vendor of the selection does not exist, or a field is unknown or invalid.
 */
function submitBatch(context: FakeContext, selection: BatchSelection = {}): ConnectionRef[] {
  checkFields(selection, { providerNumber: text, vendorId: text }, 'selection')
  const { providerNumber, vendorId } = selection
  if (vendorId !== undefined && vendorSeed(vendorId) === undefined) {
    throw new RangeError(`the fake has no vendor '${vendorId}'`)
  }
  const records =
    providerNumber === undefined
      ? context.state.providers.records.filter((record) => record.organisation === 'own')
      : [recordOf(context, providerNumber)]
  return records.flatMap((record) => submitConnections(record, vendorId))
}

function submitConnections(record: ProviderRecord, vendorId: string | undefined): ConnectionRef[] {
  const waiting = record.connections.filter(
    (connection) =>
      connection.status === 'NOT_SUBMITTED' && (vendorId === undefined || connection.vendorId === vendorId),
  )
  for (const connection of waiting) connection.status = 'PENDING_CONFIRMATION'
  return waiting.map((connection) => ({
    providerNumber: record.providerNumber,
    vendorId: connection.vendorId,
  }))
}

/**
 * Confirms a connection as the laboratory does. The status becomes CONNECTED, also if the connection was not submitted
 * before.
 *
 * @throws RangeError - The connection does not exist, or its status is STOP_REQUESTED.
 */
function confirmRouting(context: FakeContext, providerNumber: string, vendorId: string): void {
  const connection = connectionOf(context, providerNumber, vendorId, [
    'NOT_SUBMITTED',
    'PENDING_CONFIRMATION',
    'ACTION_NEEDED',
    'CONNECTED',
  ])
  if (connection.status === 'CONNECTED') return
  connection.status = 'CONNECTED'
  connection.confirmedAt = context.clock.tick()
  connection.actionNeededReason = null
}

/**
 * Reports a problem as the laboratory does. The status becomes ACTION_NEEDED.
 *
 * @param reason - Value of `actionNeededReason`. Default: a text about the provider number.
 * @throws RangeError - The connection does not exist, or `reason` is not a string.
 */
function needAction(
  context: FakeContext,
  providerNumber: string,
  vendorId: string,
  reason = 'The laboratory could not match the provider number',
): void {
  if (typeof reason !== 'string') throw new RangeError('reason must be a string')
  const connection = connectionOf(context, providerNumber, vendorId)
  connection.status = 'ACTION_NEEDED'
  connection.actionNeededReason = reason
}

/**
 * Requests the end of routing. The status becomes STOP_REQUESTED.
 *
 * @throws RangeError - The connection does not exist.
 */
function stopRouting(context: FakeContext, providerNumber: string, vendorId: string): void {
  connectionOf(context, providerNumber, vendorId).status = 'STOP_REQUESTED'
}

/**
 * Ends routing: removes the connection.
 *
 * @throws RangeError - The connection does not exist.
 */
function endRouting(context: FakeContext, providerNumber: string, vendorId: string): void {
  const connection = connectionOf(context, providerNumber, vendorId)
  const { connections } = recordOf(context, providerNumber)
  connections.splice(connections.indexOf(connection), 1)
}

function connectionOf(
  context: FakeContext,
  providerNumber: string,
  vendorId: string,
  from?: readonly KnownConnectionStatus[],
): ConnectionRecord {
  const { connections } = recordOf(context, providerNumber)
  const connection = connections.find((entry) => entry.vendorId === vendorId)
  if (connection === undefined)
    throw new RangeError(`provider ${providerNumber} has no connection with '${vendorId}'`)
  if (from !== undefined && !from.includes(connection.status)) {
    throw new RangeError(`the connection is ${connection.status}; its status must be ${from.join(' or ')}`)
  }
  return connection
}

function recordOf(context: FakeContext, providerNumber: string): ProviderRecord {
  const record = findProvider(context.state.providers, providerNumber)
  if (record === undefined) throw new RangeError(`the organisation has no provider ${providerNumber}`)
  return record
}

/** Control methods of routing connections: actions of the service's team and of the laboratories (§3.3). */
export const routingMethods = {
  submit: submitBatch,
  confirm: confirmRouting,
  needAction,
  stop: stopRouting,
  end: endRouting,
  /**
   * Returns the attestation of the latest routing request, which the API does not return. Throws a RangeError if the
   * connection does not exist.
   */
  attestation: (context: FakeContext, providerNumber: string, vendorId: string): AttestationRecord =>
    connectionOf(context, providerNumber, vendorId).attestation,
} as const
