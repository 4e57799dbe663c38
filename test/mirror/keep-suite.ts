import { readFile } from 'node:fs/promises'
import type { SweepName } from 'pathology-sdk/mirror'
import { describe, expect, it } from 'vitest'
import { completeOrder, createWorld, type TestDatabase } from './world.js'

/** Tests of status, history, biomarkers and the catalogue, on PGlite. */
export function keepSuite(database: TestDatabase): void {
  const world = () => createWorld(database)

  it('status() counts records, due work, dead work and consumers, and names the oldest open referral', async () => {
    const here = await world()
    const mirror = here.mirrorOf({ on: { '*': () => undefined } })
    await here.subscribe(mirror)
    expect(await mirror.status()).toMatchObject({
      ...{ lagMs: 0, backlog: 0, dead: 0, recovered24h: 0, position: 0, lastEventAt: null },
      ...{ lastSweep: undefined, oldestOpen: undefined, retries: [], oldestWaiting: undefined },
    })
    const uuid = await here.order()
    await here.settle(mirror)
    await here.want('referral', 'a', { since: "now() - interval '90 seconds'" })
    await here.want('result', 'b', { dead: 'true' })
    await here.want('referral', 'c', { rereads: '1', run_at: "now() + interval '60 seconds'" })
    await here.want('sweep', 'open', { source: "'sweep'", since: "now() - interval '1 day'" })
    await here.want('object', 'd', { source: "'manual'", since: "now() - interval '1 day'" })
    const status = await mirror.status()
    expect(status).toMatchObject({
      ...{ backlog: 3, retrying: 1, dead: 1, referrals: 1, results: 0, oldestOpen: { uuid } },
    })
    expect(status.lagMs).toBeGreaterThanOrEqual(90_000)
    expect(status.lagMs).toBeLessThan(120_000)
    const [health] = await here.rows('SELECT lag_seconds FROM {schema}.mirror_health')
    expect(Math.round(Number(health?.['lag_seconds']) / 30)).toBe(3)
    expect(status.lastEventAt).toBeInstanceOf(Date)
    expect(status.consumers).toEqual([
      { organisation: 'default', name: 'default', isConfigured: true, backlog: 0, dead: 0 },
    ])
  })

  it('methods of a mirror reject an unknown sweep, an unknown consumer and an id that is not a UUID, instead of doing nothing', async () => {
    const here = await world()
    const mirror = here.mirrorOf({ on: { '*': () => undefined } })
    await mirror.drain()
    // A program in JavaScript can pass any name.
    const nightly: SweepName = JSON.parse('"nightly"')
    const signal = AbortSignal.timeout(5_000)
    await expect(mirror.sweep(nightly, { signal })).rejects.toThrow(
      /the sweep must be one of recent, open, everything/,
    )
    await expect(mirror.replay({ consumer: 'defualt' })).rejects.toThrow(
      /no selected organisation has a consumer of this name; nothing is delivered again. Consumers of these organisations: default$/,
    )
    await expect(mirror.results.at('result-1', new Date())).rejects.toThrow(
      /mirror.results.at: uuid must be a UUID/,
    )
    const organisation = 'nroth'
    const uuid = '00000000-0000-4000-8000-000000000001'
    for (const call of [
      () => mirror.sweep('recent', { organisation }),
      () => mirror.verify({ organisation }),
      () => mirror.erase({ uuid, organisation }),
      () => mirror.changes({ organisation }).next(),
      () => mirror.replay({ consumer: 'default', organisation }),
      () => mirror.results.at(uuid, new Date(), { organisation }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'UNKNOWN_ORGANISATION' })
  })

  it('status() names the last sweep, and when the next one runs', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    await mirror.start()
    await mirror.sweep('recent')
    const { lastSweep } = await mirror.status()
    expect(lastSweep).toMatchObject({ organisation: 'default', name: 'recent', recovered: 0 })
    expect(lastSweep?.nextAt?.getTime()).toBeGreaterThan(Date.now())
  })

  it('status() shows a consumer without handlers, and removeConsumer() removes it with its work', async () => {
    const here = await world()
    const old = here.mirrorOf({ consumers: { billing: { on: { '*': () => undefined } } } })
    await old.drain()
    await expect(old.removeConsumer('billing')).rejects.toMatchObject({ name: 'ConfigurationError' })
    await old.stop()
    const mirror = here.mirrorOf()
    await here.subscribe(mirror)
    await here.order()
    await here.settle(mirror)
    expect((await mirror.status()).consumers).toEqual([
      { organisation: 'default', name: 'billing', isConfigured: false, backlog: 1, dead: 0 },
    ])
    expect(await mirror.removeConsumer('billing')).toBe(1)
    expect((await mirror.status()).consumers).toEqual([])
    expect(await here.rows('SELECT * FROM {schema}.work')).toEqual([])
  })

  it('removeConsumer() leaves the consumers of organisations that the mirror does not have', async () => {
    const here = await world()
    const south = here.mirrorOf({
      organisations: { south: { client: here.clientOf() } },
      consumers: { billing: { on: { '*': () => undefined } } },
    })
    await south.drain()
    const north = here.mirrorOf({ organisations: { north: { client: here.clientOf() } } })
    expect(await north.removeConsumer('billing')).toBe(0)
    expect(await here.rows('SELECT organisation, name FROM {schema}.consumer')).toEqual([
      { organisation: 'south', name: 'billing' },
    ])
  })

  it('results.at() returns a record as the copy had it at a time, and undefined before its first state', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    await here.subscribe(mirror)
    const { referral } = await completeOrder(here, mirror)
    const changes = await here.rows(
      `SELECT changed_at, status_after AS status FROM {schema}.change WHERE uuid = $1 ORDER BY position`,
      [referral],
    )
    expect(changes.length).toBeGreaterThan(1)
    for (const { changed_at, status } of changes)
      expect((await mirror.referrals.at(referral, new Date(Number(changed_at) + 1)))?.status).toBe(status)
    expect(await mirror.referrals.at(referral, '2020-01-01T00:00:00Z')).toBeUndefined()
    const noTimes = [
      ...['yesterday', '2026-11-01T00:00:00', '1/11/2026', '2026-02-30T00:00:00Z', '2026-11-01'],
      ...['+012345-01-01T00:00:00Z', new Date('+012345-01-01T00:00:00Z'), new Date(Number.NaN)],
    ]
    for (const time of noTimes)
      await expect(mirror.referrals.at(referral, time)).rejects.toMatchObject({
        name: 'ConfigurationError',
      })
  })

  it('results.at() with the time of a change returns the state after it, although stored times have microseconds', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    await here.subscribe(mirror)
    await completeOrder(here, mirror)
    await here.rows("UPDATE {schema}.change SET changed_at = changed_at + interval '456 microseconds'")
    let count = 0
    for await (const change of mirror.changes()) {
      const area = change.kind === 'referral' ? mirror.referrals : mirror.results
      expect((await area.at(change.uuid, change.changedAt))?.status).toBe(change.status.after)
      count += 1
    }
    expect(count).toBeGreaterThan(2)
  })

  it('the daily clean-up removes old events and the bodies of replaced states that all consumers have', async () => {
    const here = await world()
    const mirror = here.mirrorOf({ history: 10, eventDays: 5, on: { referral: () => undefined } })
    await here.subscribe(mirror)
    const { referral } = await completeOrder(here, mirror)
    await here.rows(`UPDATE {schema}.change SET changed_at = changed_at - interval '20 days'`)
    await here.rows(`UPDATE {schema}.event SET received_at = now() - interval '6 days'`)
    const cleanUp = async (): Promise<void> => {
      await here.want('clean-up')
      await mirror.drain()
    }
    await here.rows('UPDATE {schema}.delivery SET position = 0')
    await cleanUp()
    const bodies = 'SELECT body IS NULL AS cleared FROM {schema}.change WHERE uuid = $1 ORDER BY position'
    expect(await here.rows('SELECT * FROM {schema}.event')).toEqual([])
    expect((await here.rows(bodies, [referral])).every(({ cleared }) => cleared === false)).toBe(true)

    await here.rows('UPDATE {schema}.delivery SET position = 1000000')
    await cleanUp()
    const cleared = (await here.rows(bodies, [referral])).map((row) => row['cleared'])
    expect(cleared).toEqual(cleared.map((_, at) => at < cleared.length - 1))
    expect((await mirror.referrals.at(referral, new Date()))?.status).toBe('COMPLETE')
    const [first] = await here.rows('SELECT min(changed_at) AS at FROM {schema}.change WHERE uuid = $1', [
      referral,
    ])
    const early = mirror.referrals.at(referral, new Date(Number(first?.['at']) + 1))
    await expect(early).rejects.toMatchObject({ code: 'HISTORY_CLEARED' })
  })

  describe('biomarkers', () => {
    it('biomarkers have one row for each value, in the order of the result, and are replaced with it (§2.6)', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await here.subscribe(mirror)
      const { result } = await completeOrder(here, mirror)
      const list = here.fake.results.retrieve(result).biomarkers
      expect(list.length).toBeGreaterThan(0)
      const read = () =>
        here.rows(
          'SELECT biomarker_id AS id, value FROM {schema}.biomarker WHERE result_uuid = $1 ORDER BY place',
          [result],
        )
      expect(await read()).toEqual(list.map(({ id, value }) => ({ id, value })))
      await here.rows(`INSERT INTO {schema}.biomarker (organisation, result_uuid, place, biomarker_id)
        VALUES ('default', '${result}', 999, 'no longer reported')`)
      await here.rows(`UPDATE {schema}.result SET updated_at = '2000-01-01', digest = ''`)
      here.fake.trigger('result.updated', { data: { uuid: result } })
      await here.settle(mirror)
      expect(await read()).toEqual(list.map(({ id, value }) => ({ id, value })))
      const trend = await here.rows(
        'SELECT biomarker_id AS id, number FROM {schema}.biomarker_trend WHERE result_uuid = $1',
        [result],
      )
      expect(trend.length).toBeGreaterThan(0)
      for (const { id, number } of trend) {
        expect(list.some((entry) => entry.id === id && Number(entry.canonical?.value) === number)).toBe(true)
      }
    })
  })

  it('after the first success that follows an outage, other reads do not wait for the end of their delays', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    await here.subscribe(mirror)
    const fault = here.fake.faults.next(
      'GET /v1/referrals/{uuid}',
      { status: 503 },
      { times: Number.POSITIVE_INFINITY },
    )
    const uuids = [await here.order(), await here.order(), await here.order()]
    await here.settle(mirror)
    expect(await here.rows('SELECT attempts FROM {schema}.work')).toEqual(uuids.map(() => ({ attempts: 1 })))
    here.fake.faults.remove(fault)
    await here.rows(`UPDATE {schema}.work SET run_at = now() + interval '20 minutes'`)
    await here.rows('UPDATE {schema}.work SET run_at = now() WHERE key = $1', [uuids[0]])
    await mirror.drain()
    expect(await here.rows('SELECT * FROM {schema}.work')).toEqual([])
    expect(await here.rows('SELECT uuid FROM {schema}.referral')).toHaveLength(3)
  })

  describe('catalogue', () => {
    it('the catalogue contains tests, bundles, biomarkers, vendors and providers, retires those that are no longer listed, and shows overdue referrals', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      const uuid = await here.order()
      await here.fake.clock.advance({ seconds: 1 })
      await mirror.backfill()
      const read = async (): Promise<void> => {
        await here.want('catalogue')
        await here.want('providers')
        await mirror.drain()
      }
      await read()
      const client = here.clientOf()
      for (const [table, list] of [
        ['test', client.tests.list()],
        ['bundle', client.bundles.list({ includeUnlisted: true })],
        ['catalogue_biomarker', client.biomarkers.list()],
        ['vendor', client.vendors.list()],
        ['provider', client.providers.list()],
      ] as const) {
        const count = (await list.toArray()).length
        expect(await here.rows(`SELECT count(*)::int AS n FROM {schema}.${table}`), table).toEqual([
          { n: count },
        ])
        expect(count, table).toBeGreaterThan(0)
      }
      await here.rows(`INSERT INTO {schema}.test (organisation, id, name, body, digest, read_at)
        VALUES ('default', 'withdrawn', 'Withdrawn', '{}', '', now())`)
      await read()
      expect(await here.rows('SELECT id FROM {schema}.test WHERE retired_at IS NOT NULL')).toEqual([
        { id: 'withdrawn' },
      ])
      expect(await here.rows('SELECT * FROM {schema}.work')).toEqual([])

      const overdue = () =>
        here.rows('SELECT uuid, turnaround_days > 0 AS known, is_overdue FROM {schema}.open_referral')
      await here.rows('UPDATE {schema}.referral SET created_at = now()')
      expect(await overdue()).toEqual([{ uuid, known: true, is_overdue: false }])
      await here.rows(`UPDATE {schema}.referral SET created_at = now() - interval '90 days'`)
      expect(await overdue()).toEqual([{ uuid, known: true, is_overdue: true }])
    })

    it('many rows of the catalogue are marked as retired only if they have been missing for a week', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await mirror.drain()
      const read = () => here.want('catalogue').then(() => mirror.drain())
      const retired = async () =>
        (await here.rows('SELECT id FROM {schema}.test WHERE retired_at IS NOT NULL')).length
      const lacking = () => here.logs.filter((line) => line.includes('no longer lists 30 of')).length
      await read()
      await here.rows(`INSERT INTO {schema}.test (organisation, id, name, body, digest, read_at)
        SELECT 'default', 'withdrawn ' || n, 'Withdrawn', '{}', '', now() FROM generate_series(1, 30) AS n`)
      // The last read was long ago, so the next two reads are the first that miss the rows.
      await here.rows(`UPDATE {schema}.test SET read_at = now() - interval '30 days'`)
      await read()
      await read()
      expect([await retired(), lacking()]).toEqual([0, 2])
      await here.rows(`UPDATE {schema}.test SET missing_at = missing_at - interval '6 days'`)
      await read()
      expect([await retired(), lacking()]).toEqual([0, 3])
      await here.rows(`UPDATE {schema}.test SET missing_at = missing_at - interval '2 days'`)
      await read()
      expect([await retired(), lacking()]).toEqual([30, 3])
    })

    it('all providers are marked as retired when the service has listed none for a week', async () => {
      const here = await world()
      here.fake.faults.next(
        'GET /v1/providers',
        { status: 200, body: { providers: [] } },
        { times: Number.POSITIVE_INFINITY },
      )
      const mirror = here.mirrorOf()
      await mirror.drain()
      await here.rows(`INSERT INTO {schema}.provider (organisation, provider_number, body, digest, read_at)
        SELECT 'default', '21234' || n, '{}', '', now() - interval '9 days' FROM generate_series(100, 124) AS n`)
      const read = async (): Promise<number> => {
        await here.want('providers')
        await mirror.drain()
        return (await here.rows('SELECT 1 FROM {schema}.provider WHERE retired_at IS NOT NULL')).length
      }
      expect([await read(), await read()]).toEqual([0, 0])
      await here.rows(`UPDATE {schema}.provider SET missing_at = missing_at - interval '8 days'`)
      expect(await read()).toBe(25)
    })

    it('a provider that was retired after the list was read is omitted, with any status of the error (§4.4)', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await mirror.backfill()
      const all = await here.clientOf().providers.list().toArray()
      const fault = { status: 400, code: 'PROVIDER_NOT_FOUND' }
      here.fake.faults.next('GET /v1/providers/{providerNumber}', fault)
      await here.want('providers')
      await mirror.drain()
      expect(await here.rows('SELECT key FROM {schema}.work')).toEqual([])
      expect(await here.rows('SELECT name FROM {schema}.provider')).toHaveLength(all.length - 1)
    })

    it('the SQL recipes of the guide run on the copy', async () => {
      const here = await world()
      await here.mirrorOf().drain()
      const guide = await readFile('docs/guides/recipes-in-sql.md', 'utf8')
      const recipes = [...guide.matchAll(/```sql\n([\s\S]*?);\n```/g)].map(([, text = '']) => text)
      expect(recipes.length).toBeGreaterThan(5)
      for (const text of recipes) {
        expect(await here.rows(text.replaceAll('pathology.', '{schema}.'))).toEqual([])
      }
    })
  })
}
