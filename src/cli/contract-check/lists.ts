import type { ListEndpoint } from '../../contract/endpoint.js'
import { endpoints } from '../../contract/endpoints.js'
import { expect } from './check-response.js'
import { type CheckContext, type Page, type Query, readPage } from './pages.js'

type Fields = Readonly<Record<string, unknown>>

/** Records of each list, by endpoint. */
export type ListRecords = ReadonlyMap<string, readonly Fields[]>

const LISTS: readonly ListEndpoint[] = [
  endpoints.referrals.list,
  endpoints.results.list,
  endpoints.tests.list,
  endpoints.biomarkers.list,
  endpoints.bundles.list,
  endpoints.providers.list,
  endpoints.vendors.list,
  endpoints.centres.list,
  endpoints.webhooks.list,
]

/** Reads and compares every list. */
export async function checkLists(context: CheckContext): Promise<ListRecords> {
  const records = new Map<string, readonly Fields[]>()
  for (const endpoint of LISTS) {
    const all = await readList(context, endpoint)
    records.set(endpoint.id, all)
    if (endpoint.response.paged !== false) await checkPageSizes(context, endpoint)
    // Records that were created at the same time can have the same order in both directions.
    if (new Set(all.map(({ createdAt }) => createdAt)).size > 1) await checkSort(context, endpoint)
    const old = await readPage(context, endpoint, { situation: 'version 1.0.0', version: '1.0.0' })
    if (endpoint === endpoints.tests.list && old !== undefined) await checkTests(context, all, old)
  }
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
    expect(place, !repeated, [
      endpoint.response.key,
      'records that are not on an earlier page',
      'repeated records',
    ])
    for (const item of page.items) identities.add(item[endpoint.response.identity])
    records.push(...page.items)
    const { cursor } = page
    if (repeated || cursor === undefined || cursor.resultCount < cursor.count) break
    query = { ...size, cursor: cursor.cursor }
  }
  return records
}

/** Checks the default page size, a requested page size, and a page size above the maximum. */
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
    if (size === 2 && page.items.length === 2) await checkNextPage(context, endpoint, page, query)
    const seen = 'another number'
    expect(place, count === size, ['cursor.count', String(size), seen])
    expect(place, page.items.length <= size, [endpoint.response.key, `at most ${size} records`, seen])
  }
}

/** Reads the page after a page of two records, so that lists shorter than a default page are checked too. */
async function checkNextPage(
  context: CheckContext,
  endpoint: ListEndpoint,
  { items, cursor }: Page,
  query: Query,
): Promise<void> {
  const { key, identity } = endpoint.response
  const situation = 'page after count=2'
  const next = await readPage(context, endpoint, {
    situation,
    query: { ...query, cursor: cursor?.cursor ?? '' },
  })
  const before = new Set(items.map((item) => item[identity]))
  const isNew = next === undefined || !next.items.some((item) => before.has(item[identity]))
  context.report.expect(isNew, endpoint.id, situation, [
    key,
    'records that are not on an earlier page',
    'repeated records',
  ])
}

async function checkSort(context: CheckContext, endpoint: ListEndpoint): Promise<void> {
  const { sort } = endpoint.response
  if (sort === undefined) return
  const page = (situation: string, query: Query = {}) => readPage(context, endpoint, { situation, query })
  const asc = await page('sort=asc', { sort: 'asc' })
  const desc = await page('sort=desc', { sort: 'desc' })
  const plain = await page('without sort')
  if (asc === undefined || desc === undefined || plain === undefined) return
  const firstOf = ({ items }: Page): unknown => items[0]?.[endpoint.response.identity]
  const place = { report: context.report, endpoint: endpoint.id, situation: 'sort' }
  const isReversed = expect(place, firstOf(asc) !== firstOf(desc), [
    endpoint.response.key,
    'another order with sort=desc than with sort=asc',
    'the same order',
  ])
  if (!isReversed) return
  expect(place, firstOf(plain) === firstOf(sort.byDefault === 'asc' ? asc : desc), [
    endpoint.response.key,
    `the order of sort=${sort.byDefault} without sort`,
    'another order',
    sort.documented ? 'contract' : 'reading',
  ])
}

/** Checks that tests contain biomarkers only on request, and that both versions list the same number of tests. */
async function checkTests(context: CheckContext, plain: readonly Fields[], old: Page): Promise<void> {
  const endpoint = endpoints.tests.list
  const { report } = context
  const full = await readPage(context, endpoint, {
    situation: 'include=biomarkers',
    query: { include: 'biomarkers' },
  })
  if (full === undefined) return
  const path = 'tests[].biomarkers'
  const hasAll = full.items.every(({ biomarkers }) => Array.isArray(biomarkers))
  report.expect(hasAll, endpoint.id, 'include=biomarkers', [path, 'array', 'missing'])
  const hasNone = plain.every((test) => !Object.hasOwn(test, 'biomarkers'))
  report.expect(hasNone, endpoint.id, 'without include', [path, 'no such field', 'array'])
  report.expect(old.items.length === plain.length, endpoint.id, 'version 1.0.0', [
    'tests',
    'the tests of version 1.1.0',
    'another number of tests',
    'reading',
  ])
}
