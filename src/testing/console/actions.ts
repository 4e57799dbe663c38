import { EVENT_NAMES } from '../../contract/events.js'
import type { ControlAction } from '../control/control-action.js'
import type { FakeCore } from '../core/fake-core.js'
import { deliveries } from './deliveries.js'
import { centres } from './directory.js'
import { faults } from './faults.js'
import { labelOf } from './format.js'
import { listPage } from './lists.js'
import { referrals, results } from './orders.js'
import { overview } from './overview.js'
import { requests } from './requests.js'
import { ORDER_FIELDS, placeOrder, SEND_FIELDS, sampleOrder, sendRequest } from './send.js'
import { settings } from './settings.js'
import type { Choices, OwnPage, ShownView, View } from './view.js'

/** A tab: the actions that read it, and what the page needs to know of it. */
interface Tab {
  readonly actions: readonly ControlAction[]
  readonly shown: (core: FakeCore) => ShownView
}

function listTab<Row>(view: View<Row>): Tab {
  const { name, tab, records, searchHint, whenEmpty, buttons = [], pages = {}, panel, filters } = view
  const path = `/console/${view.path ?? name}`
  const parameters = [...Object.keys(filters), 'search', 'before', 'count'].map((one) => `&${one}=`)
  return {
    actions: [
      read(path, `returns ${records}; ?${parameters.join(' ').slice(1)}`, (core, { query }) =>
        listPage(view, core, query),
      ),
      read(`${path}/{id}`, `returns the page of one of the ${records}`, (core, { params }) =>
        view.page(core, params['id'] ?? ''),
      ),
      ...Object.values(pages).map(readPage),
    ],
    shown: (core) => ({
      ...{ name, path, tab, records, searchHint, whenEmpty, buttons, pages },
      ...(panel && { panel }),
      filters: Object.entries(filters).map(([filter, { any, options }]) => ({
        ...{ name: filter, any },
        options: options(core).map((one) => (typeof one === 'string' ? [one, labelOf(one)] : one)),
      })),
    }),
  }
}

function pageTab(name: string, page: OwnPage): Tab {
  return { actions: [readPage(page)], shown: () => ({ name, tab: page.title, path: page.path }) }
}

function readPage({ path, description, page }: OwnPage): ControlAction {
  return read(path, description, (core, { query }) => page(core, query))
}

/** Reads don't send a change event, because the console reads again after each change event. */
function read(path: string, description: string, run: ControlAction['run']): ControlAction {
  return { method: 'GET', path, description, run }
}

const TABS: readonly Tab[] = [
  listTab(referrals),
  listTab(results),
  listTab(deliveries),
  listTab(requests),
  pageTab('faults', faults),
  listTab(centres),
  pageTab('settings', settings),
]

/** Actions of the console in the control API. Their responses are short or paged, so that the console stays fast. */
export const CONSOLE_ACTIONS: readonly ControlAction[] = [
  read(
    '/console/overview',
    'returns counts, the clock, the last events and the next scheduled steps',
    overview,
  ),
  read('/console/choices', 'returns the views, and the values that fields of forms offer', (core) => ({
    views: TABS.map(({ shown }) => shown(core)),
    choices: choices(core),
  })),
  ...TABS.flatMap(({ actions }) => actions),
  {
    method: 'POST',
    path: '/console/order',
    description: 'places an order over the API; the fake invents missing fields',
    body: ORDER_FIELDS,
    run: (core, { body }) => placeOrder(core, body),
  },
  {
    method: 'POST',
    path: '/console/sample-order',
    description: 'invents an order without placing it',
    run: (core) => sampleOrder(core),
  },
  {
    method: 'POST',
    path: '/console/send',
    description: 'sends a request over the API as a client; returns its number in the journal',
    body: SEND_FIELDS,
    run: (core, { body }) => sendRequest(core, body),
  },
]

/** Returns the values that fields of forms offer, by the name of the field. */
function choices({ state: { catalogue } }: FakeCore): Choices {
  const named = ({ id, name }: { readonly id: string; readonly name: string }) => [id, name] as const
  const events = EVENT_NAMES.map((name) => [name, name] as const)
  const tests = catalogue.tests.map(named)
  const biomarkers = catalogue.biomarkers.map(named)
  return {
    eventName: events,
    events,
    tests,
    testIds: tests,
    medicareTests: catalogue.tests.filter(({ medicareListed }) => medicareListed).map(named),
    biomarkerIds: biomarkers,
    values: biomarkers,
    bundleId: catalogue.bundles.filter(({ organisation }) => organisation === 'own').map(named),
  }
}
