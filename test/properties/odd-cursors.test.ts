import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CursorGuard } from '../../src/client/pagination/cursor-iterator.js'
import { fetchOf, rejection } from '../support/clients.js'
import { rowsAt } from '../support/paged-service.js'
import { clientWith, listOf, placesOf } from './list-world.js'

/** A list whose cursors go from 0 to `tail + cycle - 1` and then back to `tail`. */
function goingRound(tail: number, cycle: number) {
  let asked = 0
  const fetch = fetchOf(({ searchParams }) => {
    asked += 1
    const current = Number(searchParams.get('cursor') ?? 0)
    const next = current + 1 < tail + cycle ? current + 1 : tail
    const cursor = { cursor: String(next), count: 1, resultCount: 1 }
    return { referrals: [{ uuid: 'x', place: current }], cursor }
  })
  return { fetch, asked: () => asked }
}

it('a list whose cursors repeat ends with cursor-loop after the first repeat, whatever the number of pages in between', async () => {
  const circle = fc.record({
    tail: fc.integer({ min: 1, max: 40 }),
    cycle: fc.integer({ min: 1, max: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(circle, fc.boolean(), async ({ tail, cycle }, prefetch) => {
      const { fetch, asked } = goingRound(tail, cycle)
      const error = await rejection(listOf(clientWith(fetch), 'referrals', { prefetch }).toArray())
      expect(error).toMatchObject({
        name: 'InvalidResponseError',
        reason: 'cursor-loop',
        code: 'RESPONSE_CURSOR_LOOP',
        attempts: tail + cycle,
      })
      expect(String(error)).toContain(`after ${tail + cycle} pages`)
      expect(asked()).toBeLessThanOrEqual(tail + cycle)
    }),
    { numRuns: 60 },
  )
})

it('a resumed iteration that returns to its own start ends after one page', async () => {
  const { fetch, asked } = goingRound(3, 1)
  const list = listOf(clientWith(fetch), 'referrals', { cursor: '3' })
  expect(await rejection(list.toArray())).toMatchObject({ reason: 'cursor-loop' })
  expect(asked()).toBe(1)
})

it('a repeat of cursors is detected over any number of pages, in constant memory (§4.7)', () => {
  const walk = (tail: number, cycle: number): number => {
    const guard = new CursorGuard()
    for (let step = 0; step < 1_000_000; step += 1) {
      const at = step < tail ? step : tail + ((step - tail) % cycle)
      if (!guard.add(`cursor-${at}`)) return step
    }
    return Number.POSITIVE_INFINITY
  }
  for (const [tail, cycle] of [
    [0, 1],
    [0, 4_096],
    [0, 4_097],
    [5_000, 1],
    [5_000, 5_000],
    [10_000, 37],
    [3, 60_000],
  ] as const) {
    expect(walk(tail, cycle)).toBeLessThanOrEqual(4 * (tail + cycle) + 8_192)
    expect(walk(tail, cycle)).toBeGreaterThanOrEqual(tail + cycle)
  }
})

it('a million different cursors are not a loop', () => {
  const guard = new CursorGuard()
  let admitted = 0
  for (let step = 0; step < 1_000_000; step += 1) admitted += guard.add(String(step)) ? 1 : 0
  expect(admitted).toBe(1_000_000)
})

const row = rowsAt([1])

/** A list with these pages, and then an empty one. */
function listed(...pages: unknown[]) {
  let asked = 0
  const fetch = fetchOf(() => {
    const page = pages[asked] ?? { referrals: [] }
    asked += 1
    return new Response(typeof page === 'string' ? page : JSON.stringify(page))
  })
  return { list: listOf(clientWith(fetch), 'referrals', {}), asked: () => asked }
}

it.each([
  ['a cursor and no records', { referrals: [], cursor: { cursor: 'x', count: 20, resultCount: 20 } }],
  ['a cursor and fewer records than the page size', { referrals: row, cursor: { cursor: 'x', count: 20 } }],
  ['no cursor', { referrals: row }],
  ['an empty cursor', { referrals: row, cursor: { cursor: '', count: 1, resultCount: 1 } }],
])('a list ends with a page that has %s (§4.7)', async (_, page) => {
  const { list, asked } = listed(page)
  await list.toArray()
  expect(asked()).toBe(1)
})

it.each([
  ['bare text', { referrals: row, cursor: 'x' }],
  ['one without numbers', { referrals: row, cursor: { cursor: 'x' } }],
  [
    'one with an infinite count',
    '{"referrals":[{"uuid":"a","place":1}],"cursor":{"cursor":"x","count":1e400}}',
  ],
  [
    'one of a full page that says less',
    { referrals: row, cursor: { cursor: 'x', count: 1, resultCount: 0 } },
  ],
])('a cursor that is %s is followed, so that no record is lost (§4.7)', async (_, page) => {
  const { list, asked } = listed(page, { referrals: rowsAt([2]) })
  expect(placesOf(await list.toArray())).toEqual([1, 2])
  expect(asked()).toBe(2)
})
