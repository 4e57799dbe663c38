import { afterAll, describe, expect, it } from 'vitest'
import { shareOf } from '../support/sample.js'
import { expectError, expectOk, faults, filled, integer } from './support/check.js'
import { at, type Json, type JsonObject, str } from './support/json.js'
import { cursor as cursorShape } from './support/objects.js'
import { place, providerNumber, recordsOf } from './support/samples.js'
import { type Answer, type Query, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

for (let turn = 0; turn < 23; turn += 1) {
  const number = providerNumber(520000 + turn)
  await service.call('POST', '/v1/providers', {
    body: { providerNumber: number, name: `Dr ${turn}`, address: '1 Road, Town NSW 2000' },
  })
  await service.call('POST', '/v1/webhooks', {
    body: { url: `https://hooks.example.com/${turn}`, events: ['referral.created'] },
  })
  await service.control('POST', '/catalogue/bundles', {
    id: `conformance-${turn}`,
    name: `Bundle ${turn}`,
    testIds: [str(recordsOf((await service.call('GET', '/v1/tests')).body)[turn]?.['id'])],
    visibility: 'PUBLIC',
  })
}

interface List {
  readonly path: string
  readonly key: string | undefined
  readonly id: string
  readonly standard: 'asc' | 'desc' | 'either'
  readonly extra: Readonly<Record<string, string>>
}
const rows: readonly List[] = [
  { path: '/v1/referrals', key: 'referrals', id: 'uuid', standard: 'asc', extra: {} },
  { path: '/v1/results', key: undefined, id: 'uuid', standard: 'either', extra: {} },
  { path: '/v1/providers', key: 'providers', id: 'providerNumber', standard: 'desc', extra: {} },
  { path: '/v1/bundles', key: 'bundles', id: 'id', standard: 'either', extra: {} },
  { path: '/v1/bundles', key: 'bundles', id: 'id', standard: 'either', extra: { includeUnlisted: 'true' } },
  { path: '/v1/webhooks', key: 'webhooks', id: 'id', standard: 'desc', extra: {} },
]
const lists = rows.map((list): [string, List] => [`${list.path} ${JSON.stringify(list.extra)}`, list])

/** Values for one list. All lists together use each value at least once. */
const some = <T>(list: List, values: readonly T[]): readonly T[] =>
  shareOf(values, rows.indexOf(list), rows.length)

const get = (path: string, query: Query): Promise<Answer> => service.call('GET', path, { query })
const cursorOf = (answer: Answer): string => str(at(answer.body, 'cursor', 'cursor'))
const pages = async (list: List, query: Readonly<Record<string, string | number>>): Promise<Answer[]> => {
  const found: Answer[] = []
  let next: Readonly<Record<string, string | number>> = { ...list.extra, ...query }
  for (let turn = 0; turn < 300; turn += 1) {
    const answer = await get(list.path, next)
    expectOk(answer)
    found.push(answer)
    if (at(answer.body, 'cursor', 'cursor') === undefined || at(answer.body, 'cursor', 'cursor') === null)
      return found
    if (Number(at(answer.body, 'cursor', 'resultCount')) < Number(at(answer.body, 'cursor', 'count')))
      return found
    next = { ...list.extra, ...query, cursor: cursorOf(answer) }
  }
  throw new Error('endless')
}
const idsOf = (list: List, found: readonly Answer[]): (Json | undefined)[] =>
  found.flatMap((answer) => recordsOf(answer.body).map((entry) => entry[list.id]))
const timesOf = (found: readonly Answer[]): number[] =>
  found.flatMap((answer) =>
    recordsOf(answer.body).map((entry: JsonObject) => Date.parse(str(entry['createdAt']))),
  )
const rising = (times: readonly number[]): boolean =>
  times.every((time, index) => index === 0 || (times[index - 1] ?? 0) <= time)

describe.each(lists)('§4.7 %s', async (_name, list) => {
  const whole = await pages(list, {})
  const ids = idsOf(list, whole)
  it('it has more than one page', () => expect(ids.length).toBeGreaterThan(20))
  it('every record is listed once', () => expect(new Set(ids).size).toBe(ids.length))
  it('the wrapper holds the list and the cursor', () => {
    if (list.key !== undefined) expect(Array.isArray(at(whole[0]?.body, list.key))).toBe(true)
    expect(faults(at(whole[0]?.body, 'cursor'), cursorShape)).toEqual([])
  })
  it('every page shows its size', () => {
    for (const page of whole.filter((one) => recordsOf(one.body).length > 0)) {
      expect(at(page.body, 'cursor', 'count')).toBe(20)
      expect(at(page.body, 'cursor', 'resultCount')).toBe(recordsOf(page.body).length)
      expect(filled(at(page.body, 'cursor', 'cursor'))).toBe(true)
    }
  })
  it.each(some(list, [1, 2, 3, 7, 19, 20]))(
    'count=%i is applied, and all records are listed once in the same order',
    async (count) => {
      const found = await pages(list, { count })
      expect(at(found[0]?.body, 'cursor', 'count')).toBe(count)
      for (const page of found) expect(recordsOf(page.body).length).toBeLessThanOrEqual(count)
      expect(idsOf(list, found)).toEqual(ids)
    },
  )
  it.each(some(list, [21, 50, 100, 1000, 10001]))('count=%i is reduced to 20', async (count) => {
    const answer = await get(list.path, { ...list.extra, count })
    expectOk(answer)
    expect(at(answer.body, 'cursor', 'count')).toBe(20)
    expect(recordsOf(answer.body).length).toBe(20)
  })
  it('reduced pages still list every record once', async () => {
    expect(idsOf(list, await pages(list, { count: 50 }))).toEqual(ids)
  })
  it.each(some(list, ['0', '1.5', '']))("count='%s' is rejected, or gives a valid page", async (count) => {
    const answer = await get(list.path, { ...list.extra, count })
    if (answer.status !== 200) expectError(answer, 400, 'INVALID_PARAMETER', /count/)
    else if (recordsOf(answer.body).length > 0) expect(integer(at(answer.body, 'cursor', 'count'))).toBe(true)
  })
  it.each(['asc', 'desc'])('sort=%s orders by time', async (sort) => {
    const times = timesOf(await pages(list, { sort }))
    expect(rising(sort === 'asc' ? times : [...times].reverse())).toBe(true)
  })
  it('desc is the reverse of asc', async () => {
    const [up, down] = [await pages(list, { sort: 'asc' }), await pages(list, { sort: 'desc' })]
    expect(idsOf(list, down)).toEqual(idsOf(list, up).reverse())
  })
  it('the default order', async () => {
    if (list.standard !== 'either')
      expect(ids).toEqual(idsOf(list, await pages(list, { sort: list.standard })))
    else
      expect([
        idsOf(list, await pages(list, { sort: 'asc' })),
        idsOf(list, await pages(list, { sort: 'desc' })),
      ]).toContainEqual(ids)
  })
  it('a cursor that was changed or shortened is INVALID_PARAMETER', async () => {
    const good = cursorOf(await get(list.path, { ...list.extra, count: 2 }))
    for (const bad of [
      good.slice(0, -3),
      good.slice(3),
      `${good}xyz`,
      `${good.startsWith('A') ? 'B' : 'A'}${good.slice(1)}`,
    ])
      expectError(
        await get(list.path, { ...list.extra, count: 2, cursor: bad }),
        400,
        'INVALID_PARAMETER',
        /cursor/,
      )
  })
  it.each(['asc', 'desc'])('a cursor of sort=%s is rejected with the other sort', async (sort) => {
    const cursor = cursorOf(await get(list.path, { ...list.extra, sort, count: 2 }))
    const other = sort === 'asc' ? 'desc' : 'asc'
    expectError(
      await get(list.path, { ...list.extra, sort: other, count: 2, cursor }),
      400,
      'INVALID_PARAMETER',
      /cursor/,
    )
    expectOk(await get(list.path, { ...list.extra, sort, count: 2, cursor }))
  })
  it('a cursor of another list is rejected', async () => {
    for (const [, other] of lists.filter(([, one]) => one.path !== list.path)) {
      const cursor = cursorOf(await get(other.path, { ...other.extra, count: 2 }))
      expectError(
        await get(list.path, { ...list.extra, count: 2, cursor }),
        400,
        'INVALID_PARAMETER',
        /cursor/,
      )
    }
    const centres = cursorOf(await get('/v1/collection-centres', { count: 2 }))
    expectError(await get(list.path, { ...list.extra, cursor: centres }), 400, 'INVALID_PARAMETER', /cursor/)
  })
  it('a cursor can be used twice and returns the same page', async () => {
    const query = {
      ...list.extra,
      count: 3,
      cursor: cursorOf(await get(list.path, { ...list.extra, count: 3 })),
    }
    expect(idsOf(list, [await get(list.path, query)])).toEqual(idsOf(list, [await get(list.path, query)]))
  })
  it('the count may change between pages', async () => {
    const head = await get(list.path, { ...list.extra, count: 5 })
    const rest = await pages(list, { count: 7, cursor: cursorOf(head) }).catch(() => [])
    const next = await get(list.path, { ...list.extra, count: 7, cursor: cursorOf(head) })
    expect(idsOf(list, [head, next])).toEqual(ids.slice(0, 12))
    expect(rest.length).toBeGreaterThan(0)
  })
  it('after a full last page follows an empty one without a cursor', async () => {
    const size =
      [...Array(20).keys()].map((index) => 20 - index).find((count) => ids.length % count === 0) ?? 1
    const found = await pages(list, { count: size })
    const last = found.at(-1)
    expect(recordsOf(last?.body ?? null)).toEqual([])
    expect(at(last?.body, 'cursor') ?? null).toBeNull()
    expect(idsOf(list, found)).toEqual(ids)
  })
  it.each(['1.0.0', '1.1.0'])('v%s has the same pages', async (version) => {
    const answer = await service.call('GET', list.path, { query: { ...list.extra, count: 3 }, version })
    expect(idsOf(list, [answer])).toEqual(ids.slice(0, 3))
  })
})

describe('§4.7 records that are added during the iteration', () => {
  it('asc: no record twice, none missing, the new one at the end', async () => {
    const tests = [recordsOf((await service.call('GET', '/v1/tests')).body)[0]?.['id']]
    const head = await get('/v1/referrals', { count: 20 })
    const made = (await place(service, { tests })).body
    let cursor: Json | undefined = cursorOf(head)
    const seen = recordsOf(head.body).map((entry) => entry['uuid'])
    while (typeof cursor === 'string') {
      const page: Answer = await get('/v1/referrals', { count: 20, cursor })
      seen.push(...recordsOf(page.body).map((entry) => entry['uuid']))
      cursor = at(page.body, 'cursor', 'cursor')
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.at(-1)).toBe(at(Array.isArray(made) ? made[0] : made, 'uuid'))
  })
  it('a bundles cursor is rejected with another includeUnlisted', async () => {
    const cursor = cursorOf(await get('/v1/bundles', { count: 2 }))
    expectError(
      await get('/v1/bundles', { count: 2, cursor, includeUnlisted: 'true' }),
      400,
      'INVALID_PARAMETER',
      /cursor/,
    )
  })
})
