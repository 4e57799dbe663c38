import type { Door, FakeRequest } from './http.js'

/** One request the fake saw. Authorization, secrets and tokens are left out of what it keeps. */
export interface JournalEntry {
  /** 1 for the first request ever. */
  readonly number: number
  /** ISO 8601, on the fake's clock: when the request came. */
  readonly time: string
  /** Which part of the service was asked. */
  readonly door: Door
  /** The HTTP method. */
  readonly method: string
  /** The path with its query; the signature of a document URL is left out. */
  readonly path: string
  /** The endpoint's id or the route's name; `null` when no route matched. */
  readonly route: string | null
  /** The request's headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON body, or the form's fields; `null` without one. */
  readonly body: unknown
  /** The answer's status; `null` when none was sent. */
  readonly status: number | null
  /** The error code of the answer, if it was an error. */
  readonly code: string | null
  /** Milliseconds of real time that the answer took. */
  readonly durationMs: number
  /** The fault that the request met, by its number. */
  readonly fault: number | null
}

/** The last requests, and how many there ever were. */
export interface JournalState {
  count: number
  readonly entries: JournalEntry[]
}

const REDACTED = '[redacted]'
const SECRET_HEADERS = ['authorization', 'proxy-authorization', 'cookie']
const SECRET_FIELDS = ['client_secret', 'refresh_token', 'password']

/** Adds an entry in the order of arrival, and drops the oldest beyond `limit`. */
export function record(state: JournalState, entry: JournalEntry, limit: number): void {
  const { entries } = state
  let at = entries.length
  while (at > 0 && (entries[at - 1]?.number ?? 0) > entry.number) at -= 1
  if (at === entries.length) entries.push(entry)
  else entries.splice(at, 0, entry)
  // Dropped a stretch at a time: moving the whole list for each request would cost more than the request.
  if (entries.length > 2 * limit + 16) entries.splice(0, entries.length - limit)
}

/** The newest entries that the journal promises to keep, oldest first. */
export function entriesOf(state: JournalState, limit: number): JournalEntry[] {
  return limit === 0 ? [] : state.entries.slice(-limit)
}

/** Headers without what authenticates. */
export function safeHeaders(headers: FakeRequest['headers']): Readonly<Record<string, string>> {
  const safe: Record<string, string> = { ...headers }
  for (const name of SECRET_HEADERS) {
    const value = safe[name]
    if (value !== undefined) safe[name] = `${/^\w+ /.exec(value)?.[0] ?? ''}${REDACTED}`
  }
  return safe
}

/** A path without a document URL's signature. */
export function safePath(target: string): string {
  return target.replace(/([?&]signature=)[^&]*/, `$1${REDACTED}`)
}

/** The fields of a token request without its secrets. */
export function safeForm(body: Uint8Array): Readonly<Record<string, string>> {
  const form = new URLSearchParams(Buffer.from(body).toString('utf8'))
  return Object.fromEntries(
    [...form].map(([name, value]) => [name, SECRET_FIELDS.includes(name) ? REDACTED : value]),
  )
}
