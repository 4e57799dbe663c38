import { setTimeout as sleep } from 'node:timers/promises'
import type { Change, HandlerContext } from 'pathology-sdk/mirror'
import { signWebhook } from 'pathology-sdk/webhooks'
import { describe, expect, it } from 'vitest'
import { createWorld, type TestDatabase } from './world.js'

const UUID = '00000000-0000-4000-8000-000000000001'

/** Tests of duplicates, old states, rejected credentials and failing handlers, for each database. */
export function flowSuite(database: () => TestDatabase): void {
  const world = () => createWorld(database())
  type World = Awaited<ReturnType<typeof world>>
  const send = async (
    { fake, mirrorOf }: World,
    mirror: ReturnType<World['mirrorOf']>,
    event: object,
  ): Promise<number> => {
    void mirrorOf
    const body = JSON.stringify({ version: '1.0', ...event })
    const headers = { 'x-svc-hmac-sha256': await signWebhook(body, fake.signingSecret) }
    return (await mirror.receiver.receive({ headers, body })).status
  }

  describe('flows', () => {
    it('simultaneous duplicates of an event are stored once, with one piece of work (§6)', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await mirror.status()
      const event = { eventName: 'result.created', eventUuid: UUID, data: { uuid: UUID } }
      const statuses = await Promise.all(Array.from({ length: 8 }, () => send(here, mirror, event)))
      expect(new Set(statuses)).toEqual(new Set([200]))
      expect(await here.rows('SELECT count(*)::int AS n FROM {schema}.event')).toEqual([{ n: 1 }])
      expect(await here.rows('SELECT kind, key, wanted::int AS wanted FROM {schema}.work')).toEqual([
        { kind: 'result', key: UUID, wanted: 1 },
      ])
    })

    it('an unknown event, and characters that Postgres cannot store, are stored with 200 (§6)', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      const data = { 'a\0b': 'c\0\ud800d' }
      expect(await send(here, mirror, { eventName: 'thing.new', eventUuid: UUID, data })).toBe(200)
      expect(await here.rows('SELECT event_name, kind FROM {schema}.event')).toEqual([
        { event_name: 'thing.new', kind: null },
      ])
    })

    it('a 404 soon after an event is read again, and does not remove the copy (§4.1)', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await send(here, mirror, { eventName: 'referral.created', eventUuid: UUID, data: { uuid: UUID } })
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
      expect(await here.rows('SELECT rereads, dead FROM {schema}.work')).toEqual([
        { rereads: 1, dead: false },
      ])
    })

    it('rejected credentials pause their organisation, with one alarm, and keep its work (§5)', async () => {
      const here = await world()
      const mirror = here.mirrorOf({ client: here.clientOf({ clientSecret: 'invalid' }) })
      for (const n of [1, 2, 3]) {
        const uuid = UUID.replace(/1$/, String(n))
        await send(here, mirror, { eventName: 'referral.created', eventUuid: uuid, data: { uuid } })
      }
      await mirror.drain()
      expect(here.logs.filter((line) => line.includes('rejects the credentials'))).toHaveLength(1)
      expect(await here.rows('SELECT attempts, dead FROM {schema}.work')).toEqual(
        Array.from({ length: 3 }, () => ({ attempts: 0, dead: false })),
      )
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

    it('the log of a failed statement names the consumer, the change, the code and the place in the code of a failed statement, also when it is dead', async () => {
      const here = await world()
      const on = { '*': async (_: Change, { tx }: HandlerContext) => void (await tx.query('SELECT 1/0')) }
      const mirror = here.mirrorOf({ consumers: { billing: { on } }, attempts: { handler: 2 } })
      await here.subscribe(mirror)
      const uuid = await here.order()
      await here.settle(mirror)
      await here.rows('UPDATE {schema}.work SET run_at = now()')
      await mirror.drain()
      const failed = `mirror: consumer billing failed for the change "added" of referral ${uuid} at position `
      const lines = here.logs.filter((line) => line.startsWith(failed))
      expect(lines).toHaveLength(2)
      for (const line of lines) {
        expect(line).toMatch(/\(error 22012 at .*flow-suite\.ts:\d+:\d+\)?\), (attempt 1 of 2|2 times)\. /)
        expect(line).not.toContain('node_modules')
      }
    })

    it('a handler that does not finish in time is rolled back', async () => {
      const here = await world()
      const mirror = here.mirrorOf({
        handlerTimeout: 50,
        attempts: { handler: 1 },
        on: {
          referral: async (_, { tx }) => {
            await tx.query(`CREATE TABLE ${here.schema}.traces (id integer)`)
            await sleep(5_000, undefined, { ref: false })
          },
        },
      })
      await here.subscribe(mirror)
      await here.order()
      await here.settle(mirror)
      expect(await mirror.dead.list()).toMatchObject([{ error: 'PathologyError HANDLER_TIMEOUT' }])
      expect(await here.rows(`SELECT to_regclass('{schema}.traces') AS found`)).toEqual([{ found: null }])
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
      const [{ changes } = { changes: 0 }] = await here.rows(
        'SELECT count(*)::int AS changes FROM {schema}.change',
      )
      expect(seen).toHaveLength(Number(changes))
      expect(await here.rows('SELECT * FROM {schema}.work')).toEqual([])
    })

    it('several machines handle each change once, in order for each referral', async () => {
      const here = await world()
      await here.rows('CREATE SCHEMA IF NOT EXISTS {schema}')
      await here.rows('CREATE TABLE {schema}.own (id serial, position bigint PRIMARY KEY, uuid text)')
      const on = {
        '*': async (
          change: { position: number; group: string },
          { tx }: { tx: { query(text: string, values: unknown[]): Promise<unknown> } },
        ) =>
          void (await tx.query(`INSERT INTO ${here.schema}.own (position, uuid) VALUES ($1, $2)`, [
            String(change.position),
            change.group,
          ])),
      }
      const machines = [here.mirrorOf({ on }), here.mirrorOf({ on })]
      const [first] = machines
      if (first === undefined) throw new Error('no machine')
      await here.subscribe(first)
      await Promise.all(machines.map((mirror) => mirror.start()))
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
            const text =
              "SELECT setting = reset_val AS same FROM pg_settings WHERE name = 'synchronous_commit'"
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

    it('five machines start at once on an empty database', async () => {
      const here = await world()
      const machines = Array.from({ length: 5 }, () => here.mirrorOf())
      // The connections are open already, so that all machines start at the same moment.
      await Promise.all(machines.map(() => here.rows('SELECT pg_sleep(0.1)')))
      await Promise.all(machines.map((mirror) => mirror.start()))
      expect(await here.rows('SELECT version FROM {schema}.migration ORDER BY 1')).toEqual([
        { version: 1 },
        { version: 2 },
      ])
    })

    it("start() names the missing migrations with migrations: 'manual'", async () => {
      const here = await world()
      await expect(here.mirrorOf({ migrations: 'manual' }).start()).rejects.toMatchObject({
        code: 'MIGRATIONS_MISSING',
        message: expect.stringMatching(/1 \(tables\), 2 \(due-index\).*migrate --print/),
      })
    })
  })
}
