import { afterAll, describe, expect, it } from 'vitest'
import { ask, centrePath, type Page, uuids } from './support/centres.js'
import { expectError, faults } from './support/check.js'
import { at, str } from './support/json.js'
import { cursor as cursorShape } from './support/objects.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const { centres: all, total } = await ask(service, 'count=10000')
const cursorOf = (page: Page): string => str(at(page.answer.body, 'cursor', 'cursor'))
type Filters = Readonly<Record<string, string | number>>

const walk = async (filters: Filters, count: number): Promise<Page[]> => {
  const pages: Page[] = []
  let next: Filters = { ...filters, count }
  for (let turn = 0; turn < 400; turn += 1) {
    const page = await ask(service, next)
    pages.push(page)
    const size = at(page.answer.body, 'cursor', 'count')
    if (size === undefined || page.centres.length < Number(size)) return pages
    next = { ...filters, count, cursor: cursorOf(page) }
  }
  throw new Error('endless')
}

const sets: readonly (readonly [string, Filters, number])[] = [
  ['everything by 1000', {}, 1000],
  ['everything by 5900', {}, 5900],
  ['everything by 777', {}, 777],
  ['one state by 20', { states: 'TAS' }, 20],
  ['one state by 1', { states: 'ACT' }, 1],
  ['two states by 50', { states: 'ACT,NT' }, 50],
  ['a search by 7', { search: 'hospital', states: 'SA' }, 7],
  ['around a point by 60', { lat: -33.87, lng: 151.21, radiusKm: 10 }, 60],
  ['in a box by 33', { north: -31, south: -33, east: 117, west: 115 }, 33],
  ['a point and a box by 9', { north: -31, south: -33, east: 117, west: 115, lat: -32, lng: 116 }, 9],
  ['changed since by 500', { changedSince: '2001-01-01T00:00:00Z', states: 'VIC' }, 500],
]
describe.each(sets)('§4.7 %s', async (_name, filters, count) => {
  const pages = await walk(filters, count)
  const whole = await ask(service, { ...filters, count: 10000 })
  it('lists every record once, in the order of a single page', () => {
    expect(pages.flatMap((page) => page.centres)).toEqual(whole.centres)
    expect(new Set(uuids(whole.centres)).size).toBe(whole.centres.length)
  })
  it('totalResults counts across all pages', () => {
    for (const page of pages) expect(page.total).toBe(whole.centres.length)
  })
  it('each page shows its size', () => {
    for (const page of pages.filter((one) => one.centres.length > 0)) {
      expect(faults(at(page.answer.body, 'cursor'), cursorShape)).toEqual([])
      expect(at(page.answer.body, 'cursor', 'count')).toBe(count)
      expect(at(page.answer.body, 'cursor', 'resultCount')).toBe(page.centres.length)
    }
  })
  it('its cursor is rejected with other filters', async () => {
    const head = await ask(service, { ...filters, count: 1 })
    const answer = await service.call('GET', centrePath, {
      query: { ...filters, count: 1, search: 'somewhere else', cursor: cursorOf(head) },
    })
    expectError(answer, 400, 'INVALID_PARAMETER', /cursor/)
  })
})

const sizes: readonly (readonly [string, number])[] = [
  ['', 50],
  ['count=1', 1],
  ['count=49', 49],
  ['count=50', 50],
  ['count=51', 51],
  ['count=9999', 9999],
  ['count=10000', 10000],
  ['count=10001', 10000],
  ['count=99999999', 10000],
]
describe('§4.5, §8 count', () => {
  it.each(sizes)("'%s' is applied as %i", async (query, applied) => {
    const page = await ask(service, query)
    expect(at(page.answer.body, 'cursor', 'count')).toBe(applied)
    expect(page.centres.length).toBe(Math.min(applied, total))
    expect(at(page.answer.body, 'cursor', 'resultCount')).toBe(page.centres.length)
    expect(page.total).toBe(total)
    expect(uuids(page.centres)).toEqual(uuids(all).slice(0, applied))
  })
  it.each(['/v1/referrals', '/v1/bundles'])('a cursor of %s is INVALID_PARAMETER', async (path) => {
    const cursor = str(at((await service.call('GET', path, { query: 'count=1' })).body, 'cursor', 'cursor'))
    expectError(
      await service.call('GET', centrePath, { query: { cursor } }),
      400,
      'INVALID_PARAMETER',
      /cursor/,
    )
  })
  const changes: readonly (readonly [Filters, Filters])[] = [
    [{ states: 'NSW' }, {}],
    [{}, { states: 'NSW' }],
    [{ states: 'NSW' }, { states: 'VIC' }],
    [{ states: 'NSW' }, { states: 'NSW,VIC' }],
    [
      { lat: -33, lng: 151 },
      { lat: -33, lng: 150 },
    ],
    [{ lat: -33, lng: 151 }, {}],
    [
      { lat: -33, lng: 151, radiusKm: 500 },
      { lat: -33, lng: 151, radiusKm: 400 },
    ],
    [{ search: 'street' }, { search: 'road' }],
    [{ changedSince: '2001-01-01T00:00:00Z' }, { changedSince: '2002-01-01T00:00:00Z' }],
    [{ testingTypes: 'PATHOLOGY' }, {}],
  ]
  it.each(changes)('a cursor of %j is rejected with %j', async (had, now) => {
    const cursor = cursorOf(await ask(service, { ...had, count: 1 }))
    expectError(
      await service.call('GET', centrePath, { query: { ...now, count: 1, cursor } }),
      400,
      'INVALID_PARAMETER',
      /cursor/,
    )
  })
})
