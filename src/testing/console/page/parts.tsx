import type { ComponentChildren } from 'preact'

import type { RecordAction } from '../orders.js'
import type { TimelineEntry } from '../timeline.js'
import { Act, Copy, closeDialog, Form, Input, openDialog, Submit, toneStyle } from './actions.js'
import { json, labelOf, longTime, shortTime } from './format.js'
import { overview } from './state.js'

/** Statuses by their colour. The other ones are quiet. */
const STATUSES = {
  busy: ['ISSUED', 'ready', 'sending'],
  good: ['COMPLETE', 'delivered', 'ACTIVE', 'CONNECTED'],
  part: ['PARTIAL_RESULTS'],
  warn: [
    ...['PENDING_VERIFICATION', 'SCHEDULED_REISSUE', 'IN_REVIEW'],
    ...['waiting', 'MISSING', 'PENDING_CONFIRMATION'],
  ],
  bad: ['INSUFFICIENT_DATA', 'FAILED_TEST', 'BILLING_FAILED', 'failed', 'ACTION_NEEDED'],
}
const TONES = new Map(
  Object.entries(STATUSES).flatMap(([tone, statuses]) => statuses.map((status) => [status, tone])),
)

const MAIN_ACTIONS = new Set(['issue', 'verify', 'partialResults', 'complete', 'release'])
const ENDING_ACTIONS = new Set(['failBilling', 'failTest', 'refund', 'softDelete'])

/** Marks of deliveries that repeat an earlier delivery of the event to the same webhook. */
export const REPEATS = { resend: 'Resent', duplicate: 'Duplicate' } as const

export function Pill({
  status,
  tone,
  children,
}: {
  status?: string
  tone?: string
  children?: ComponentChildren
}) {
  return (
    <span class="pill" style={toneStyle(tone ?? TONES.get(status ?? '') ?? 'quiet')}>
      {children ?? labelOf(status ?? '')}
    </span>
  )
}

/** @param status - an HTTP status, or `null` without a response */
export function HttpPill({ status }: { status: number | null }) {
  if (status === null) return <Pill tone="bad">no response</Pill>
  const tone = ['quiet', 'quiet', 'good', 'quiet', 'warn', 'bad'][Math.floor(status / 100)] ?? 'bad'
  return <Pill tone={tone}>{status}</Pill>
}

export function Time({ iso }: { iso: string | null }) {
  if (iso === null) return <>–</>
  return (
    <time dateTime={iso} title={longTime(iso)}>
      {shortTime(iso, overview.value.now)}
    </time>
  )
}

export function Block({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="block">
      <h3>{title}</h3>
      {children}
    </section>
  )
}

