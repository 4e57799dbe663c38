import { isFields } from '../../contract/check.js'
import type { ListEndpoint } from '../../contract/endpoint.js'
import { schemaDifferences, typeName } from '../../contract/field-differences.js'
import { pageCursorSchema } from '../../contract/schemas/shared.js'
import { checkSuccess, checkWrapper } from './check-response.js'
import { recordDifferences, routingMessageDifferences } from './record-rules.js'
import type { DifferenceReport, ReportPlace } from './report.js'
import type { Requester } from './requester.js'

type Fields = Readonly<Record<string, unknown>>

/** Parts that all checks share. */
export interface CheckContext {
  readonly requester: Requester
  readonly report: DifferenceReport
  /** Maximum number of pages that are read of each list. */
  readonly maxPages: number
}

interface PageCursorFields {
  readonly cursor: string
  readonly count: number
  readonly resultCount: number
}

/** A page of a list. */
export interface Page {
  readonly items: readonly Fields[]
  readonly cursor: PageCursorFields | undefined
}

export type Query = Readonly<Record<string, string | number>>

interface PageRequest {
  readonly query?: Query
  readonly version?: string
}

/** Reads, compares and returns one page; `undefined` if the page has no readable list. */
export async function readPage(
  { requester, report }: CheckContext,
  endpoint: ListEndpoint,
  situation: string,
  { query = {}, version = '1.1.0' }: PageRequest = {},
): Promise<Page | undefined> {
  const { id, response: wrapper } = endpoint
  const response = await requester.send(endpoint, { query, version })
  if (!checkSuccess(report.at(id, situation), response)) return undefined
  const place = report.at(id, 'page')
  const items = checkWrapper(place, wrapper, response.json)
  if (!Array.isArray(items)) return undefined
  report.countRecords(id, items.length)
  for (const item of items) {
    const found = recordDifferences(wrapper.schema, item)
    if (wrapper.schema === 'Referral') found.push(...routingMessageDifferences(item))
    report.at(id, 'record').add(found, `${wrapper.key}[]`)
  }
  if (wrapper.paged === false) return { items: items.filter(isFields), cursor: undefined }
  checkOtherFields(place, endpoint, response.json)
  return { items: items.filter(isFields), cursor: cursorOf(place, response.json, items.length) }
}

function checkOtherFields(place: ReportPlace, { id, response }: ListEndpoint, body: unknown): void {
  if (!isFields(body)) return
  const known = [response.key, 'cursor', ...(id === 'centres.list' ? ['totalResults'] : [])]
  const added = Object.keys(body).filter((name) => !known.includes(name) && !Array.isArray(body[name]))
  for (const name of added.filter((each) => /^[A-Za-z]{1,40}$/.test(each)))
    place.expect(false, name, 'no such field', typeName(body[name]), 'addition')
  if (id !== 'centres.list') return
  const total = body['totalResults']
  place.expect(Number.isInteger(total), 'totalResults', 'integer', typeName(total))
}

function cursorOf(place: ReportPlace, body: unknown, records: number): PageCursorFields | undefined {
  const given = isFields(body) ? body['cursor'] : undefined
  // An empty page has no cursor, or an empty one.
  if ((given === undefined || given === null) && records === 0) return undefined
  place.add(schemaDifferences(pageCursorSchema, given, 'cursor'))
  if (!isFields(given)) return undefined
  const { cursor, count, resultCount } = given
  if (typeof cursor !== 'string' || typeof count !== 'number' || typeof resultCount !== 'number')
    return undefined
  const isCount = resultCount === records
  place.expect(isCount, 'cursor.resultCount', 'number of records on the page', 'another number')
  return { cursor, count, resultCount }
}
