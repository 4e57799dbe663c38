import { computed, signal } from '@preact/signals'

import type { overview as readOverview } from '../overview.js'
import type { Button, Choices, ShownView } from '../view.js'
import { read } from './control.js'

export type Overview = ReturnType<typeof readOverview>

/** The views, and the values that fields of forms offer. */
export interface Shared {
  readonly views: readonly ShownView[]
  readonly choices: Choices
}

/** View and record of the address: `#/view/id`. */
export interface Route {
  readonly view: string
  readonly id: string
}

export interface ListState {
  readonly search: string
  readonly filters: Readonly<Record<string, string>>
  /** `before` of each page after the first: position of the previous page's last record. */
  readonly anchors: readonly number[]
}

/** Data that every view needs, read before the page is drawn, so that the layout doesn't shift. */
const [firstOverview, first] = await Promise.all([
  read<Overview>('/console/overview'),
  read<Shared>('/console/choices'),
])

export const overview = signal(firstOverview)
export const shared = signal(first)
export const views = computed(() => shared.value.views)
export const choices = computed(() => shared.value.choices)
export const route = signal(routeOf(location.hash))
export const lists = signal<Readonly<Record<string, ListState>>>({})
/** Buttons of the page that is shown. The palette offers them too. */
export const shownButtons = signal<readonly Button[]>([])
/** Milliseconds by which the fake's clock is later than this machine's. */
export const clockOffset = signal(Date.parse(firstOverview.now) - Date.now())
/** Snapshots of this tab. */
export const snapshots = signal<readonly { readonly name: string; readonly text: string }[]>([])

export const NEW_LIST: ListState = { search: '', filters: {}, anchors: [] }

export function changeList(name: string, changes: Partial<ListState>): void {
  lists.value = { ...lists.value, [name]: { ...NEW_LIST, ...lists.value[name], ...changes } }
}

/** Returns the view and the record of an address; the first view for an unknown one. */
export function routeOf(hash: string): Route {
  const [view = '', id = ''] = hash.replace(/^#\//, '').split('/')
  const isKnown = view === 'overview' || first.views.some(({ name }) => name === view)
  return isKnown ? { view, id: decoded(id) } : { view: 'referrals', id: '' }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
