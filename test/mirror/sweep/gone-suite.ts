import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { PointHook } from '../../../src/mirror/core/context.js'
import { createWorld, type TestDatabase, type World } from '../world.js'

const OPTIONS = { attempts: { fetch: 1 }, sweep: { requestsPerSecond: 1_000 } }

/** Tests of records that the service no longer returns, on Postgres. */
export function goneSuite(database: TestDatabase): void {
  /** A mirror with a finished backfill, and a service whose deleted referrals are not found. */
  const copied = async (seedReferrals: number, point?: PointHook) => {
    const here = await createWorld(database, { deletedReferrals: 'gone', seedReferrals })
    const mirror = here.mirrorOf(OPTIONS, point)
    await mirror.backfill()
    return { here, mirror }
  }

  const deleteAll = async ({ fake, clientOf }: World): Promise<number> => {
    const client = clientOf()
    const known = fake.referrals.all().filter(({ deletedAt }) => deletedAt === null)
    for (const { uuid } of known) await client.referrals.delete(uuid)
    return known.length
  }

  const GONE = 'SELECT count(*)::int AS n FROM {schema}.referral WHERE gone_at IS NOT NULL'

  it('a sweep that failed too often is logged, also directly after a read that failed too often', async () => {
    const here = await createWorld(database, { seedReferrals: 1 })
    const mirror = here.mirrorOf({ attempts: { fetch: 1 } })
    await mirror.status()
    const add = (kind: string, key: string) => here.want(kind, key, { source: "'sweep'" })
    for (const route of ['GET /v1/referrals', 'GET /v1/referrals/{uuid}'])
      here.fake.faults.next(route, { status: 500 }, { times: 10 })
    await add('referral', randomUUID())
    await mirror.drain()
    for (const kind of ['referral', 'sweep']) await add(kind, kind === 'sweep' ? 'open' : randomUUID())
    await mirror.drain()
    expect(here.logs.flatMap((line) => /^mirror: (\w+) .* failed 1 times/.exec(line)?.[1] ?? [])).toEqual([
      'referral',
      'sweep',
    ])
  })

  it('a sweep does not begin when another process has taken over its lease', async () => {
    const here = await createWorld(database, { seedReferrals: 1 })
    let isLost = false
    const mirror = here.mirrorOf({}, async (point) => {
      if (point !== 'claimed' || isLost) return
      isLost = true
      await here.rows(
        "UPDATE {schema}.work SET lease = gen_random_uuid(), run_at = now() + interval '1 hour'",
      )
    })
    await mirror.status()
    await here.want('sweep', 'open', { source: "'sweep'" })
    await mirror.drain()
    expect(isLost).toBe(true)
    expect(await here.rows('SELECT name, state FROM {schema}.iteration')).toEqual([])
    expect(here.fake.requests.count).toBe(0)
  })

  describe('sweeps during a backfill', () => {
    const WORK = `INSERT INTO {schema}.work (organisation, kind, key, source, run_at, attempts) VALUES
      ('default', 'sweep', 'backfill', 'backfill', now() + interval '1 hour', $1), ('default', 'sweep', 'recent', 'sweep', now(), 0)`

    it('a sweep waits for the end of a backfill, so every existing record has the source backfill', async () => {
      const here = await createWorld(database, { seedReferrals: 5 })
      const mirror = here.mirrorOf()
      await mirror.drain()
      await here.rows(WORK, [0])
      await expect(mirror.drain({ signal: AbortSignal.timeout(500) })).rejects.toThrow()
      expect(here.fake.requests.count).toBe(0)
      await here.rows('UPDATE {schema}.work SET run_at = now()')
      await mirror.sweep('recent')
      const sources = await here.rows('SELECT DISTINCT source FROM {schema}.change')
      expect(sources).toEqual([{ source: 'backfill' }])
    })

    it('a sweep does not wait for a backfill that fails, and drain() does not wait either', async () => {
      const here = await createWorld(database, { seedReferrals: 5 })
      const mirror = here.mirrorOf()
      await mirror.drain()
      await here.rows(WORK, [1])
      await mirror.drain()
      const sources = await here.rows('SELECT DISTINCT source FROM {schema}.change')
      expect(sources).toEqual([{ source: 'sweep' }])
    })

    it('a sweep of lists whose cursors are always rejected ends, and so does drain()', async () => {
      const here = await createWorld(database, { seedReferrals: 45 })
      const client = here.clientOf({
        fetch: async (input, init) => {
          if (!new URL(String(input)).searchParams.has('cursor')) return fetch(input, init)
          const body = { error: true, code: 'INVALID_PARAMETER', message: 'the cursor is invalid' }
          return Response.json(body, { status: 400 })
        },
      })
      const mirror = here.mirrorOf({ client, attempts: { fetch: 1 } })
      await expect(mirror.backfill()).rejects.toMatchObject({ code: 'SWEEP_FAILED' })
      await mirror.drain()
      expect(here.fake.requests.count).toBeLessThan(30)
    })

    it('a sweep rejects when the mirror stops', async () => {
      const here = await createWorld(database, { seedReferrals: 5 })
      let isHeld = true
      let release = (): void => undefined
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const client = here.clientOf({
        fetch: async (input, init) => {
          const response = await fetch(input, init)
          if (isHeld) await released
          return response
        },
      })
      const mirror = here.mirrorOf({ client })
      await mirror.start()
      const backfill = mirror.backfill({ restart: true })
      backfill.catch(() => undefined)
      await expect.poll(() => here.fake.requests.count).toBeGreaterThan(0)
      const stopped = mirror.stop()
      isHeld = false
      release()
      await stopped
      await expect(backfill).rejects.toMatchObject({ code: 'MIRROR_STOPPED' })
      // A later call opens the mirror again.
      await mirror.backfill({ restart: true })
      const copied = await here.rows('SELECT uuid FROM {schema}.referral')
      expect(copied).toHaveLength(here.fake.referrals.all().length)
    })

    it('the sweep of one organisation is complete, also if another organisation is rejected', async () => {
      const here = await createWorld(database, { seedReferrals: 45 })
      const broken = here.clientOf({ clientSecret: 'another' })
      const organisations = { north: { client: broken }, south: { client: here.clientOf() } }
      here.fake.faults.next('GET /v1/referrals', { latencyMs: 700 })
      await expect(here.mirrorOf({ organisations }).backfill()).rejects.toMatchObject({
        code: 'SWEEP_FAILED',
      })
      const count = "SELECT count(*)::int AS n FROM {schema}.referral WHERE organisation = 'south'"
      expect(await here.rows(count)).toEqual([{ n: here.fake.referrals.all().length }])
    })
  })

  describe('records that the service no longer returns', () => {
    it('the sweep everything marks records as gone that the service no longer returns', async () => {
      const { here, mirror } = await copied(25)
      const [first] = here.fake.referrals.all()
      await here.clientOf().referrals.delete(first?.uuid ?? '')
      expect(await mirror.sweep('everything')).toMatchObject({ new: 0, changed: 1, requestsByUuid: 1 })
      expect(await here.rows('SELECT uuid FROM {schema}.referral WHERE gone_at IS NOT NULL')).toEqual([
        { uuid: first?.uuid },
      ])
    })

    it('two sweeps that end together mark the missing records as gone', async () => {
      const { here } = await copied(3)
      // One claim gets both sweeps, so that they reach their last phase at the same time.
      const mirror = here.mirrorOf({ ...OPTIONS, concurrency: 4 })
      const [first] = here.fake.referrals.all()
      await here.rows(
        `INSERT INTO {schema}.iteration (organisation, name, state, detail)
         SELECT 'default', name, 'running', '{"phase": "wait"}' FROM unnest(ARRAY['open', 'everything']) AS name`,
      )
      await here.rows('UPDATE {schema}.referral SET missing_at = now() WHERE uuid = $1', [first?.uuid])
      await here.rows(
        `INSERT INTO {schema}.work (organisation, kind, key, source)
         SELECT 'default', 'sweep', name, 'sweep' FROM unnest(ARRAY['open', 'everything']) AS name`,
      )
      await mirror.drain()
      expect(await here.rows('SELECT uuid FROM {schema}.referral WHERE gone_at IS NOT NULL')).toEqual([
        { uuid: first?.uuid },
      ])
      expect(await here.rows("SELECT uuid FROM {schema}.change WHERE action = 'gone'")).toHaveLength(1)
    })

    it('a sweep also marks the missing records of another sweep that has reached its last phase', async () => {
      const { here, mirror } = await copied(3)
      const [first] = here.fake.referrals.all()
      await here.rows(
        `INSERT INTO {schema}.iteration (organisation, name, state, detail)
         VALUES ('default', 'everything', 'running', '{"phase": "gone"}')`,
      )
      // The sweep open does not read this record, because its copy is final and old.
      await here.rows(
        `UPDATE {schema}.referral SET missing_at = now(), status = 'COMPLETE',
           created_at = now() - interval '1 year' WHERE uuid = $1`,
        [first?.uuid],
      )
      await here.clientOf().referrals.delete(first?.uuid ?? '')
      await mirror.sweep('open')
      expect(await here.rows(GONE)).toEqual([{ n: 1 }])
    })

    it('a mark of an earlier run that was stopped marks nothing as gone', async () => {
      const { here, mirror } = await copied(25)
      const [first] = here.fake.referrals.all()
      // A final record that neither the list nor a read by UUID of this sweep contains.
      await here.rows(
        `UPDATE {schema}.referral SET uuid = $2, status = 'COMPLETE', created_at = now() - interval '1 year',
           missing_at = now() - interval '1 day', read_at = now() - interval '2 days' WHERE uuid = $1`,
        [first?.uuid, randomUUID()],
      )
      await mirror.sweep('open')
      expect(await here.rows(GONE)).toEqual([{ n: 0 }])
    })

    it('an empty list stops the sweep with an alarm and marks nothing, unless that is allowed', async () => {
      const { here, mirror } = await copied(60)
      const deleted = await deleteAll(here)
      await expect(mirror.sweep('everything')).rejects.toMatchObject({ code: 'TOO_MANY_GONE' })
      expect(await here.rows(GONE)).toEqual([{ n: 0 }])
      expect(here.logs.filter((line) => line.includes('None of them was marked as gone'))).toHaveLength(1)
      await mirror.sweep('everything', { acceptGone: true })
      expect(await here.rows(GONE)).toEqual([{ n: deleted }])
      await expect(mirror.sweep('everything')).resolves.toMatchObject({ new: 0, changed: 0 })
      const accepts = `SELECT 1 FROM {schema}.iteration WHERE detail->>'acceptGone' = 'true'`
      expect(await here.rows(accepts)).toEqual([])
    })

    it('acceptGone applies to a sweep that is already running', async () => {
      let isSwept = false
      const hook: { current: PointHook } = { current: () => undefined }
      const { here, mirror } = await copied(60, (point) => hook.current(point))
      const deleted = await deleteAll(here)
      hook.current = async (point) => {
        if (point !== 'fetch:after' || isSwept) return
        isSwept = true
        // The statement of a second process that calls `sweep('everything', { acceptGone: true })` now.
        await here.rows(`UPDATE {schema}.iteration SET detail = detail || '{"acceptGone": true}'
          WHERE name = 'everything'`)
      }
      await mirror.sweep('everything')
      expect(isSwept).toBe(true)
      expect(await here.rows(GONE)).toEqual([{ n: deleted }])
    })

    it('acceptGone of the sweep open marks records while the sweep everything runs', async () => {
      const { here, mirror } = await copied(60)
      const deleted = await deleteAll(here)
      await here.rows(
        `INSERT INTO {schema}.iteration (organisation, name, state) VALUES ('default', 'everything', 'running')`,
      )
      await here.rows(
        `UPDATE {schema}.referral SET status = 'ISSUED',
           created_at = (SELECT max(updated_at) FROM {schema}.result) - interval '40 days'`,
      )
      await mirror.sweep('open', { acceptGone: true })
      expect(await here.rows(GONE)).toEqual([{ n: deleted }])
    })

    it('verify reports a record that the copy marks as gone and the service returns', async () => {
      const { here, mirror } = await copied(3)
      const [first] = here.fake.referrals.all()
      await here.rows('UPDATE {schema}.referral SET gone_at = now() WHERE uuid = $1', [first?.uuid])
      const difference = { kind: 'referral', uuid: first?.uuid, reason: 'missing' }
      expect(await mirror.verify()).toMatchObject({ differ: 1, differences: [difference] })
      await here.clientOf().referrals.delete(first?.uuid ?? '')
      expect(await mirror.verify()).toMatchObject({ differ: 0 })
    })

    it('a sweep that has failed has an end, and its state is stopped', async () => {
      const { here, mirror } = await copied(3)
      here.fake.faults.next('GET /v1/referrals', { status: 503 })
      await expect(mirror.sweep('open')).rejects.toMatchObject({ code: 'SWEEP_FAILED' })
      const { sweeps } = await mirror.status()
      expect(sweeps.find(({ name }) => name === 'open')).toMatchObject({
        state: 'stopped',
        finishedAt: expect.any(Date),
      })
    })
  })
}
