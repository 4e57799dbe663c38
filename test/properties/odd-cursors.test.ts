import fc from 'fast-check'
import type { FetchLike } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { CursorGuard } from '../../src/client/pagination/cursor-iterator.js'
import { clientOf, rejection } from '../support/clients.js'
import { rowsAt } from '../support/paged-service.js'
import { API, clientWith, listOf, placesOf, range } from './list-world.js'

describe('§4.7 lists on one page, with and without a wrapper', () => {
  const answering =
    (body: unknown): FetchLike =>
    async (input) =>
      Response.json(
        input.endsWith('/oauth/token') ? { access_token: 't', token_type: 'Bearer', expires_in: 60 } : body,
      )

  it.each(['results', 'tests', 'biomarkers'] as const)('%s as an array without a wrapper', async (name) => {
    const rows: unknown[] = await clientWith(answering(rowsAt(range(30))))
      [name].list()
      .toArray()
    expect(rows).toEqual(rowsAt(range(30)))
  })

  it('§4.4 vendors have a documented wrapper', async () => {
    const { vendors } = clientWith(answering(rowsAt(range(30))))
    expect(await rejection(vendors.list().toArray())).toMatchObject({ reason: 'shape' })
    const rows: unknown[] = await clientWith(answering({ vendors: rowsAt([1]) }))
      .vendors.list()
      .toArray()
    expect(rows).toEqual(rowsAt([1]))
  })
})

/** A list whose cursors go from 0 to `tail + cycle - 1` and then back to `tail`. */
function goingRound(tail: number, cycle: number) {
  let asked = 0
  const fetch: FetchLike = async (input) => {
    const url = new URL(input)
    if (url.pathname === '/oauth/token') {
      return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3_600 })
    }
    asked += 1
    const current = Number(url.searchParams.get('cursor') ?? 0)
    const next = current + 1 < tail + cycle ? current + 1 : tail
    const cursor = { cursor: String(next), count: 1, resultCount: 1 }
    return Response.json({ referrals: [{ uuid: 'x', place: current }], cursor })
  }
  return { fetch, asked: () => asked }
}

describe('§4.7 a list whose cursors repeat', () => {
  it('ends with cursor-loop after the first repeat, whatever the number of pages in between', async () => {
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

  it('the guard detects repeats over any number of pages, in constant memory', () => {
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
})

describe('§4.7 a page with a wrong number of records', () => {
  const miscounting: FetchLike = async (input) => {
    if (input.endsWith('/oauth/token')) {
      return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3_600 })
    }
    return Response.json({ webhooks: [], cursor: { cursor: 'x', count: 20, resultCount: 3 } })
  }

  it('causes one warning, and its count ends the list', async () => {
    const warnings: string[] = []
    const client = clientOf(API, { fetch: miscounting, logger: { warn: (text) => warnings.push(text) } })
    for (let nth = 0; nth < 3; nth += 1) await expect(client.webhooks.list().toArray()).resolves.toEqual([])
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('cursor.resultCount')
  })
})

describe('§4.7 cursors that differ from the specification', () => {
  const answering = (...pages: unknown[]) => {
    let asked = 0
    const fetch: FetchLike = async (input) => {
      if (input.endsWith('/oauth/token')) {
        return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3_600 })
      }
      const page = pages[asked] ?? { referrals: [] }
      asked += 1
      return new Response(typeof page === 'string' ? page : JSON.stringify(page))
    }
    return { list: listOf(clientWith(fetch), 'referrals', {}), asked: () => asked }
  }
  const row = rowsAt([1])

  it.each([
    ['a cursor and no records', { referrals: [], cursor: { cursor: 'x', count: 20, resultCount: 20 } }],
    ['a short page with a cursor', { referrals: row, cursor: { cursor: 'x', count: 20, resultCount: 1 } }],
    ['a full page without a cursor', { referrals: row }],
    ['cursor null', { referrals: row, cursor: null }],
    ['an empty cursor', { referrals: row, cursor: { cursor: '', count: 1, resultCount: 1 } }],
  ])('%s: the end', async (_, page) => {
    const { list, asked } = answering(page)
    await list.toArray()
    expect(asked()).toBe(1)
  })

  it.each([
    ['bare text', { referrals: row, cursor: 'x' }],
    ['without numbers', { referrals: row, cursor: { cursor: 'x' } }],
    ['with numbers as text', { referrals: row, cursor: { cursor: 'x', count: '1', resultCount: '1' } }],
    [
      'with an infinite count',
      '{"referrals":[{"uuid":"a","place":1}],"cursor":{"cursor":"x","count":1e400,"resultCount":1}}',
    ],
    ['of a full page that says less', { referrals: row, cursor: { cursor: 'x', count: 1, resultCount: 0 } }],
  ])('a cursor %s: followed, so that no record is lost', async (_, page) => {
    const { list, asked } = answering(page, { referrals: rowsAt([2]) })
    expect(placesOf(await list.toArray())).toEqual([1, 2])
    expect(asked()).toBe(2)
  })
})
