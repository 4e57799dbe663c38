import { afterAll, describe, expect, it } from 'vitest'
import { expectError, expectOk } from './support/check.js'
import { at, type Json, one, str } from './support/json.js'
import { place, providerNumber, recordsOf } from './support/samples.js'
import { type Answer, type Query, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const [firstTest] = recordsOf((await service.call('GET', '/v1/tests')).body)
for (let turn = 0; turn < 23; turn += 1) {
  const number = providerNumber(520000 + turn)
  await service.call('POST', '/v1/providers', {
    body: { providerNumber: number, name: `Dr ${turn}`, address: '1 Road, Town NSW 2000' },
  })
  await service.call('POST', '/v1/webhooks', {
    body: { url: `https://hooks.example.com/${turn}`, events: ['referral.created'] },
  })
  const bundle = { id: `conformance-${turn}`, name: `Bundle ${turn}`, testIds: [firstTest?.['id']] }
  await service.control('POST', '/catalogue/bundles', bundle)
}

interface List {
  readonly name: string
  readonly path: string
  readonly id: string
  /** Order without `sort`: of §4, or assumed by the fake where §4 shows none. */
  readonly standard: 'asc' | 'desc'
  readonly extra: Readonly<Record<string, string>>
}
const lists: readonly List[] = [
  { name: 'referrals', path: '/v1/referrals', id: 'uuid', standard: 'asc', extra: {} },
  { name: 'results', path: '/v1/results', id: 'uuid', standard: 'asc', extra: {} },
  { name: 'providers', path: '/v1/providers', id: 'providerNumber', standard: 'desc', extra: {} },
  { name: 'bundles', path: '/v1/bundles', id: 'id', standard: 'asc', extra: {} },
  {
    name: 'all bundles',
    path: '/v1/bundles',
    id: 'id',
    standard: 'asc',
    extra: { includeUnlisted: 'true' },
  },
  { name: 'webhooks', path: '/v1/webhooks', id: 'id', standard: 'desc', extra: {} },
]

const get = (path: string, query: Query): Promise<Answer> => service.call('GET', path, { query })
const cursorOf = (answer: Answer): string => str(at(answer.body, 'cursor', 'cursor'))
const idsOf = ({ id }: List, pages: readonly Answer[]): (Json | undefined)[] =>
  pages.flatMap(({ body }) => recordsOf(body).map((entry) => entry[id]))

/** All pages, by the stop rule of §4.7. `between` runs before each further page. */
async function pagesOf(
  { path, extra }: List,
  query: Readonly<Record<string, string | number>> = {},
  between: () => Promise<unknown> = async () => undefined,
): Promise<Answer[]> {
  const found: Answer[] = []
  let cursor: { cursor?: string } = {}
  while (found.length < 300) {
    const answer = await get(path, { ...extra, ...query, ...cursor })
    expectOk(answer)
    found.push(answer)
    const [count, resultCount] = ['count', 'resultCount'].map((name) => at(answer.body, 'cursor', name))
    if (count === undefined || Number(resultCount) < Number(count)) return found
    cursor = { cursor: cursorOf(answer) }
    await between()
  }
  throw new Error('the list does not end')
}

async function expectForeign(path: string, query: Query): Promise<void> {
  expectError(await get(path, query), 400, 'INVALID_PARAMETER', /cursor/)
}

describe.each(lists.map((list) => [list.name, list] as const))('the list of %s', async (_name, list) => {
  const { path, extra } = list
  const ids = idsOf(list, await pagesOf(list))

  it.each([
    [undefined, 20],
    [7, 7],
    [21, 20],
    [10_001, 20],
  ])(
    `the pages of ${list.name} with count=%s have %i records and list each record once (§4.7, §8)`,
    async (count, applied) => {
      const pages = await pagesOf(list, count === undefined ? {} : { count })
      expect(ids.length).toBeGreaterThan(20)
      expect(new Set(ids).size).toBe(ids.length)
      expect(idsOf(list, pages)).toEqual(ids)
      for (const { body } of pages.filter((page) => recordsOf(page.body).length > 0)) {
        const resultCount = recordsOf(body).length
        expect(at(body, 'cursor')).toEqual({ cursor: expect.any(String), count: applied, resultCount })
        expect(resultCount).toBeLessThanOrEqual(applied)
      }
    },
  )

  it(`after a full last page of ${list.name} follows an empty one without a cursor (§4.7)`, async () => {
    const sizes = Array.from({ length: 20 }, (_, index) => 20 - index)
    const pages = await pagesOf(list, { count: sizes.find((size) => ids.length % size === 0) ?? 1 })
    expect(recordsOf(pages.at(-1)?.body ?? null)).toEqual([])
    expect(at(pages.at(-1)?.body, 'cursor')).toBeUndefined()
  })

  it(`${list.name} are in order of time: asc, desc, and ${list.standard} without sort (§4.7)`, async () => {
    const [up, down] = [await pagesOf(list, { sort: 'asc' }), await pagesOf(list, { sort: 'desc' })]
    const times = up.flatMap(({ body }) => recordsOf(body).map((entry) => str(entry['createdAt'])))
    expect(times).toEqual(times.toSorted())
    expect(idsOf(list, down)).toEqual(idsOf(list, up).reverse())
    expect(ids).toEqual(idsOf(list, list.standard === 'asc' ? up : down))
  })

  it(`a cursor of ${list.name} can be used twice, and the count can change between pages (§4.7)`, async () => {
    const cursor = cursorOf(await get(path, { ...extra, count: 5 }))
    const next = await get(path, { ...extra, count: 7, cursor })
    expect(idsOf(list, [next])).toEqual(ids.slice(5, 12))
    expect(idsOf(list, [await get(path, { ...extra, count: 7, cursor })])).toEqual(idsOf(list, [next]))
  })

  it(`a cursor of ${list.name} is rejected when it was changed, and with another order (§4.7)`, async () => {
    const good = cursorOf(await get(path, { ...extra, sort: 'asc', count: 2 }))
    const flipped = `${good.startsWith('A') ? 'B' : 'A'}${good.slice(1)}`
    for (const cursor of ['', good.slice(0, -3), good.slice(3), `${good}xyz`, flipped])
      await expectForeign(path, { ...extra, sort: 'asc', count: 2, cursor })
    await expectForeign(path, { ...extra, sort: 'desc', count: 2, cursor: good })
    expectOk(await get(path, { ...extra, sort: 'asc', count: 2, cursor: good }))
  })

  it(`a cursor of another list or of other filters is rejected by the list of ${list.name} (§4.7)`, async () => {
    const others = lists.filter((other) => other !== list).map((other) => [other.path, other.extra] as const)
    for (const [foreign, filters] of [...others, ['/v1/collection-centres', {}] as const]) {
      const cursor = cursorOf(await get(foreign, { ...filters, count: 2 }))
      await expectForeign(path, { ...extra, cursor })
    }
  })

  it.each(['0', '1.5', ''])(`count='%s' is rejected by the list of ${list.name} (§4.7)`, async (count) => {
    expectError(await get(path, { ...extra, count }), 400, 'INVALID_PARAMETER', /count/)
  })
})

describe('any list', () => {
  it('a cursor with any changed character is rejected (§4.7)', async () => {
    const cursor = cursorOf(await get('/v1/referrals', { count: 2 }))
    for (let place = 0; place < cursor.length; place += 1) {
      const letter = cursor[place] === 'A' ? 'B' : 'A'
      await expectForeign('/v1/referrals', {
        count: 2,
        cursor: cursor.slice(0, place) + letter + cursor.slice(place + 1),
      })
    }
  })

  it('a repeated parameter is rejected, and every problem of a query is listed (§4.7)', async () => {
    expectError(await get('/v1/referrals', 'count=1&count=2'), 400, 'INVALID_PARAMETER', /count/)
    const { body } = await get('/v1/referrals', 'count=0&sort=up&cursor=x&colour=red')
    expect(at(body, 'errorList', 3)).toEqual(expect.any(String))
    expect(at(body, 'errorList', 4)).toBeUndefined()
  })

  it.each(['asc', 'desc'] as const)(
    'records of %s that are added between two pages do not move a page (§4.7)',
    async (sort) => {
      const [referrals] = lists
      if (referrals === undefined) throw new Error('no list')
      const before = idsOf(referrals, await pagesOf(referrals, { sort }))
      const added: Json[] = []
      const pages = await pagesOf(referrals, { sort, count: 12 }, async () => {
        added.push(one((await place(service, { tests: [firstTest?.['id']] })).body)['uuid'] ?? null)
      })
      expect(idsOf(referrals, pages)).toEqual(sort === 'asc' ? [...before, ...added] : before)
    },
  )
})
