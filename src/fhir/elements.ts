import { createHash } from 'node:crypto'
import { isUuid } from '../contract/identifiers.js'
import { isCalendarDate, isTimestamp, parseTime } from '../contract/times.js'
import { EXTENSIONS, IDENTIFIERS } from './codes.js'
import type { CodeableConcept, Coding, Element, Identifier, Reference } from './types.js'

export type Text = string | null | undefined

type Present<Value> = Value extends (infer Entry)[] ? NonNullable<Entry>[] : NonNullable<Value>
type Missing<T> = {
  [K in keyof T]: [] extends T[K] ? K : undefined extends T[K] ? K : null extends T[K] ? K : never
}
type Optional<T> = Missing<T>[keyof T]
type Filled<T> = { [K in Exclude<keyof T, Optional<T>>]: Present<T[K]> } & {
  [K in Optional<T>]?: Present<T[K]>
}

/** Returns an element without missing fields: FHIR forbids `null`, empty texts, empty lists and empty objects. */
export function filled<T extends object>(fields: T): Filled<T> {
  const entries = Object.entries(fields).map(([name, value]) => [name, clean(value)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Filled<T>
}

/** Characters that a FHIR string cannot have: control characters, other kinds of spaces, halves of characters. */
const NOT_IN_STRINGS = /(?![\t\n\r])[\p{Cc}\p{Cs}\s]/gu

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(NOT_IN_STRINGS, ' ').trim() || undefined
  if (typeof value !== 'object') return value
  const kept = Array.isArray(value) ? value.map(clean).filter((entry) => entry !== undefined) : value
  return Object.keys(kept ?? {}).length > 0 ? kept : undefined
}

/** Returns the texts that are not empty, without surrounding spaces. */
export const textsOf = (...texts: readonly Text[]): string[] => filled({ texts: [...texts] }).texts ?? []

/** Returns a list with a reference that is only a name. */
export const named = (name: Text): Reference[] => textsOf(name).map((display) => ({ display }))

export const noted = (note: Text): { text: string }[] => textsOf(note).map((text) => ({ text }))

/** Returns the fields with which every resource begins. */
export function head<const Type extends string>(resourceType: Type, id: string, profile: readonly string[]) {
  return { resourceType, id, meta: { profile: [...profile] } }
}

/** Says that a value is missing. */
export function absent(): Element {
  return { extension: [{ url: EXTENSIONS.dataAbsentReason, valueCode: 'unknown' }] }
}

export const absentUnless = (value: unknown): Element | undefined =>
  value === undefined ? absent() : undefined

/** Returns the fields of a time that only the caller may know. */
export function effective(effectiveDateTime: string | undefined) {
  return { effectiveDateTime, _effectiveDateTime: absentUnless(effectiveDateTime) }
}

/** Returns codes of the caller, and the service's id as a code. */
export function conceptOf(
  system: string,
  id: string,
  name: Text,
  codes: readonly Coding[] = [],
): CodeableConcept {
  const own = textsOf(id.replace(/\s+/g, ' ')).map((code): Coding => filled({ system, code, display: name }))
  const concept = filled({ coding: [...codes, ...own], text: textsOf(name, id)[0] })
  return Object.keys(concept).length > 0 ? concept : absent()
}

/** Returns identifiers under the root of the export. */
export function identifiersOf(base: string, values: Readonly<Record<string, Text>>): Identifier[] {
  const entries = Object.entries(values)
  return entries.flatMap(([kind, text]) =>
    textsOf(text).map((value) => ({ system: `${base}/${kind}`, value })),
  )
}

/** Returns a list with an identifier of the health system, without separators, if it has the right form. */
export function nationalIdentifier(kind: keyof typeof IDENTIFIERS, text: Text, form = /./): Identifier[] {
  const values = textsOf(text?.replace(/[\s/-]/g, '').toUpperCase()).filter((value) => form.test(value))
  return values.map((value) => ({ ...IDENTIFIERS[kind], value }))
}

export function telecomOf(contacts: { readonly phone?: Text; readonly email?: Text; readonly url?: Text }) {
  const systems = ['phone', 'email', 'url'] as const
  return systems.flatMap((system) => textsOf(contacts[system]).map((value) => ({ system, value })))
}

/** Returns FHIR's code of Australia for its names, and the text for any other country. */
export const countryOf = (country: Text): Text => country?.trim().replace(/^(au|aus|australia)$/i, 'AU')

/** Returns a calendar date; `undefined` for any other text. FHIR has no year 0. */
export function dateOf(text: Text): string | undefined {
  return text && isCalendarDate(text) && !text.startsWith('0000') ? text : undefined
}

const INSTANT =
  /^(?!0000)\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)$/

/** Returns a time to the second; `undefined` for any other text. A time without an offset is in UTC, as in the client. */
export function instantOf(text: Text): string | undefined {
  if (!text?.includes('T') || !isTimestamp(text)) return undefined
  const instant = INSTANT.test(text) ? text : new Date(parseTime(text)).toISOString()
  return INSTANT.test(instant) ? instant : undefined
}

/** Returns the id of a record's resource: its UUID. */
export function idOf(uuid: string): string {
  return isUuid(uuid) ? uuid.toLowerCase() : derivedId('00000000-0000-0000-0000-000000000000', uuid)
}

/** Returns a UUID of version 5 (RFC 9562) for a part of a record. The same parts always give the same id. */
export function derivedId(record: string, ...parts: readonly string[]): string {
  const hash = createHash('sha1').update(Buffer.from(record.replaceAll('-', ''), 'hex'))
  const hex = hash.update(JSON.stringify(parts)).digest('hex')
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4)
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, `$1-$2-5$3-${variant}$4-$5`)
}

/** Returns a reference to a resource of the same bundle. */
export const referenceTo = ({ id }: { readonly id: string }): Reference => ({ reference: `urn:uuid:${id}` })

/** Returns the FHIR status in whose row a status of the service is; otherwise `other`. */
export function statusIn<Status extends string, Other>(
  rows: Readonly<Record<Status, readonly string[]>>,
  status: string,
  other: Other,
): Status | Other {
  return (Object.keys(rows) as Status[]).find((name) => rows[name].includes(status)) ?? other
}
