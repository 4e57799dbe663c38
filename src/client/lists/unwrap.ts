import type { Wrapper } from '../../contract/endpoint.js'

/** A list answer in one shape, whichever wrapper it came in (§4.2, §4.3, §4.7). */
export interface RawPage {
  readonly items: readonly unknown[]
  /** The service's cursor object, when the page has one. */
  readonly cursor: RawCursor | undefined
  /** Records on all pages, where the list tells (§4.5). */
  readonly totalResults: number | undefined
}

export interface RawCursor {
  readonly cursor: string
  readonly count: number
  readonly resultCount: number
}

const GENERAL_KEYS = ['data', 'items', 'results', 'records'] as const

/** The content of a success body, or `undefined` when the body is not shaped as its wrapper says. */
export function unwrap(wrapper: Wrapper, body: unknown): unknown {
  switch (wrapper.kind) {
    case 'one':
      if (wrapper.schema === 'PlacedReferrals') return isPlaced(body) ? body : undefined
      return isObject(body) ? body : undefined
    case 'under':
      return isObject(body) ? under(wrapper.key, body) : undefined
    case 'list':
      return unwrapPage(wrapper.key, body)
  }
}

/** An order's answer that names no referral is none: the order is then looked for (§4.1). */
function isPlaced(body: unknown): boolean {
  const referrals: readonly unknown[] = Array.isArray(body) ? body : [body]
  return (
    referrals.length > 0 &&
    referrals.every((referral) => isObject(referral) && typeof Reflect.get(referral, 'uuid') === 'string')
  )
}

function under(key: string, body: object): unknown {
  const inner: unknown = Object.hasOwn(body, key) ? Reflect.get(body, key) : body
  return isObject(inner) ? inner : undefined
}

function unwrapPage(key: string, body: unknown, depth = 0): RawPage | undefined {
  if (Array.isArray(body)) return { items: body, cursor: undefined, totalResults: undefined }
  if (!isObject(body)) return undefined
  const inner = listIn(key, body)
  if (Array.isArray(inner)) {
    return { items: inner, cursor: readCursor(body, inner.length), totalResults: readTotal(body) }
  }
  if (!isObject(inner) || depth > 0) return undefined
  const page = unwrapPage(key, inner, depth + 1)
  return page && { ...page, cursor: page.cursor ?? readCursor(body, page.items.length) }
}

function listIn(key: string, body: object): unknown {
  const name = [key, ...GENERAL_KEYS].find((candidate) => Object.hasOwn(body, candidate))
  if (name !== undefined) return Reflect.get(body, name)
  const lists = Object.values(body).filter(Array.isArray)
  if (lists.length === 1) return lists[0]
  // An empty page may leave its list out.
  return Object.keys(body).length === 0 ? [] : undefined
}

/** A cursor without its numbers, or as bare text, counts as one of a full page: rather an empty page than a lost one. */
function readCursor(body: object, records: number): RawCursor | undefined {
  const value: unknown = Object.hasOwn(body, 'cursor') ? Reflect.get(body, 'cursor') : undefined
  const field = (name: string): unknown => (isObject(value) ? Reflect.get(value, name) : undefined)
  const cursor = typeof value === 'string' ? value : field('cursor')
  if (typeof cursor !== 'string' || cursor === '') return undefined
  const [count, resultCount] = [field('count'), field('resultCount')]
  return {
    cursor,
    count: Number.isSafeInteger(count) ? Number(count) : records,
    resultCount: Number.isSafeInteger(resultCount) ? Number(resultCount) : records,
  }
}

function readTotal(body: object): number | undefined {
  const value: unknown = Reflect.get(body, 'totalResults')
  return typeof value === 'number' ? value : undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
