import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Mirror } from 'pathology-sdk/mirror'
import { describe, expect, it } from 'vitest'
import { createWorld, type TestDatabase } from './world.js'

/** A fetch in front of a replica whose every second read of a record, while it lags, returns the record's first state. */
function laggingReplica(): { readonly fetch: typeof globalThis.fetch; isLagging: boolean } {
  const first = new Map<string, { readonly status: number; readonly bytes: ArrayBuffer }>()
  let reads = 0
  const state = {
    isLagging: false,
    fetch: async (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit): Promise<Response> => {
      const request = new Request(input, init)
      if (request.method !== 'GET') return globalThis.fetch(request)
      const isRecord = request.url.includes('/v1/')
      if (state.isLagging && isRecord) reads += 1
      const old = state.isLagging && (!isRecord || reads % 2 === 0) ? first.get(request.url) : undefined
      if (old !== undefined) return new Response(old.bytes, { status: old.status })
      const response = await globalThis.fetch(request)
      const bytes = await response.clone().arrayBuffer()
      if (!first.has(request.url)) first.set(request.url, { status: response.status, bytes })
      return response
    },
  }
  return state
}

/** Tests of status, history, documents, biomarkers and erasing, for each database. */
export function keepSuite(database: () => TestDatabase): void {
  const world = () => createWorld(database())
  type World = Awaited<ReturnType<typeof world>>

  /** Orders and completes one referral; returns its UUID and the one of its result. */
  const complete = async (here: World, mirror: Mirror): Promise<{ referral: string; result: string }> => {
    const referral = await here.order()
    await here.settle(mirror)
    here.fake.referrals.complete(referral)
    await here.settle(mirror)
    const [row] = await here.rows('SELECT uuid FROM {schema}.result WHERE referral_uuid = $1', [referral])
    return { referral, result: String(row?.['uuid']) }
  }

  /** Schema-wide text of all rows, to look for what must not be there. */
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

  describe('status', () => {
    it('§10 counts records, due work, dead work and consumers, and names the oldest open referral', async () => {
      const here = await world()
      const mirror = here.mirrorOf({ on: { '*': () => undefined } })
      await here.subscribe(mirror)
      expect(await mirror.status()).toMatchObject({
        ...{ lagMs: 0, backlog: 0, dead: 0, recovered24h: 0, position: 0, lastEventAt: null },
        ...{ lastSweep: undefined, oldestOpen: undefined, paused: [] },
      })
      const uuid = await here.order()
      await here.settle(mirror)
      await here.rows(`INSERT INTO {schema}.work (organisation, kind, key, since) VALUES
        ('default', 'referral', 'a', now() - interval '90 seconds')`)
      await here.rows(
        `INSERT INTO {schema}.work (organisation, kind, key, dead) VALUES ('default', 'result', 'b', true)`,
      )
      await here.rows(`INSERT INTO {schema}.work (organisation, kind, key, rereads, run_at) VALUES
        ('default', 'referral', 'c', 1, now() + interval '60 seconds')`)
      const status = await mirror.status()
      expect(status).toMatchObject({ retrying: 1 })
      expect(status).toMatchObject({ backlog: 1, dead: 1, referrals: 1, results: 0, oldestOpen: { uuid } })
      expect(status.lagMs).toBeGreaterThanOrEqual(90_000)
      expect(status.lagMs).toBeLessThan(120_000)
      expect(status.lastEventAt).toBeInstanceOf(Date)
      expect(status.consumers).toEqual([
        { organisation: 'default', name: 'default', isConfigured: true, backlog: 0, dead: 0 },
      ])
    })

    it('names the last sweep, and when the next one runs', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await mirror.start()
      await mirror.sweep('recent')
      const { lastSweep } = await mirror.status()
      expect(lastSweep).toMatchObject({ organisation: 'default', name: 'recent', recovered: 0 })
      expect(lastSweep?.nextAt?.getTime()).toBeGreaterThan(Date.now())
    })

    it('shows a consumer without handlers, and removes it with its work', async () => {
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
  })

  describe('history', () => {
    it('returns a record as the copy had it at a time, and nothing before its first state', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await here.subscribe(mirror)
      const { referral } = await complete(here, mirror)
      const changes = await here.rows(
        `SELECT changed_at, status_after AS status FROM {schema}.change WHERE uuid = $1 ORDER BY position`,
        [referral],
      )
      expect(changes.length).toBeGreaterThan(1)
      for (const { changed_at, status } of changes.filter((_, at) => at === 0 || at === changes.length - 1)) {
        const at = new Date(Number(changed_at) + 1)
        expect((await mirror.referrals.at(referral, at))?.status).toBe(status)
      }
      expect(await mirror.referrals.at(referral, '2020-01-01T00:00:00Z')).toBeUndefined()
      await expect(mirror.referrals.at(referral, 'yesterday')).rejects.toMatchObject({
        name: 'ConfigurationError',
      })
    })

    it('the daily clean-up removes old events and the bodies of replaced states that all consumers have', async () => {
      const here = await world()
      const mirror = here.mirrorOf({ history: 10, eventDays: 5, on: { referral: () => undefined } })
      await here.subscribe(mirror)
      const { referral } = await complete(here, mirror)
      await here.rows(`UPDATE {schema}.change SET changed_at = changed_at - interval '20 days'`)
      await here.rows(`UPDATE {schema}.event SET received_at = now() - interval '6 days'`)
      const cleanUp = async (): Promise<void> => {
        await here.rows(
          `INSERT INTO {schema}.work (organisation, kind, key) VALUES ('default', 'clean-up', 'all')`,
        )
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
      const [first] = await here.rows(
        'SELECT changed_at FROM {schema}.change WHERE uuid = $1 ORDER BY position',
        [referral],
      )
      await expect(
        mirror.referrals.at(referral, new Date(Number(first?.['changed_at']) + 1)),
      ).rejects.toMatchObject({
        code: 'HISTORY_CLEARED',
      })
    })
  })

  describe('biomarkers', () => {
    it('§2.6 has one row for each value, in the order of the result, and rewrites them with it', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await here.subscribe(mirror)
      const { result } = await complete(here, mirror)
      const [{ body } = { body: {} }] = await here.rows('SELECT body FROM {schema}.result WHERE uuid = $1', [
        result,
      ])
      const list: { id: string; value: string; canonical: { value: unknown } }[] = Reflect.get(
        Object(body),
        'biomarkers',
      )
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
        expect(list.some((entry) => entry.id === id && Number(entry.canonical.value) === number)).toBe(true)
      }
    })
  })

  describe('documents', () => {
    it('stores the PDF with its record, so that a handler finds it, and returns its bytes', async () => {
      const here = await world()
      const stored: boolean[] = []
      const mirror = here.mirrorOf({
        documents: 'database',
        on: {
          result: async ({ uuid }, { tx }) => {
            const { rows } = await tx.query(`SELECT 1 FROM ${here.schema}.document WHERE uuid = $1`, [uuid])
            stored.push(rows.length === 1)
          },
        },
      })
      await here.subscribe(mirror)
      const { referral, result } = await complete(here, mirror)
      for (const [kind, uuid, resource] of [
        ['referral', referral, here.clientOf().referrals],
        ['result', result, here.clientOf().results],
      ] as const) {
        expect(await mirror.documents.bytes({ kind, uuid })).toEqual(await resource.document(uuid).bytes())
      }
      expect(stored.at(-1)).toBe(true)
      expect(await mirror.documents.bytes({ kind: 'result', uuid: referral })).toBeUndefined()
    })

    it('a PDF that is none does not hold its record back, and is read again as work of its own', async () => {
      const here = await world()
      const mirror = here.mirrorOf({ documents: 'database', attempts: { fetch: 1 } })
      await here.subscribe(mirror)
      here.fake.faults.next(
        'GET /documents/{name}',
        { status: 200, body: 'no PDF' },
        { times: Number.POSITIVE_INFINITY },
      )
      const uuid = await here.order()
      await here.settle(mirror)
      expect(await here.rows('SELECT uuid FROM {schema}.referral')).toEqual([{ uuid }])
      expect(await mirror.dead.list()).toMatchObject([
        { kind: 'document:referral', uuid, error: expect.stringMatching(/^InvalidResponseError/) },
      ])
      here.fake.faults.clear()
      expect(await mirror.dead.retry({ kind: 'document' })).toBe(1)
      await mirror.drain()
      expect(await mirror.documents.bytes({ kind: 'referral', uuid })).toBeInstanceOf(Uint8Array)
      expect(await mirror.dead.list()).toEqual([])
    })

    it('a replica that returns an older state does not give an older PDF to the newer record', async () => {
      const here = await world()
      const replica = laggingReplica()
      const client = here.clientOf({ fetch: replica.fetch })
      const mirror = here.mirrorOf({ client, secret: here.fake.signingSecret, documents: 'database' })
      await here.subscribe(mirror)
      const uuid = await here.order()
      await here.settle(mirror)
      const old = await mirror.documents.bytes({ kind: 'referral', uuid })
      replica.isLagging = true
      await here.clientOf().referrals.update(uuid, { firstName: 'Other' })
      await here.settle(mirror)
      const now = await here.clientOf().referrals.document(uuid).bytes()
      expect(now).not.toEqual(old)
      expect(await mirror.documents.bytes({ kind: 'referral', uuid })).toEqual(now)
    })

    it('a host that rejects the URL of a PDF does not pause the organisation', async () => {
      const here = await world()
      const mirror = here.mirrorOf({ documents: 'database', attempts: { fetch: 1 } })
      await here.subscribe(mirror)
      here.fake.faults.next('GET /documents/{name}', { status: 403 }, { times: Number.POSITIVE_INFINITY })
      const uuid = await here.order()
      await here.settle(mirror)
      expect((await mirror.status()).paused).toEqual([])
      expect(here.logs).toEqual([])
      expect(await mirror.dead.list()).toMatchObject([
        { kind: 'document:referral', uuid, error: expect.stringMatching(/^PermissionError/) },
      ])
    })

    it('backfills the PDFs of listed records, and keeps them in an object store by their hash', async () => {
      const here = await world()
      const objects = new Map<string, Uint8Array>()
      let isAway = true
      const store = {
        put: async (sha256: string, content: Uint8Array) => {
          if (isAway) throw new Error('away')
          objects.set(sha256, content)
        },
        get: async (sha256: string) => objects.get(sha256),
        delete: async (sha256: string) => void objects.delete(sha256),
      }
      const mirror = here.mirrorOf({ documents: store, attempts: { fetch: 1 } })
      const uuid = await here.order()
      await here.fake.clock.advance({ seconds: 1 })
      await mirror.backfill()
      await mirror.drain()
      expect(await mirror.dead.list()).toMatchObject([
        { kind: 'document:referral', error: 'ObjectStoreError' },
      ])
      isAway = false
      await mirror.dead.retry()
      await mirror.drain()
      const pdf = await mirror.documents.bytes({ kind: 'referral', uuid })
      expect([...objects.keys()]).toEqual([
        createHash('sha256')
          .update(pdf ?? '')
          .digest('hex'),
      ])
      expect(await here.rows('SELECT content FROM {schema}.document')).toEqual([{ content: null }])
      objects.set([...objects.keys()][0] ?? '', new Uint8Array([1]))
      await expect(mirror.documents.bytes({ kind: 'referral', uuid })).rejects.toMatchObject({
        code: 'DOCUMENT_DAMAGED',
      })
      await mirror.erase({ uuid })
      await mirror.drain()
      expect(objects.size).toBe(0)
    })
  })

  describe('outage of the service', () => {
    it('after the first success, other reads do not wait out their back-off', async () => {
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
      expect(await here.rows('SELECT attempts FROM {schema}.work')).toEqual(
        uuids.map(() => ({ attempts: 1 })),
      )
      here.fake.faults.remove(fault)
      await here.rows(`UPDATE {schema}.work SET run_at = now() + interval '20 minutes'`)
      await here.rows('UPDATE {schema}.work SET run_at = now() WHERE key = $1', [uuids[0]])
      await mirror.drain()
      expect(await here.rows('SELECT * FROM {schema}.work')).toEqual([])
      expect(await here.rows('SELECT uuid FROM {schema}.referral')).toHaveLength(3)
    })
  })

  describe('catalogue', () => {
    it('has tests, bundles, biomarkers, vendors and providers, retires what is no longer listed, and shows overdue referrals', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      const uuid = await here.order()
      await here.fake.clock.advance({ seconds: 1 })
      await mirror.backfill()
      const read = async (): Promise<void> => {
        await here.rows(`INSERT INTO {schema}.work (organisation, kind, key) VALUES
          ('default', 'catalogue', 'all'), ('default', 'providers', 'all')`)
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

    it('§4.4 leaves out a provider that was retired after the list was read, with any status of the error', async () => {
      const here = await world()
      const mirror = here.mirrorOf()
      await mirror.backfill()
      const all = await here.clientOf().providers.list().toArray()
      const fault = { status: 400, code: 'PROVIDER_NOT_FOUND' }
      here.fake.faults.next('GET /v1/providers/{providerNumber}', fault)
      await here.rows(
        `INSERT INTO {schema}.work (organisation, kind, key) VALUES ('default', 'providers', 'all')`,
      )
      await mirror.drain()
      expect(await here.rows('SELECT key FROM {schema}.work')).toEqual([])
      expect(await here.rows('SELECT name FROM {schema}.provider')).toHaveLength(all.length - 1)
    })

    it('the recipes of the guide run', async () => {
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

  describe('erase', () => {
    it('§10 removes a group everywhere, tells every consumer, and no event, sweep or backfill restores it', async () => {
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
      const erased = await complete(here, mirror)
      const kept = await complete(here, mirror)
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

    it('wins against a read that is in flight', async () => {
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
  })
}
