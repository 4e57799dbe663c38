import { stringify } from 'node:querystring'
import { type Dispatcher, errors, Response } from 'undici/index.js'
import { collectBody } from './http-request.js'

type Options = Dispatcher.DispatchOptions
type Pair = readonly [name: string, value: string]

/** Returns the URL of a dispatched request. */
export function requestUrl({ origin, path, query }: Options): URL {
  const search = query === undefined ? '' : stringify(query)
  return new URL(`${path}${search === '' ? '' : `?${search}`}`, origin)
}

/** Headers of which an HTTP server of Node.js keeps only the first; it joins most others. */
const FIRST_ONLY = /^(authorization|proxy-authorization|content-(length|type)|from|host|referer|user-agent)$/

/**
 * Converts any of undici's forms of headers. Names become lower case, and repeated headers become one header, as in the
 * HTTP server.
 */
export function requestHeaders(headers: Options['headers']): Record<string, string> {
  const flat = new Map<string, string>()
  for (const [name, value] of pairs(headers)) {
    const key = name.toLowerCase()
    const earlier = flat.get(key)
    if (earlier === undefined) flat.set(key, value)
    else if (!FIRST_ONLY.test(key)) flat.set(key, `${earlier}${key === 'cookie' ? ';' : ','} ${value}`)
  }
  return Object.fromEntries(flat)
}

/**
 * Reads the body, and returns the content type that a form or `Blob` body implies. A string and bytes are returned
 * completely; of any other body, at most `limit + 1` bytes, see {@link collectBody}.
 */
export async function requestBody(
  body: unknown,
  limit: number,
): Promise<{ readonly bytes: Uint8Array; readonly type: string | null }> {
  if (body === undefined || body === null) return { bytes: new Uint8Array(0), type: null }
  if (typeof body === 'string') return { bytes: Buffer.from(body), type: null }
  if (body instanceof Uint8Array) return { bytes: body, type: null }
  if (isAsyncIterable(body)) return { bytes: await collectBody(bytesOf(body), limit), type: null }
  const response = new Response(body as ConstructorParameters<typeof Response>[0])
  const bytes = await collectBody(response.body ?? [], limit)
  return { bytes, type: response.headers.get('content-type') }
}

function pairs(headers: Options['headers']): Pair[] {
  if (headers === undefined || headers === null) return []
  if (Array.isArray(headers)) return listPairs(headers)
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers)
  return entries.flatMap(([name, value]) => valuePairs(name, value))
}

function listPairs(list: readonly unknown[]): Pair[] {
  if (list.every(Array.isArray)) return list.flatMap(([name, value]) => valuePairs(String(name), value))
  if (list.length % 2 !== 0) throw new errors.InvalidArgumentError('headers array must be even')
  return list.flatMap((name, at) => (at % 2 === 0 ? valuePairs(String(name), list[at + 1]) : []))
}

function valuePairs(name: string, value: unknown): Pair[] {
  if (value === undefined || value === null) return []
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.map((entry) => [name, String(entry)] as const)
}

function isAsyncIterable(value: unknown): value is AsyncIterable<Uint8Array | string> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

async function* bytesOf(body: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}
