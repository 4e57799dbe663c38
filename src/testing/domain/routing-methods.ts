import type { KnownConnectionStatus } from '../../contract/enums.js'
import { vendorSeed } from '../seed/brands.js'
import type { FakeContext } from '../server/context.js'
import {
  type AttestationRecord,
  type ConnectionRecord,
  findProvider,
  type ProviderRecord,
} from '../state/providers.js'

/** Narrows what a batch takes; what is left out does not narrow. */
export interface BatchSelection {
  /** Only this provider's connections. */
  readonly providerNumber?: string | undefined
  /** Only connections with this laboratory company. */
  readonly vendorId?: string | undefined
}

/** One provider's routing with one laboratory. */
export interface ConnectionRef {
  /** Medicare provider number. */
  readonly providerNumber: string
  /** The laboratory company's id. */
  readonly vendorId: string
}

/**
 * The service's team sends a batch to the laboratories: NOT_SUBMITTED becomes PENDING_CONFIRMATION (§3.3).
 *
 * @returns The connections that moved.
 * @throws RangeError - The selection names a provider or a vendor that there is not.
 */
function submitBatch(context: FakeContext, selection: BatchSelection = {}): ConnectionRef[] {
  const { providerNumber, vendorId } = selection
  if (vendorId !== undefined && vendorSeed(vendorId) === undefined) {
    throw new RangeError(`there is no vendor '${vendorId}'`)
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
 * A laboratory confirms: the connection becomes CONNECTED (§3.3). One that was not submitted yet is submitted first.
 *
 * @throws RangeError - There is no such connection, or it is being wound down.
 */
function confirmRouting(context: FakeContext, providerNumber: string, vendorId: string): void {
  const connection = take(context, providerNumber, vendorId, [
    'NOT_SUBMITTED',
    'PENDING_CONFIRMATION',
    'ACTION_NEEDED',
    'CONNECTED',
  ])
  if (connection.status === 'CONNECTED') return
  connection.status = 'CONNECTED'
  connection.confirmedAt = context.clock.iso()
  connection.actionNeededReason = null
}

/**
 * A laboratory cannot go on: the connection becomes ACTION_NEEDED (§3.3).
 *
 * @param reason - Shown as `actionNeededReason`; §2.10 does not show the service's own reasons.
 * @throws RangeError - There is no such connection.
 */
function needAction(
  context: FakeContext,
  providerNumber: string,
  vendorId: string,
  reason = 'The laboratory could not match the provider number',
): void {
  if (typeof reason !== 'string') throw new RangeError('reason must be a string')
  const connection = take(context, providerNumber, vendorId)
  connection.status = 'ACTION_NEEDED'
  connection.actionNeededReason = reason
}

/**
 * Routing is to be wound down: the connection becomes STOP_REQUESTED (§3.3).
 *
 * @throws RangeError - There is no such connection.
 */
function stopRouting(context: FakeContext, providerNumber: string, vendorId: string): void {
  take(context, providerNumber, vendorId).status = 'STOP_REQUESTED'
}

/**
 * Routing has been wound down: the connection is gone. The specification does not show what becomes of one.
 *
 * @throws RangeError - There is no such connection.
 */
function endRouting(context: FakeContext, providerNumber: string, vendorId: string): void {
  const connection = take(context, providerNumber, vendorId)
  const { connections } = recordOf(context, providerNumber)
  connections.splice(connections.indexOf(connection), 1)
}

function take(
  context: FakeContext,
  providerNumber: string,
  vendorId: string,
  from?: readonly KnownConnectionStatus[],
): ConnectionRecord {
  const { connections } = recordOf(context, providerNumber)
  const connection = connections.find((entry) => entry.vendorId === vendorId)
  if (connection === undefined)
    throw new RangeError(`provider ${providerNumber} has no routing with '${vendorId}'`)
  if (from !== undefined && !from.includes(connection.status)) {
    throw new RangeError(`the routing is ${connection.status}; this takes ${from.join(', ')}`)
  }
  return connection
}

function recordOf(context: FakeContext, providerNumber: string): ProviderRecord {
  const record = findProvider(context.state.providers, providerNumber)
  if (record === undefined) throw new RangeError(`the organisation has no provider ${providerNumber}`)
  return record
}

/** What the service's team and the laboratories do to routing (§3.3). */
export const routingDrivers = {
  submit: submitBatch,
  confirm: confirmRouting,
  needAction,
  stop: stopRouting,
  end: endRouting,
  /** What was attested when routing with a laboratory was last asked for; the API does not show it (§4.4). */
  attestation: (context: FakeContext, providerNumber: string, vendorId: string): AttestationRecord =>
    take(context, providerNumber, vendorId).attestation,
} as const
