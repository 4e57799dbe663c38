import { expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { page, referral } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

const at = (day: number, referenceNumber = 'ref-77') =>
  referral({ referenceNumber, createdAt: `2026-03-${String(day).padStart(2, '0')}T00:00:00.000Z` })
const all = [at(9), at(8, 'other'), at(7), at(6), at(5, 'other'), at(4)]

async function listing(rows: readonly unknown[] = all) {
  const service = await ScriptedServer.start()
  service.on('GET /v1/referrals', ({ query }) => {
    const start = Number(query.get('cursor') ?? 0)
    const items = rows.slice(start, start + 2)
    return { json: page('referrals', items, start + 2 < rows.length ? String(start + 2) : undefined) }
  })
  return { service, client: clientOf(service.origin) }
}

const collect = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const row of rows) found.push(row)
  return found
}

it('referrals.findByReferenceNumber returns the referrals newest first, page by page (§4.7)', async () => {
  const { service, client } = await listing()
  const found = await collect(client.referrals.findByReferenceNumber('ref-77'))
  expect(found.map(({ createdAt }) => createdAt.slice(8, 10))).toEqual(['09', '07', '06', '04'])
  expect(service.calls.every(({ query }) => query.get('sort') === 'desc')).toBe(true)
})

it('referrals.findByReferenceNumber ignores spaces at the ends on both sides, and compares a number by its digits', async () => {
  const rows = ['ref-77 ', ' ref-77', 'ref-77', 'ref 77', 'Ref-77'].map((reference) => at(9, reference))
  const { client } = await listing([...rows, { ...at(8), referenceNumber: 77 }])
  await expect(client.referrals.findByReferenceNumber(' ref-77 ').toArray()).resolves.toHaveLength(3)
  await expect(client.referrals.findByReferenceNumber('77').toArray()).resolves.toHaveLength(1)
})

it('referrals.findByReferenceNumber does not match a referral without a reference to the text "null"', async () => {
  const { client } = await listing([{ ...at(9), referenceNumber: null }, at(8, 'null')])
  await expect(client.referrals.findByReferenceNumber('null').toArray()).resolves.toHaveLength(1)
})

it.each([new Date('2026-03-06T00:00:00Z'), '2026-03-06'])(
  'referrals.findByReferenceNumber goes back no further than since (%s)',
  async (since) => {
    const { service, client } = await listing()
    const found = await collect(client.referrals.findByReferenceNumber('ref-77', { since }))
    expect(found).toHaveLength(3)
    expect(service.calls.length).toBeLessThanOrEqual(3)
  },
)

it('referrals.findByReferenceNumber finds a record that is out of order by less than a minute, on the page after since', async () => {
  const made = (time: string) => referral({ referenceNumber: 'ref-77', createdAt: `2026-03-06T${time}.000Z` })
  const { client } = await listing([made('12:00:00'), made('00:59:59'), made('01:00:20'), made('00:00:00')])
  const since = '2026-03-06T01:00:00Z'
  const found = await collect(client.referrals.findByReferenceNumber('ref-77', { since }))
  expect(found.map(({ createdAt }) => createdAt.slice(11, 19))).toEqual(['12:00:00', '01:00:20'])
})

it('referrals.findByReferenceNumber returns a referral once that moves to the next page while the list is read', async () => {
  const moved = at(8)
  const { client } = await listing([at(9), moved, moved, at(7)])
  const found = await collect(client.referrals.findByReferenceNumber('ref-77'))
  expect(found.map(({ createdAt }) => createdAt.slice(8, 10))).toEqual(['09', '08', '07'])
})

it('referrals.findByReferenceNumber fails if a page has fewer records than it counts, because a referral may be missing', async () => {
  const { service, client } = await listing()
  service.on('GET /v1/referrals', () => ({
    json: { referrals: [at(9)], cursor: { cursor: 'x', count: 2, resultCount: 2 } },
  }))
  const found = client.referrals.findByReferenceNumber('ref-77').toArray()
  expect(await rejection(found)).toMatchObject({ reason: 'incomplete-list' })
})

it('referrals.findByReferenceNumber requests the next page with prefetch while the program handles a page', async () => {
  const { service, client } = await listing()
  const found = client.referrals.findByReferenceNumber('ref-77', { prefetch: true })
  for await (const _ of found) {
    await expect.poll(() => service.calls.length).toBe(2)
    break
  }
})

it('referrals.findByReferenceNumber finds the records after one with an invalid time', async () => {
  const { client } = await listing([{ ...at(0), createdAt: '1970-01-01T00:00:00Z' }, at(3)])
  const since = new Date(Date.parse(at(3).createdAt) - 1)
  await expect(collect(client.referrals.findByReferenceNumber('ref-77', { since }))).resolves.toHaveLength(1)
})

it.each([
  [' ', {}, 'referenceNumber must be a string that is not empty', 'referenceNumber'],
  [undefined, {}, 'referenceNumber must be a string that is not empty', 'referenceNumber'],
  ['ref-77', { since: 'yesterday' }, 'since must be a Date or an ISO 8601 time', 'since'],
])('referrals.findByReferenceNumber rejects %j with %j', async (reference, options, message, field) => {
  const { service, client } = await listing()
  const rows = client.referrals.findByReferenceNumber(reference as string, options)
  expect(await rejection(collect(rows))).toMatchObject({
    name: 'InvalidRequestError',
    message: expect.stringMatching(new RegExp(`^referrals\\.findByReferenceNumber: .*${message}`)),
    issues: [{ field, message }],
  })
  expect(service.requests).toHaveLength(0)
})
