import { signal } from '@preact/signals'

import type { choices as readChoices, overview as readOverview } from '../overview.js'
import { read } from './control.js'

export type Overview = ReturnType<typeof readOverview>
export type Choices = ReturnType<typeof readChoices>

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
const [firstOverview, firstChoices] = await Promise.all([
  read<Overview>('/console/overview'),
  read<Choices>('/console/choices'),
])

export const overview = signal(firstOverview)
export const choices = signal(firstChoices)
export const route = signal<Route>({ view: 'referrals', id: '' })
export const lists = signal<Readonly<Record<string, ListState>>>({})
/** Milliseconds by which the fake's clock is later than this machine's. */
export const clockOffset = signal(Date.parse(firstOverview.now) - Date.now())
/** Snapshots of this tab. */
export const snapshots = signal<readonly { readonly name: string; readonly text: string }[]>([])

export const NEW_LIST: ListState = { search: '', filters: {}, anchors: [] }

export function changeList(name: string, changes: Partial<ListState>): void {
  lists.value = { ...lists.value, [name]: { ...NEW_LIST, ...lists.value[name], ...changes } }
}

export function go(view: string, id: string | number = ''): void {
  location.hash = id === '' ? `#/${view}` : `#/${view}/${encodeURIComponent(id)}`
}
