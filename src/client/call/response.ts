import type { SafeLogger } from '../../common/logger.js'
import { type Check, type Fields, isFields, issuesOf, type ResponseIssue } from '../../contract/check.js'
import type { Endpoint, RecordMarks, Wrapper } from '../../contract/endpoint.js'
import { isKnownErrorCode } from '../../contract/error-codes.js'
import { CHECKS } from '../../contract/generated/checks.js'
import type { FailureKind } from '../core/retry-policy.js'
import type { InvalidResponseReason } from '../errors/errors.js'
import { type ResponseHeaders, TransportFailure, type TransportResponse } from '../transport/transport.js'
import type { CallEndpoint } from './raw-request.js'

/** Handling of responses that differ from the contract. */
export type ResponseValidation = 'warn' | 'strict' | 'off'

/**
 * Media type of HTML. An HTML response, such as a proxy's page, is always an error. The media type of any
 * other response is ignored.
 */
const HTML = /^(text\/html|application\/xhtml\+xml)\s*(;|$)/i

const PAGE = 'it is a page for browsers'
const PAGE_START = /^\s*</

type PathValues = Readonly<Record<string, string>>

/** Creates the failure of a success response that is not usable. */
export function unusable(
  reason: InvalidResponseReason,
  detail?: string | undefined,
  kind: FailureKind = 'ambiguous',
): TransportFailure {
  return new TransportFailure({ sent: true, reason, detail, kind })
}

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
  read(endpoint: CallEndpoint, response: TransportResponse, path?: PathValues): unknown {
    const { headers, body } = response
    if (HTML.test(String(headers['content-type']))) throw unusable('not-json', PAGE)
    const shape = endpoint.response
    if (shape.kind === 'raw' && body.trim() === '') return undefined
    let parsed: unknown
    try {
      parsed = JSON.parse(body)
    } catch {
      throw unreadable(body)
    }
    if (shape.kind === 'raw') {
      throwOnEnvelope(parsed)
      return parsed
    }
    const content = unwrap(shape, parsed)
    if (this.#mode === 'off') return content
    const check = CHECKS[shape.schema]
    if (shape.kind === 'list') this.#reportOrThrow(endpoint, pageIssues(check, content))
    else if (!check(content)) this.#reportOrThrow(endpoint, issuesOf(check, content))
    const other = path && isFields(content) ? otherRecord(path, content) : undefined
    // Not an error: mock servers return the same record for every identifier.
    if (other !== undefined) this.#warnOf(endpoint, other)
    return content
  }

  #reportOrThrow(endpoint: CallEndpoint, issues: readonly ResponseIssue[]): void {
    if (issues.length === 0) return
    // The response to an order is never rejected because of its fields: the order is already placed, and the caller
    // needs it. A lenient endpoint is the list in which orders are looked up.
    if (this.#mode === 'strict' && endpoint.reconcile !== 'order' && endpoint.lenient !== true)
      throw unusable('shape', issues.slice(0, 5).map(describe).join('; '), 'final')
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

function unreadable(text: string): TransportFailure {
  if (text.trim() === '') return unusable('empty')
  if (JSON_START.test(text)) return unusable('truncated')
  return unusable('not-json', PAGE_START.test(text) ? PAGE : undefined)
}

/** Start of JSON. The transport cannot detect the truncation of a body that declares neither its length nor its end. */
const JSON_START = /^[ \t\r\n]*[[{]/

/** Compares a page with the contract and returns the differences. `content` is the page that `unwrap` has returned. */
function pageIssues(check: Check, content: unknown): readonly ResponseIssue[] {
  const page = content as ListPage
  const issues = (page.resultCount ?? page.items.length) === page.items.length ? [] : [MISCOUNT]
  for (const item of page.items) if (!check(item)) issues.push(...issuesOf(check, item))
  return issues
}

const MISCOUNT: ResponseIssue = { path: 'cursor.resultCount', expected: 'the number of records' }

/**
 * Compares the identifiers in the path with the record's identifiers. Ignores case and white space. Returns the first
 * difference; `undefined` if there is none. A record without the identifier does not differ.
 */
function otherRecord(path: PathValues, record: Fields): ResponseIssue | undefined {
  for (const [name, requested] of Object.entries(path)) {
    const shown = record[name]
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

/** Page of a list, in the same shape for all endpoints. */
export interface ListPage {
  /** Records of the page. Each is an object with the field that identifies it, such as `uuid`. */
  readonly items: readonly unknown[]
  /**
   * Cursor of the next page; `undefined` if the page has no cursor. The number of records on the page replaces a count
   * that the service does not report.
   */
  readonly pageInfo: ListCursor | undefined
  /** Page size, as reported by the service; also set for a page without a cursor. */
  readonly count: number | undefined
  /** Number of records on the page, as reported by the service; also set for a page without a cursor. */
  readonly resultCount: number | undefined
  /** Number of records on all pages, if the service reports it. */
  readonly totalResults: number | undefined
}

export interface ListCursor {
  readonly cursor: string
  readonly count: number
  readonly resultCount: number
}

type ListWrapper = Extract<Wrapper, { kind: 'list' }>

/**
 * Returns the content of a success body. The checks apply in every validation mode, because a body without its list
 * must not be read as an empty list.
 *
 * @throws {@link TransportFailure} in these cases:
 * - The body is an error envelope, or the body of a list has an `error`.
 * - The body does not contain the list, the object or the referrals of the endpoint.
 * - A record of the list has no identifier.
 */
export function unwrap(wrapper: Wrapper, body: unknown): unknown {
  if (typeof body !== 'object' || body === null) throw unusable('shape', NOT_OBJECT)
  throwOnEnvelope(body)
  if (wrapper.kind === 'list') return unwrapPage(wrapper, body)
  if (wrapper.kind === 'under') return under(wrapper.key, body)
  const { schema } = wrapper
  if (schema === 'PlacedReferrals') {
    if (!isPlaced(body)) throw unusable('shape', 'it contains no referral')
    return body
  }
  if (!isFields(body)) throw unusable('shape', NOT_OBJECT)
  if (schema === 'EventNames' && !isListOfText(body['events']))
    throw unusable('shape', 'events is not a list of names')
  return body
}

/** A response that another server than the service probably sent. */
export const NOT_OBJECT = 'it is not a JSON object'

/**
 * Returns `true` when a response consists of one or more referrals, each with its `uuid`. After any other response, the
 * order is looked up.
 */
function isPlaced(body: unknown): boolean {
  const referrals: readonly unknown[] = Array.isArray(body) ? body : [body]
  return referrals.length > 0 && referrals.every((referral) => isRecordWith('uuid', referral))
}

function under(key: string, body: unknown): unknown {
  const inner = isFields(body) && Object.hasOwn(body, key) ? body[key] : body
  throwOnEnvelope(inner)
  if (!isFields(inner)) throw unusable('shape', NOT_OBJECT)
  return inner
}

function unwrapPage(wrapper: ListWrapper, body: unknown): ListPage {
  const fields = isFields(body) ? body : {}
  // A list with an error may be incomplete.
  if (fields['error']) throw unusable('error-envelope')
  const items = listIn(wrapper, body)
  if (items === undefined) throw unusable('shape', `it has no list named ${wrapper.key}`)
  if (!items.every((item) => isRecordWith(wrapper.identity, item)))
    throw unusable('shape', `${wrapper.key}[] must contain objects, each with its ${wrapper.identity}`)
  return pageOf(items, fields)
}

/**
 * Returns the list by its name. If the specification does not document the name, accepts a body that is a list, a single
 * list under another name, and of several lists the only one with the endpoint's records. A list of errors is never
 * accepted.
 */
function listIn({ key, marks }: ListWrapper, body: unknown): readonly unknown[] | undefined {
  if (Array.isArray(body)) return marks && body
  if (!isFields(body)) return undefined
  const named = body[key]
  if (marks === undefined || named !== undefined) return Array.isArray(named) ? named : undefined
  const lists = Object.entries(body).flatMap(([name, value]) =>
    Array.isArray(value) && name !== 'errorList' && name !== 'errors' ? [value as readonly unknown[]] : [],
  )
  const isOwn = (list: readonly unknown[]) =>
    list.length > 0 && list.every((record) => hasMarks(marks, record))
  const found = lists.length === 1 || lists.every(({ length }) => length === 0) ? lists : lists.filter(isOwn)
  return found.length === 1 || found[0]?.length === 0 ? found[0] : undefined
}

function hasMarks({ object, fields }: RecordMarks, record: unknown): boolean {
  if (!isFields(record)) return false
  const given = record['object']
  return given === undefined ? fields.some((name) => record[name] !== undefined) : given === object
}

/**
 * Converts the body of a list. If the service does not report the page size, `count` is `undefined` and each page is
 * treated as full: an additional request is better than a lost page.
 */
function pageOf(items: readonly unknown[], body: Fields): ListPage {
  const given = body['cursor']
  const paging = isFields(given) ? given : { cursor: given }
  const { cursor } = paging
  const count = integerOf(paging['count'])
  const resultCount = integerOf(paging['resultCount'])
  const records = items.length
  return {
    items,
    pageInfo:
      typeof cursor === 'string' && cursor !== ''
        ? { cursor, count: count ?? records, resultCount: resultCount ?? records }
        : undefined,
    count,
    resultCount,
    totalResults: integerOf(body['totalResults']),
  }
}

/**
 * Throws a {@link TransportFailure} when the body of a success response, or its field `data`, is an error envelope:
 * `error` has its documented value `true`, or there are two of the fields `error`, `code` and `errorList`. An `error`
 * that is `null`, empty or `false` is none.
 */
export function throwOnEnvelope(body: unknown): void {
  if (!isFields(body)) return
  for (const value of [body, body['data']]) {
    if (!isFields(value)) continue
    const { error, code, errorList } = value
    const hasCode = typeof code === 'string' || typeof code === 'number'
    const hasErrors = Array.isArray(errorList)
    const isTrue = error === true || (Boolean(error) && (hasCode || hasErrors))
    if (!isTrue && !(error === undefined && hasCode && hasErrors)) continue
    throw unusable('error-envelope', typeof code === 'string' && isKnownErrorCode(code) ? code : undefined)
  }
}

function isRecordWith(identity: string, value: unknown): boolean {
  if (!isFields(value)) return false
  const name = value[identity]
  return typeof name === 'string' && name !== ''
}

function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

function integerOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}
