import type { Result } from '../../contract/types.js'
import type { ControlAction } from '../control/control-action.js'
import { ACTIONS } from '../control/control-actions.js'
import type { FakeCore } from '../core/fake-core.js'
import { labelOf } from './format.js'

/** A colour of marks: the name of a custom property of the style sheet. */
export type Tone = 'good' | 'busy' | 'part' | 'warn' | 'bad' | 'quiet'

/** A value with a meaning. With a status or a tone it is a mark, and a status names it if it has no text. */
export interface Part {
  readonly text?: string | number
  readonly status?: string
  readonly tone?: Tone
  readonly time?: string
  readonly href?: string
  /** Text that a press copies. */
  readonly copy?: string
  readonly title?: string
  /** Name of an option of the fake. The page adds its description. */
  readonly option?: string
}

/** A value that the page draws. */
export type Value = string | number | null | undefined | Part

/** Fields of a form: names with descriptions that begin with the type, as in the table of control actions. */
export type Fields = Readonly<Record<string, string>>

/** Values that a field offers, with their labels. */
export type Choices = Readonly<Record<string, readonly (readonly [value: string, label: string])[]>>

/** A button: it runs an action of the control API, opens a form for it, opens an address, or copies a text. */
export interface Button {
  readonly label: string
  readonly description?: string
  readonly tone?: 'main' | 'bad'
  readonly method?: ControlAction['method']
  readonly path?: string
  /** Sent at a press. With fields but without a body, a press opens the form. */
  readonly body?: object
  readonly fields?: Fields
  readonly values?: Readonly<Record<string, unknown>>
  readonly choices?: Choices
  /** Names of fields that are collapsed at first. */
  readonly folded?: readonly string[]
  /** Values that fill the form, by the label of the choice. */
  readonly presets?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Path of an action that invents values for the form. */
  readonly sample?: string
  /** Question that is asked first. */
  readonly confirm?: string
  /** Message after the action. `{name}` stands for a field of the response. */
  readonly done?: string
  /** Address to open. `{name}` stands for a field of the response, or of the form without a path. */
  readonly href?: string
  readonly copy?: string
}

/** A past or planned change of a record. */
export interface TimelineEntry {
  readonly at: string
  readonly kind: 'fact' | 'event' | 'request' | 'planned'
  readonly title: string
  readonly detail: string
  readonly href?: string
  /** The deliveries of an event. */
  readonly marks?: readonly Value[]
}

/** A row of a table, with its buttons. */
export interface TableRow {
  readonly cells: readonly Value[]
  readonly buttons?: readonly Button[]
}

/** A part of a page. It shows what it has, in the order of this interface. */
export interface Section {
  readonly title: string
  readonly folded?: boolean
  readonly marks?: readonly Value[]
  readonly hint?: string
  readonly facts?: readonly (readonly [label: string, value: Value])[]
  readonly timeline?: readonly TimelineEntry[]
  readonly columns?: readonly string[]
  readonly rows?: readonly TableRow[]
  readonly text?: string
  readonly biomarkers?: Result['biomarkers']
  /** The snapshots of the browser's tab. */
  readonly hasSnapshots?: boolean
  readonly form?: Button
  readonly buttons?: readonly Button[]
  /** Shown in place of an empty timeline, table or text. */
  readonly whenEmpty?: string
}

/** What the console shows beside a list, or in place of one. */
export interface Page {
  readonly title: string
  readonly isCode?: boolean
  readonly id?: string
  readonly marks?: readonly Value[]
  readonly links?: readonly Value[]
  readonly buttons?: readonly Button[]
  readonly sections: readonly Section[]
}

export interface Filter<Row> {
  /** Label of the choice that doesn't filter. */
  readonly any: string
  readonly options: (core: FakeCore) => readonly (string | readonly [value: string, label: string])[]
  readonly test: (row: Row, wanted: string) => boolean
}

export interface ListRow {
  readonly id: string | number
  readonly title: string
  readonly isCode?: boolean
  readonly below: readonly Value[]
  readonly mark: Value
  readonly time?: string | null
  readonly isDeleted?: boolean
}

/** A page of a view that isn't about a record. */
export interface OwnPage {
  readonly title: string
  /** Path in the control API. */
  readonly path: string
  readonly description: string
  readonly page: (core: FakeCore, query: URLSearchParams) => Page
}

