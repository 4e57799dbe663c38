import { createHash } from 'node:crypto'

import { UUID_PATTERN } from '../../contract/identifiers.js'
import { storableObject, timestampOf } from '../core/storable.js'

export interface PreparedRecord {
  /** The record without its signed URL, and without characters that Postgres cannot store. */
  readonly body: Readonly<Record<string, unknown>>
  readonly json: string
  /** SHA-256 of the body with sorted keys, and of the presence of an attachment. */
  readonly digest: string
  readonly hasAttachment: boolean
}

/** Fields with signed URLs. The URLs differ on every read, so only their presence is compared. They are not stored. */
const ATTACHMENTS: ReadonlySet<string> = new Set(['referralAttachment', 'resultAttachment'])

/** Converts a record of the service to the form that is stored and compared. */
export function prepareRecord(record: object): PreparedRecord {
  const hasAttachment = Object.entries(record).some(
    ([name, value]) => ATTACHMENTS.has(name) && typeof value === 'string' && value !== '',
  )
  const shown = Object.entries(record).map(([name, value]) => [name, ATTACHMENTS.has(name) ? null : value])
  const body = storableObject(Object.fromEntries(shown))
  const json = JSON.stringify(body)
  const digest = createHash('sha256').update(`[${json},${hasAttachment}]`).digest('hex')
  return { body, json, digest, hasAttachment }
}

export function textField(body: PreparedRecord['body'], name: string): string | null {
  const value = body[name]
  return typeof value === 'string' ? value : null
}

/**
 * Returns a UUID of a body in lower case; `null` for any other value. If an empty text counted as a UUID, all records
 * with an empty text would be in one group, and `erase` would erase them together.
 */
export function uuidField(body: PreparedRecord['body'], name: string): string | null {
  const value = textField(body, name)
  return value !== null && UUID_PATTERN.test(value) ? value.toLowerCase() : null
}

export function booleanField(body: PreparedRecord['body'], name: string): boolean | null {
  const value = body[name]
  return typeof value === 'boolean' ? value : null
}

/** Returns a timestamp field as ISO 8601 with milliseconds; `null` if it is absent or not a time. */
export function timeField(body: PreparedRecord['body'], name: string): string | null {
  return timestampOf(body[name])
}
