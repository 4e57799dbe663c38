import type { SafeLogger } from '../../common/logger.js'
import type { ResponseIssue } from '../../contract/check.js'
import { responseIssues } from '../../contract/check-response.js'
import type { Endpoint } from '../../contract/endpoint.js'
import { ReadFailure } from '../core/attempt-failure.js'
import type { ResponseHeaders, TransportResponse } from '../transport/transport.js'
import { type ListPage, unwrap } from './unwrap.js'

/** What happens to an answer that differs from the contract. */
export type ResponseValidation = 'warn' | 'strict' | 'off'

const MAX_BYTES = 10 * 1024 * 1024

/** A page of 20 referrals or results holds the metadata of each, and a page of centres has up to 10,000 of them. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024

/** Parses success answers and holds them against the contract in the mode chosen. */
export class ResponseReader {
  readonly #mode: ResponseValidation
  readonly #maxBytes: number | undefined
  readonly #logger: SafeLogger
  readonly #reported = new Set<string>()

  constructor(mode: ResponseValidation, maxBytes: number | undefined, logger: SafeLogger) {
    this.#mode = mode
    this.#maxBytes = maxBytes
    this.#logger = logger
  }

  /** The most bytes an answer of this endpoint may have. */
  maxBytes(endpoint: Endpoint): number {
    return this.#maxBytes ?? (endpoint.response.kind === 'list' ? MAX_PAGE_BYTES : MAX_BYTES)
  }

  /** The content of a success answer: the parsed JSON itself, taken out of its wrapper. */
  read(endpoint: Endpoint, answer: TransportResponse): unknown {
    const { response } = endpoint
    if (isHtml(answer.headers)) throw new ReadFailure('not-json', 'ambiguous')
    const content = unwrap(response, parse(answer.body))
    if (this.#mode === 'off') return content
    const issues = issuesOf(response, content)
    if (issues.length > 0) this.#report(endpoint, issues)
    return content
  }

  #report(endpoint: Endpoint, issues: readonly ResponseIssue[]): void {
    // An order is placed by then, and what it brought must not be lost over a field.
    const isThrown = this.#mode === 'strict' && endpoint.reconcile !== 'order' && endpoint.lenient !== true
    if (isThrown) {
      throw new ReadFailure('shape', 'final', issues.slice(0, 5).map(describe).join('; '))
    }
    for (const issue of issues) {
      this.#warnOnce(`an answer differs from the contract at ${endpoint.id}: ${describe(issue)}`)
    }
  }

  /** Whether a list that may be incomplete ends in an error. With `warn` it is reported, once for each cause. */
  refusesIncomplete(endpoint: Endpoint, detail: string): boolean {
    if (this.#mode === 'warn') {
      this.#warnOnce(`records of ${endpoint.id} may be missing, because ${detail}; the list ends here`)
    }
    return this.#mode === 'strict'
  }

  #warnOnce(text: string): void {
    if (this.#reported.has(text)) return
    this.#reported.add(text)
    this.#logger.warn(`pathology-sdk: ${text}`)
  }
}

/** A page of a proxy or a portal, whatever its text: a media type that is missing or general says nothing. */
function isHtml(headers: ResponseHeaders): boolean {
  const type = headers['content-type']
  return typeof type === 'string' && /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type)
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (mayHoldPrototype(text)) removePrototypes(value)
    return value
  } catch {
    throw new ReadFailure(unreadable(text), 'ambiguous')
  }
}

function unreadable(text: string): 'empty' | 'truncated' | 'not-json' {
  if (text.trim() === '') return 'empty'
  return isCut(text) ? 'truncated' : 'not-json'
}

/** Whether JSON ends within an object, a list or a string. A body without a length ends wherever its connection ends. */
function isCut(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  let [depth, isText] = [0, false]
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (isText && character === '\\') at += 1
    else if (character === '"') isText = !isText
    else if (!isText) depth += LEVELS.get(character) ?? 0
  }
  return isText || depth > 0
}

/** How a bracket changes the depth. */
const LEVELS: ReadonlyMap<string, number> = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
])

/** The characters of `__proto__` as JSON may escape them. */
const ESCAPED = /\\u00(?:5f|6f|7[024])/i

/** Nearly no response holds such a key, so the text decides whether its value is searched. */
function mayHoldPrototype(text: string): boolean {
  return text.includes('__proto__') || (text.includes('\\u00') && ESCAPED.test(text))
}

/** Removes own keys `__proto__`, which change prototypes where a caller copies or merges what holds them. */
function removePrototypes(value: unknown): void {
  const found = isContainer(value) ? [value] : []
  for (let next = found.pop(); next !== undefined; next = found.pop()) {
    Reflect.deleteProperty(next, '__proto__')
    for (const entry of Object.values(next)) if (isContainer(entry)) found.push(entry)
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Where the content is not what the contract says. A list's content is its page, as `unwrap` makes it. */
function issuesOf({ kind, schema }: Endpoint['response'], content: unknown): readonly ResponseIssue[] {
  if (kind !== 'list') return responseIssues(schema, content)
  const page = content as ListPage
  const issues = isMiscounted(page) ? [MISCOUNT] : []
  for (const item of page.items) {
    const found = responseIssues(schema, item)
    if (found.length > 0) issues.push(...found)
  }
  return issues
}

function isMiscounted({ items, resultCount }: ListPage): boolean {
  return resultCount !== undefined && resultCount !== items.length
}

const MISCOUNT: ResponseIssue = { path: 'cursor.resultCount', expected: 'the number of records (§2.14)' }

function describe(issue: ResponseIssue): string {
  return `${issue.path} should be ${issue.expected}`
}