/** Names with their values; `–` for an empty value. */
export function Facts({ rows }: { rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value === null || value === undefined || value === '' ? '–' : value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  const rows = Object.entries(headers)
  if (rows.length === 0) return <Empty>None.</Empty>
  return (
    <dl class="headers mono">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Text({ children, wrapped = false }: { children: string; wrapped?: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
    <pre class={wrapped ? 'wrapped' : undefined} tabIndex={0}>
      {children}
    </pre>
  )
}

export function Columns({ titles, hidden = false }: { titles: readonly string[]; hidden?: boolean }) {
  return (
    <thead class={hidden ? 'hidden' : undefined}>
      <tr>
        {titles.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** Content that is collapsed at first. */
export function Fold({
  summary,
  children,
  open = false,
}: {
  summary: string
  children: ComponentChildren
  open?: boolean
}) {
  return (
    <details class="fold" open={open}>
      <summary>{summary}</summary>
      {children}
    </details>
  )
}

export function FoldedJson({ summary, value }: { summary: string; value: unknown }) {
  return (
    <Fold summary={summary}>
      <Text>{json(value)}</Text>
    </Fold>
  )
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>
}

/** The head of a record: its name, marks, id and links. */
export function Head({
  title,
  marks,
  id,
  mono = false,
  children,
}: {
  title: string
  marks?: ComponentChildren
  id?: string
  mono?: boolean
  children?: ComponentChildren
}) {
  return (
    <header>
      <h2 class={mono ? 'mono' : undefined}>
        {title} {marks}
      </h2>
      {id === undefined ? null : <Copy text={id} />}
      {children}
    </header>
  )
}

/** Buttons for the possible changes of a record. Those with fields also have a dialog. */
export function ActionBar({
  actions,
  children,
}: {
  actions: readonly RecordAction[]
  children?: ComponentChildren
}) {
  return (
    <div class="action-bar" role="toolbar" aria-label="Actions">
      {actions.map((action) => (
        <RecordButton key={action.path} action={action} />
      ))}
      {actions.length === 0 ? <span class="muted">No further actions.</span> : null}
      {children}
    </div>
  )
}

function RecordButton({ action: { name, path, description, body } }: { action: RecordAction }) {
  const label = labelOf(name)
  const ending = ENDING_ACTIONS.has(name) ? 'bad' : undefined
  const button = (
    <Act
      label={label}
      title={description}
      tone={MAIN_ACTIONS.has(name) ? 'main' : ending}
      command={{ path, done: `${label}: done` }}
    />
  )
  if (body === undefined) return button
  return (
    <span class="joined">
      {button}
      <button
        type="button"
        class="button"
        aria-label={`${label} with fields`}
        title={`${label} with fields`}
        onClick={() => openActionForm({ label, path, description, body })}
      >
        …
      </button>
    </span>
  )
}

interface FormAction {
  readonly label: string
  readonly method?: 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly description: string
  readonly body: Readonly<Record<string, string>>
}

/** Opens a form with the fields of an action of the control API. An empty field is left out. */
export function openActionForm({ label, method = 'POST', path, description, body }: FormAction): void {
  const command = (fields: FormData) => {
    const given = Object.keys(body)
      .map((name) => [name, String(fields.get(name) ?? '').trim()] as const)
      .filter(([, text]) => text !== '')
      .map(([name, text]) => [name, parsed(text)])
    return { method, path, body: Object.fromEntries(given), done: `${label}: done` }
  }
  openDialog({
    title: label,
    content: (
      <Form name="action" command={command} sent={closeDialog}>
        <p class="hint">{description}</p>
        {Object.entries(body).map(([name, words]) => (
          <Input key={name} label={name} name={name} placeholder={words} title={words} />
        ))}
        <Submit>{label}</Submit>
      </Form>
    ),
  })
}

/** Reads a value as JSON. Text that isn't JSON is a string. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  if (entries.length === 0) return <Empty>No entries.</Empty>
  return (
    <ol class="timeline">
      {entries.map((entry, place) => (
        <TimelineRow
          key={`${entry.at} ${entry.title} ${entry.request ?? place}`}
          entry={entry}
          isSame={entries[place - 1]?.at === entry.at}
        />
      ))}
    </ol>
  )
}

function TimelineRow({ entry, isSame }: { entry: TimelineEntry; isSame: boolean }) {
  const { at, kind, title, detail, request, deliveries = [] } = entry
  return (
    <li data-kind={kind}>
      <span class={isSame ? 'same' : undefined}>
        <Time iso={at} />
      </span>
      <div>
        <span class={kind === 'fact' ? 'what' : 'what mono'}>
          {request === undefined ? title : <a href={`#/requests/${request}`}>{title}</a>}
        </span>
        {detail === '' ? null : <span class="muted"> {detail}</span>}
        {deliveries.map((delivery) => (
          <DeliveryLink key={delivery.id} delivery={delivery} />
        ))}
      </div>
    </li>
  )
}

function DeliveryLink({ delivery }: { delivery: NonNullable<TimelineEntry['deliveries']>[number] }) {
  const { id, status, attempts, repeat, queuedAt, blockedBy } = delivery
  const again =
    repeat === null ? [] : [`${REPEATS[repeat].toLowerCase()} ${shortTime(queuedAt, overview.value.now)}`]
  const count = attempts > 1 ? [`${attempts} attempts`] : []
  return (
    <>
      <a class="delivery" href={`#/deliveries/${id}`} title={`delivery ${id}`}>
        <Pill status={status}>{[labelOf(status), ...again, ...count].join(', ')}</Pill>
      </a>
      {blockedBy === null ? null : <a href={`#/deliveries/${blockedBy}`}>for delivery {blockedBy}</a>}
    </>
  )
}
