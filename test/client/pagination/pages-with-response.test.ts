import { expect, it } from 'vitest'
import { clientOf, fetchOf, rejection } from '../../support/clients.js'
import { referral } from '../../support/samples.js'

const records = [0, 1, 2, 3, 4, 5].map(() => referral({}))

/** A service whose list has six records on three pages. The second page fails once; `lastCursor` leads back to the first page. */
function worldOf({ lastCursor = '' } = {}) {
  const sent: string[] = []
  const failsOnce = new Set(['2'])
  const fetch = fetchOf(({ searchParams }) => {
    const start = searchParams.get('cursor') ?? '0'
    sent.push(start)
    if (failsOnce.delete(start)) return new Response('', { status: 503 })
    const items = records.slice(Number(start), Number(start) + 2)
    const next = start === '4' ? lastCursor : String(Number(start) + 2)
    const cursor = next && { cursor: next, count: 2, resultCount: items.length }
    return Response.json({ referrals: items, cursor }, { headers: { 'x-request-id': `page-${start}` } })
  })
  return { client: clientOf('https://api.example', { fetch, maxRetries: 1 }), sent }
}

it.each([false, true])(
  'withResponse() yields each page with its own response (prefetch: %s)',
  async (prefetch) => {
    const { client, sent } = worldOf()
    const seen: unknown[] = []
    for await (const { data, response } of client.referrals.list({ prefetch }).pages().withResponse()) {
      const { status, requestId, attempts, headers } = response
      seen.push([data.items.length, data.cursor, status, requestId, attempts, headers['x-request-id']])
    }
    expect(seen).toEqual([
      [2, '2', 200, 'page-0', 1, 'page-0'],
      [2, '4', 200, 'page-2', 2, 'page-2'],
      [2, undefined, 200, 'page-4', 1, 'page-4'],
    ])
    expect(sent).toEqual(['0', '2', '2', '4'])
  },
)

it('a list sends nothing before the first page is requested, and nothing after the loop ends', async () => {
  const { client, sent } = worldOf()
  const pages = client.referrals.list().pages()
  expect(sent).toEqual([])
  for await (const { response } of pages.withResponse()) {
    expect(response.requestId).toBe('page-0')
    break
  }
  for await (const page of pages) {
    expect(page.items).toHaveLength(2)
    break
  }
  expect(sent).toEqual(['0', '0'])
})

it('pages with responses end with the error of a repeated cursor, after the last page', async () => {
  const { client } = worldOf({ lastCursor: '2' })
  const ids: unknown[] = []
  const read = async (): Promise<void> => {
    for await (const { response } of client.referrals.list().pages().withResponse())
      ids.push(response.requestId)
  }
  const error = await rejection(read())
  expect(ids).toEqual(['page-0', 'page-2', 'page-4'])
  expect(error).toMatchObject({ name: 'InvalidResponseError', reason: 'cursor-loop' })
  expect(String(error)).toMatch(
    /; read the list again, and report the list to the service if a cursor repeats again$/,
  )
})
