import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { ControlAction } from '../../control/control-action.js'
import { labelOf } from '../format.js'
import type { ListPage } from '../lists.js'
import { closeDialog, openDialog, type PageButton, visit } from './act.js'
import { press } from './buttons.js'
import { read, withQuery } from './control.js'
import { TAKE_SNAPSHOT } from './snapshots.js'
import { shownButtons, views } from './state.js'

const TYPING_MS = 150
const MAX_FOUND = 5
const MIN_SEARCH = 2
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, Enter: 0 }

interface Entry {
  readonly kind: 'View' | 'Record' | 'Action'
  readonly label: string
  readonly hint?: string | undefined
  readonly choose: () => void
}

type Listed = Pick<ControlAction, 'method' | 'path' | 'description' | 'body'>

/** Actions that the page offers in a better way, or that need a body of their own. */
const LEFT_OUT = /^\/(console|restore|options|settled|snapshot)|\{|assert/

/** Opens the palette, which finds views, records and actions. */
export function openPalette(): void {
  openDialog('Find', <Palette />)
}

function Palette() {
  const [search, setSearch] = useState('')
  const [at, setAt] = useState(0)
  const [actions, setActions] = useState<readonly Entry[]>([])
  const [records, setRecords] = useState<readonly Entry[]>([])
  useEffect(() => void readActions().then(setActions), [])
  useEffect(() => {
    if (search.length < MIN_SEARCH) return setRecords([])
    const timer = setTimeout(() => void findRecords(search).then(setRecords), TYPING_MS)
    return () => clearTimeout(timer)
  }, [search])
  const words = search.toLowerCase().split(/\s+/)
  const matching = [...ownEntries(), ...actions].filter(({ label, hint = '' }) =>
    words.every((word) => `${label} ${hint}`.toLowerCase().includes(word)),
  )
  const entries = [...matching.slice(0, search === '' ? undefined : 12), ...records]
  const chosen = Math.min(at, entries.length - 1)
  const choose = (entry: Entry | undefined): void => {
    closeDialog()
    entry?.choose()
  }
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    if (step === 0) choose(entries[chosen])
    else setAt((chosen + step + entries.length) % Math.max(1, entries.length))
  }
  useEffect(
    () => document.querySelector('#found [aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    [chosen],
  )
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label="Find views, records and actions"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={entries.length === 0 ? undefined : `found-${chosen}`}
        placeholder="A view, a name, a UUID, a path, an action"
        autocomplete="off"
        autofocus
        onInput={({ currentTarget: { value } }) => {
          setSearch(value.trim())
          setAt(0)
        }}
        onKeyDown={press}
      />
      <div id="found" role="listbox" aria-label="Found" tabIndex={-1}>
        {entries.map((entry, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, as a combobox does
          <div
            key={`${entry.kind} ${entry.label} ${entry.hint}`}
            id={`found-${place}`}
            role="option"
            aria-selected={place === chosen}
            onClick={() => choose(entry)}
          >
            <span class="muted kind">{entry.kind}</span> {entry.label} <span class="muted">{entry.hint}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 ? <p class="empty">Nothing found.</p> : null}
    </>
  )
}

/** The views with their pages and buttons, and the buttons of the page that is shown. */
function ownEntries(): Entry[] {
  const pages = views.value.flatMap(({ name, tab, pages: named = {} }) => [
    entryFor('View', tab, `#/${name}`),
    ...Object.entries(named)
      .filter(([, { title }]) => title !== tab)
      .map(([id, { title }]) => entryFor('View', title, `#/${name}/${id}`)),
  ])
  return [
    ...pages,
    entryFor('View', 'Overview', '#/overview'),
    ...shownButtons.value.map((button) => entryOf(button, `This page: ${button.label}`)),
    ...views.value.flatMap(({ buttons = [] }) =>
      buttons.filter(({ path }) => path).map((button) => entryOf(button)),
    ),
    entryOf(TAKE_SNAPSHOT),
  ]
}

function entryFor(kind: Entry['kind'], label: string, hash: string, hint?: string): Entry {
  return { kind, label, hint, choose: () => visit(hash) }
}

function entryOf(button: PageButton, label = button.label): Entry {
  return { kind: 'Action', label, hint: button.description, choose: () => void press(button) }
}

/** Actions of the control API that need no record. */
async function readActions(): Promise<Entry[]> {
  const { actions } = await read<{ actions: readonly Listed[] }>('/')
  return actions
    .filter(({ method, path }) => method !== 'GET' && !LEFT_OUT.test(path))
    .map(({ method, path, description, body: fields }) =>
      entryOf({ label: labelOfAction(method, path), description, method, path, ...(fields && { fields }) }),
    )
}

function labelOfAction(method: string, path: string): string {
  const words = labelOf(path.slice(1).replaceAll('/', ' '))
  return method === 'DELETE' ? `Remove ${words.toLowerCase()}` : words
}

/** Searches the lists of every view. */
async function findRecords(search: string): Promise<Entry[]> {
  const found = views.value
    .filter(({ records }) => records !== undefined)
    .map(async ({ name, path, tab }) => {
      const { items } = await read<ListPage>(withQuery(path, { search, count: MAX_FOUND }))
      return items.map(({ id, title, below }) =>
        entryFor('Record', title, `#/${name}/${id}`, `${tab} · ${below.filter(Boolean).join(' · ')}`),
      )
    })
  return (await Promise.all(found)).flat()
}
