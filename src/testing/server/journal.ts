import type { FakeRequest, ServicePart } from './http.js'
import { parseJson } from './json.js'
import type { Route } from './routes.js'

/** One request that the fake received. Credentials, secrets and tokens are not stored. */
export interface JournalEntry {
  /** Number of the request. The first request of the fake has number 1. */
  readonly number: number
  /** Time of arrival, ISO 8601 on the fake's clock. */
  readonly time: string
  /** Part of the service that was addressed. */
  readonly part: ServicePart
  /** The HTTP method. */
  readonly method: string
  /** The path with its query, without signatures of document URLs, secrets and tokens. */
  readonly path: string
  /** The endpoint's id or the route's name; `null` when no route matched. */
  readonly route: string | null
  /** The request's headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The parsed JSON body, or the fields of a token request's form; `null` without a body, and for a body that is
   * neither, is larger than the option `maxBodyBytes` or has more than 1,000 levels.
   */
  readonly body: unknown
  /** The response's status; `null` when none was sent. */
  readonly status: number | null
  /** The response's error code, also when the response was lost; `null` if it has none. */
  readonly code: string | null
  /** Milliseconds of real time until the response was ready. */
  readonly durationMs: number
  /** Number of the fault that was applied; `null` without one. */
  readonly fault: number | null
  /** The response's headers, names in lower case; empty when none was sent. */
  readonly responseHeaders: Readonly<Record<string, string>>
  /**
   * The response's text without tokens and signatures of document URLs, at most 16,384 characters. `null` when none was
   * sent, for a PDF, and with the fault `malformed: 'json'`.
   */
  readonly responseBody: string | null
  /** `true` when `responseBody` is only the first part of the response's text. */
  readonly isResponseBodyCut: boolean
  /** Size of the response's body in bytes, before compression; 0 when none was sent. */
  readonly responseBytes: number
  /**
   * Number of the earlier request that this API request repeats: among the 50 previous requests, the latest with the
   * same method, path and body. A GET counts as a repetition only if the earlier request got a 401, 429 or 5xx, or no
   * response. `null` for a request that does not repeat another one.
   */
  readonly repeatOf: number | null
}

/** The last requests, and the number of all requests. */
export interface JournalState {
  count: number
  readonly entries: JournalEntry[]
}

/** Maximum length of the body text in an entry. */
const MAX_BODY_CHARACTERS = 16_384
const REPEAT_WINDOW = 50

const REDACTED = '[redacted]'
const SECRET_HEADERS = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie']
/** Names of fields and query parameters with a secret, also misspelt names such as `clientSecret`. */
const SECRET_NAME = /secret|token|password/i
const SECRET_PARAMETER = /([?&](?:signature|[^=&]*(?:secret|token|password)[^=&]*)=)[^&]*/gi
const FIELD_NAME = /^\w+$/

/** Adds an entry in order of arrival, and drops the oldest entries beyond `limit`. */
export function record(state: JournalState, entry: JournalEntry, limit: number): void {
  const { entries } = state
  let at = entries.length
  while (at > 0 && (entries[at - 1]?.number ?? 0) > entry.number) at -= 1
  if (at === entries.length) entries.push(entry)
  else entries.splice(at, 0, entry)
  // Entries are dropped in batches, because each removal from the front moves the whole list.
  if (entries.length > 2 * limit + 16) entries.splice(0, entries.length - limit)
}

/** Returns the newest `limit` entries, oldest first. */
export function entriesOf(state: JournalState, limit: number): JournalEntry[] {
  return limit === 0 ? [] : state.entries.slice(-limit)
}

/** Returns the number of the earlier request that a new request repeats; see {@link JournalEntry.repeatOf}. */
export function repeatedBy(
  state: JournalState,
  request: Pick<JournalEntry, 'number' | 'part' | 'method' | 'path' | 'body'>,
): number | null {
  if (request.part !== 'api') return null
  const body = JSON.stringify(request.body)
  const earlier = state.entries
    .slice(-REPEAT_WINDOW)
    .findLast(
      (entry) =>
        entry.part === 'api' &&
        entry.number < request.number &&
        entry.method === request.method &&
        entry.path === request.path &&
        JSON.stringify(entry.body) === body,
    )
  if (earlier === undefined || (request.method === 'GET' && !isFailure(earlier))) return null
  return earlier.number
}

function isFailure({ status }: JournalEntry): boolean {
  return status === null || status === 401 || status === 429 || status >= 500
}

/**
 * Returns the text of a response's body with masked tokens and signatures, cut to the maximum length of an entry.
 * `null` for bytes, such as a PDF.
 */
export function safeText(body: string | Uint8Array): string | null {
  if (typeof body !== 'string') return null
  // A slice alone would keep the complete text in memory, so the slice is copied through a buffer.
  const kept = isCut(body) ? Buffer.from(body.slice(0, MAX_BODY_CHARACTERS)).toString() : body
  return kept
    .replaceAll(/("(?:access|refresh)_token":")[^"]*/g, `$1${REDACTED}`)
    .replaceAll(/([?&]signature=)[0-9a-f]+/g, `$1${REDACTED}`)
}

/** Returns `true` when {@link safeText} cuts a body. The text's length does not show this, because masks change it. */
export function isCut(body: string | Uint8Array): boolean {
  return typeof body === 'string' && body.length > MAX_BODY_CHARACTERS
}

/** Returns the headers with masked credentials. */
export function safeHeaders(headers: FakeRequest['headers']): Readonly<Record<string, string>> {
  const safe: Record<string, string> = { ...headers }
  for (const name of SECRET_HEADERS) {
    const value = safe[name]
    if (value !== undefined) safe[name] = `${/^\w+ /.exec(value)?.[0] ?? ''}${REDACTED}`
  }
  return safe
}

/** Returns a path with masked secrets in its query: signatures of document URLs, and credentials. */
export function safePath(target: string): string {
  return target.replaceAll(SECRET_PARAMETER, `$1${REDACTED}`)
}

/**
 * Returns the body of a request for the journal, without secrets: the parsed JSON, or the form of a token request.
 * `null` for a body that is empty, larger than `maxBytes`, or neither JSON nor such a form.
 *
 * @param route - Route of the request; `undefined` when no route matched.
 */
export function safeBody(
  { part, body }: Pick<FakeRequest, 'part' | 'body'>,
  route: Route | undefined,
  maxBytes: number,
): unknown {
  if (body.byteLength === 0 || body.byteLength > maxBytes) return null
  const text = Buffer.from(body).toString('utf8')
  if (part === 'api' && route !== undefined) return parsed(text)
  // A request to an unknown path can be a token request with an incorrect URL.
  const json = parsed(text, (name, value) => (SECRET_NAME.test(name) ? REDACTED : value))
  if (part !== 'auth') return json
  // The Content-Type is not read, because it is often incorrect: `curl -d` sends JSON as a form.
  return typeof json === 'object' && json !== null ? json : safeForm(text)
}

/** Returns the value of JSON text; `null` for other text, and for JSON with too many levels. */
function parsed(text: string, revive?: (name: string, value: unknown) => unknown): unknown {
  try {
    return parseJson(text, revive)
  } catch {
    return null
  }
}

/** Returns the fields of a form. `null` for other text, such as a multipart body: its names could contain secrets. */
function safeForm(text: string): Readonly<Record<string, string>> | null {
  const fields = [...new URLSearchParams(text)]
  if (!fields.every(([name]) => FIELD_NAME.test(name))) return null
  return Object.fromEntries(fields.map(([name, value]) => [name, SECRET_NAME.test(name) ? REDACTED : value]))
}
