import type { Fields } from '../../contract/check.js'
import { endpoints } from '../../contract/endpoints.js'
import { fieldIssue } from '../../contract/issues.js'
import { FakeApiError } from '../server/api-error.js'
import { bodyFields } from '../server/call-input.js'
import type { FakeCall, HandlerTable } from '../server/context.js'
import { pageResponse } from '../server/lists.js'
import type { FakeContext } from '../state/context.js'
import { findProvider, type ProviderRecord } from '../state/providers.js'
import { type ProviderFields, providerNumberIssues, readProviderFields } from './providers-check.js'
import { requestRouting } from './providers-routing.js'
import { providerView } from './providers-view.js'

/** Handlers of the provider and routing endpoints (§4.4). */
export const handlers: HandlerTable<FakeContext> = {
  'providers.save': save,
  'providers.list': list,
  'providers.retrieve': retrieve,
  'providers.update': update,
  'providers.retire': retire,
  'providers.requestRouting': (context, call) => requestRouting(context, call, pathProvider(context, call)),
}

function save(context: FakeContext, call: FakeCall): unknown {
  const fields = readProviderFields(context, call, 'ProviderSave', (body) => [
    ...providerNumberIssues(context, body['providerNumber']),
    ...missingSignatureIssues(context, body),
  ])
  const number = String(bodyFields(call)['providerNumber'])
  const { providers } = context.state
  const held = providers.records.find((record) => record.providerNumber === number)
  if (held?.organisation === 'other') throw new FakeApiError('PROVIDER_NUMBER_IN_USE')
  const at = context.clock.tick()
  const record = held ?? addProvider(context, number, 'api', at)
  applyFields(record, fields, at)
  return providerView(context, record)
}

/** Requires a signature for a new record, but only with the option `signatureOnCreate: 'required'`. */
function missingSignatureIssues(context: FakeContext, body: Fields) {
  if (context.options.signatureOnCreate === 'optional' || body['encodedSignature'] !== undefined) return []
  if (findProvider(context.state.providers, String(body['providerNumber'])) !== undefined) return []
  return [fieldIssue(['encodedSignature'], 'is required', 'INVALID_SIGNATURE')]
}

/** Adds a record with a number and without details. */
export function addProvider(
  context: FakeContext,
  providerNumber: string,
  source: ProviderRecord['source'],
  createdAt: string,
): ProviderRecord {
  const { providers } = context.state
  const record: ProviderRecord = {
    sequence: providers.nextSequence,
    organisation: 'own',
    source,
    providerNumber,
    name: '',
    address: '',
    title: null,
    phone: null,
    email: null,
    signature: null,
    signatureSignedAt: null,
    createdAt,
    updatedAt: createdAt,
    connections: [],
  }
  providers.nextSequence += 1
  providers.records.push(record)
  return record
}

/** Sets the given fields. Other fields do not change. */
export function applyFields(record: ProviderRecord, fields: ProviderFields, at: string): void {
  Object.assign(record, fields)
  if (fields.signature !== undefined) record.signatureSignedAt = at
  record.updatedAt = at
}

function list(context: FakeContext, call: FakeCall): unknown {
  return pageResponse(call, {
    endpoint: endpoints.providers.list,
    rows: context.state.providers.records,
    view: (record) => providerView(context, record),
    shows: ({ organisation }) => organisation === 'own',
  })
}

function retrieve(context: FakeContext, call: FakeCall): unknown {
  return providerView(context, pathProvider(context, call))
}

function update(context: FakeContext, call: FakeCall): unknown {
  const record = pathProvider(context, call)
  const fields = readProviderFields(context, call, 'ProviderUpdate')
  applyFields(record, fields, context.clock.tick())
  return providerView(context, record)
}

function retire(context: FakeContext, call: FakeCall): unknown {
  const record = pathProvider(context, call)
  const { activeRoutingStatuses } = context.options
  if (record.connections.some(({ status }) => activeRoutingStatuses.includes(status))) {
    throw new FakeApiError('PROVIDER_HAS_ACTIVE_ROUTING')
  }
  const { providers } = context.state
  providers.records.splice(providers.records.indexOf(record), 1)
  return { object: 'provider', providerNumber: record.providerNumber, deleted: true }
}

function pathProvider(context: FakeContext, call: FakeCall): ProviderRecord {
  const record = findProvider(context.state.providers, call.params['providerNumber'] ?? '')
  if (record === undefined) throw new FakeApiError('PROVIDER_NOT_FOUND')
  return record
}
