import fc from 'fast-check'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { authorised, createFake, NOW, placeOrder, record, records } from '../support.js'

type Headers = Record<string, string>

async function page(
  fake: FakePathologyService,
  headers: Headers,
  query: Readonly<Record<string, string>>,
  path = '/v1/referrals',
) {
  const response = await fake.fetch(`${fake.baseUrl}${path}?${new URLSearchParams(query)}`, { headers })
  return { status: response.status, body: record(await response.json()) }
}

const cursorOf = (body: Record<string, unknown>) => record(body['cursor'])
const uuidsOf = (body: Record<string, unknown>) =>
  records(body['referrals']).map((row) => String(row['uuid']))

/** All pages from the first one, read as §4.7 describes; `between` runs after each. */
async function pagesOf(
  fake: FakePathologyService,
  headers: Headers,
  query: Readonly<Record<string, string>>,
  between: () => Promise<unknown> = async () => undefined,
): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | undefined
  for (let count = 0; count < 200; count += 1) {
    const { body } = await page(fake, headers, { ...query, ...(cursor === undefined ? {} : { cursor }) })
    pages.push(uuidsOf(body))
    if (body['cursor'] === undefined) return pages
    const given = cursorOf(body)
    if (Number(given['resultCount']) < Number(given['count'])) return pages
    cursor = String(given['cursor'])
    await between()
  }
  throw new Error('the pages never end')
}

describe('§4.7 pages', () => {
  const fake = new FakePathologyService({ startTime: NOW, seedReferrals: 70 })
  afterAll(() => fake.close())
  let headers: Headers = {}
  let all: string[] = []
  beforeAll(async () => {
    headers = await authorised(fake)
    all = fake.referrals.all().map((referral) => referral.uuid)
  })

  it('every record once and in order, whatever the page size and direction', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom('asc', 'desc'),
        async (count, sort) => {
          const pages = await pagesOf(fake, headers, { count: String(count), sort })
          expect(pages.flat()).toEqual(sort === 'asc' ? all : all.toReversed())
          expect(pages.every((rows) => rows.length <= Math.min(count, 20))).toBe(true)
        },
      ),
      { numRuns: 25 },
    )
  })

  it('cursor.count is the applied size, cursor.resultCount the number of records on the page', async () => {
    const capped = await page(fake, headers, { count: '500' })
    expect(cursorOf(capped.body)).toEqual({ cursor: expect.any(String), count: 20, resultCount: 20 })
    const small = await page(fake, headers, { count: '7' })
    expect(cursorOf(small.body)).toMatchObject({ count: 7, resultCount: 7 })
    const usual = await page(fake, headers, {})
    expect(cursorOf(usual.body)).toMatchObject({ count: 20 })
  })

  it('a page without records has no cursor', async () => {
    const pages = await pagesOf(fake, headers, { count: '1' })
    expect(pages).toHaveLength(all.length + 1)
    expect(pages.at(-1)).toEqual([])
    const empty = createFake({ seedReferrals: 0 })
    expect(await page(empty, await authorised(empty), {})).toEqual({ status: 200, body: { referrals: [] } })
  })

  it.each([
    ['count', '0'],
    ['count', '-1'],
    ['count', '1.5'],
    ['count', 'many'],
    ['count', ''],
    ['sort', 'newest'],
    ['sort', 'ASC'],
    ['cursor', 'nonsense'],
    ['cursor', ''],
  ])('%s=%s is 400 INVALID_PARAMETER', async (name, value) => {
    const { status, body } = await page(fake, headers, { [name]: value })
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'INVALID_PARAMETER',
      errorList: [expect.stringContaining(`[field: ${name}]`)],
    })
  })

  it('every problem of a query is listed', async () => {
    const { body } = await page(fake, headers, { count: '0', sort: 'up', cursor: 'x', colour: 'red' })
    expect(body['errorList']).toHaveLength(4)
  })

  it('a repeated parameter is rejected', async () => {
    const response = await fake.fetch(`${fake.baseUrl}/v1/referrals?count=1&count=2`, { headers })
    expect(response.status).toBe(400)
  })

  it('a cursor works only on its own list and with its own order', async () => {
    const { body } = await page(fake, headers, { count: '2' })
    const { cursor } = cursorOf(body)
    const foreign = String(cursor)
    for (const path of [
      '/v1/results',
      '/v1/bundles',
      '/v1/providers',
      '/v1/webhooks',
      '/v1/collection-centres',
    ]) {
      expect(await page(fake, headers, { cursor: foreign }, path)).toMatchObject({ status: 400 })
    }
    expect(await page(fake, headers, { cursor: foreign, sort: 'desc' })).toMatchObject({ status: 400 })
    expect(await page(fake, headers, { cursor: foreign, sort: 'asc' })).toMatchObject({ status: 200 })
    expect(await page(fake, headers, { cursor: foreign, count: '5' })).toMatchObject({ status: 200 })
  })

  it('a cursor works only with its own filters', async () => {
    const { body } = await page(fake, headers, { count: '1', includeUnlisted: 'true' }, '/v1/bundles')
    const cursor = String(cursorOf(body)['cursor'])
    expect(await page(fake, headers, { cursor, includeUnlisted: 'true' }, '/v1/bundles')).toMatchObject({
      status: 200,
    })
    expect(await page(fake, headers, { cursor }, '/v1/bundles')).toMatchObject({ status: 400 })
  })

  it('a cursor with any changed character is rejected', async () => {
    const { body } = await page(fake, headers, { count: '2' })
    const cursor = String(cursorOf(body)['cursor'])
    for (let at = 0; at < cursor.length; at += 1) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
      expect(await page(fake, headers, { cursor: changed })).toMatchObject({ status: 400 })
    }
  })
})

describe('§4.7 records that are added between two pages', () => {
  it('do not move a page: each of the old records is returned once', async () => {
    for (const sort of ['asc', 'desc']) {
      const fake = createFake({ seedReferrals: 30 })
      const headers = await authorised(fake)
      const before = fake.referrals.all().map((referral) => referral.uuid)
      const seen = (
        await pagesOf(fake, headers, { count: '4', sort }, () => placeOrder(fake, headers))
      ).flat()
      expect(seen.filter((uuid) => before.includes(uuid))).toEqual(
        sort === 'asc' ? before : before.toReversed(),
      )
      expect(new Set(seen).size).toBe(seen.length)
    }
  })
})
