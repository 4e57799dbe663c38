import { expect } from 'vitest'
import { completeOrder, createWorld, type TestDatabase } from './world.js'

/** A parser that an application may have set. */
export const foreignParser = (text: string): unknown => ({ read: text, epochMilliseconds: Number.NaN })

export const throwingParser = (): never => {
  throw new Error('this application reads no such value')
}

/** Row of the handler in {@link wholeFlow} with {@link foreignParser}. `json` is the server's text of the value. */
export const foreignRow = (json: string) => ({
  number: foreignParser('7'),
  text: foreignParser('a'),
  truth: foreignParser('t'),
  json: foreignParser(json),
})

/** Statement of the handler in {@link wholeFlow}. */
const STATEMENT = `SELECT 7 AS number, 'a' AS text, true AS truth, '{"a":1}'::jsonb AS json`

/**
 * Uses every part of a mirror that reads values from the database, and checks the values. The order of a patient with a
 * Chinese name is copied, and a stale read of its completed referral changes nothing.
 *
 * @param handlerReads - Whether the handler runs a statement.
 * @returns The row that the handler's statement returned.
 */
export async function wholeFlow(database: TestDatabase, handlerReads = true): Promise<unknown> {
  const here = await createWorld(database)
  const seen: unknown[] = []
  const first = new Map<string, Response>()
  let isStale = false
  const client = here.clientOf({
    fetch: async (input, init) => {
      const url = String(input)
      const old = first.get(url)
      if (isStale && old !== undefined) return old.clone()
      const response = await fetch(input, init)
      if (!first.has(url)) first.set(url, response.clone())
      return response
    },
  })
  const mirror = here.mirrorOf({
    client,
    documents: 'database',
    on: {
      referral: async (_, { tx }) => {
        if (handlerReads) seen.push((await tx.query(STATEMENT)).rows[0])
      },
      result: () => Promise.reject(new Error('no')),
    },
    attempts: { handler: 1 },
  })
  await mirror.start()
  await mirror.drain()
  await here.subscribe(mirror)
  const since = Date.now()
  const { referral, result } = await completeOrder(here, mirror, { lastName: '王小明' })
  const isNow = (time: unknown): boolean => Math.abs(Number(time) - since) < 600_000

  const status = await mirror.status()
  expect(status).toMatchObject({ referrals: 1, results: 1, recovered24h: 0, dead: 1 })
  expect(status.position).toBeGreaterThan(1)
  expect(isNow(status.lastEventAt)).toBe(true)
  expect(status.sweeps.map(({ startedAt }) => isNow(startedAt))).not.toContain(false)
  expect(await mirror.metrics()).toMatch(/^pathology_mirror_results 1$/m)
  const [dead] = await mirror.dead.list()
  expect(dead).toMatchObject({ kind: 'deliver', position: expect.any(Number) })
  expect(isNow(dead?.since)).toBe(true)
  expect(await mirror.dead.skip({ position: dead?.position ?? 0 })).toBe(1)

  const changes = []
  for await (const change of mirror.changes()) changes.push(change)
  expect(
    changes.map(({ changedAt, position }) => isNow(changedAt) && Number.isInteger(position)),
  ).not.toContain(false)
  expect(changes.find(({ kind }) => kind === 'referral')?.updatedAt).toBeInstanceOf(Date)
  expect(changes[0]).toMatchObject({ action: 'added', source: 'webhook', recovered: false })

  isStale = true
  expect(await here.announce(mirror, { uuid: referral })).toBe(200)
  await mirror.drain()
  isStale = false
  expect(await mirror.referrals.at(referral, new Date(Date.now() + 60_000))).toMatchObject({
    ...{ status: 'COMPLETE', person: { lastName: '王小明' } },
  })
  expect(await mirror.results.at(result, new Date(Date.now() + 60_000))).toMatchObject({ uuid: result })
  const pdf = await mirror.documents.bytes({ kind: 'result', uuid: result })
  expect(Buffer.from(pdf ?? []).toString('latin1', 0, 5)).toBe('%PDF-')

  for (const name of ['recent', 'open', 'everything'] as const) {
    expect(await mirror.sweep(name)).toMatchObject({ read: 2, new: 0, changed: 0, recovered: 0 })
  }
  expect(await mirror.backfill({ restart: true })).toMatchObject({ read: 2, new: 0, changed: 0 })
  expect(await mirror.verify()).toMatchObject({ compared: 2, differ: 0 })
  expect(await mirror.replay({ consumer: 'default', uuid: referral })).toBe(1)
  await mirror.drain()
  expect(await mirror.erase({ uuid: referral })).toMatchObject({ referrals: 1, results: 1, documents: 2 })
  expect(await mirror.referrals.at(referral, new Date(Date.now() + 60_000))).toBeUndefined()
  await mirror.stop()
  return seen[0]
}
