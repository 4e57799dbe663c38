import type { ListEndpoint } from '../../contract/endpoint.js'
import { endpoints } from '../../contract/endpoints.js'
import { responseDifferences, schemaDifferences, typeName } from '../../contract/field-differences.js'
import { pageCursorSchema } from '../../contract/schemas/shared.js'
import { checkSuccess, expect, isFields, type Situation, wrapperName } from './check-response.js'
import type { DifferenceReport } from './report.js'
import type { Requester } from './requester.js'

type Fields = Readonly<Record<string, unknown>>

/** Records of each list, by endpoint. */
export type ListRecords = ReadonlyMap<string, readonly Fields[]>

/** What list checks need. */
export interface CheckContext {
  readonly requester: Requester
  readonly report: DifferenceReport
  /** Maximum number of pages of a list that are read. */
  readonly maxPages: number
}

interface PageCursorFields {
  readonly cursor: string
  readonly count: number
  readonly resultCount: number
}

interface ReadPage {
  readonly items: readonly Fields[]
  readonly cursor: PageCursorFields | undefined
}

/** How a list is sorted without `sort`; `undefined` where it has no `sort`. */
const DEFAULT_SORTS: Readonly<
  Record<string, readonly [sort: 'asc' | 'desc', level: 'contract' | 'reading']>
> = {
  'referrals.list': ['asc', 'contract'],
  'results.list': ['asc', 'reading'],
  'bundles.list': ['asc', 'reading'],
  'providers.list': ['desc', 'contract'],
  'webhooks.list': ['desc', 'contract'],
}

const LISTS: readonly ListEndpoint[] = [
  ...[endpoints.referrals.list, endpoints.results.list, endpoints.tests.list, endpoints.biomarkers.list],
  ...[endpoints.bundles.list, endpoints.providers.list, endpoints.vendors.list, endpoints.centres.list],
  endpoints.webhooks.list,
]

/** Reads and compares every list. */
export async function checkLists(context: CheckContext): Promise<ListRecords> {
  const records = new Map<string, readonly Fields[]>()
  for (const endpoint of LISTS) {
    records.set(endpoint.id, await readList(context, endpoint))
    if (endpoint.response.paged !== false) await checkPageSizes(context, endpoint)
    await checkSort(context, endpoint)
    await readPage(context, endpoint, { situation: 'version 1.0.0', version: '1.0.0' })
  }
  await checkTests(context)
  return records
}

async function readList(context: CheckContext, endpoint: ListEndpoint): Promise<Fields[]> {
  const isLarge = endpoint === endpoints.centres.list
  const size: Query = isLarge ? { count: 1_000 } : {}
  const records: Fields[] = []
  const identities = new Set<unknown>()
  let query = size
  for (let number = 1; number <= context.maxPages; number += 1) {
    const situation = number === 1 ? 'first page' : 'next page'
    const page = await readPage(context, endpoint, { situation, query })
    if (page === undefined) break
    const place = { report: context.report, endpoint: endpoint.id, situation }
    const repeated = page.items.some((item) => identities.has(item[endpoint.response.identity]))
    expect(place, !repeated, {
      path: endpoint.response.key,
      expected: 'records that no earlier page has',
      seen: 'repeated records',
    })
    for (const item of page.items) identities.add(item[endpoint.response.identity])
    records.push(...page.items)
    const { cursor } = page
    if (repeated || cursor === undefined || cursor.resultCount < cursor.count) break
    query = { ...size, cursor: cursor.cursor }
  }
  return records
}

type Query = Readonly<Record<string, string | number>>

interface PageRequest {
  readonly situation: string
  readonly query?: Query
  readonly version?: string
}

/** Reads and compares one page; `undefined` if it has no readable list. */
export async function readPage(
  { requester, report }: CheckContext,
  endpoint: ListEndpoint,
  { situation, query = {}, version = '1.1.0' }: PageRequest,
): Promise<ReadPage | undefined> {
  const { id, method, path, response: wrapper } = endpoint
  const response = await requester.send({ endpoint: id, method, path, query, version })
  if (!checkSuccess({ report, endpoint: id, situation }, response)) return undefined
  const place: Situation = { report, endpoint: id, situation: 'page' }
  const items = listIn(place, endpoint, response.json)
  if (items === undefined) return undefined
  report.countRecords(id, items.length)
  for (const item of items) {
    const found = responseDifferences(wrapper.schema, item)
    report.add(
      id,
      'record',
      found.map((each) => ({ ...each, path: joined(`${wrapper.key}[]`, each.path) })),
    )
  }
  if (wrapper.paged === false) return { items: items.filter(isFields), cursor: undefined }
  checkOtherFields(place, endpoint, response.json)
  return { items: items.filter(isFields), cursor: cursorOf(place, response.json, items.length) }
}

function joined(before: string, path: string): string {
  return path === '' ? before : `${before}.${path}`
}

/** The list of a page, also under a name that the interface does not show. */
function listIn(
  place: Situation,
  { response: wrapper }: ListEndpoint,
  body: unknown,
): readonly unknown[] | undefined {
  const named = isFields(body) ? body[wrapper.key] : undefined
  if (Array.isArray(named)) return named
  expect(place, false, {
    path: '(whole response)',
    expected: `object with ${wrapper.key}`,
    seen: wrapperName(body),
    level: wrapper.documented ? 'contract' : 'reading',
  })
  if (Array.isArray(body)) return body
  const lists = isFields(body) ? Object.values(body).filter(Array.isArray) : []
  return lists.length === 1 ? lists[0] : undefined
}

