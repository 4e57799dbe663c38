import type { SafeLogger } from '../../common/logger.js'
import { issuesOf, type ResponseIssue } from '../../contract/check.js'
import type { Endpoint } from '../../contract/endpoint.js'
import { CHECKS } from '../../contract/generated/checks.js'
import { ownFieldOf } from '../../contract/read.js'
import type { ResponseSchemaName } from '../../contract/schemas/index.js'
import { ReadFailure } from '../core/attempt-failure.js'
import type { ResponseHeaders, TransportResponse } from '../transport/transport.js'
import type { CallEndpoint } from './raw-request.js'
import { type ListPage, throwOnEnvelope, unwrap } from './response-shape.js'

/** Handling of responses that differ from the contract. */
export type ResponseValidation = 'warn' | 'strict' | 'off'

/**
 * Media type of HTML. An HTML response, such as a proxy's page, is always an error. The media type of any
 * other response is ignored.
 */
const HTML = /^(text\/html|application\/xhtml\+xml)\s*(;|$)/i

const PAGE = 'it is a page for browsers'
const PAGE_START = /^\s*</

type PathValues = Readonly<Record<string, string>> | undefined

/** Parses success responses and checks them in the configured mode. */
export class ResponseReader {
  readonly #mode: ResponseValidation
  readonly #logger: SafeLogger
  readonly #reported = new Set<string>()

  constructor(mode: ResponseValidation, logger: SafeLogger) {
    this.#mode = mode
    this.#logger = logger
  }

  /** Returns the parsed content of a success response, without its wrapper. `path`: path parameters of the request. */
  read(endpoint: CallEndpoint, response: TransportResponse, path: PathValues): unknown {
    const { headers, body } = response
    if (HTML.test(String(headers['content-type']))) throw new ReadFailure('not-json', 'ambiguous', PAGE)
    const shape = endpoint.response
    if (shape.kind === 'raw') return rawContent(body)
    const content = unwrap(shape, parse(body))
    if (this.#mode === 'off') return content
    const issues =
      shape.kind === 'list' ? pageIssues(shape.schema, content) : issuesOf(CHECKS[shape.schema], content)
    if (issues.length > 0) this.#reportOrThrow(endpoint, issues)
    const other = otherRecord(path, content)
    // Not an error: mock servers return the same record for every identifier.
    if (other !== undefined) this.#warnOf(endpoint, other)
    return content
  }

  #reportOrThrow(endpoint: CallEndpoint, issues: readonly ResponseIssue[]): void {
    // The response to an order is never rejected because of its fields: the order is already placed, and the caller
    // needs it. A lenient endpoint is the list in which orders are looked up.
    if (this.#mode === 'strict' && endpoint.reconcile !== 'order' && endpoint.lenient !== true)
      throw new ReadFailure('shape', 'final', issues.slice(0, 5).map(describe).join('; '))
    for (const issue of issues) this.#warnOf(endpoint, issue)
  }

  #warnOf(endpoint: CallEndpoint, issue: ResponseIssue): void {
    this.#warnOnce(`a response of ${endpoint.id} differs from the contract: ${describe(issue)}`)
  }

  /**
   * Reports a list whose records may be missing: logs each cause once with `warn` validation. Returns `true` with
   * `strict` validation, under which the list must throw.
   */
  reportIncomplete(endpoint: Endpoint, detail: string): boolean {
    if (this.#mode === 'warn')
      this.#warnOnce(`records of ${endpoint.id} may be missing, because ${detail}; the list ends here`)
    return this.#mode === 'strict'
  }

  #warnOnce(text: string): void {
    if (this.#reported.has(text)) return
    this.#reported.add(text)
    this.#logger.warn(`pathology-sdk: ${text}`)
    // Without a logger, only the first text becomes a process warning: Node cannot disable the warnings of one client.
    if (this.#logger.isSet || this.#reported.size > 1) return
    const advice = "Further differences are not shown: pass a logger, or set responseValidation to 'off'."
    globalThis.process?.emitWarning?.(`${text}. ${advice}`, 'PathologyWarning')
  }
}

/** Shape of a request ID: letters and digits, such as a UUID. */
const REQUEST_ID = /^(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9._:/+=-]{1,128}$/

/** Returns the request ID of the service if it has the shape of an ID. */
export function requestIdOf(headers: ResponseHeaders): string | undefined {
  const id = headers['x-request-id'] ?? headers['x-correlation-id'] ?? headers['request-id']
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable(text)
  }
}

/** Returns the JSON of a raw response; `undefined` for an empty body. Throws when the JSON is an error envelope. */
function rawContent(text: string): unknown {
  if (text.trim() === '') return undefined
  const content = parse(text)
  throwOnEnvelope(content)
  return content
}

function unreadable(text: string): ReadFailure {
  if (text.trim() === '') return new ReadFailure('empty', 'ambiguous')
  return JSON_START.test(text)
    ? new ReadFailure('truncated', 'ambiguous')
    : new ReadFailure('not-json', 'ambiguous', PAGE_START.test(text) ? PAGE : undefined)
}

/** Start of JSON. The transport cannot detect the truncation of a body that declares neither its length nor its end. */
const JSON_START = /^[ \t\r\n]*[[{]/

/** Compares a page with the contract and returns the differences. `content` is the page that `unwrap` has returned. */
function pageIssues(schema: ResponseSchemaName, content: unknown): readonly ResponseIssue[] {
  const page = content as ListPage
  const check = CHECKS[schema]
  const issues = (page.resultCount ?? page.items.length) === page.items.length ? [] : [MISCOUNT]
  for (const item of page.items) issues.push(...issuesOf(check, item))
  return issues
}

const MISCOUNT: ResponseIssue = { path: 'cursor.resultCount', expected: 'the number of records' }

/**
 * Compares the identifiers in the path with the record's identifiers. Ignores case and white space. Returns the first
 * difference; `undefined` if there is none. A record without the identifier does not differ.
 */
function otherRecord(path: PathValues, record: unknown): ResponseIssue | undefined {
  for (const [name, requested] of Object.entries(path ?? {})) {
    const shown = ownFieldOf(record, name)
    if (typeof shown !== 'string' || shown === '' || shown === requested) continue
    if (comparable(shown) !== comparable(requested)) return { path: name, expected: 'the requested one' }
  }
  return undefined
}

function comparable(identifier: string): string {
  return identifier.replace(/\s/g, '').toLowerCase()
}

function describe(issue: ResponseIssue): string {
  return `${issue.path} should be ${issue.expected}`
}
