import type { ComponentType } from 'preact'

import { Comparison } from './compare.js'
import { deliveries } from './deliveries.js'
import { centres, DirectoryPanel } from './directory.js'
import { Faults } from './faults.js'
import { Home } from './home.js'
import { type AnyList, listOf } from './list.js'
import { OrderForm } from './order-form.js'
import { referrals } from './referrals.js'
import { requests } from './requests.js'
import { results } from './results.js'
import { Settings } from './settings.js'
import type { Route } from './state.js'
import { Webhooks } from './webhooks.js'

export interface View {
  readonly label: string
  readonly list?: AnyList
  /** Shown without a list, or next to it if no record is selected. */
  readonly Panel: ComponentType
}

/** The views by name, in the order of the tabs. */
export const VIEWS: Readonly<Record<string, View>> = {
  referrals: {
    label: 'Referrals',
    list: listOf(referrals),
    Panel: () => <Home hint="Select a referral to see its history and its possible actions." />,
  },
  results: {
    label: 'Results',
    list: listOf(results),
    Panel: () => <Home hint="Select a result to see its biomarkers." />,
  },
  deliveries: { label: 'Deliveries', list: listOf(deliveries), Panel: Webhooks },
  requests: {
    label: 'Requests',
    list: listOf(requests),
    Panel: () => <Home hint="Select a request to see its headers and bodies, without secrets and tokens." />,
  },
  faults: { label: 'Faults', Panel: Faults },
  directory: { label: 'Directory', list: listOf(centres), Panel: DirectoryPanel },
  settings: { label: 'Settings', Panel: Settings },
  overview: { label: 'Overview', Panel: () => <Home /> },
}

/** Names of the views that have a tab. The title of the page opens the overview. */
export const TABS: readonly string[] = Object.keys(VIEWS).filter((name) => name !== 'overview')

/** Details that are not a record, by view and id. */
const PAGES: Readonly<Record<string, { readonly label: string; readonly Page: ComponentType }>> = {
  'referrals/new': { label: 'Place an order', Page: OrderForm },
  'deliveries/webhooks': { label: 'Webhooks', Page: Webhooks },
}

/** What the address shows next to the list. */
export function Shown({ route: { view, id } }: { route: Route }) {
  const { list, Panel } = VIEWS[view] ?? {}
  const Page = PAGES[`${view}/${id}`]?.Page
  if (Page !== undefined) return <Page />
  if (view === 'requests' && id.includes('~')) return <Comparison id={id} />
  if (list !== undefined && id !== '') return <list.Detail id={id} />
  return Panel === undefined ? null : <Panel />
}

/** Returns the view and the record of an address; the first view for an unknown one. */
export function routeOf(hash: string): Route {
  const [view = '', id = ''] = hash.replace(/^#\//, '').split('/')
  return Object.hasOwn(VIEWS, view) ? { view, id: decoded(id) } : { view: 'referrals', id: '' }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** Returns the title of the page: the view, and the record in it. */
export function titleOf({ view, id }: Route): string {
  const label = VIEWS[view]?.label ?? ''
  const name = id === '' ? label : (PAGES[`${view}/${id}`]?.label ?? `${label} ${id.slice(0, 8)}`)
  return `${name} · Pathology fake`
}
