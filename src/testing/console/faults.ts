import type { FakeCore } from '../core/fake-core.js'
import { isPeriodOver } from '../faults/rate-limit.js'
import { ROUTES } from '../server/routes.js'
import type { FakeContext } from '../state/context.js'
import { labelOf, number, plural, span } from './format.js'
import { button, direct, type OwnPage, type Page, type Section, type TableRow } from './view.js'

/** Faults that the form offers, by their labels. */
const FAULT_PRESETS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'Error status': { status: 503 },
  'Too many requests': { status: 429, retryAfter: 2 },
  'Lost response': { loseResponse: true },
  'Request carried out, then 502': { loseResponse: true, status: 502 },
  'Late response': { latencyMs: 2000 },
  'Connection reset at once': { reset: 'before' },
  'Connection reset after half the body': { reset: 'mid-body' },
  'Connection closed after half the body': { truncate: true },
  'No response': { stall: 'headers' },
  'No data after half the body': { stall: 'body' },
  'Slow body': { drip: { bytes: 16, everyMs: 50 } },
  'Response that is not HTTP': { malformed: 'http' },
  'Incomplete JSON': { malformed: 'json' },
}

export const faults: OwnPage = {
  title: 'Faults',
  path: '/console/faults',
  description: 'returns the pending faults and the request limit; ?id=ROUTE chooses a route in the form',
  page: faultsPage,
}

function faultsPage(core: FakeCore, query: URLSearchParams): Page {
  const route = query.get('id') ?? '*'
  const { faults: deliveryFaults } = core.state.webhooks
  const addFault = button('POST /faults', { label: 'Add fault' })
  const names = Object.keys(addFault.fields ?? {})
  const offered = ['*', ...ROUTES.map(({ method, path }) => `${method} ${path}`)]
  const routes = offered.includes(route) ? offered : [route, ...offered]
  return {
    title: 'Faults',
    sections: [
      {
        title: 'Add a fault',
        form: {
          ...addFault,
          values: { route },
          choices: { route: routes.map((one) => [one, one === '*' ? 'Any request' : one]) },
          presets: FAULT_PRESETS,
          folded: names.filter((name) => !['route', 'times', 'nth'].includes(name)),
        },
      },
      {
        title: 'Pending faults',
        rows: core.faults.list().map(faultRow),
        whenEmpty: 'No pending faults.',
        buttons: [
          direct('DELETE /faults', {
            label: 'Remove all faults',
            tone: 'bad',

            done: 'Faults removed',
          }),
        ],
      },
      {
        title: 'Add a delivery fault',
        form: button('POST /deliveries/faults', {
          label: 'Add delivery fault',
          folded: ['entityUuid', 'webhookId'],
        }),
      },
      {
        title: 'Pending delivery faults',
        rows: deliveryFaults.map(({ kind, eventName, timesLeft }) => ({
          cells: [labelOf(kind), eventName ?? 'any event', plural(timesLeft, 'delivery', 'deliveries')],
        })),
        whenEmpty: 'No pending delivery faults.',
        buttons:
          deliveryFaults.length === 0
            ? []
            : [direct('DELETE /deliveries/faults', { label: 'Remove delivery faults' })],
      },
      quotaSection(core.context),
    ],
  }
}

function faultRow({
  id,
  route,
  fault,
  left,
  used,
}: ReturnType<FakeCore['faults']['list']>[number]): TableRow {
  const fields = Object.entries(fault).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return {
    cells: [
      `#${id}`,
      route === '*' ? 'Any request' : route,
      fields.join(', '),
      left === null ? `every request, ${used} so far` : plural(left, 'request'),
    ],
    buttons: [direct('DELETE /faults/{id}', { params: { id: String(id) }, label: 'Remove' })],
  }
}

function quotaSection({ clock, state: { faults } }: FakeContext): Section {
  const form = button('PUT /quota', { label: 'Set limit', values: { limit: 10, perMs: 60_000 } })
  const title = 'Limit requests'
  if (faults.quota === null)
    return {
      title,
      form,
      hint: "No limit. Requests above a limit get 429. The period is on the fake's clock.",
    }
  const { limit, perMs, used } = faults.quota
  // `used` belongs to the period of the last request. If this period is over, the current one has no request.
  const count = isPeriodOver(faults.quota, clock.now()) ? 0 : used
  return {
    title,
    form,
    hint: `The limit is ${plural(limit, 'request')} in ${span(perMs)}. Requests in the current period: ${number(count)}.`,
    buttons: [direct('DELETE /quota', { label: 'Remove limit' })],
  }
}
