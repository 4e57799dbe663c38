import { isFields } from '../../contract/check.js'
import type { RecordMarks, Wrapper } from '../../contract/endpoint.js'
import { isKnownErrorCode } from '../../contract/error-codes.js'
import { ownFieldOf } from '../../contract/read.js'
import { ReadFailure } from '../core/attempt-failure.js'

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
 * @throws {@link ReadFailure} in these cases:
 * - The body is an error envelope, or the body of a list has an `error`.
 * - The body does not contain the list, the object or the referrals of the endpoint.
 * - A record of the list has no identifier.
 */
export function unwrap(wrapper: Wrapper, body: unknown): unknown {
  throwOnEnvelope(body)
  if (wrapper.kind === 'list') return unwrapPage(wrapper, body)
  if (wrapper.kind === 'under') return under(wrapper.key, body)
  const { schema } = wrapper
  if (schema === 'PlacedReferrals') {
    if (!isPlaced(body)) throw shapeFailure('it contains no referral')
    return body
  }
  if (!isFields(body)) throw shapeFailure('it is not a JSON object')
  if (schema === 'EventNames' && !isListOfText(ownFieldOf(body, 'events')))
    throw shapeFailure('events is not a list of names')
  return body
}

/**
 * Returns `true` when a response consists of one or more referrals, each with its `uuid`. After any other response, the
 * order is looked up.
 */
function isPlaced(body: unknown): boolean {
  const referrals: readonly unknown[] = Array.isArray(body) ? body : [body]
  return referrals.length > 0 && referrals.every((referral) => isRecordWith('uuid', referral))
}

function under(key: string, body: unknown): unknown {
  const inner = isFields(body) && Object.hasOwn(body, key) ? ownFieldOf(body, key) : body
  throwOnEnvelope(inner)
  if (!isFields(inner)) throw shapeFailure('it is not a JSON object')
  return inner
}

function unwrapPage(wrapper: ListWrapper, body: unknown): ListPage {
  // A list with an error may be incomplete.
  if (ownFieldOf(body, 'error')) throw new ReadFailure('error-envelope', 'ambiguous')
  const items = listIn(wrapper, body)
  if (items === undefined) throw shapeFailure(`it has no list named ${wrapper.key}`)
  if (!items.every((item) => isRecordWith(wrapper.identity, item)))
    throw shapeFailure(`${wrapper.key}[] must contain objects, each with its ${wrapper.identity}`)
  return pageOf(items, body)
}

/**
 * Returns the list by its name. If the specification does not document the name, accepts a body that is a list, a single
 * list under another name, and of several lists the only one with the endpoint's records. A list of errors is never
 * accepted.
 */
function listIn({ key, marks }: ListWrapper, body: unknown): readonly unknown[] | undefined {
  if (Array.isArray(body)) return marks && body
  if (!isFields(body)) return undefined
  const named = ownFieldOf(body, key)
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
  const given = ownFieldOf(record, 'object')
  return given === undefined
    ? fields.some((name) => ownFieldOf(record, name) !== undefined)
    : given === object
}

/**
 * Converts the body of a list. If the service does not report the page size, `count` is `undefined` and each page is
 * treated as full: an additional request is better than a lost page.
 */
function pageOf(items: readonly unknown[], body: unknown): ListPage {
  const given = ownFieldOf(body, 'cursor')
  const cursor = typeof given === 'string' ? given : ownFieldOf(given, 'cursor')
  const count = integerOf(ownFieldOf(given, 'count'))
  const resultCount = integerOf(ownFieldOf(given, 'resultCount'))
  const records = items.length
  return {
    items,
    pageInfo:
      typeof cursor === 'string' && cursor !== ''
        ? { cursor, count: count ?? records, resultCount: resultCount ?? records }
        : undefined,
    count,
    resultCount,
    totalResults: integerOf(ownFieldOf(body, 'totalResults')),
  }
}

/** Throws a {@link ReadFailure} when the body of a success response, or its field `data`, is an error envelope. */
export function throwOnEnvelope(body: unknown): void {
  if (!isFields(body)) return
  const envelope = isEnvelope(body) ? body : ownFieldOf(body, 'data')
  if (!isEnvelope(envelope)) return
  const code = ownFieldOf(envelope, 'code')
  const known = typeof code === 'string' && isKnownErrorCode(code) ? code : undefined
  throw new ReadFailure('error-envelope', 'ambiguous', known)
}

/**
 * Returns `true` when a value is an error envelope: `error` has its documented value `true`, or the value has two of
 * the fields `error`, `code` and `errorList`. A value whose `error` is `null`, empty or `false` is not an error
 * envelope.
 */
function isEnvelope(value: unknown): boolean {
  if (!isFields(value)) return false
  const error = ownFieldOf(value, 'error')
  const code = ownFieldOf(value, 'code')
  const hasCode = typeof code === 'string' || typeof code === 'number'
  const hasErrors = Array.isArray(ownFieldOf(value, 'errorList'))
  if (error === undefined) return hasCode && hasErrors
  return error === true || (Boolean(error) && (hasCode || hasErrors))
}

function isRecordWith(identity: string, value: unknown): boolean {
  if (!isFields(value)) return false
  const name = ownFieldOf(value, identity)
  return typeof name === 'string' && name !== ''
}

function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

function integerOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

function shapeFailure(detail: string): ReadFailure {
  return new ReadFailure('shape', 'ambiguous', detail)
}
