import { expect, it } from 'vitest'
import { clientOf } from '../../support/clients.js'
import { referral } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

const LIST = 'GET /v1/referrals'

/** A list, newest first, that gets `added` new records after each page that was read. */
async function setUp({ size = 60, added = 3, pageSize = 20 } = {}) {
  const server = await ScriptedServer.start()
  const rows = Array.from({ length: size }, (_, index) => name(size - index))
  let newest = size
  server.on(LIST, ({ query }) => {
    const start = Number(query.get('cursor') ?? 0)
    const shown = rows.slice(start, start + pageSize)
    const cursor = { cursor: String(start + shown.length), count: pageSize, resultCount: shown.length }
    for (let more = 0; more < added; more += 1) {
      newest += 1
      rows.unshift(name(newest))
    }
    const referrals = shown.map((uuid) => referral({ uuid, referenceNumber: 'one' }))
    return { json: shown.length === 0 ? { referrals } : { referrals, cursor } }
  })
  return { server, client: clientOf(server.origin) }
}

const name = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

it('without skipDuplicates, records that move between pages are returned as the service lists them (§4.7)', async () => {
  const { client } = await setUp()
  const all = await client.referrals.list({ sort: 'desc' }).toArray()
  expect(new Set(all.map(({ uuid }) => uuid)).size).toBe(60)
  expect(all.length).toBeGreaterThan(60)
})

it.each([false, true])(
  'with skipDuplicates, records that move between pages are returned once, in order (prefetch %s)',
  async (prefetch) => {
    const { client, server } = await setUp()
    const all = await client.referrals.list({ sort: 'desc', skipDuplicates: true, prefetch }).toArray()
    expect(all.map(({ uuid }) => uuid)).toEqual(Array.from({ length: 60 }, (_, index) => name(60 - index)))
    expect(server.calls.every(({ query }) => !query.has('dedupe'))).toBe(true)
  },
)

it('a page that contains only known records does not end the list', async () => {
  const { client } = await setUp({ size: 30, added: 10, pageSize: 10 })
  const list = client.referrals.list({ sort: 'desc', skipDuplicates: true }).pages()
  const sizes: number[] = []
  for await (const { items } of list) {
    sizes.push(items.length)
    if (sizes.length === 4) break
  }
  expect(sizes).toEqual([10, 0, 0, 0])
})

it.each([
  ['webhooks', 'id'],
  ['providers', 'providerNumber'],
] as const)('skipDuplicates identifies %s by their %s (§2)', async (key, field) => {
  const server = await ScriptedServer.start()
  server.on(`GET /v1/${key}`, { json: { [key]: ['a', 'b', 'a'].map((value) => ({ [field]: value })) } })
  const client = clientOf(server.origin, { responseValidation: 'off' })
  const list = client[key].list({ skipDuplicates: true })
  const all: unknown[] = await list.toArray()
  expect(all).toEqual([{ [field]: 'a' }, { [field]: 'b' }])
  // Each iteration starts without known records.
  expect(await list.toArray()).toEqual(all)
})

it('skipDuplicates remembers 10,000 records: a record that comes again after more is returned again', async () => {
  const server = await ScriptedServer.start()
  const ids = (from: number) => Array.from({ length: 5_000 }, (_, index) => ({ uuid: `u${from + index}` }))
  const page = (nth: number, rows: readonly unknown[]) => ({
    json: {
      collectionCentres: rows,
      totalResults: 0,
      cursor: { cursor: `c${nth}`, count: 1, resultCount: 1 },
    },
  })
  const again = ['u0', 'new', 'u0', 'u9999'].map((uuid) => ({ uuid }))
  server.on('GET /v1/collection-centres', page(1, ids(0)), page(2, ids(5_000)), page(3, again), {
    json: { collectionCentres: [], totalResults: 0 },
  })
  const client = clientOf(server.origin, { responseValidation: 'off' })
  const all = await client.centres.list({ skipDuplicates: true }).toArray()
  expect(all.slice(10_000)).toEqual([{ uuid: 'new' }, { uuid: 'u0' }])
})
