import { useEffect, useRef } from 'preact/hooks'

import { number } from '../format.js'
import type { ListPage } from '../lists.js'
import type { ListRow, ShownView } from '../view.js'
import { Buttons } from './buttons.js'
import { useRead, withQuery } from './control.js'
import { Select } from './form.js'
import { Empty, isEmptyValue, Shown, Time } from './parts.js'
import { changeList, type ListState, lists, NEW_LIST, route } from './state.js'

const TYPING_MS = 150

interface ListProps {
  readonly view: ShownView
  readonly state: ListState
}

export function List({ view }: { view: ShownView }) {
  const state = lists.value[view.name] ?? NEW_LIST
  const { search, filters, anchors } = state
  const before = anchors.at(-1)
  const { data: page, failure } = useRead<ListPage>(withQuery(view.path, { ...filters, search, before }))
  const rows = useRef<HTMLOListElement>(null)
  useEffect(() => rows.current?.scrollTo(0, 0), [before])
  return (
    <section class="list" aria-label={view.tab}>
      <h2 class="hidden">{view.tab}</h2>
      <Toolbar view={view} state={state} />
      {failure === undefined ? null : <Empty>{failure}</Empty>}
      {page?.items.length === 0 ? <EmptyList view={view} state={state} /> : null}
      <ol class="rows" ref={rows} hidden={page === undefined || page.items.length === 0}>
        {page?.items.map((row) => (
          <Row key={row.id} view={view.name} row={row} />
        ))}
      </ol>
      {page === undefined ? null : <Pages name={view.name} state={state} page={page} />}
    </section>
  )
}

function Toolbar({ view: { name, searchHint = '', filters = [], buttons = [] }, state }: ListProps) {
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const type = (search: string): void => {
    clearTimeout(typing.current)
    typing.current = setTimeout(() => changeList(name, { search, anchors: [] }), TYPING_MS)
  }
  const pick = (filter: string, value: string): void =>
    changeList(name, { filters: { ...state.filters, [filter]: value }, anchors: [] })
  return (
    <div class="toolbar row">
      <input
        type="search"
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
          label={any}
          options={[['', any], ...options]}
          selected={state.filters[filter] ?? ''}
          picked={(value) => pick(filter, value)}
        />
      ))}
      <Buttons of={buttons} />
    </div>
  )
}

function EmptyList({ view, state: { search, filters } }: ListProps) {
  const isFiltered = Object.values(filters).some((value) => value !== '')
  if (search === '' && !isFiltered) return <Empty>{view.whenEmpty}</Empty>
  const reasons = [...(search === '' ? [] : [`"${search}"`]), ...(isFiltered ? ['this filter'] : [])]
  const clear = (): void => {
    changeList(view.name, NEW_LIST)
    for (const control of document.querySelectorAll<HTMLInputElement>('.toolbar input, .toolbar select'))
      control.value = ''
    document.querySelector<HTMLElement>('.toolbar input')?.focus()
  }
  return (
    <p class="empty">
      No {view.records} match {reasons.join(' and ')}.{' '}
      <button type="button" class="button" onClick={clear}>
        Clear search and filters
      </button>
    </p>
  )
}

function Row({ view, row }: { view: string; row: ListRow }) {
  const { id, title, isCode, below, mark, time, isDeleted } = row
  const parts = below.filter((part) => !isEmptyValue(part))
  return (
    <li class={isDeleted ? 'deleted' : undefined}>
      <a
        class={isCode ? 'main mono' : 'main'}
        href={`#/${view}/${id}`}
        aria-current={String(id) === route.value.id ? 'true' : undefined}
      >
        {title}
      </a>
      <Shown value={mark} />
      <span class="muted">{parts.join(' · ')}</span>
      {time ? <Time iso={time} /> : null}
    </li>
  )
}

function Pages({ name, state: { anchors }, page }: { name: string; state: ListState; page: ListPage }) {
  const { items, total, newer } = page
  const last = items.at(-1)
  const shown = `${number(newer + 1)}–${number(newer + items.length)} of ${number(total)}`
  const step = (label: string, isPossible: boolean, next: readonly number[]) => (
    <button
      type="button"
      class="button"
      aria-disabled={!isPossible}
      onClick={() => isPossible && changeList(name, { anchors: next })}
    >
      {label}
    </button>
  )
  return (
    <nav class="pages row" aria-label="Pages">
      {step('Newest', anchors.length > 0, [])}
      {step('Newer', anchors.length > 0, anchors.slice(0, -1))}
      <span class="range muted">{last === undefined ? '0' : shown}</span>
      {step('Older', last !== undefined && newer + items.length < total, [...anchors, last?.position ?? 0])}
    </nav>
  )
}
