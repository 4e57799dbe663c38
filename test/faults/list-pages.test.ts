import type { PathologyClient, ResponseValidation } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { provider, referral, result, webhook } from '../support/samples.js'
import { type Reply, ScriptedServer } from '../support/scripted-server.js'

const MODES = ['strict', 'warn', 'off'] as const satisfies readonly ResponseValidation[]

type Name = (typeof NAMES)[number]
/** A list of the service: its path, its name there, what identifies its records, and the size of its pages. */
type List = readonly [name: Name, path: string, key: string, identity: string, size: number | undefined]

const NAMES = [
  'referrals',
  'results',
  'bundles',
  'providers',
  'webhooks',
  'centres',
  'tests',
  'biomarkers',
  'vendors',
] as const

const REFERRALS: List = ['referrals', '/v1/referrals', 'referrals', 'uuid', 20]
const CENTRES: List = ['centres', '/v1/collection-centres', 'collectionCentres', 'uuid', 50]
const LISTS: readonly List[] = [
  REFERRALS,
  ['results', '/v1/results', 'results', 'uuid', 20],
  ['bundles', '/v1/bundles', 'bundles', 'id', 20],
  ['providers', '/v1/providers', 'providers', 'providerNumber', 20],
  ['webhooks', '/v1/webhooks', 'webhooks', 'id', 20],
  CENTRES,
  ['tests', '/v1/tests', 'tests', 'id', undefined],
  ['biomarkers', '/v1/biomarkers', 'biomarkers', 'id', undefined],
  ['vendors', '/v1/vendors', 'vendors', 'id', undefined],
]
const PAGED = LISTS.filter(([, , , , size]) => size !== undefined)

interface Walked {
  readonly records: readonly string[]
  readonly error: unknown
  readonly warnings: readonly string[]
  readonly asked: number
}

const recordsOf = ([, , , identity]: List, count: number, from = 0): object[] =>
  Array.from({ length: count }, (_, index) => ({ [identity]: `r-${from + index}` }))

function pageOf(list: List, records: readonly object[], cursor?: unknown): Reply {
  return { json: { [list[2]]: records, ...(cursor === undefined ? {} : { cursor }) } }
}

/** Reads a list to its end, page by page; warnings about the contents of records are omitted. */
async function walk(
  list: List,
  replies: readonly Reply[],
  mode: ResponseValidation,
  query: { readonly count?: number; readonly cursor?: string } = {},
): Promise<Walked> {
  const server = await ScriptedServer.start()
  server.on(`GET ${list[1]}`, ...replies)
  const warnings: string[] = []
  const logger = { warn: (line: string) => void (line.includes('differs') || warnings.push(line)) }
  const client = clientOf(server.origin, { logger, maxRetries: 0, responseValidation: mode })
  const records: string[] = []
  const read = async (): Promise<undefined> => {
    const pages = pagesOf(client, list[0], query)
    for await (const page of pages) {
      for (const item of page.items) records.push(String(Reflect.get(Object(item), list[3])))
    }
    return undefined
  }
  const error: unknown = await read().catch((reason: unknown) => reason)
  return { records, error, warnings, asked: server.calls.length }
}

function pagesOf(client: PathologyClient, name: Name, query: object) {
  switch (name) {
    case 'biomarkers':
    case 'vendors':
      return client[name].list().pages()
    case 'tests':
      return client.tests.list().pages()
    default:
      return client[name].list(query).pages()
  }
}

const MISSING = expect.stringContaining('may be missing')

const full = (cursor: string, count: number) => ({ cursor, count, resultCount: count })

/** Bodies without a readable list. */
const unreadable = (key: string): readonly unknown[] => [
  {},
  null,
  7,
  { [key]: null },
  { [key]: {} },
  { [key]: null, data: [] },
  { [key]: [null] },
  { [key]: [{}] },
  { [key]: [{ uuid: null, id: {}, providerNumber: '' }] },
]

it.each(MODES)(
  'a page without its list is never read as an empty list with the validation %s (§4)',
  async (mode) => {
    for (const json of [
      {},
      [],
      [recordsOf(CENTRES, 1)],
      { data: [] },
      { items: [] },
      { collectionCentres: {} },
    ]) {
      const { error } = await walk(CENTRES, [{ json }], mode)
      expect([json, error]).toEqual([json, expect.objectContaining({ reason: 'shape' })])
    }
  },
)

