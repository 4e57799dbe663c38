import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { ControlAction } from '../../control/control-action.js'
import type { RecordAction } from '../orders.js'
import { closeDialog, openDialog, perform, run } from './actions.js'
import { read, withQuery } from './control.js'
import { labelOf } from './format.js'
import { openActionForm } from './parts.js'
import { openSender } from './requests.js'
import { takeSnapshot } from './settings.js'
import { route } from './state.js'
import { TABS, VIEWS } from './views.js'

const TYPING_MS = 150
const MAX_FOUND = 5
const MIN_SEARCH = 2
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, Enter: 0 }

interface Entry {
  readonly kind: 'View' | 'Record' | 'Action'
  readonly label: string
  readonly hint?: string
  readonly choose: () => void
}

type Listed = Pick<ControlAction, 'method' | 'path' | 'description' | 'body'>

/** Actions that the page offers in a better way, or that need a body of their own. */
const LEFT_OUT = /^\/(console|restore|options|settled|snapshot)|\{|assert/

const PAGES: readonly Entry[] = [
  ...[...TABS, 'overview'].map((name) => visit(VIEWS[name]?.label ?? name, `#/${name}`)),
  visit('Place an order', '#/referrals/new'),
  visit('Webhooks', '#/deliveries/webhooks'),
  { kind: 'Action', label: 'Send a request', choose: () => openSender() },
  { kind: 'Action', label: 'Take a snapshot', choose: () => void run(takeSnapshot) },
]

function visit(label: string, hash: string, hint?: string, kind: Entry['kind'] = 'View'): Entry {
  return { kind, label, ...(hint === undefined ? {} : { hint }), choose: () => (location.hash = hash) }
}

/** Opens the palette, which finds views, records and actions. */
export function openPalette(): void {
  openDialog({ title: 'Find', content: <Palette />, size: 'palette' })
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
  const matching = [...PAGES, ...actions].filter(({ label, hint = '' }) =>
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
    () => document.querySelector('.palette [aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
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

/** Actions of the current record, and those of the control API that need no record. */
async function readActions(): Promise<Entry[]> {
  const { view, id } = route.value
  const isRecord = ['referrals', 'results'].includes(view) && id !== '' && id !== 'new'
  const [{ actions: listed }, { actions: own }] = await Promise.all([
    read<{ actions: readonly Listed[] }>('/'),
    isRecord ? read<{ actions: readonly RecordAction[] }>(`/console/${view}/${id}`) : { actions: [] },
  ])
  const ofRecord = own.map(({ name, ...action }) => actionEntry(`This record: ${labelOf(name)}`, action))
  const general = listed
    .filter(({ method, path }) => method !== 'GET' && !LEFT_OUT.test(path))
    .map((action) => actionEntry(labelOfAction(action), action))
  return [...ofRecord, ...general]
}

function labelOfAction({ method, path }: Listed): string {
  const words = labelOf(path.slice(1).replaceAll('/', ' '))
  return method === 'DELETE' ? `Remove ${words.toLowerCase()}` : words
}

function actionEntry(
  label: string,
  { path, description, body, ...rest }: Partial<Listed> & Omit<RecordAction, 'name'>,
): Entry {
  const method = rest.method === 'GET' ? 'POST' : (rest.method ?? 'POST')
  const choose = (): void => {
    if (body === undefined) void run(() => perform({ method, path, done: `${label}: done` }))
    else openActionForm({ label, method, path, description, body })
  }
  return { kind: 'Action', label, hint: description, choose }
}

interface Found {
  readonly items: readonly Readonly<
    Record<
      'uuid' | 'position' | 'name' | 'eventName' | 'method' | 'path' | 'status' | 'place',
      string | undefined
    >
  >[]
}

/** Searches the lists of every view. */
async function findRecords(search: string): Promise<Entry[]> {
  const found = TABS.flatMap((view) => {
    const { list } = VIEWS[view] ?? {}
    return list === undefined ? [] : [{ view, path: list.path }]
  }).map(async ({ view, path }) => {
    const { items } = await read<Found>(withQuery(path, { search, count: MAX_FOUND }))
    return items.map(({ uuid, position, name, eventName, method, path: target, place, status }) => {
      const label = name ?? eventName ?? `${method} ${target}`
      const hint = `${VIEWS[view]?.label} · ${[place, status].filter(Boolean).join(' · ')} ${(uuid ?? position ?? '').toString().slice(0, 8)}`
      return visit(label, `#/${view}/${uuid ?? position}`, hint, 'Record')
    })
  })
  return (await Promise.all(found)).flat()
}
