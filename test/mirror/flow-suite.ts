import { setTimeout as sleep } from 'node:timers/promises'
import type { Change, HandlerContext } from 'pathology-sdk/mirror'
import { expect, it } from 'vitest'
import { createWorld, type TestDatabase } from './world.js'

const UUID = '00000000-0000-4000-8000-000000000001'

/** Tests of duplicates, old states, failing handlers and several machines, for each database. */
export function flowSuite(database: TestDatabase): void {
  const world = () => createWorld(database)

  it('simultaneous duplicates of an event are stored once, with one piece of work (§6)', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    await mirror.status()
    const event = { eventName: 'result.created', eventUuid: UUID }
    const send = () => here.announce(mirror, { uuid: UUID }, event)
    const statuses = await Promise.all(Array.from({ length: 8 }, send))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await here.rows('SELECT count(*)::int AS n FROM {schema}.event')).toEqual([{ n: 1 }])
    expect(await here.rows('SELECT kind, key, wanted::int AS wanted FROM {schema}.work')).toEqual([
      { kind: 'result', key: UUID, wanted: 1 },
    ])
  })

  it('an unknown event, also with characters that Postgres cannot store, is stored with 200 (§6)', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    // On a busy machine, the first use can take longer than a delivery waits.
    await mirror.status()
    const data = { 'a\0b': 'c\0\ud800d' }
    expect(await here.announce(mirror, data, { eventName: 'thing.new' })).toBe(200)
    expect(await here.rows('SELECT event_name, kind FROM {schema}.event')).toEqual([
      { event_name: 'thing.new', kind: null },
    ])
  })

  it('a 404 soon after an event is read again, and does not remove the copy (§4.1)', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    await here.announce(mirror, { uuid: UUID })
    await mirror.drain()
    const [work] = await here.rows('SELECT rereads, attempts, run_at > now() AS later FROM {schema}.work')
    expect(work).toEqual({ rereads: 1, attempts: 0, later: true })
  })

  it('an older read does not replace a newer copy', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    await here.subscribe(mirror)
    const uuid = await here.order()
    await here.settle(mirror)
    await here.rows(`UPDATE {schema}.referral SET updated_at = '2100-01-01', status = 'NEWER'`)
    here.fake.trigger('referral.updated', { data: { uuid } })
    await here.settle(mirror)
    expect(await here.rows('SELECT status FROM {schema}.referral')).toEqual([{ status: 'NEWER' }])
    expect(await here.rows('SELECT rereads, dead FROM {schema}.work')).toEqual([{ rereads: 1, dead: false }])
  })

  it('a handler that always fails delays only its own group, is dead in the end, and is called after a retry', async () => {
    const here = await world()
    const delivered: string[] = []
    let poison = ''
    const mirror = here.mirrorOf({
      attempts: { handler: 1 },
      on: {
        referral: ({ uuid }) => {
          if (uuid === poison) throw new Error('poison')
          delivered.push(uuid)
        },
      },
    })
    await here.subscribe(mirror)
    poison = await here.order()
    const other = await here.order()
    await here.settle(mirror)
    expect(delivered).toContain(other)
    expect(delivered).not.toContain(poison)
    expect(await mirror.dead.list({ limit: Number.MAX_SAFE_INTEGER })).toMatchObject([
      { kind: 'deliver', consumer: 'default', uuid: poison, error: 'Error' },
    ])
    const broken = poison
    poison = ''
    expect(await mirror.dead.retry({ uuid: broken })).toBe(1)
    await mirror.drain()
    expect(delivered).toContain(broken)
    expect(await mirror.dead.list()).toEqual([])
    delivered.length = 0
    expect(await mirror.replay({ consumer: 'default', uuid: other })).toBe(1)
    await mirror.drain()
    expect(new Set(delivered)).toEqual(new Set([other]))
  })

  it('the first failure of a handler is logged with its place in the code and without its message', async () => {
    const here = await world()
    const mirror = here.mirrorOf({
      on: {
        '*': () => {
          throw new Error('Alex Example has no ward')
        },
      },
    })
    await here.subscribe(mirror)
    const uuids = [await here.order(), await here.order()]
    await here.settle(mirror)
    const lines = here.logs.filter((line) => line.includes('consumer default failed'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(
      /\(Error at .*flow-suite\.ts:\d+:\d+\)?\), attempt 1 of 12\. .*is delivered again later/,
    )
    // Either group can be delivered first.
    expect(uuids.filter((uuid) => lines[0]?.includes(uuid))).toHaveLength(1)
    expect(here.logs.join()).not.toContain('Alex')
  })

  it('the log of a statement that failed in a handler names the consumer, the change, the error code and the place, also when the change is dead', async () => {
    const here = await world()
    const on = { '*': async (_: Change, { tx }: HandlerContext) => void (await tx.query('SELECT 1/0')) }
    const mirror = here.mirrorOf({ consumers: { billing: { on } }, attempts: { handler: 2 } })
    await here.subscribe(mirror)
    const uuid = await here.order()
    await here.settle(mirror)
    await here.again(mirror)
    const failed = `mirror: consumer billing failed for the change "added" of referral ${uuid} at position `
    const lines = here.logs.filter((line) => line.startsWith(failed))
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expect(line).toMatch(/\(error 22012 at .*flow-suite\.ts:\d+:\d+\)?\), (attempt 1 of 2|2 times)\. /)
      expect(line).not.toContain('node_modules')
    }
  })

  it('changes() returns all changes in the order of their positions, from any position', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    await here.subscribe(mirror)
    const uuids = [await here.order(), await here.order()]
    await here.settle(mirror)
    const all = []
    for await (const change of mirror.changes()) all.push(change)
    expect(new Set(all.map(({ uuid }) => uuid))).toEqual(new Set(uuids))
    const rest = []
    for await (const change of mirror.changes({ after: all[0]?.position ?? 0 })) rest.push(change.position)
    expect(rest).toEqual(all.slice(1).map(({ position }) => position))
  })

  it('a worker whose lease was taken over changes nothing, and the change is handled once', async () => {
    const here = await world()
    let steal = true
    const seen: string[] = []
    const on = { referral: ({ uuid }: { uuid: string }) => void seen.push(uuid) }
    const mirror = here.mirrorOf({ on }, async (point) => {
      if (point !== 'fetch:after' || !steal) return
      steal = false
      await here.rows('UPDATE {schema}.work SET lease = gen_random_uuid(), run_at = now()')
    })
    await here.subscribe(mirror)
    const uuid = await here.order()
    await here.settle(mirror)
    expect(steal).toBe(false)
    expect(new Set(seen)).toEqual(new Set([uuid]))
    expect(await here.rows('SELECT count(*)::int AS n FROM {schema}.change')).toEqual([{ n: seen.length }])
    expect(await here.rows('SELECT * FROM {schema}.work')).toEqual([])
  })

  it('several machines handle each change once, in order for each referral', async () => {
    const here = await world()
    await here.rows('CREATE SCHEMA IF NOT EXISTS {schema}')
    await here.rows('CREATE TABLE {schema}.own (id serial, position bigint PRIMARY KEY, uuid text)')
    const on = {
      '*': ({ position, group }: Change, { tx }: HandlerContext) =>
        tx.query(`INSERT INTO ${here.schema}.own (position, uuid) VALUES ($1, $2)`, [
          String(position),
          group,
        ]),
    }
    const [first, second] = [here.mirrorOf({ on }), here.mirrorOf({ on })]
    await here.subscribe(first)
    await Promise.all([first.start(), second.start()])
    const uuids = []
    for (let n = 0; n < 5; n += 1) uuids.push(await here.order())
    await here.fake.clock.advance({ seconds: 1 })
    for (const uuid of uuids) here.fake.referrals.complete(uuid)
    await here.fake.clock.advance({ seconds: 1 })
    await here.fake.settled()
    const pending = async () => (await here.rows('SELECT 1 FROM {schema}.work')).length
    for (let n = 0; n < 200 && (await pending()) > 0; n += 1) await sleep(20)
    expect(await here.rows('SELECT kind, attempts, error FROM {schema}.work')).toEqual([])
    const changes = await here.rows('SELECT position, group_key AS uuid FROM {schema}.change ORDER BY 1')
    const own = await here.rows('SELECT position, uuid FROM {schema}.own ORDER BY id')
    expect(own).toHaveLength(changes.length)
    for (const uuid of uuids) {
      const of = (list: typeof own) => list.filter((row) => row['uuid'] === uuid)
      expect(of(own)).toEqual(of(changes))
    }
  })

  it('commits of a handler wait for the disk, although claims on the same connection do not', async () => {
    const here = await world()
    const found: unknown[] = []
    const mirror = here.mirrorOf({
      on: {
        referral: async (_, { tx }) => {
          const text = "SELECT setting = reset_val AS same FROM pg_settings WHERE name = 'synchronous_commit'"
          found.push(...(await tx.query(text)).rows)
        },
      },
    })
    await here.subscribe(mirror)
    await here.order()
    await here.settle(mirror)
    expect(found.length).toBeGreaterThan(0)
    expect(found).toEqual(found.map(() => ({ same: true })))
  })

  it("start() names the missing migrations with migrations: 'manual'", async () => {
    const here = await world()
    await expect(here.mirrorOf({ migrations: 'manual' }).start()).rejects.toMatchObject({
      code: 'MIGRATIONS_MISSING',
      message: expect.stringMatching(/1 \(tables\), 2 \(due-index\).*migrate --print/),
    })
  })
}
