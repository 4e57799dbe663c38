import type { Mirror } from 'pathology-sdk/mirror'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LimitedLog, SafeLogger } from '../../../src/common/logger.js'
import type { TransactionOptions } from '../../../src/database/database.js'
import { openDatabase } from '../../../src/database/open.js'
import type { MirrorContext } from '../../../src/mirror/core/context.js'
import { changeLockNumber } from '../../../src/mirror/core/locks.js'
import { MirrorDatabase, type MirrorTransaction } from '../../../src/mirror/schema/mirror-database.js'
import { erase } from '../../../src/mirror/status/erase.js'
import { ServiceContact } from '../../../src/mirror/work/contact.js'
import { WorkTable } from '../../../src/mirror/work/work-table.js'
import { completeOrder, createWorld, type TestDatabase, type World } from '../world.js'

/** Tests of erasing, for each database. */
export function eraseSuite(database: TestDatabase): void {
  const world = () => createWorld(database)

  /** Text of all rows of the schema, to search for data that must be erased. */
  const everything = async ({ rows, schema }: World): Promise<string> => {
    const tables = await rows(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1',
      [schema],
    )
    const texts = []
    for (const { name } of tables)
      texts.push(await rows(`SELECT t::text AS text FROM {schema}.${String(name)} AS t`))
    return JSON.stringify(texts)
  }

  describe('erase', () => {
    it.each(['referral', 'result'] as const)(
      'erase() by the UUID of the %s includes a result that was stored before its referral was known',
      async (kind) => {
        const here = await world()
        const mirror = here.mirrorOf()
        await here.subscribe(mirror)
        const order = await completeOrder(here, mirror)
        await here.rows('UPDATE {schema}.result SET group_key = uuid')
        expect(await mirror.erase({ uuid: order[kind] })).toMatchObject({ referrals: 1, results: 1 })
        expect(await here.rows('SELECT uuid FROM {schema}.referral')).toEqual([])
        expect(await here.rows('SELECT uuid FROM {schema}.result')).toEqual([])
        // The changes of a record arrive in order only if all of them have the same group.
        const groups = "SELECT uuid, group_key FROM {schema}.change WHERE action = 'erased' ORDER BY kind"
        expect(await here.rows(groups)).toEqual([
          { uuid: order.referral, group_key: order.referral },
          { uuid: order.result, group_key: order.result },
        ])
      },
    )

    it('erase() includes a result that joins the group before its locks are acquired, while another one leaves', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await here.subscribe(mirror)
      const { referral, result } = await completeOrder(here, mirror)
      // The copy knows the group of this result only by an event.
      const leaving = '00000000-0000-4000-8000-000000000001'
      await here.rows(
        `INSERT INTO {schema}.event (organisation, event_uuid, event_name, kind, key, body)
         VALUES ('default', 'old', 'result.updated', 'result', $1, $2)`,
        [leaving, JSON.stringify({ data: { uuid: leaving, referralUuid: referral } })],
      )
      const joining = 'ffffffff-ffff-4fff-bfff-ffffffffffff'
      const changeGroup = async (): Promise<void> => {
        await here.rows("DELETE FROM {schema}.event WHERE event_uuid = 'old'")
        await here.rows(
          `INSERT INTO {schema}.result (organisation, uuid, group_key, referral_uuid, body, digest, read_at, read_by)
           SELECT organisation, $1, group_key, referral_uuid, body, digest, read_at, read_by FROM {schema}.result
           WHERE uuid = $2`,
          [joining, result],
        )
      }
      const { context, transactions } = await contextOf(here, database, changeGroup)
      expect(await erase(context, { uuid: referral })).toMatchObject({ referrals: 1, results: 2 })
      expect(transactions()).toBe(2)
      expect(await here.rows('SELECT uuid FROM {schema}.result')).toEqual([])
      const known = "SELECT uuid FROM {schema}.erased WHERE kind = 'result' ORDER BY uuid"
      expect((await here.rows(known)).map(({ uuid }) => uuid)).toEqual([referral, result, joining].sort())
    })

    it('erase() of a referral keeps no data of a later event of a result that the copy does not have', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await here.subscribe(mirror)
      const { referral } = await completeOrder(here, mirror)
      await mirror.erase({ uuid: referral })
      const uuid = '00000000-0000-4000-8000-000000000001'
      const metadata = { name: 'CANARY' }
      here.fake.trigger('result.created', { data: { uuid, referralUuid: referral.toUpperCase(), metadata } })
      await here.settle(mirror)
      expect(await here.rows('SELECT body FROM {schema}.event WHERE key = $1', [uuid])).toEqual([
        { body: null },
      ])
      expect(await everything(here)).not.toContain('CANARY')
    })

    it.each(['', 'none'])(
      'erase() leaves results alone that have no referral either, if the service writes "%s" for none',
      async (none) => {
        const here = await world()
        const fetchEmpty: typeof fetch = async (input, init) => {
          const response = await fetch(input, init)
          const text = (await response.text()).replaceAll(
            /"(referralUuid|resultsUuid)":"[^"]*"/g,
            `"$1":"${none}"`,
          )
          return new Response(text, { status: response.status, headers: response.headers })
        }
        const mirror = here.mirrorOf({ client: here.clientOf({ fetch: fetchEmpty }) })
        await here.order()
        for (const uuid of [await here.order(), await here.order()]) here.fake.referrals.complete(uuid)
        await mirror.backfill()
        expect(await mirror.sweep('open')).toMatchObject({ requestsByUuid: 0 })
        const results = (await here.rows('SELECT uuid FROM {schema}.result')).map(({ uuid }) => String(uuid))
        const unknown = '00000000-0000-4000-8000-000000000001'
        for (const uuid of [...results, unknown])
          await here.rows(
            `INSERT INTO {schema}.event (organisation, event_uuid, event_name, kind, key, body)
           VALUES ('default', $1, 'result.updated', 'result', $1, $2)`,
            [uuid, JSON.stringify({ data: { uuid, referralUuid: none } })],
          )
        expect(await mirror.erase({ uuid: unknown })).toMatchObject({ referrals: 0, results: 0, cleared: 1 })
        expect(await mirror.erase({ uuid: results[0] ?? '' })).toMatchObject({ referrals: 0, results: 1 })
      },
    )

    it('erase() in one organisation does not hide that the history of another one was cleared', async () => {
      const here = await createWorld(database, { seedReferrals: 1 })
      const organisations = { north: { client: here.clientOf() }, south: { client: here.clientOf() } }
      const mirror = here.mirrorOf({ organisations })
      await mirror.backfill({ organisation: 'north' })
      await mirror.backfill({ organisation: 'south' })
      const uuid = here.fake.referrals.all()[0]?.uuid ?? ''
      const before = new Date()
      await mirror.erase({ uuid, organisation: 'north' })
      await here.rows("UPDATE {schema}.change SET body = NULL WHERE organisation = 'south'")
      await expect(mirror.referrals.at(uuid, before)).rejects.toMatchObject({ code: 'HISTORY_CLEARED' })
    })

    it('erase() removes a group everywhere and calls every consumer; events, sweeps and the backfill do not restore the group', async () => {
      const here = await world()
      const seen: string[] = []
      const mirror = here.mirrorOf({
        documents: 'database',
        on: { '*': ({ uuid, action }) => void (action === 'erased' && seen.push(uuid)) },
        consumers: {
          other: {
            on: { result: ({ action, result }) => void (action === 'erased' && seen.push(String(result))) },
          },
        },
      })
      await here.subscribe(mirror)
      const erased = await completeOrder(here, mirror)
      const kept = await completeOrder(here, mirror)
      const report = await mirror.erase({ uuid: erased.result.toUpperCase() })
      expect(report).toMatchObject({ referrals: 1, results: 1, documents: 2 })
      expect(report.cleared).toBeGreaterThan(3)
      await mirror.drain()
      expect(seen.sort()).toEqual([erased.referral, erased.result, 'null'].sort())
      here.fake.trigger('referral.updated', { data: { uuid: erased.referral, canary: 'CANARY' } })
      here.fake.trigger('result.updated', { data: { uuid: erased.result, canary: 'CANARY' } })
      await here.settle(mirror)
      await mirror.backfill()
      await mirror.sweep('everything')
      expect(await here.rows('SELECT uuid FROM {schema}.referral')).toEqual([{ uuid: kept.referral }])
      expect(await here.rows('SELECT uuid FROM {schema}.result')).toEqual([{ uuid: kept.result }])
      const bodies = await here.rows(
        `SELECT body FROM {schema}.change WHERE uuid = ANY($1) AND body IS NOT NULL
         UNION ALL SELECT body FROM {schema}.event WHERE key = ANY($1) AND body IS NOT NULL`,
        [[erased.referral, erased.result]],
      )
      expect(bodies).toEqual([])
      expect(await everything(here)).not.toContain('CANARY')
      expect(await mirror.referrals.at(erased.referral, new Date())).toBeUndefined()
      expect(await mirror.documents.bytes({ kind: 'result', uuid: erased.result })).toBeUndefined()
      expect(await mirror.erase({ uuid: erased.referral })).toEqual({
        referrals: 0,
        results: 0,
        documents: 0,
        cleared: 0,
      })
    })

    it('erase() takes the UUID of a result that the copy does not have', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await here.subscribe(mirror)
      const { referral, result } = await completeOrder(here, mirror)
      await here.rows('DELETE FROM {schema}.result')
      await here.rows("DELETE FROM {schema}.change WHERE kind = 'result'")
      expect(await mirror.erase({ uuid: result })).toMatchObject({ referrals: 1 })
      expect(await here.rows('SELECT uuid FROM {schema}.referral')).toEqual([])
      expect(await here.rows('SELECT DISTINCT group_key AS key FROM {schema}.erased')).toEqual([
        { key: referral },
      ])
    })

    it('erase() takes effect even if a read is in flight', async () => {
      const here = await world()
      let erase: (() => Promise<unknown>) | undefined
      const mirror = here.mirrorOf({ documents: 'database' }, async (point) => {
        if (point !== 'fetch:after') return
        const now = erase
        erase = undefined
        await now?.()
      })
      await here.subscribe(mirror)
      const uuid = await here.order()
      erase = () => mirror.erase({ uuid })
      await here.settle(mirror)
      expect(erase).toBeUndefined()
      expect(await here.rows('SELECT * FROM {schema}.referral')).toEqual([])
      expect(await here.rows('SELECT * FROM {schema}.document')).toEqual([])
      expect(await here.rows('SELECT * FROM {schema}.work')).toEqual([])
      expect(await here.rows('SELECT body FROM {schema}.event WHERE body IS NOT NULL')).toEqual([])
    })

    it('erase() removes the data of events that this version does not know, before and after', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await here.subscribe(mirror)
      const erased = await completeOrder(here, mirror)
      const other = await here.order()
      const announce = async (data: object) =>
        expect(await here.announce(mirror, data, { eventName: 'invoice.sent' })).toBe(200)
      const announceAll = async () => {
        await announce({ uuid: erased.result.toUpperCase(), name: 'CANARY' })
        await announce({ uuid: crypto.randomUUID(), referralUuid: erased.referral, name: 'CANARY' })
        await announce({ uuid: other, name: 'kept' })
        await announce({ name: 'kept' })
      }
      await announceAll()
      expect(await everything(here)).toContain('CANARY')
      await mirror.erase({ uuid: erased.referral })
      expect(await everything(here)).not.toContain('CANARY')
      await announceAll()
      expect(await everything(here)).not.toContain('CANARY')
      const kept = await here.rows(
        "SELECT 1 FROM {schema}.event WHERE event_name = 'invoice.sent' AND body #>> '{data,name}' = 'kept'",
      )
      expect(kept).toHaveLength(4)
    })

    it('the clean-up removes the data of an event that was received meanwhile and whose record no longer exists', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await here.subscribe(mirror)
      const uuid = await here.order()
      await here.settle(mirror)
      await mirror.erase({ uuid })
      await here.rows(
        `INSERT INTO {schema}.event (organisation, event_uuid, event_name, kind, key, body)
         VALUES ('default', 'in-flight', 'referral.updated', 'referral', $1, '{"data":{"metadata":"health data"}}')`,
        [uuid],
      )
      await here.rows(
        `INSERT INTO {schema}.event (organisation, event_uuid, event_name, body)
         VALUES ('default', 'unknown', 'patient.updated', $1)`,
        [JSON.stringify({ data: { uuid: uuid.toUpperCase(), metadata: 'health data' } })],
      )
      await cleanUp(here, mirror)
      expect(await here.rows('SELECT body FROM {schema}.event WHERE body IS NOT NULL')).toEqual([])
    })
  })
}

