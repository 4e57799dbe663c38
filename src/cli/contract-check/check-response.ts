import { type ListPage, unwrap } from '../../client/call/response.js'
import { isFields } from '../../contract/check.js'
import type { Wrapper } from '../../contract/endpoint.js'
import { isKnownErrorCode } from '../../contract/error-codes.js'
import { typeName } from '../../contract/field-differences.js'
import type { ReportPlace } from './report.js'
import type { CheckResponse } from './requester.js'

/** Checks that a response is a success with JSON. Returns whether its body can be compared. */
export function checkSuccess(place: ReportPlace, response: CheckResponse): boolean {
  place.expect(response.status === 200, 'status', '200', seenStatus(response))
  // Another 2xx status, such as 201, still has a body to compare.
  return response.status >= 200 && response.status < 300 && checkJson(place, response)
}

export function checkJson(place: ReportPlace, response: CheckResponse): boolean {
  const isJson = /^application\/(?:[a-z0-9.+-]+\+)?json$/.test(response.mediaType)
  place.expect(isJson, 'content-type header', 'application/json', seenType(response))
  const seen = response.bytes.length === 0 ? 'empty body' : 'another format'
  return place.expect(response.json !== undefined, '(whole response)', 'JSON', seen)
}

/** Returns the media type of a response, or a neutral text if the header has no valid media type. */
export function seenType({ mediaType }: CheckResponse): string {
  if (mediaType === '') return 'missing'
  return /^[a-z]{1,20}\/[a-z0-9.+-]{1,60}$/.test(mediaType) ? mediaType : 'another media type'
}

/** Returns the status of a response as text, with its error code if the code is known. */
export function seenStatus({ status, json }: CheckResponse): string {
  const code = isFields(json) ? json['code'] : undefined
  return typeof code === 'string' && isKnownErrorCode(code) ? `${status} ${code}` : String(status)
}

/**
 * Compares the wrapper of a response. What the client of this package cannot read is always a difference of the
 * contract. Returns the content as far as it can be found, also under another name.
 */
export function checkWrapper(place: ReportPlace, wrapper: Wrapper, body: unknown): unknown {
  const key = wrapper.kind === 'one' ? undefined : wrapper.key
  const inside = isFields(body) ? body[key ?? ''] : undefined
  const named = key === undefined ? body : inside
  const isNamed = wrapper.kind === 'list' ? Array.isArray(named) : named !== undefined
  const read = contentOf(wrapper, body)
  const isDocumented = wrapper.kind !== 'list' || wrapper.documented
  const hasRecords = wrapper.kind === 'list' && isNamed
  place.expect(
    isNamed && read !== undefined,
    '(whole response)',
    hasRecords ? `records, each with its ${wrapper.identity}` : `object with ${key ?? 'fields'}`,
    hasRecords ? 'another list, or an error' : wrapperName(body),
    read === undefined || isDocumented ? 'contract' : 'reading',
  )
  return isNamed ? named : (read ?? onlyList(body))
}

/** Returns the content of a response as the client reads it; `undefined` if the client cannot read it. */
function contentOf(wrapper: Wrapper, body: unknown): unknown {
  try {
    const content = unwrap(wrapper, body)
    return wrapper.kind === 'list' ? (content as ListPage).items : content
  } catch {
    return undefined
  }
}

function onlyList(body: unknown): unknown {
  if (Array.isArray(body)) return body
  const lists = isFields(body) ? Object.values(body).filter(Array.isArray) : []
  return lists.length === 1 ? lists[0] : undefined
}

const NAME = /^[A-Za-z]{1,40}$/

/** Describes a response by the names of the fields that contain lists, or else objects. */
function wrapperName(body: unknown): string {
  if (!isFields(body)) return typeName(body)
  const names = Object.keys(body).filter((name) => NAME.test(name) && typeof body[name] === 'object')
  const lists = names.filter((name) => Array.isArray(body[name]))
  const shown = lists.length === 0 ? names.filter((name) => name !== 'cursor') : lists
  return shown.length === 0 ? 'object without a list' : `object with ${shown.join(', ')}`
}