/** A list of records, and the page of each. */
export interface View<Row> {
  /** Name in the address. */
  readonly name: string
  /** Name in the control API; default: the name in the address. */
  readonly path?: string
  readonly tab: string
  readonly records: string
  readonly searchHint: string
  readonly whenEmpty: string
  readonly buttons?: readonly Button[]
  /** Filters by the names of their query parameters. */
  readonly filters: Readonly<Record<string, Filter<Row>>>
  /** Pages that aren't records, by their id. */
  readonly pages?: Readonly<Record<string, OwnPage>>
  /** The one of these pages that is shown without a selected record; default: the overview. */
  readonly panel?: string
  /** Records in order of creation. */
  readonly rows: (core: FakeCore) => readonly Row[]
  /** Number of a record. It increases along `rows` and never changes. */
  readonly position: (row: Row) => number
  /** The texts that `?search=` looks through. */
  readonly texts: (row: Row) => readonly (string | number | null)[]
  readonly show: (row: Row, core: FakeCore) => ListRow
  /** Throws an Error for an id without a record. */
  readonly page: (core: FakeCore, id: string) => Page
}

/** A view as the page needs it: a list, or one page. */
export interface ShownView extends Partial<Pick<View<never>, 'records' | 'searchHint' | 'whenEmpty'>> {
  readonly name: string
  /** Path in the control API. */
  readonly path: string
  readonly tab: string
  readonly buttons?: readonly Button[]
  readonly filters?: readonly { name: string; any: string; options: Choices[string] }[]
  readonly pages?: Readonly<Record<string, Pick<OwnPage, 'title' | 'path'>>>
  readonly panel?: string
}

/** Words for deliveries that repeat an earlier delivery of the event to the same webhook. */
export const REPEATS = { resend: 'Resent', duplicate: 'Duplicate' } as const

const TABLE = new Map(ACTIONS.map((action) => [`${action.method} ${action.path}`, action]))

/** Returns the button of a row in the table of control actions, with values for the path's parameters. */
export function button(
  route: string,
  { params = {}, ...changes }: Partial<Button> & { readonly params?: Readonly<Record<string, string>> } = {},
): Button {
  const action = TABLE.get(route)
  if (action === undefined) throw new Error(`the control API has no ${route}`)
  const { method, path, description, body: fields } = action
  const label = labelOf(path.split('/').at(-1) ?? '')
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  return { label, description, method, path: filled, ...(fields && { fields }), ...changes }
}

/** Returns the button of a row that a press carries out, without a form. */
export function direct(route: string, changes: Parameters<typeof button>[1] = {}): Button {
  const { fields: _, ...rest } = button(route, changes)
  return { body: {}, ...rest }
}

/** A link to another view or record. */
export function link(href: string, text: string | number): Part {
  return { href: `#/${href}`, text }
}

export function byStatus<Row>(statuses: readonly string[], statusOf: (row: Row) => string): Filter<Row> {
  return { any: 'Any status', options: () => statuses, test: (row, wanted) => statusOf(row) === wanted }
}

/** The mark of a record that was deleted. */
export function deletedMark(deletedAt: string | null | undefined): Value {
  return deletedAt ? { text: 'Deleted', tone: 'bad' } : null
}

/** The mark of an HTTP status; `null` without a response. */
export function httpMark(status: number | null): Value {
  if (status === null) return { text: 'no response', tone: 'bad' }
  const tones: readonly Tone[] = ['quiet', 'quiet', 'good', 'quiet', 'warn', 'bad']
  return { text: status, tone: tones[Math.floor(status / 100)] ?? 'bad' }
}

/** A time of the service, as in a response. */
const TIME = /^\d{4}-\d\d-\d\dT/

/**
 * Returns the fields of a record as facts, without empty ones and those that are `left out`. Lists and objects, such as
 * addresses, are on one line.
 */
export function factsOf(record: object, leftOut: readonly string[] = []): (readonly [string, Value])[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const values = (typeof value === 'object' && value !== null ? Object.values(value) : [value]).filter(
      (one) => one !== null && one !== undefined && one !== '',
    )
    if (values.length === 0 || leftOut.includes(name)) return []
    const text = values.map(String).join(', ')
    return [[labelOf(name), TIME.test(text) ? { time: text } : text] as const]
  })
}

export function time(iso: string | null | undefined): Value {
  return iso ? { time: iso } : null
}
