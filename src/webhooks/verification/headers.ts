import { DELIVERY_TIME_HEADER } from '../../contract/events.js'
import { fieldOf } from '../../contract/read.js'
import { isMap } from '../../contract/realms.js'
import { isTimestamp, parseTime } from '../../contract/times.js'

/**
 * The headers of a request in any of these shapes:
 *
 * - `Headers`, a `Map`, or pairs of name and value.
 * - A record with names in any case, such as Node's `IncomingHttpHeaders` and `headersDistinct`.
 * - Node's `rawHeaders`.
 * - The list of values of the signature header.
 */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | ReadonlyMap<string, string | readonly string[]>
  | readonly (readonly [name: string, value: string])[]
  | readonly string[]
  | null
  | undefined

/**
 * Returns all values of one header.
 *
 * @param name - The name in lower case.
 * @returns The values unchanged and of any type; `undefined` if `source` is not a set of headers.
 */
export function allValues(source: unknown, name: string): readonly unknown[] | undefined {
  if (source === null || source === undefined) return []
  if (typeof source !== 'object') return undefined
  if (Array.isArray(source)) return fromList(source, name)
  if (isMap(source)) return fromPairs([...source], name)
  const get = fieldOf(source, 'get')
  return typeof get === 'function' ? flat(Reflect.apply(get, source, [name])) : fromRecord(source, name)
}

export function firstText(source: unknown, name: string): string | undefined {
  const value = allValues(source, name)?.[0]
  return typeof value === 'string' ? value : undefined
}

function fromList(list: readonly unknown[], name: string): readonly unknown[] {
  if (list.every(Array.isArray)) return fromPairs(list, name)
  // Every delivery has a Host and a Content-Type header, so `rawHeaders` without the signature are recognised too.
  const isRawHeaders = list.some((item) => [name, 'host', 'content-type'].some((own) => sameName(item, own)))
  return isRawHeaders ? list.filter((_, index) => index % 2 === 1 && sameName(list[index - 1], name)) : list
}

function fromPairs(pairs: readonly (readonly unknown[])[], name: string): readonly unknown[] {
  return pairs.flatMap(([key, value]) => (sameName(key, name) ? flat(value) : []))
}

function fromRecord(record: object, name: string): readonly unknown[] | undefined {
  const found: unknown[] = []
  for (const key of Object.keys(record)) {
    if (sameName(key, name)) found.push(...flat(Reflect.get(record, key)))
  }
  // A caller may pass the request instead of its headers. Without this check, the signature would seem to be missing.
  const isRequest = found.length === 0 && typeof fieldOf(record, 'headers') === 'object'
  return isRequest ? undefined : found
}

function flat(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

function sameName(candidate: unknown, name: string): boolean {
  return typeof candidate === 'string' && candidate.toLowerCase() === name
}

const UNIX_TIME = /^\d{10}(\d{3})?$/

/**
 * Returns the time of a delivery from its `x-svc-delivery-time` header.
 *
 * The signature does not cover this header, so an attacker can repeat an old delivery with any time. Use the time to
 * measure delays. To detect repeated deliveries, de-duplicate by `eventUuid`.
 *
 * @param headers - The request's headers in any shape that {@link verifyWebhook} accepts.
 * @returns The time, parsed from ISO 8601 or from Unix seconds or milliseconds; `undefined` if absent or invalid.
 */
export function deliveryTime(headers: WebhookHeaders): Date | undefined {
  const text = firstText(headers, DELIVERY_TIME_HEADER)
  return text === undefined ? undefined : readTime(text)
}

function readTime(text: string): Date | undefined {
  if (text.includes('T') && isTimestamp(text)) return new Date(parseTime(text))
  if (UNIX_TIME.test(text)) return new Date(Number(text) * (text.length === 10 ? 1000 : 1))
  return undefined
}
