import { read, withQuery } from './control.js'
import { deliveries, webhooksPanel } from './deliveries.js'
import { directoryPanel } from './directory.js'
import { h } from './dom.js'
import { faultsPanel } from './faults.js'
import { listPane, listQuery } from './lists.js'
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

/** @type {Readonly<Record<string, import('./lists.js').ListView<any, any>>>} */
export const LISTS = { referrals, results, deliveries, requests }

/**
 * Views without a list: what each reads and shows.
 *
 * @type {Readonly<Record<string, { label: string, read: () => Promise<any>, show: (data: any, state: State) => Child }>>}
 */
const PANELS = {
  faults: {
    label: 'Faults',
    read: () => read('/console/faults'),
    show: (data, { choices, route, faultKind }) =>
      faultsPanel(data, choices, { route: route.id, kind: faultKind }),
  },
  directory: {
    label: 'Directory',
    read: () => read('/console/directory'),
    show: (data, state) => directoryPanel(data, state.overview.now),
  },
  settings: {
    label: 'This fake',
    read: () => Promise.resolve({}),
    show: (_data, { overview, choices, snapshots }) => settingsPanel(overview, choices, snapshots),
  },
}

/** The views in the order of their tabs. */
export const TABS = Object.entries({ ...LISTS, ...PANELS }).map(([name, { label }]) => ({ name, label }))

/**
 * The view and the record that an address is of; an unknown one is the first view.
 *
 * @param {string} hash `#/view/id`
 * @returns {Route}
 */
export function routeOf(hash) {
  const [view = '', id = ''] = hash.replace(/^#\//, '').split('/')
  const isKnown = TABS.some(({ name }) => name === view)
  return isKnown ? { view, id: decodeURIComponent(id) } : { view: 'referrals', id: '' }
}

/**
 * Everything that a view shows.
 *
 * @param {Pick<State, 'route' | 'lists'>} state
 * @returns {Promise<{ page?: any, detail?: any, panel?: any }>}
 */
export async function readView({ route: { view, id }, lists }) {
  const list = LISTS[view]
  if (list === undefined) return { panel: await PANELS[view]?.read() }
  const state = lists[view]
  const [page, detail] = await Promise.all([
    read(withQuery(list.path, state === undefined ? {} : listQuery(list, state))),
    readDetail(list, id),
  ])
  return { page, detail }
}

/**
 * @param {import('./lists.js').ListView<any, any>} list
 * @param {string} id
 */
async function readDetail(list, id) {
  if (list === deliveries && (id === '' || id === 'webhooks')) return read('/console/webhooks')
  if (id === '') return undefined
  try {
    return await read(`${list.path}/${encodeURIComponent(id)}`)
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * The elements of the view at hand.
 *
 * @param {State} state
 * @returns {Child}
 */
export function showView(state) {
  const { route, shown, lists, choices, overview } = state
  const { view, id } = route
  const list = LISTS[view]
  const listState = lists[view]
  if (list === undefined || listState === undefined) {
    const panel = PANELS[view]
    return panel === undefined || shown.panel === undefined
      ? null
      : h(
          'section',
          { class: 'panel', 'data-key': view, 'aria-label': panel.label },
          panel.show(shown.panel, state),
        )
  }
  if (shown.page === undefined) return null
  return [
    listPane(list, listState, shown.page, { chosen: id, now: overview.now, choices }),
    h(
      'section',
      { class: 'detail', 'data-key': `${view} ${id}`, 'aria-label': 'Details', tabindex: -1 },
      h('a', { class: 'back', href: `#/${view}` }, `All ${list.label.toLowerCase()}`),
      detailOf(list, state),
    ),
  ]
}

/**
 * @param {import('./lists.js').ListView<any, any>} list
 * @param {State} state
 * @returns {Child}
 */
function detailOf(list, { shown: { detail }, choices, overview, route }) {
  if (detail === undefined) return list.nothingChosen
  if ('missing' in detail) return empty(`It is not there any more: ${detail.missing}`)
  if (list === deliveries && (route.id === '' || route.id === 'webhooks'))
    return webhooksPanel(detail, choices)
  return list.detail(detail, overview.now)
}