/** Returns a context whose first transaction starts after `before`, and a function that counts the transactions. */
async function contextOf({ schema, clientOf }: World, { source }: TestDatabase, before: () => Promise<void>) {
  const opened = await openDatabase(source)
  onTestFinished(() => opened.close())
  let count = 0
  class Interrupted extends MirrorDatabase {
    override async transaction<T>(
      work: (tx: MirrorTransaction) => Promise<T>,
      options?: TransactionOptions,
    ): Promise<T> {
      count += 1
      if (count === 1) await before()
      return super.transaction(work, options)
    }
  }
  const named = new Interrupted(opened, schema)
  const context: MirrorContext = {
    database: named,
    table: new WorkTable(named),
    contact: new ServiceContact({
      ...{ database: named, table: new WorkTable(named), organisations: ['default'] },
      ...{ logger: new SafeLogger(undefined), wake: () => undefined },
    }),
    organisations: new Map([['default', { name: 'default', client: clientOf(), secret: undefined }]]),
    fetchAttempts: 12,
    logger: new SafeLogger(undefined),
    failedWork: new LimitedLog(() => undefined),
    point: () => undefined,
    changeLock: changeLockNumber(schema),
    wake: () => undefined,
  }
  return { context, transactions: () => count }
}

/** Does the work that is due once a day. */
export async function cleanUp(here: World, mirror: Mirror): Promise<void> {
  await here.want('clean-up')
  await mirror.drain()
}