function checkOtherFields(place: Situation, { id, response }: ListEndpoint, body: unknown): void {
  if (!isFields(body)) return
  const known = [response.key, 'cursor', ...(id === 'centres.list' ? ['totalResults'] : [])]
  const added = Object.keys(body).filter((name) => !known.includes(name) && !Array.isArray(body[name]))
  for (const name of added.filter((each) => /^[A-Za-z]{1,40}$/.test(each)))
    expect(place, false, {
      path: name,
      expected: 'no such field',
      seen: typeName(body[name]),
      level: 'addition',
    })
  if (id !== 'centres.list') return
  const total = body['totalResults']
  expect(place, Number.isInteger(total), { path: 'totalResults', expected: 'integer', seen: typeName(total) })
}

function cursorOf(place: Situation, body: unknown, records: number): PageCursorFields | undefined {
  const given = isFields(body) ? body['cursor'] : undefined
  if (given === undefined && records === 0) return undefined
  const found = schemaDifferences(pageCursorSchema, given, 'cursor')
  place.report.add(place.endpoint, place.situation, found)
  if (!isFields(given)) return undefined
  const { cursor, count, resultCount } = given
  if (typeof cursor !== 'string' || typeof count !== 'number' || typeof resultCount !== 'number')
    return undefined
  expect(place, resultCount === records, {
    path: 'cursor.resultCount',
    expected: 'number of records on the page',
    seen: 'another number',
  })
  return { cursor, count, resultCount }
}

/** Page sizes: the default one, a requested one, and one above the maximum. */
async function checkPageSizes(context: CheckContext, endpoint: ListEndpoint): Promise<void> {
  const { paged } = endpoint.response
  if (paged === false) return
  const few: Query = endpoint === endpoints.centres.list ? { states: 'ACT' } : {}
  const cases: readonly (readonly [situation: string, query: Query, size: number])[] = [
    ['default page size', few, paged.byDefault],
    ['count=2', { ...few, count: 2 }, 2],
    ['count above the maximum', { ...few, count: paged.atMost + 1 }, paged.atMost],
  ]
  for (const [situation, query, size] of cases) {
    const page = await readPage(context, endpoint, { situation, query })
    if (page?.cursor === undefined) continue
    const place = { report: context.report, endpoint: endpoint.id, situation }
    const { count } = page.cursor
    const seen = 'another number'
    expect(place, count === size, { path: 'cursor.count', expected: String(size), seen })
    expect(place, page.items.length <= size, {
      path: endpoint.response.key,
      expected: `at most ${size} records`,
      seen,
    })
  }
}

async function checkSort(context: CheckContext, endpoint: ListEndpoint): Promise<void> {
  const [byDefault, level] = DEFAULT_SORTS[endpoint.id] ?? []
  if (byDefault === undefined || level === undefined) return
  const page = (situation: string, query: Query = {}) => readPage(context, endpoint, { situation, query })
  const asc = await page('sort=asc', { sort: 'asc' })
  const desc = await page('sort=desc', { sort: 'desc' })
  const plain = await page('without sort')
  if (asc === undefined || desc === undefined || plain === undefined || asc.items.length < 2) return
  const firstOf = ({ items }: ReadPage): unknown => items[0]?.[endpoint.response.identity]
  const place = { report: context.report, endpoint: endpoint.id, situation: 'sort' }
  const isReversed = expect(place, firstOf(asc) !== firstOf(desc), {
    path: endpoint.response.key,
    expected: 'another order with sort=desc than with sort=asc',
    seen: 'the same order',
  })
  if (!isReversed) return
  expect(place, firstOf(plain) === firstOf(byDefault === 'asc' ? asc : desc), {
    path: endpoint.response.key,
    expected: `the order of sort=${byDefault} without sort`,
    seen: 'another order',
    level,
  })
}

/** Tests have their biomarkers only on request, and both versions list the same tests. */
async function checkTests(context: CheckContext): Promise<void> {
  const endpoint = endpoints.tests.list
  const { report } = context
  const plain = await readPage(context, endpoint, { situation: 'without include' })
  const full = await readPage(context, endpoint, {
    situation: 'include=biomarkers',
    query: { include: 'biomarkers' },
  })
  const old = await readPage(context, endpoint, { situation: 'version 1.0.0', version: '1.0.0' })
  if (plain === undefined || full === undefined || old === undefined) return
  const path = 'tests[].biomarkers'
  const hasAll = full.items.every(({ biomarkers }) => Array.isArray(biomarkers))
  report.expect(hasAll, endpoint.id, 'include=biomarkers', { path, expected: 'array', seen: 'missing' })
  const hasNone = plain.items.every((test) => !Object.hasOwn(test, 'biomarkers'))
  report.expect(hasNone, endpoint.id, 'without include', { path, expected: 'no such field', seen: 'array' })
  report.expect(old.items.length === plain.items.length, endpoint.id, 'version 1.0.0', {
    path: 'tests',
    expected: 'the tests of version 1.1.0',
    seen: 'another number of tests',
    level: 'reading',
  })
}
