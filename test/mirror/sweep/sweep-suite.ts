import type { Mirror } from 'pathology-sdk/mirror'
import { describe, expect, it } from 'vitest'
import { createWorld, type TestDatabase } from '../world.js'

/** A fetch in front of a service whose lists are always oldest first, with any `sort`. */
function oldestFirstFetch(baseUrl: string): typeof globalThis.fetch {
  return (input, init) => {
    const request = new Request(input, init)
    const url = request.url.startsWith(baseUrl) ? request.url.replace('sort=desc', 'sort=asc') : request.url
    return globalThis.fetch(new Request(url, request))
  }
}

/** Tests of backfills and sweeps, on Postgres. */
export function sweepSuite(database: TestDatabase): void {
  const world = (options?: Parameters<typeof createWorld>[1]) => createWorld(database, options)
  type World = Awaited<ReturnType<typeof world>>

  const sorted = (rows: readonly object[]) =>
    rows.map((row) => JSON.stringify(row)).sort((a, b) => a.localeCompare(b))

  /** Compares status, time and deletion of all records of the copy with the fake. */
  const expectEqual = async ({ fake, rows }: World): Promise<void> => {
    for (const [kind, all] of [
      ['referral', fake.referrals.all()],
      ['result', fake.results.all()],
    ] as const) {
      const copy = await rows(
        `SELECT body->>'uuid' AS uuid, body->>'status' AS status, body->>'updatedAt' AS "updatedAt",
           body->>'deletedAt' AS "deletedAt" FROM {schema}.${kind} WHERE gone_at IS NULL`,
      )
      const own = all.map(({ uuid, status, updatedAt, deletedAt }) => ({
        uuid,
        status,
        updatedAt,
        deletedAt,
      }))
      expect(sorted(copy)).toEqual(sorted(own))
    }
  }

  it('a backfill stores every record of the service, reports its progress, and does not read a record twice', async () => {
    const here = await world({ seedReferrals: 45 })
    const mirror = here.mirrorOf()
    const shown: number[] = []
    const report = await mirror.backfill({ onProgress: ({ read }) => shown.push(read) })
    await expectEqual(here)
    const records = here.fake.referrals.all().length + here.fake.results.all().length
    expect(report).toMatchObject({ read: records, new: records, changed: 0, recovered: 0 })
    expect(shown.at(-1)).toBe(records)
    const { count } = here.fake.requests
    expect(await mirror.backfill()).toEqual(report)
    expect(here.fake.requests.count).toBe(count)
    expect(here.logs).toEqual([])
    const requests: number[] = []
    await mirror.backfill({ restart: true, onProgress: (progress) => requests.push(progress.requests) })
    expect(requests[0]).toBe(0)
    expect(requests.at(-1)).toBeGreaterThan(0)
  })

  it('a backfill reports its progress while it runs, also without start()', async () => {
    const here = await world({ seedReferrals: 45 })
    here.fake.faults.next('GET /v1/referrals', { latencyMs: 600 })
    const shown: number[] = []
    const { read } = await here.mirrorOf().backfill({ onProgress: (report) => shown.push(report.read) })
    expect(shown.some((number) => number > 0 && number < read)).toBe(true)
  })

  it('a backfill continues at its cursor after a crash between two transactions', async () => {
    const here = await world({ seedReferrals: 110 })
    let commits = 0
    let release = (): void => undefined
    const killed = new Promise<void>((_, reject) => {
      release = () => reject(new Error('killed'))
    })
    killed.catch(() => undefined)
    const dying = here.mirrorOf({ lease: 1_000, concurrency: 1 }, (point) => {
      if (point === 'store:committed') commits += 1
      if (point === 'fetch:before' && commits === 1) return killed
      return undefined
    })
    const abort = new AbortController()
    dying.backfill({ signal: abort.signal }).catch(() => undefined)
    await expect.poll(() => commits, { timeout: 20_000 }).toBeGreaterThan(0)
    // A killed process does not renew its lease. This process still runs, so its renewals are prevented.
    await here.rows('UPDATE {schema}.work SET lease = gen_random_uuid(), run_at = now()')
    const before = here.fake.requests.length
    const report = await here.mirrorOf().backfill()
    release()
    await expectEqual(here)
    const starts = here.fake.requests
      .slice(before)
      .filter(({ path }) => path.startsWith('/v1/referrals?') && !path.includes('cursor='))
    expect(starts).toEqual([])
    const rest = here.fake.requests.slice(before).filter(({ path }) => path.startsWith('/v1/referrals?'))
    expect(rest).toHaveLength(1)
    expect(report.read).toBe(here.fake.referrals.all().length + here.fake.results.all().length)
  })

  it('a page of a backfill that cannot be read does not keep the pages before it from being stored', async () => {
    const here = await world({ seedReferrals: 70 })
    const fault = here.fake.faults.next(
      'GET /v1/referrals',
      { status: 503 },
      { nth: 3, times: Number.POSITIVE_INFINITY },
    )
    const mirror = here.mirrorOf({ attempts: { fetch: 1 } })
    await expect(mirror.backfill()).rejects.toMatchObject({ code: 'SWEEP_FAILED' })
    expect(await here.rows('SELECT uuid FROM {schema}.referral')).toHaveLength(40)
    here.fake.faults.remove(fault)
    await mirror.backfill()
    await expectEqual(here)
  })

  it('a backfill stores the newest state of a record that is on two pages', async () => {
    const here = await world()
    const uuid = await here.order()
    const [referral] = here.fake.referrals.all()
    const older = { ...referral, status: 'CREATED', updatedAt: '2020-01-01T00:00:00.000Z' }
    const page = (record: object | undefined, cursor: string | null) =>
      here.fake.faults.next('GET /v1/referrals', {
        status: 200,
        body: { referrals: [record], cursor: { cursor, count: 1, resultCount: 1 } },
      })
    page(referral, 'next')
    page(older, null)
    const mirror = here.mirrorOf()
    await mirror.backfill()
    const copy = await here.rows('SELECT uuid, status FROM {schema}.referral')
    expect(copy).toEqual([{ uuid, status: referral?.status }])
  })

  it('a sweep before the end of the backfill counts nothing as recovered, because older records never had an event', async () => {
    const here = await world({ seedReferrals: 45 })
    await here.mirrorOf().status()
    await here.rows(
      "INSERT INTO {schema}.iteration (organisation, name, state) VALUES ('default', 'backfill', 'running')",
    )
    const mirror = here.mirrorOf()
    expect(await mirror.sweep('recent')).toMatchObject({ recovered: 0 })
    await here.rows("UPDATE {schema}.iteration SET state = 'finished' WHERE name = 'backfill'")
    await here.order()
    expect(await mirror.sweep('recent')).toMatchObject({ new: 1, recovered: 1 })
    expect((await mirror.status()).recovered24h).toBe(1)
  })

  describe('sweeps', () => {
    const withoutEvents = async (options?: Parameters<typeof createWorld>[1]) => {
      const here = await world({ seedReferrals: 25, ...options })
      const mirror = here.mirrorOf({ sweep: { requestsPerSecond: 1_000 } })
      await mirror.backfill()
      return { here, mirror }
    }

    it('the sweep recent finds new records with one page of each list, and warns that their events are missing', async () => {
      const { here, mirror } = await withoutEvents()
      await mirror.sweep('recent')
      const uuid = await here.order()
      const report = await mirror.sweep('recent')
      await expectEqual(here)
      expect(report).toMatchObject({ new: 1, changed: 0, recovered: 1 })
      expect(report.requests).toBeLessThanOrEqual(3)
      expect(here.logs.filter((line) => line.includes('changes whose events had not arrived'))).toHaveLength(
        1,
      )
      const [change] = await here.rows(
        'SELECT uuid, source, recovered FROM {schema}.change ORDER BY position DESC LIMIT 1',
      )
      expect(change).toEqual({ uuid, source: 'sweep', recovered: true })
      expect(await mirror.sweep('recent')).toMatchObject({ new: 0, changed: 0, recovered: 0 })
    })

    it('the sweep recent reads the rest of a run that stopped at a page', async () => {
      const here = await world({ accessTokenSeconds: 86_400 })
      const mirror = here.mirrorOf({ attempts: { fetch: 1 } })
      await here.order()
      await mirror.backfill()
      await mirror.sweep('recent')
      for (let orders = 0; orders < 25; orders += 1) await here.order()
      await here.fake.clock.advance({ hours: 3 })
      for (let orders = 0; orders < 15; orders += 1) await here.order()
      const fault = here.fake.faults.next(
        'GET /v1/referrals',
        { status: 503 },
        { nth: 2, times: Number.POSITIVE_INFINITY },
      )
      await expect(mirror.sweep('recent')).rejects.toMatchObject({ code: 'SWEEP_FAILED' })
      expect(await here.rows('SELECT uuid FROM {schema}.referral')).toHaveLength(21)
      here.fake.faults.remove(fault)
      expect(await mirror.sweep('recent')).toMatchObject({ new: 20, recovered: 20 })
      await expectEqual(here)
    })

    it('the sweep open finds progress, corrections after COMPLETE, and older results that were released only now', async () => {
      const { here, mirror } = await withoutEvents({ reviewHold: true })
      const uuid = await here.order()
      here.fake.referrals.complete(uuid)
      await mirror.sweep('recent')
      const result = here.fake.results.all().at(-1)
      if (result === undefined) throw new Error('no result')
      await here.fake.clock.advance({ days: 3 })
      here.fake.results.release(result.uuid)
      expect(await mirror.sweep('open')).toMatchObject({ new: 0, changed: 1, recovered: 1 })
      await here.fake.clock.advance({ days: 3 })
      const [biomarker] = result.biomarkers
      if (biomarker === undefined) throw new Error('no biomarker')
      here.fake.results.amend(result.uuid, { values: { [biomarker.id]: '7.7' } })
      expect(await mirror.sweep('open')).toMatchObject({ new: 0, changed: 1, recovered: 1 })
      await expectEqual(here)
    })

    it('the sweep open finds a new record in lists that are not newest first', async () => {
      const here = await world({ seedReferrals: 70 })
      await here.fake.clock.advance({ days: 90 })
      const oldestFirst = here.clientOf({ fetch: oldestFirstFetch(here.fake.baseUrl) })
      const mirror = here.mirrorOf({ client: oldestFirst, secret: here.fake.signingSecret })
      await mirror.backfill()
      await here.order()
      expect(await mirror.sweep('open')).toMatchObject({ new: 1, recovered: 1 })
      await expectEqual(here)
    })

    it('the sweep open reads records that are not final one by one if they are older than its time window', async () => {
      const { here } = await withoutEvents()
      const mirror = here.mirrorOf({ sweep: { window: 86_400_000, openDays: 400 } })
      const uuid = await here.order()
      await mirror.sweep('recent')
      await here.fake.clock.advance({ days: 30 })
      await here.order()
      await mirror.sweep('recent')
      await here.fake.clock.advance({ days: 1 })
      here.fake.referrals.complete(uuid)
      const report = await mirror.sweep('open')
      await expectEqual(here)
      expect(report.requestsByUuid).toBeGreaterThan(0)
      const list = report.requests - report.requestsByUuid
      expect(list).toBeLessThanOrEqual(3)
    })

    it('the sweep everything keeps the rate of requestsPerSecond, however rarely a machine looks for work', async () => {
      const here = await world({ seedReferrals: 45 })
      const mirror = here.mirrorOf({ poll: 20_000, sweep: { centres: false, requestsPerSecond: 50 } })
      await mirror.start()
      await mirror.backfill()
      const { requests, durationMs } = await mirror.sweep('everything')
      expect(requests).toBeGreaterThanOrEqual(5)
      expect(durationMs).toBeLessThan(15_000)
    })

    it('the sweep everything finds deletions, which are not counted as recovered', async () => {
      const { here, mirror } = await withoutEvents()
      const client = here.clientOf()
      const [first] = here.fake.referrals.all()
      await client.referrals.delete(first?.uuid ?? '')
      const report = await mirror.sweep('everything')
      expect(report).toMatchObject({ new: 0, changed: 1, recovered: 0 })
      await expectEqual(here)
      const [change] = await here.rows('SELECT action FROM {schema}.change ORDER BY position DESC LIMIT 1')
      expect(change).toEqual({ action: 'deleted' })
    })

    it('a rejected cursor starts the list again (§4.7)', async () => {
      const { here, mirror } = await withoutEvents()
      await here.rows(
        `INSERT INTO {schema}.iteration (organisation, name, state, cursor) VALUES ('default', 'everything', 'running', 'invalid')`,
      )
      await here.order()
      expect(await mirror.sweep('everything')).toMatchObject({ new: 1 })
      await expectEqual(here)
      expect(here.logs.filter((line) => line.includes('no longer accepts the cursor'))).toHaveLength(1)
    })

    it('a change with an event is not counted as recovered, even if a sweep reads it first', async () => {
      const { here, mirror } = await withoutEvents()
      await mirror.sweep('recent')
      await here.subscribe(mirror)
      await here.order()
      await here.fake.clock.advance({ seconds: 1 })
      await here.fake.settled()
      expect(await mirror.sweep('recent')).toMatchObject({ recovered: 0 })
      expect(here.logs).toEqual([])
    })

    it('rejected credentials end the wait for a sweep with an error', async () => {
      const here = await world()
      const mirror: Mirror = here.mirrorOf({ client: here.clientOf({ clientSecret: 'invalid' }) })
      await expect(mirror.sweep('recent')).rejects.toMatchObject({ code: 'SWEEP_FAILED' })
    })
  })
}