it('a page without its list has an error with the cursor to continue, if it is a later one (§4.7)', async () => {
  const before = [
    pageOf(REFERRALS, recordsOf(REFERRALS, 2), full('c1', 2)),
    pageOf(REFERRALS, recordsOf(REFERRALS, 2, 2), full('c2', 2)),
  ]
  for (const json of unreadable('referrals')) {
    const { error } = await walk(REFERRALS, [...before, { json }], 'off')
    expect([json, error]).toEqual([json, expect.objectContaining({ reason: 'shape', cursor: 'c2' })])
  }
})

it.each(MODES)(
  'a page that is an error envelope with a success status is an error with the validation %s (§7)',
  async (mode) => {
    const json = { error: true, code: 'INTERNAL', message: 'failed', errorList: [] }
    const { error, records, asked } = await walk(REFERRALS, [{ json }], mode)
    expect(error).toMatchObject({
      ...{ name: 'InvalidResponseError', code: 'RESPONSE_ERROR_ENVELOPE', reason: 'error-envelope' },
      ...{ outcome: 'failed', status: 200 },
    })
    expect(records).toEqual([])
    expect(asked).toBe(1)
  },
)

it.each(PAGED)(
  'a page without a cursor of %s may not be the last one if it is full: warn warns once, and off ends (§4.7)',
  async (...list) => {
    const [name, , , , size] = list
    const reply = pageOf(list, recordsOf(list, size ?? 0))
    const warned = await walk(list, [reply], 'warn')
    expect(warned).toMatchObject({ error: undefined, asked: 1 })
    expect(warned.warnings).toEqual([expect.stringContaining(`records of ${name}.list may be missing`)])
    expect(await walk(list, [reply], 'off')).toMatchObject({ error: undefined, warnings: [] })
  },
)

it.each([
  ['referrals', () => referral()],
  ['results', () => result()],
  ['webhooks', () => webhook()],
  ['providers', () => provider()],
] as const)(
  'a page without a cursor of %s ends a strict iteration with an error that has the cursor to continue, if it is full (§4.7)',
  async (name, record) => {
    const list = LISTS.find(([other]) => other === name) ?? REFERRALS
    const records = (count: number): object[] => Array.from({ length: count }, (): object => record())
    const pages = [pageOf(list, records(20), full('c1', 20)), pageOf(list, records(20))]
    const { error, records: read } = await walk(list, pages, 'strict')
    expect(read).toHaveLength(40)
    expect(error).toMatchObject({
      name: 'InvalidResponseError',
      code: 'RESPONSE_INCOMPLETE_LIST',
      reason: 'incomplete-list',
      outcome: 'failed',
      cursor: 'c1',
      message: expect.stringMatching(/records of the list may be missing .*; read the list again$/),
    })
    const short = [pageOf(list, records(20), full('c1', 20)), pageOf(list, records(19))]
    expect(await walk(list, short, 'strict')).toMatchObject({ error: undefined })
  },
)

it('a page without a cursor is an error of firstPage and toArray with strict, but not of an iteration that stops earlier (§4.7)', async () => {
  const server = await ScriptedServer.start()
  server.on('GET /v1/referrals', { json: { referrals: Array.from({ length: 20 }, () => referral()) } })
  const { referrals } = clientOf(server.origin, { responseValidation: 'strict' })
  expect(await rejection(referrals.list().firstPage())).toMatchObject({ reason: 'incomplete-list' })
  expect(await rejection(referrals.list().toArray())).toMatchObject({ reason: 'incomplete-list' })
  expect(await referrals.list().toArray({ limit: 20 })).toHaveLength(20)
})

it.each([REFERRALS, CENTRES])(
  'a page without a cursor of %s is the end if it has one record fewer than the page size, or none (§4.7)',
  async (...list) => {
    for (const count of [0, 1, (list[4] ?? 0) - 1]) {
      const ended = await walk(list, [pageOf(list, recordsOf(list, count))], 'warn')
      expect(ended).toMatchObject({ error: undefined, warnings: [] })
    }
  },
)

