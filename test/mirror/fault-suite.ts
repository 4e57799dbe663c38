import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { completeOrder, createWorld, type TestDatabase, type World } from './world.js'

const REFERRAL = 'GET /v1/referrals/{uuid}'

/** Tests of unusual records, limits of the service, handlers that never end, and feeds, on Postgres. */
export function faultSuite(database: TestDatabase): void {
  const world = () => createWorld(database)

  /** Makes the service return a referral with other fields. */
  const respond = ({ fake }: World, uuid: string, change: object): void => {
    const referral = fake.referrals.all().find((one) => one.uuid === uuid)
    fake.faults.next(REFERRAL, { status: 200, body: JSON.stringify({ ...referral, ...change }) })
  }

  const work = ({ rows }: World) =>
    rows('SELECT kind, attempts, rereads, dead, run_at > now() AS later FROM {schema}.work')

  it('a record without updatedAt is stored, and again when it differs', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    const uuid = await here.order()
    for (const status of ['ISSUED', 'ISSUED', 'COMPLETE']) {
      respond(here, uuid, { updatedAt: undefined, status })
      await here.announce(mirror, { uuid })
      await mirror.drain()
    }
    expect(await here.rows('SELECT status, updated_at FROM {schema}.referral')).toEqual([
      { status: 'COMPLETE', updated_at: null },
    ])
    expect(await here.rows('SELECT status_after AS status FROM {schema}.change ORDER BY position')).toEqual([
      { status: 'ISSUED' },
      { status: 'COMPLETE' },
    ])
    expect(await here.rows('SELECT * FROM {schema}.work')).toEqual([])
  })

  it('a record whose times are years that Postgres does not read is stored', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    const uuid = await here.order()
    for (const issuedAt of ['0000-01-01T00:00:00Z', '-000044-03-15T00:00:00Z', '+010000-01-01T00:00:00Z']) {
      respond(here, uuid, { createdAt: issuedAt, deletedAt: issuedAt, updatedAt: issuedAt, issuedAt })
      await here.announce(mirror, { uuid, updatedAt: issuedAt })
      await mirror.drain()
      expect(
        await here.rows("SELECT created_at, body ->> 'createdAt' AS text FROM {schema}.referral"),
      ).toEqual([{ created_at: null, text: issuedAt }])
      expect(await work(here)).toEqual([])
    }
  })

  it('after a 429 the mirror waits as long as the service requests, and the 429 does not count as an attempt (§8)', async () => {
    const here = await world()
    const mirror = here.mirrorOf({ attempts: { fetch: 1 } })
    const uuid = await here.order()
    here.fake.faults.next(REFERRAL, { status: 429, retryAfter: 30 })
    await here.announce(mirror, { uuid })
    await mirror.drain()
    expect(await work(here)).toEqual([
      { kind: 'referral', attempts: 0, rereads: 0, dead: false, later: true },
    ])
    const [due] = await here.rows('SELECT EXTRACT(EPOCH FROM run_at - now())::int AS s FROM {schema}.work')
    expect(Number(due?.['s'])).toBeGreaterThan(25)
    expect(Number(due?.['s'])).toBeLessThanOrEqual(30)
  })

  it.each([403, 500])('a %i for one record does not stop the backfill that lists it', async (status) => {
    const here = await createWorld(database, { seedReferrals: 6 })
    const asked = new Set<string>()
    const client = here.clientOf({
      fetch: async (input, init) => {
        const { pathname } = new URL(String(input))
        const uuid = /^\/v1\/referrals\/([0-9a-f-]{36})$/.exec(pathname)?.[1]
        if (uuid !== undefined) asked.add(uuid)
        if (uuid !== [...asked][0] || uuid === undefined) return fetch(input, init)
        return Response.json({ error: true, code: 'NOT_ALLOWED', message: 'no' }, { status })
      },
    })
    const mirror = here.mirrorOf({ organisations: { default: { client } }, attempts: { fetch: 1 } })
    await mirror.backfill()
    expect(asked.size).toBeGreaterThan(0)
    expect(await here.rows('SELECT count(*)::int AS n FROM {schema}.referral')).toEqual([{ n: 6 }])
    expect(await mirror.status()).toMatchObject({ service: [{ state: 'reached' }] })
  })

  it('a record with a long reference number is stored', async () => {
    const here = await world()
    const referenceNumber = randomBytes(3_000).toString('base64')
    const uuid = await here.order()
    const mirror = here.mirrorOf({ attempts: { fetch: 1 } })
    respond(here, uuid, { referenceNumber })
    await here.announce(mirror, { uuid })
    await mirror.drain()
    expect(await here.rows('SELECT reference_number AS text FROM {schema}.referral')).toEqual([
      { text: referenceNumber },
    ])
    expect(
      await here.rows('SELECT uuid FROM {schema}.referral WHERE reference_number = $1', [referenceNumber]),
    ).toEqual([{ uuid }])
  })

  it('dead.list() names the change that failed, and dead.skip() accepts it, after changes without a handler', async () => {
    const here = await world()
    const failed: number[] = []
    const first = here.mirrorOf()
    await here.subscribe(first)
    await completeOrder(here, first)
    await first.stop()
    const results: string[] = []
    const mirror = here.mirrorOf({
      attempts: { handler: 1 },
      consumers: {
        late: {
          from: 'beginning',
          on: {
            result: ({ position, uuid }) => {
              results.push(uuid)
              if (failed.length === 0 || failed.includes(position)) {
                failed.push(position)
                throw new Error('poison')
              }
            },
          },
        },
      },
    })
    await mirror.drain()
    expect(failed).toHaveLength(1)
    expect(await mirror.dead.list()).toMatchObject([{ kind: 'deliver', position: failed[0] }])
    expect(await mirror.dead.skip({ position: failed[0] ?? 0 })).toBe(1)
    await mirror.drain()
    expect(await mirror.dead.list()).toEqual([])
    expect(failed).toHaveLength(1)
  })

  it('an event that arrives during the last attempt of a read gets attempts of its own', async () => {
    const here = await world()
    let uuid = ''
    let isArriving = true
    const mirror = here.mirrorOf({ attempts: { fetch: 1 } }, async (point) => {
      if (point !== 'fetch:before' || !isArriving) return
      isArriving = false
      await here.announce(mirror, { uuid })
    })
    uuid = await here.order()
    here.fake.faults.next(REFERRAL, { status: 500 })
    await here.announce(mirror, { uuid })
    await mirror.drain()
    expect(isArriving).toBe(false)
    expect(await here.rows('SELECT uuid FROM {schema}.referral')).toEqual([{ uuid }])
    expect(await work(here)).toEqual([])
    expect(here.logs).toEqual([])
  })

  it('reads that have failed too often are logged, once a minute', async () => {
    const here = await world()
    const mirror = here.mirrorOf({ attempts: { fetch: 2 } })
    const uuids = [await here.order(), await here.order()]
    here.fake.faults.next(REFERRAL, { status: 500 }, { times: 4 })
    for (const uuid of uuids) await here.announce(mirror, { uuid })
    await mirror.drain()
    expect(here.logs).toEqual([])
    await here.again(mirror)
    expect(await mirror.dead.list()).toHaveLength(2)
    expect(here.logs).toEqual([
      expect.stringMatching(
        /^mirror: referral [0-9a-f-]{36} of organisation \w+ failed 2 times \(ServerError .*\)\. The copy can be out of date/,
      ),
    ])
    await mirror.dead.retry()
    await mirror.drain()
    expect(await here.rows('SELECT count(*)::int AS n FROM {schema}.referral')).toEqual([{ n: 2 }])
  })

  it('a state that is older than the event announced is stored and read again, five times at most', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    const uuid = await here.order()
    await here.announce(mirror, { uuid, updatedAt: '2100-01-01T00:00:00.000Z' })
    const reads = () => here.fake.requests.filter(({ path }) => path === `/v1/referrals/${uuid}`).length
    const before = reads()
    await mirror.drain()
    expect(await here.rows('SELECT uuid FROM {schema}.referral')).toEqual([{ uuid }])
    expect(await work(here)).toEqual([
      { kind: 'referral', attempts: 0, rereads: 1, dead: false, later: true },
    ])
    for (let n = 0; n < 10 && (await work(here)).length > 0; n += 1) {
      await here.again(mirror)
    }
    expect(reads() - before).toBe(6)
    expect(await here.rows('SELECT stale_reads FROM {schema}.referral')).toEqual([{ stale_reads: 1 }])
  })

  it('while handlers never end, events get a response and records are copied', async () => {
    const here = await world()
    const stuck = new Set<string>()
    let end: (value?: unknown) => void = () => undefined
    const ended = new Promise((resolve) => (end = resolve))
    const mirror = here.mirrorOf({
      concurrency: 2,
      on: {
        referral: ({ uuid }) => {
          stuck.add(uuid)
          return ended
        },
      },
    })
    // Otherwise the mirror would wait ten seconds for its handlers.
    onTestFinished(end)
    await mirror.start()
    const uuids = [await here.order(), await here.order(), await here.order()]
    for (const uuid of uuids) {
      expect(await here.announce(mirror, { uuid })).toBe(200)
      const isCopied = async () =>
        (await here.rows('SELECT 1 FROM {schema}.referral WHERE uuid = $1', [uuid])).length
      await vi.waitFor(async () => expect(await isCopied()).toBe(1), { timeout: 10_000 })
    }
    await vi.waitFor(() => expect(stuck.size).toBeGreaterThan(0), { timeout: 10_000 })
  })

  it('dead.skip() omits one change, and later changes of its group are delivered', async () => {
    const here = await world()
    const handled: number[] = []
    let poison: number | undefined
    const mirror = here.mirrorOf({
      attempts: { handler: 1 },
      on: {
        referral: ({ position }) => {
          poison ??= position
          if (position === poison) throw new Error('poison')
          handled.push(position)
        },
      },
    })
    const uuid = await here.order()
    for (const status of ['ISSUED', 'PARTIAL_RESULTS', 'COMPLETE']) {
      respond(here, uuid, { status, updatedAt: new Date(Date.now() + 1e9).toISOString() })
      await here.announce(mirror, { uuid })
      await mirror.drain()
    }
    expect(handled).toEqual([])
    expect(await mirror.dead.list()).toMatchObject([{ uuid, position: poison, attempts: 1 }])
    expect(await mirror.dead.skip({ position: (poison ?? 0) + 1 })).toBe(0)
    expect(await mirror.dead.skip({ position: poison ?? 0, consumer: 'other' })).toBe(0)
    expect(await mirror.dead.skip({ position: poison ?? 0 })).toBe(1)
    await mirror.drain()
    const changes = await here.rows('SELECT position::int AS position FROM {schema}.change ORDER BY 1')
    expect(handled).toEqual(changes.slice(1).map(({ position }) => position))
    expect(handled).toHaveLength(2)
    expect(await mirror.dead.list()).toEqual([])
  })

  it('changes({ follow: true }) waits for further changes, until its signal aborts', async () => {
    const here = await world()
    const mirror = here.mirrorOf()
    await mirror.start()
    const abort = new AbortController()
    const seen: string[] = []
    const followed = (async () => {
      for await (const { uuid } of mirror.changes({ follow: true, signal: abort.signal })) seen.push(uuid)
    })()
    followed.catch(() => undefined)
    const uuids: string[] = []
    for (let round = 0; round < 2; round += 1) {
      const uuid = await here.order()
      uuids.push(uuid)
      await here.announce(mirror, { uuid })
      for (let n = 0; n < 300 && !seen.includes(uuid); n += 1) await sleep(20)
    }
    expect(seen).toEqual(uuids)
    abort.abort(new Error('enough'))
    await expect(followed).rejects.toThrow('enough')
  })

  it('a version of the mirror works with the schema of the next one, and rejects a later one', async () => {
    const here = await world()
    await here.mirrorOf().drain()
    await here.rows(`INSERT INTO {schema}.migration (version, name) VALUES (3, 'next')`)
    const uuid = await here.order()
    const mirror = here.mirrorOf()
    await here.announce(mirror, { uuid })
    await mirror.drain()
    expect(await here.rows('SELECT uuid FROM {schema}.referral')).toEqual([{ uuid }])
    await here.rows(`INSERT INTO {schema}.migration (version, name) VALUES (4, 'newer')`)
    await expect(here.mirrorOf().start()).rejects.toMatchObject({
      ...{ name: 'ConfigurationError', code: 'SCHEMA_TOO_NEW' },
      message: expect.stringMatching(/version 4, .*up to 3\. Nothing was changed\. Update pathology-sdk/),
    })
  })
}
