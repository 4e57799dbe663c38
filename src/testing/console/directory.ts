import { formatOpeningHours } from '../../display/display-text.js'
import type { FakeCore } from '../core/fake-core.js'
import { centreIndex } from '../domain/centres-index.js'
import type { IndexedCentre } from '../state/centres.js'
import { json, labelOf, number } from './format.js'
import {
  type Button,
  button,
  byStatus,
  direct,
  factsOf,
  type Page,
  type TableRow,
  time,
  type View,
} from './view.js'

const MAX_ROWS = 50
const STATUSES = ['ACTIVE', 'MISSING', 'RETIRED']
/** Changes of a weekly listing (§3.4). */
const CHANGES = ['created', 'updated', 'revived', 'missing', 'retired'] as const

/** Actions that the page offers for a connection, by its status. An action is the last part of a request's path. */
const ROUTING_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  NOT_SUBMITTED: ['confirm', 'need-action'],
  PENDING_CONFIRMATION: ['confirm', 'need-action', 'stop'],
  CONNECTED: ['stop', 'need-action'],
  ACTION_NEEDED: ['confirm', 'stop'],
  STOP_REQUESTED: ['end'],
}

export const centres: View<IndexedCentre & { readonly position: number }> = {
  name: 'directory',
  path: 'centres',
  tab: 'Directory',
  records: 'centres',
  searchHint: 'Name, suburb, postcode or UUID',
  whenEmpty: 'The directory has no centres.',
  pages: {
    overview: {
      title: 'Directory',
      path: '/console/directory',
      description: 'returns numbers of centres by status, refreshes, and providers with their routing',
      page: directoryPage,
    },
  },
  panel: 'overview',
  filters: {
    status: byStatus(STATUSES, ({ record }) => record.status),
  },
  // A list shows its last row first, and centres are shown by name.
  rows: ({ context }) => {
    const { byName } = centreIndex(context)
    return byName.map((centre, index) => ({ ...centre, position: byName.length - index })).reverse()
  },
  position: ({ position }) => position,
  texts: ({ text, record }) => [text, placeOf(record), record.uuid],
  show: ({ record, view }) => ({
    id: record.uuid,
    title: record.name,
    below: [placeOf(record), formatOpeningHours(view).replaceAll('\n', ', ')],
    mark: { status: record.status },
  }),
  page: (core, id) => {
    const centre = centreIndex(core.context).byUuid.get(id)
    if (centre === undefined) throw new Error(`the fake has no centre ${id}`)
    return centrePage(centre)
  },
}

function placeOf({ city, state, postcode }: IndexedCentre['record']): string {
  return `${city} ${state} ${postcode}`
}

function centrePage({ view }: IndexedCentre): Page {
  return {
    title: view.name,
    id: view.uuid,
    marks: [{ status: view.status }],
    sections: [
      { title: 'Centre', facts: factsOf(view, ['uuid', 'object', 'name', 'status', 'openingHours']) },
      { title: 'Open', text: formatOpeningHours(view) },
      { title: 'API response', folded: true, text: json(view) },
    ],
  }
}

function directoryPage({ context }: FakeCore): Page {
  const { byName } = centreIndex(context)
  const own = context.state.providers.records.filter(({ organisation }) => organisation === 'own')
  const routed = own
    .toReversed()
    .sort((one, other) => Number(other.connections.length > 0) - Number(one.connections.length > 0))
    .slice(0, MAX_ROWS)
  const rest = own.length - routed.length
  return {
    title: 'Directory',
    marks: STATUSES.map((status) => {
      const count = byName.filter(({ record }) => record.status === status).length
      return { status, text: `${number(count)} ${labelOf(status).toLowerCase()}` }
    }),
    sections: [
      {
        title: 'Weekly refresh',
        form: button('POST /centres/weekly-refresh', {
          label: 'Refresh the directory',
          values: { updated: 12 },
          folded: ['revivedWithNewDetails'],
        }),
      },
      {
        title: 'Refreshes',
        columns: ['Time', ...CHANGES.map(labelOf)],
        rows: context.state.centres.runs
          .slice(-MAX_ROWS)
          .reverse()
          .map(({ ranAt, changed }) => ({
            cells: [time(ranAt), ...CHANGES.map((kind) => number(changed[kind].length))],
          })),
        whenEmpty: 'No refreshes yet.',
      },
      {
        title: 'Providers and routing',
        buttons: [direct('POST /routing/submit', { label: 'Submit batch' })],
        ...(rest > 0 && { hint: `and ${number(rest)} more providers` }),
        rows: routed.flatMap(({ providerNumber, name, signature, connections }) => [
          {
            cells: [name, providerNumber, signature === null ? { text: 'No signature', tone: 'warn' } : null],
          },
          ...connections.map((connection) => connectionRow(providerNumber, connection)),
        ]),
        whenEmpty: 'No providers yet.',
      },
    ],
  }
}

function connectionRow(providerNumber: string, connection: { vendorId: string; status: string }): TableRow {
  const { vendorId, status } = connection
  const actions = (ROUTING_ACTIONS[status] ?? []).map(
    (action): Button =>
      direct(`POST /routing/{providerNumber}/{vendorId}/${action}`, {
        params: { providerNumber, vendorId },
      }),
  )
  return { cells: [`→ ${vendorId}`, { status }], buttons: actions }
}