it.each([REFERRALS, CENTRES])(
  'a page without a cursor of %s is full with the requested size, if that is smaller (§4.7)',
  async (...list) => {
    const five = pageOf(list, recordsOf(list, 5))
    expect(await walk(list, [five], 'warn', { count: 6 })).toMatchObject({ warnings: [] })
    expect(await walk(list, [five], 'warn', { count: 5 })).toMatchObject({ warnings: [MISSING] })
  },
)

it.each([REFERRALS, CENTRES])(
  'a page without a cursor of %s is compared with the size that the service applied last (§4.7)',
  async (...list) => {
    const pages = (last: number, cursor?: unknown): Reply[] => [
      pageOf(list, recordsOf(list, 5), full('c1', 5)),
      pageOf(list, recordsOf(list, 3, 5), full('c2', 3)),
      pageOf(list, recordsOf(list, last, 8), cursor),
    ]
    expect(await walk(list, pages(2), 'warn')).toMatchObject({ warnings: [] })
    expect(await walk(list, pages(3), 'warn')).toMatchObject({ warnings: [MISSING] })
    for (const cursor of [null, '', 7, {}, { cursor: '' }, { count: 3, resultCount: 3 }]) {
      const { warnings } = await walk(list, pages(3, cursor), 'warn')
      expect([cursor, warnings]).toEqual([cursor, [MISSING]])
    }
  },
)

it('a page without a cursor is not the end after a page with a size above the documented maximum, which is ignored (§4.7)', async () => {
  const list = REFERRALS
  const pages = [
    pageOf(list, recordsOf(list, 20), { cursor: 'c1', count: 10_000, resultCount: 20 }),
    pageOf(list, recordsOf(list, 1, 20), { cursor: 'c2', count: 20, resultCount: 1 }),
  ]
  expect(await walk(list, pages, 'off')).toMatchObject({ asked: 2, error: undefined })
})

it.each(['tests', 'biomarkers', 'vendors'] as const)(
  'a page without a cursor of %s is the complete list, whatever its length (§4.3)',
  async (name) => {
    const list = LISTS.find(([other]) => other === name) ?? REFERRALS
    const walked = await walk(list, [pageOf(list, recordsOf(list, 300))], 'warn')
    expect(walked).toMatchObject({ error: undefined, warnings: [] })
  },
)

const reply = (records: number, totalResults: unknown): Reply => ({
  json: { collectionCentres: recordsOf(CENTRES, records), totalResults },
})

it('a centre list that is shorter than its total may lack records, unless it was read from a later page (§4.5)', async () => {
  expect(await walk(CENTRES, [reply(3, 3)], 'warn')).toMatchObject({ warnings: [] })
  expect(await walk(CENTRES, [reply(3, 4)], 'warn')).toMatchObject({ warnings: [MISSING] })
  const strict = { error: { reason: 'incomplete-list', outcome: 'failed' } }
  expect(await walk(CENTRES, [reply(0, 4)], 'strict')).toMatchObject(strict)
  expect(await walk(CENTRES, [reply(3, 300)], 'warn', { cursor: 'c7' })).toMatchObject({ warnings: [] })
})

const referrals = (count: number): object[] => Array.from({ length: count }, () => referral())

it.each<[string, unknown, RegExp]>([
  ['a full page without a cursor', { referrals: referrals(20) }, /^incomplete-list$/],
  [
    'a page that holds fewer records than it says',
    { referrals: [], cursor: { cursor: 'x', count: 20, resultCount: 20 } },
    // `strict` finds that on every list.
    /^(incomplete-list|shape)$/,
  ],
])(
  'findByReferenceNumber throws where a missing record would be one that does not exist: %s (§4.7)',
  async (_, json, reason) => {
    for (const responseValidation of MODES) {
      const server = await ScriptedServer.start()
      server.on('GET /v1/referrals', { json })
      const client = clientOf(server.origin, { responseValidation })
      const error = await rejection(client.referrals.findByReferenceNumber('none').toArray())
      expect(error).toMatchObject({ reason: expect.stringMatching(reason) })
    }
  },
)
