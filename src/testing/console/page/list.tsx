import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import type { NewestPage } from '../lists.js'
import { Select } from './actions.js'
import { useRead, withQuery } from './control.js'
import { labelOf, number } from './format.js'
import { Empty } from './parts.js'
import { type Choices, changeList, choices, type ListState, lists, NEW_LIST, route } from './state.js'

const TYPING_MS = 150

interface ListItem {
  readonly position: number
  readonly deleted?: boolean
}

interface Filter {
  /** Name of the query parameter. */
  readonly name: string
  readonly any: string
  readonly options: (choices: Choices) => readonly (readonly [value: string, label: string])[]
}

/** A filter by status. */
export function byStatus(statusesOf: (choices: Choices) => readonly string[]): Filter {
  const options: Filter['options'] = (all) => statusesOf(all).map((status) => [status, labelOf(status)])
  return { name: 'status', any: 'Any status', options }
}

interface Row {
  readonly main: ComponentChildren
  readonly below: ComponentChildren
  readonly right: ComponentChildren
  readonly rightBelow?: ComponentChildren
}

/** A list on the left, the selected record on the right. */
export interface ListView<Item extends ListItem, Detail> {
  /** Name in the address. */
  readonly name: string
  readonly label: string
  /** Path in the control API. */
  readonly path: string
  readonly searchHint: string
  readonly filters: readonly Filter[]
  readonly Tools?: ComponentType
  readonly whenEmpty: string
  readonly idOf: (item: Item) => string | number
  readonly row: (item: Item) => Row
  readonly Detail: ComponentType<{ readonly detail: Detail }>
}

/** A list without the types of its records. */
export interface AnyList {
  readonly label: string
  readonly path: string
  readonly Pane: ComponentType
  readonly Detail: ComponentType<{ readonly id: string }>
}

/** Makes the components of a list, so that what shows them doesn't depend on the type of their records. */
export function listOf<Item extends ListItem, Detail>(view: ListView<Item, Detail>): AnyList {
  return {
    label: view.label,
    path: view.path,
    Pane: () => <ListPane view={view} />,
    Detail: ({ id }) => {
      const { data, failure } = useRead<Detail>(`${view.path}/${encodeURIComponent(id)}`)
      if (failure !== undefined) return <Empty>This record is not available: {failure}</Empty>
      return data === undefined ? null : <view.Detail detail={data} />
    },
  }
}

function ListPane<Item extends ListItem, Detail>({ view }: { view: ListView<Item, Detail> }) {
  const state = lists.value[view.name] ?? NEW_LIST
  const { search, filters, anchors } = state
  const before = anchors.at(-1)
  const { data: page, failure } = useRead<NewestPage<Item>>(
    withQuery(view.path, { ...filters, search, before }),
  )
  const rows = useRef<HTMLOListElement>(null)
  useEffect(() => rows.current?.scrollTo(0, 0), [before])
  return (
    <section class="list" aria-label={view.label}>
      <h2 class="hidden">{view.label}</h2>
      <Toolbar view={view} state={state} />
      {failure === undefined ? null : <Empty>{failure}</Empty>}
      {page?.items.length === 0 ? <EmptyList view={view} state={state} /> : null}
      <ol class="rows" ref={rows} hidden={page === undefined || page.items.length === 0}>
        {page?.items.map((item) => (
          <ListRow key={view.idOf(item)} view={view} item={item} />
        ))}
      </ol>
      {page === undefined ? null : <Pages name={view.name} state={state} page={page} />}
    </section>
  )
}

type AnyView = Pick<
  ListView<never, never>,
  'name' | 'label' | 'filters' | 'searchHint' | 'whenEmpty' | 'Tools'
>

function Toolbar({ view, state }: { view: AnyView; state: ListState }) {
  const { name, searchHint, filters, Tools } = view
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const type = (search: string): void => {
    clearTimeout(typing.current)
    typing.current = setTimeout(() => changeList(name, { search, anchors: [] }), TYPING_MS)
  }
  const pick = (filter: string) => (value: string) =>
    changeList(name, { filters: { ...state.filters, [filter]: value }, anchors: [] })
  return (
    <div class="toolbar">
      <input
        type="search"
        name="search"
        aria-label={`Search: ${searchHint}`}
        placeholder={searchHint}
        defaultValue={state.search}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget: { value } }) => type(value)}
      />
      {filters.map(({ name: filter, any, options }) => (
        <Select
          key={filter}
          bare
          label={any}
          name={filter}
          options={[['', any], ...options(choices.value)]}
          selected={state.filters[filter] ?? ''}
          picked={pick(filter)}
        />
      ))}
      {Tools === undefined ? null : <Tools />}
    </div>
  )
}

function EmptyList({ view, state: { search, filters } }: { view: AnyView; state: ListState }) {
  const isFiltered = Object.values(filters).some((value) => value !== '')
  if (search === '' && !isFiltered) return <Empty>{view.whenEmpty}</Empty>
  const reasons = [...(search === '' ? [] : [`"${search}"`]), ...(isFiltered ? ['this filter'] : [])]
  const parts = [...(search === '' ? [] : ['search']), ...(isFiltered ? ['filter'] : [])]
  const clear = (): void => {
    changeList(view.name, NEW_LIST)
    for (const control of document.querySelectorAll<HTMLInputElement>('.toolbar input, .toolbar select'))
      control.value = ''
    document.querySelector<HTMLElement>('.toolbar input')?.focus()
  }
  return (
    <p class="empty">
      No {view.label.toLowerCase()} match {reasons.join(' and ')}.{' '}
      <button type="button" class="button small" onClick={clear}>
        Clear {parts.join(' and ')}
      </button>
    </p>
  )
}

function ListRow<Item extends ListItem, Detail>({
  view,
  item,
}: {
  view: ListView<Item, Detail>
  item: Item
}) {
  const id = String(view.idOf(item))
  const { main, below, right, rightBelow } = view.row(item)
  return (
    <li class={item.deleted === true ? 'deleted' : undefined}>
      <a
        class="row-main"
        href={`#/${view.name}/${id}`}
        aria-current={id === route.value.id ? 'true' : undefined}
      >
        {main}
      </a>
      <span class="row-right">{right}</span>
      <span class="row-below">{below}</span>
      <span class="row-right muted">{rightBelow}</span>
    </li>
  )
}

function Pages({ name, state, page }: { name: string; state: ListState; page: NewestPage<ListItem> }) {
  const { anchors } = state
  const { items, total, newer } = page
  const last = items.at(-1)
  const range =
    last === undefined ? '0' : `${number(newer + 1)}–${number(newer + items.length)} of ${number(total)}`
  const step = (label: string, isPossible: boolean, next: readonly number[]) => (
    <button
      type="button"
      class="button small"
      aria-disabled={!isPossible}
      onClick={() => isPossible && changeList(name, { anchors: next })}
    >
      {label}
    </button>
  )
  return (
    <nav class="pages" aria-label="Pages">
      {step('Newest', anchors.length > 0, [])}
      {step('Newer', anchors.length > 0, anchors.slice(0, -1))}
      <span class="range">{range}</span>
      {step('Older', last !== undefined && newer + items.length < total, [...anchors, last?.position ?? 0])}
    </nav>
  )
}
