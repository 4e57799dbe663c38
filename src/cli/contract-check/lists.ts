import type { ListEndpoint } from '../../contract/endpoint.js'
import { endpoints } from '../../contract/endpoints.js'
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

export async function checkLists(context: CheckContext): Promise<ListRecords> {
  const records = new Map<string, readonly Fields[]>()
  for (const endpoint of LISTS) {
    const all = await readList(context, endpoint)
    records.set(endpoint.id, all)
    if (endpoint.response.paged !== false) await checkPageSizes(context, endpoint)
    // Records that were created at the same time can have the same order in both directions.
    if (new Set(all.map(({ createdAt }) => createdAt)).size > 1) await checkSort(context, endpoint)
    const old = await readPage(context, endpoint, 'version 1.0.0', { version: '1.0.0' })
    if (endpoint === endpoints.tests.list && old !== undefined) await checkTests(context, all, old)
  }
  return records
}

async function readList(context: CheckContext, endpoint: ListEndpoint): Promise<Fields[]> {
  const size: Query = endpoint === endpoints.centres.list ? { count: 1_000 } : {}
  const records: Fields[] = []
  let query = size
  for (let number = 1; number <= context.maxPages; number += 1) {
    const situation = number === 1 ? 'first page' : 'next page'
    const page = await readPage(context, endpoint, situation, { query })
    if (page === undefined) break
    const isNew = checkNew(context, endpoint, situation, records, page)
    records.push(...page.items)
    const { cursor } = page
    if (!isNew || cursor === undefined || cursor.resultCount < cursor.count) break
    query = { ...size, cursor: cursor.cursor }
  }
  return records
}

/** Checks that no record of a page is on an earlier page. */
function checkNew(
  { report }: CheckContext,
  { id, response: { key, identity } }: ListEndpoint,
  situation: string,
  earlier: readonly Fields[],
  { items }: Page,
): boolean {
  const known = new Set(earlier.map((item) => item[identity]))
  const isNew = !items.some((item) => known.has(item[identity]))
  const expected = 'records that are not on an earlier page'
  return report.at(id, situation).expect(isNew, key, expected, 'repeated records')
}

/** Checks the default page size, a requested page size, and a page size above the maximum. */
async function checkPageSizes(context: CheckContext, endpoint: ListEndpoint): Promise<void> {
  const { paged, key } = endpoint.response
  if (paged === false) return
  const few: Query = endpoint === endpoints.centres.list ? { states: 'ACT' } : {}
  const cases: readonly (readonly [situation: string, query: Query, size: number])[] = [
    ['default page size', few, paged.byDefault],
    ['count=2', { ...few, count: 2 }, 2],
    ['count above the maximum', { ...few, count: paged.atMost + 1 }, paged.atMost],
  ]
  for (const [situation, query, size] of cases) {
    const page = await readPage(context, endpoint, situation, { query })
    if (page?.cursor === undefined) continue
    const { cursor, items } = page
    // The page after a page of two records is read, so that lists shorter than a default page are checked too.
    if (size === 2 && items.length === 2) {
      const after = 'page after count=2'
      const next = await readPage(context, endpoint, after, { query: { ...query, cursor: cursor.cursor } })
      if (next !== undefined) checkNew(context, endpoint, after, items, next)
    }
    const place = context.report.at(endpoint.id, situation)
    place.expect(cursor.count === size, 'cursor.count', String(size), 'another number')
    place.expect(items.length <= size, key, `at most ${size} records`, 'another number')
  }
}

async function checkSort(context: CheckContext, endpoint: ListEndpoint): Promise<void> {
  const { sort, key, identity } = endpoint.response
  if (sort === undefined) return
  const asc = await readPage(context, endpoint, 'sort=asc', { query: { sort: 'asc' } })
  const desc = await readPage(context, endpoint, 'sort=desc', { query: { sort: 'desc' } })
  const plain = await readPage(context, endpoint, 'without sort')
  if (asc === undefined || desc === undefined || plain === undefined) return
  const firstOf = ({ items }: Page): unknown => items[0]?.[identity]
  const place = context.report.at(endpoint.id, 'sort')
  const isReversed = firstOf(asc) !== firstOf(desc)
  place.expect(isReversed, key, 'another order with sort=desc than with sort=asc', 'the same order')
  if (!isReversed) return
  const isDefault = firstOf(plain) === firstOf(sort.byDefault === 'asc' ? asc : desc)
  const expected = `the order of sort=${sort.byDefault} without sort`
  place.expect(isDefault, key, expected, 'another order', sort.documented ? 'contract' : 'reading')
}

/** Checks that tests contain biomarkers only on request, and that both versions list the same number of tests. */
async function checkTests(context: CheckContext, plain: readonly Fields[], old: Page): Promise<void> {
  const endpoint = endpoints.tests.list
  const at = (situation: string) => context.report.at(endpoint.id, situation)
  const asked = 'include=biomarkers'
  const full = await readPage(context, endpoint, asked, { query: { include: 'biomarkers' } })
  if (full === undefined) return
  const path = 'tests[].biomarkers'
  const hasAll = full.items.every(({ biomarkers }) => Array.isArray(biomarkers))
  at(asked).expect(hasAll, path, 'array', 'missing')
  const hasNone = plain.every((test) => !Object.hasOwn(test, 'biomarkers'))
  at('without include').expect(hasNone, path, 'no such field', 'array')
  const isEqual = old.items.length === plain.length
  const expected = 'the tests of version 1.1.0'
  at('version 1.0.0').expect(isEqual, 'tests', expected, 'another number of tests', 'reading')
}
