import type { MirrorOptions } from 'pathology-sdk/mirror'
import { describe, expect, it } from 'vitest'
import { record } from '../../testing/support.js'
import { createWorld, type TestDatabase } from '../world.js'

/** Tests of the directory and of `verify`, on PGlite. */
export function directorySuite(database: TestDatabase): void {
  // Each refresh sees all centres, but seeing a centre does not change it.
  const shown = (centre: object): object => ({ ...centre, lastSeenAt: '' })

  const POINT = { lat: -33.87, lng: 151.21 }

  const worldWithCentres = async (options: MirrorOptions = {}) => {
    const here = await createWorld(database, { centreCount: 300 })
    const mirror = here.mirrorOf({ sweep: {}, ...options })
    const read = () => here.want('centres').then(() => mirror.drain())
    await mirror.drain()
    await read()
    const copy = async () =>
      (await here.rows('SELECT body FROM {schema}.centre WHERE retired_at IS NULL ORDER BY uuid')).map(
        ({ body }) => shown(record(body)),
      )
    const listed = async () => {
      const all = await here.clientOf().centres.list({ count: 10_000 }).toArray()
      return all.sort((a, b) => (a.uuid < b.uuid ? -1 : 1)).map(shown)
    }
    return { here, mirror, read, copy, listed }
  }

  describe('collection centres', () => {
    it('the directory of collection centres is copied, and its changes with one request (§4.5)', async () => {
      const { here, read, copy, listed } = await worldWithCentres()
      expect(await copy()).toEqual(await listed())
      here.fake.centres.weeklyRefresh({ created: 3, updated: 5, missing: 4 })
      const before = here.fake.requests.count
      await read()
      expect(here.fake.requests.count - before).toBe(1)
      expect(await copy()).toEqual(await listed())
      // All organisations share the directory, so it has no row of its own.
      const health = await here.rows('SELECT organisation FROM {schema}.mirror_health')
      expect(health.filter((row) => row['organisation'] !== 'default')).toEqual([])
    })

    it.each([
      { what: 'a schedule of 30 minutes', centres: 30 * 60_000, requests: 1 },
      { what: 'the default schedule', centres: undefined, requests: 0 },
    ])(
      'a read of the centres 20 minutes after the last one by $what takes $requests requests',
      async (row) => {
        const { here, mirror } = await worldWithCentres({ sweep: { centres: row.centres } })
        await here.rows(`UPDATE {schema}.iteration SET finished_at = now() - interval '20 minutes'`)
        await here.want('centres', 'all', { source: "'sweep'" })
        const before = here.fake.requests.count
        await mirror.drain()
        expect(here.fake.requests.count - before).toBe(row.requests)
      },
    )

    it('an event about a part that the mirror does not copy creates no work', async () => {
      const here = await createWorld(database, { centreCount: 5 })
      const mirror = here.mirrorOf({ sweep: { centres: false }, documents: 'none' })
      const url = 'https://clinic.example/webhooks'
      here.fake.deliverTo(url, (request) => mirror.receiver.fetch(request))
      await here.clientOf().webhooks.create({ url, events: ['collection_centres.updated'] })
      here.fake.centres.weeklyRefresh({ updated: 1 })
      await here.settle(mirror)
      await here.want('document:result', 'a')
      expect((await mirror.status()).lastEventAt).toBeInstanceOf(Date)
      await mirror.drain()
      expect(await mirror.status()).toMatchObject({ backlog: 0, lagMs: 0 })
    })

    it('retired centres leave the directory on the event (§4.5)', async () => {
      const { here, mirror, copy, listed } = await worldWithCentres()
      const url = 'https://clinic.example/webhooks'
      here.fake.deliverTo(url, (request) => mirror.receiver.fetch(request))
      await here.clientOf().webhooks.create({ url, events: ['collection_centres.updated'] })
      const [first] = await here.clientOf().centres.list({ count: 1 }).toArray({ limit: 1 })
      here.fake.centres.weeklyRefresh({ missing: [first?.uuid ?? ''] })
      for (let week = 0; week < 4; week += 1) here.fake.centres.weeklyRefresh()
      await here.settle(mirror)
      expect(await copy()).toEqual(await listed())
      expect(await here.rows('SELECT uuid FROM {schema}.centre WHERE retired_at IS NOT NULL')).toContainEqual(
        {
          uuid: first?.uuid,
        },
      )
    })

    it('a complete read of the directory keeps centres that a listing omits, and retires those that are lost if they are few (§2.11)', async () => {
      const { here, read, copy } = await worldWithCentres()
      const before = await copy()
      await here.rows(`INSERT INTO {schema}.centre (uuid, name, body, digest, read_at)
        VALUES ('00000000-0000-4000-8000-000000000009', 'Lost', '{}', '', now() - interval '1 day')`)
      const unplaced = here.fake.centres
        .all()
        .find(({ lat, status }) => status !== 'RETIRED' && (lat === 0 || lat === null))
      if (unplaced !== undefined) {
        await here.rows(
          `INSERT INTO {schema}.centre (uuid, name, body, digest, read_at)
           VALUES ($1, 'Kept', '{}', '', now() - interval '1 day') ON CONFLICT DO NOTHING`,
          [unplaced.uuid],
        )
      }
      await here.rows('DELETE FROM {schema}.iteration')
      await read()
      const kept = (await copy()).length - before.length
      expect(kept).toBe(unplaced === undefined ? 0 : 1)
    })

    it('a listing that omits many centres retires none of them, unless they are missing again a week later (§2.11)', async () => {
      const { here, read, copy } = await worldWithCentres()
      await here.rows(`INSERT INTO {schema}.centre (uuid, name, body, digest, read_at)
        SELECT gen_random_uuid(), 'Lost', '{}', '', now() - interval '1 day' FROM generate_series(1, 30)`)
      const before = (await copy()).length
      await here.rows('DELETE FROM {schema}.iteration')
      await read()
      expect((await copy()).length).toBe(before)
      const lacking = () => here.logs.filter((line) => line.includes('lacks 30')).length
      expect(lacking()).toBe(1)
      // The next complete read is a week later.
      await here.rows(`UPDATE {schema}.iteration
        SET detail = detail || jsonb_build_object('completeAt', now() - interval '8 days', 'lookedUpAt', now() - interval '8 days')`)
      await here.rows(`UPDATE {schema}.centre SET read_at = now() - interval '9 days' WHERE name = 'Lost'`)
      await read()
      expect((await copy()).length).toBe(before - 30)
      expect(lacking()).toBe(1)
    })

    it('a complete read of the directory that did not look up missing centres does not count: the next one retires none of many (§2.11)', async () => {
      const here = await createWorld(database, { centreCount: 300 })
      let isOther = true
      const client = here.clientOf({
        fetch: async (input, init) => {
          const response = await fetch(input, init)
          const { pathname, searchParams } = new URL(String(input))
          const isTotal = pathname === '/v1/collection-centres' && searchParams.get('count') === '1'
          if (!isOther || !isTotal) return response
          return Response.json({ ...record(await response.json()), totalResults: 1_000 })
        },
      })
      const mirror = here.mirrorOf({ organisations: { default: { client } }, sweep: {} })
      await mirror.status()
      await here.rows(`INSERT INTO {schema}.centre (uuid, name, body, digest, read_at)
        SELECT gen_random_uuid(), 'Lost', '{}', '', now() - interval '1 day' FROM generate_series(1, 30)`)
      const read = async (): Promise<{ retired: number; lacking: number }> => {
        await here.want('centres')
        await mirror.drain()
        // The next complete read is a week later.
        await here.rows(
          `UPDATE {schema}.iteration SET detail = detail || jsonb_build_object('completeAt', now() - interval '8 days')`,
        )
        const retired = await here.rows(
          "SELECT 1 FROM {schema}.centre WHERE name = 'Lost' AND retired_at IS NOT NULL",
        )
        const lacking = here.logs.filter((line) => line.includes('lacks 30'))
        return { retired: retired.length, lacking: lacking.length }
      }
      expect(await read()).toEqual({ retired: 0, lacking: 0 })
      isOther = false
      expect(await read()).toEqual({ retired: 0, lacking: 1 })
      expect(await read()).toEqual({ retired: 30, lacking: 1 })
    })

    it('centres.nearest() finds the nearest centres as the service does (§4.5)', async () => {
      const { here, mirror } = await worldWithCentres()
      const own = await mirror.centres.nearest({ ...POINT, withinKm: 50, limit: 20 })
      const theirs = await here
        .clientOf()
        .centres.nearest({ ...POINT, radiusKm: 50 })
        .toArray({ limit: 20 })
      expect(own.map(({ uuid }) => uuid)).toEqual(theirs.map(({ uuid }) => uuid))
      for (const [place, { distanceKm }] of own.entries()) {
        expect(Math.abs(distanceKm - (theirs[place]?.distanceKm ?? 0))).toBeLessThan(0.2)
      }
      await expect(mirror.centres.nearest({ ...POINT, lat: 91, withinKm: 1 })).rejects.toThrow(/lat must be/)
    })

    it('the nearest centres have no largest limit', async () => {
      const mirror = (await createWorld(database)).mirrorOf()
      const limit = Number.MAX_SAFE_INTEGER
      expect(await mirror.centres.nearest({ ...POINT, withinKm: 50, limit })).toEqual([])
    })

    it.each([
      ['lat', null],
      ['lng', ''],
      ['withinKm', '5'],
    ])('the nearest centres need %s as a number, not %j', async (name, value) => {
      const mirror = (await createWorld(database)).mirrorOf()
      const options = { ...POINT, withinKm: 50, [name]: value }
      await expect(mirror.centres.nearest(options)).rejects.toThrow(`${name} must be a number`)
    })
  })

  it('verify() of an odd sample has one referral more than results, and not a record more than requested', async () => {
    const here = await createWorld(database, { seedReferrals: 30 })
    const mirror = here.mirrorOf()
    await mirror.backfill()
    // The service has none of these records, so each one of the sample is reported as a difference.
    for (const kind of ['referral', 'result'])
      await here.rows(`UPDATE {schema}.${kind} SET uuid = gen_random_uuid()`)
    const { differences } = await mirror.verify({ sample: 3 })
    const extra = differences.filter(({ reason }) => reason === 'extra').map(({ kind }) => kind)
    expect(extra.sort()).toEqual(['referral', 'referral', 'result'])
  })

  it('verify() compares the copy with the service, and names differences by UUID and field without values', async () => {
    const here = await createWorld(database, { seedReferrals: 30 })
    const mirror = here.mirrorOf()
    await mirror.backfill()
    const total = here.fake.referrals.all().length + here.fake.results.all().length
    expect(await mirror.verify()).toMatchObject({ compared: total, differ: 0, differences: [] })
    const [first, second, third] = here.fake.referrals.all()
    const before = JSON.stringify(await here.rows('SELECT * FROM {schema}.referral ORDER BY uuid'))
    await here.rows(
      `UPDATE {schema}.referral SET digest = '', body = body || '{"status": "OLD"}' WHERE uuid = $1`,
      [first?.uuid],
    )
    await here.rows('DELETE FROM {schema}.referral WHERE uuid = $1', [second?.uuid])
    await here.rows(
      `UPDATE {schema}.referral SET uuid = '00000000-0000-4000-8000-000000000001' WHERE uuid = $1`,
      [third?.uuid],
    )
    const report = await mirror.verify()
    expect(report.differ).toBe(4)
    expect(report.differences).toEqual(
      expect.arrayContaining([
        {
          organisation: 'default',
          kind: 'referral',
          uuid: first?.uuid,
          reason: 'different',
          fields: ['status'],
        },
        { organisation: 'default', kind: 'referral', uuid: second?.uuid, reason: 'missing', fields: [] },
        expect.objectContaining({ uuid: '00000000-0000-4000-8000-000000000001', reason: 'extra' }),
      ]),
    )
    expect(before).not.toBe('')
    expect((await mirror.verify({ sample: 10 })).compared).toBeLessThanOrEqual(60)
    expect((await mirror.verify({ sample: Number.MAX_SAFE_INTEGER })).compared).toBeGreaterThan(10)
  })
}
