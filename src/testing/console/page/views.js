import { read, withQuery } from './control.js'
import { deliveries, webhooksPanel } from './deliveries.js'
import { directoryPanel } from './directory.js'
import { h } from './dom.js'
import { faultsPanel } from './faults.js'
import { overviewPanel } from './home.js'
import { listPane, listQuery, newListState } from './lists.js'
import { orderForm } from './order-form.js'
import { empty } from './parts.js'
import { referrals } from './referrals.js'
import { requests } from './requests.js'
import { results } from './results.js'
import { settingsPanel } from './settings.js'

/**
 * @typedef {import('./console.js').State} State
 * @typedef {import('./dom.js').Child} Child
 * @typedef {{ view: string, id: string }} Route
 */

/**
 * @typedef {(state: State) => Child} Drawing draws the data of a view
 * @typedef {object} Shown data of the current view
 * @property {import('./lists.js').ListPage} [page]
 * @property {(state: State) => ReturnType<typeof listPane>} [list]
 * @property {Drawing} [detail]
 * @property {Drawing} [panel]
 */

/**
 * Returns a list that reads and draws its records, so that its callers do not depend on their type.
 *
 * @template {import('./lists.js').ListItem} Item
 * @template Detail
 * @param {import('./lists.js').ListView<Item, Detail>} view
 */
function listOf(view) {
  return {
    label: view.label,
    nothingSelected: view.nothingSelected ?? '',
    /** @param {import('./lists.js').ListState} state */
    async readPage(state) {
      /** @type {import('./lists.js').ListPage<Item>} */
      const page = await read(withQuery(view.path, listQuery(view, state)))
      /** @type {Shown['list']} */
      const list = ({ lists, route, overview, choices }) =>
        listPane(view, lists[view.name] ?? state, page, { selected: route.id, now: overview.now, choices })
      return { page, list }
    },
    /**
     * @param {string} id
     * @returns {Promise<Drawing>}
     */
    async readDetail(id) {
      /** @type {Detail} */
      const detail = await read(`${view.path}/${encodeURIComponent(id)}`)
      return ({ overview }) => view.detail(detail, overview.now, overview)
    },
  }
}

/** @type {Readonly<Record<string, ReturnType<typeof listOf>>>} */
export const LISTS = {
  referrals: listOf(referrals),
  results: listOf(results),
  deliveries: listOf(deliveries),
  requests: listOf(requests),
}

/**
 * Views without a list.
 *
 * @type {Readonly<Record<string, { label: string, read: () => Promise<Drawing> }>>}
 */
const PANELS = {
  overview: {
    label: 'Overview',
    async read() {
      return ({ overview }) => overviewPanel(overview, '')
    },
  },
  faults: {
    label: 'Faults',
    async read() {
      /** @type {import('../views.js').FaultsView} */
      const view = await read('/console/faults')
      return ({ choices, route, faultKind }) =>
        faultsPanel(view, choices, { route: route.id, kind: faultKind })
    },
  },
  directory: {
    label: 'Directory',
    async read() {
      /** @type {import('../views.js').DirectoryView} */
      const view = await read('/console/directory')
      return ({ overview }) => directoryPanel(view, overview.now)
    },
  },
  settings: {
    label: 'Settings',
    async read() {
      /** @type {{ options: readonly import('../views.js').OptionView[] }} */
      const { options } = await read('/console/options')
      return ({ overview, snapshots }) => settingsPanel(overview, options, snapshots)
    },
  },
}

/** The views, in the order of the tabs. */
export const TABS = Object.entries({ ...LISTS, ...PANELS })
  .filter(([name]) => name !== 'overview')
  .map(([name, { label }]) => ({ name, label }))

/**
 * Returns the view and the record of an address. Returns the first view for an unknown address.
 *
 * @param {string} hash `#/view/id`
 * @returns {Route}
 */
export function routeOf(hash) {
  const [view = '', id = ''] = hash.replace(/^#\//, '').split('/')
  const isKnown = view in LISTS || view in PANELS
  return isKnown ? { view, id: decodedOf(id) } : { view: 'referrals', id: '' }
}

/**
 * Returns a text without percent-encoding; `''` if its encoding is invalid.
 *
 * @param {string} text
 */
function decodedOf(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/**
 * Reads the data of a view.
 *
 * @param {Pick<State, 'route' | 'lists'>} state
 * @returns {Promise<Shown>}
 */
export async function readView({ route: { view, id }, lists }) {
  const list = LISTS[view]
  if (list === undefined) return { panel: (await PANELS[view]?.read()) ?? (() => null) }
  const [page, detail] = await Promise.all([
    list.readPage(lists[view] ?? newListState()),
    view === 'deliveries' && (id === '' || id === 'webhooks') ? readWebhooks() : readDetail(list, id),
  ])
  return { ...page, detail }
}

/** @returns {Promise<Drawing>} */
async function readWebhooks() {
  /** @type {Parameters<typeof webhooksPanel>[0]} */
  const webhooks = await read('/console/webhooks')
  return ({ choices }) => webhooksPanel(webhooks, choices)
}

/**
 * @param {Pick<ReturnType<typeof listOf>, 'readDetail' | 'nothingSelected'>} list
 * @param {string} id
 * @returns {Promise<Drawing>}
 */
async function readDetail(list, id) {
  if (id === '') return ({ overview }) => overviewPanel(overview, list.nothingSelected)
  if (id === 'new') return ({ choices }) => orderForm(choices)
  try {
    return await list.readDetail(id)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return () => empty(`This record is not available: ${message}`)
  }
}

/**
 * Returns the title of the page: the view, and the record in it.
 *
 * @param {Pick<State, 'route'>} state
 */
export function titleOf({ route: { view, id } }) {
  const label = (LISTS[view] ?? PANELS[view])?.label ?? 'Overview'
  const names = id === '' ? [label] : [DETAIL_TITLES.get(id) ?? `${label} ${id.slice(0, 8)}`]
  return [...names, 'Pathology fake'].join(' · ')
}

/** Titles of details that are not a record. */
const DETAIL_TITLES = new Map([
  ['new', 'Place an order'],
  ['webhooks', 'Webhooks'],
])

/**
 * Draws the current view.
 *
 * @param {State} state
 * @returns {Child}
 */
export function showView(state) {
  const { route, shown } = state
  const { view, id } = route
  const list = LISTS[view]
  if (list === undefined) {
    const panel = PANELS[view]
    return panel === undefined || shown.panel === undefined
      ? null
      : h('section', { class: 'panel', 'data-key': view, 'aria-label': panel.label }, shown.panel(state))
  }
  if (shown.list === undefined || shown.detail === undefined) return null
  return [
    shown.list(state),
    h(
      'section',
      { class: 'detail', 'data-key': `${view} ${id}`, 'aria-label': 'Details', tabindex: -1 },
      h('a', { class: 'back', href: `#/${view}` }, `All ${list.label.toLowerCase()}`),
      shown.detail(state),
    ),
  ]
}
