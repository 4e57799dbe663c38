import { createHash } from 'node:crypto'
import type { ObjectStore } from 'pathology-sdk/mirror'
import type { Fault } from 'pathology-sdk/testing'
import { describe, expect, it } from 'vitest'
import { completeOrder, createWorld, type TestDatabase, type World } from '../world.js'

/**
 * A fetch in front of a replica. While the replica lags, every second read of a record returns the record's
 * first state.
 */
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

/** An object store in memory. */
function memoryStore(): { readonly objects: Map<string, Uint8Array>; readonly store: ObjectStore } {
  const objects = new Map<string, Uint8Array>()
  const store: ObjectStore = {
    put: async (sha256, content) => void objects.set(sha256, content),
    get: async (sha256) => objects.get(sha256),
    delete: async (sha256) => void objects.delete(sha256),
  }
  return { objects, store }
}

/** Makes every download fail. */
const always = ({ fake }: World, fault: Fault) =>
  fake.faults.next('GET /documents/{name}', fault, { times: Number.POSITIVE_INFINITY })

/** Tests of PDFs, on PGlite. */
export function documentSuite(database: TestDatabase): void {
  const world = () => createWorld(database)

  describe('documents', () => {
    it('a PDF is stored with its record, so that a handler finds it and mirror.documents returns its bytes', async () => {
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
      const { referral, result } = await completeOrder(here, mirror)
      for (const [kind, uuid, resource] of [
        ['referral', referral, here.clientOf().referrals],
        ['result', result, here.clientOf().results],
      ] as const) {
        expect(await mirror.documents.bytes({ kind, uuid })).toEqual(await resource.document(uuid).bytes())
      }
      expect(stored.at(-1)).toBe(true)
      expect(await mirror.documents.bytes({ kind: 'result', uuid: referral })).toBeUndefined()
    })

    it('a file that is not a PDF does not delay its record, and its download is repeated separately', async () => {
      const here = await world()
      const mirror = here.mirrorOf({ documents: 'database', attempts: { fetch: 1 } })
      await here.subscribe(mirror)
      always(here, { status: 200, body: 'no PDF' })
      const uuid = await here.order()
      await here.settle(mirror)
      expect(await here.rows('SELECT uuid FROM {schema}.referral')).toEqual([{ uuid }])
      expect(await mirror.dead.list()).toMatchObject([
        { kind: 'document:referral', uuid, error: expect.stringMatching(/^InvalidResponseError/) },
      ])
      here.fake.faults.clear()
      expect(await mirror.dead.retry({ kind: 'd%' })).toBe(0)
      expect(await mirror.dead.retry({ kind: 'document' })).toBe(1)
      await mirror.drain()
      expect(await mirror.documents.bytes({ kind: 'referral', uuid })).toBeInstanceOf(Uint8Array)
      expect(await mirror.dead.list()).toEqual([])
    })

    it('a download whose URL the host rejects pauses nothing, and is over when a change of the record brings the PDF', async () => {
      const here = await world()
      const mirror = here.mirrorOf({ documents: 'database', attempts: { fetch: 1 } })
      await here.subscribe(mirror)
      always(here, { status: 403 })
      const uuid = await here.order()
      await here.settle(mirror)
      expect(await mirror.status()).toMatchObject({ service: [{ state: 'reached' }] })
      expect(here.logs.filter((line) => line.startsWith('mirror: document'))).toEqual([
        `mirror: document:referral ${uuid} of organisation default failed 1 times (PermissionError HTTP 403). The copy can be out of date. Call mirror.dead.retry() when the cause is fixed`,
      ])
      expect(await mirror.dead.list()).toMatchObject([
        { kind: 'document:referral', uuid, error: expect.stringMatching(/^PermissionError/) },
      ])
      here.fake.faults.clear()
      await here.clientOf().referrals.update(uuid, { metadata: { changed: 'yes' } })
      await here.settle(mirror)
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

    it('a replica that does not have a record yet does not end the download of its PDF', async () => {
      const here = await world()
      const without = here.mirrorOf()
      await here.subscribe(without)
      const uuid = await here.order()
      await here.settle(without)
      const body = { error: true, code: 'REFERRAL_NOT_FOUND', message: 'Unable to find it', errorList: [] }
      here.fake.faults.next('GET /v1/referrals/{uuid}', { status: 404, body: JSON.stringify(body) })
      const mirror = here.mirrorOf({ documents: 'database' })
      await here.want('document:referral', uuid)
      await mirror.drain()
      expect(await mirror.documents.bytes({ kind: 'referral', uuid })).toBeUndefined()
      expect(await mirror.status()).toMatchObject({ retrying: 1, dead: 0 })
      await here.again(mirror)
      expect(await mirror.documents.bytes({ kind: 'referral', uuid })).toBeInstanceOf(Uint8Array)
    })

    it('while the host of the PDFs fails, each download waits for its own time', async () => {
      const here = await world()
      const mirror = here.mirrorOf({ documents: 'database' })
      await here.subscribe(mirror)
      always(here, { status: 200, body: 'down' })
      await here.order()
      await here.order()
      await here.settle(mirror)
      await here.again(mirror)
      const attempts = await here.rows('SELECT attempts FROM {schema}.work ORDER BY key')
      expect(attempts).toEqual([{ attempts: 2 }, { attempts: 2 }])
    })

    it('a backfill stores the PDFs of listed records in an object store by their hash', async () => {
      const here = await world()
      const { objects, store: own } = memoryStore()
      let isAway = true
      const store: ObjectStore = {
        ...own,
        put: async (sha256, content) => {
          if (isAway) throw new Error('away')
          await own.put(sha256, content)
        },
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
      await expect(
        here.mirrorOf({ documents: 'database' }).documents.bytes({ kind: 'referral', uuid }),
      ).rejects.toThrow(/is in an object store, and the option documents is 'database'/)
      await mirror.erase({ uuid })
      await mirror.drain()
      expect(objects.size).toBe(0)
    })

    it('an object that was stored before a crash is deleted if its record was erased', async () => {
      const here = await world()
      const { objects, store } = memoryStore()
      let crashes = true
      const mirror = here.mirrorOf({ documents: store, attempts: { fetch: 1 } }, (point) => {
        if (point === 'store:appended' && objects.size > 0 && crashes) throw new Error('crash')
      })
      await here.subscribe(mirror)
      const uuid = await here.order()
      await here.settle(mirror)
      expect(objects.size).toBe(1)
      expect(await here.rows('SELECT 1 FROM {schema}.document')).toEqual([])
      crashes = false
      await mirror.erase({ uuid })
      await mirror.drain()
      expect(objects.size).toBe(1)
      await here.rows("UPDATE {schema}.work SET run_at = now() WHERE kind = 'object'")
      await mirror.drain()
      expect(objects.size).toBe(0)
    })

    it('the deletion that is planned before an object is stored ends with the storage', async () => {
      const here = await world()
      const { objects, store } = memoryStore()
      const mirror = here.mirrorOf({ documents: store })
      await here.subscribe(mirror)
      await here.order()
      await here.settle(mirror)
      await here.settle(mirror)
      expect(objects.size).toBe(1)
      expect(await here.rows('SELECT * FROM {schema}.work')).toEqual([])
    })

    it('PDFs of records that were stored without them are downloaded after a start that stores PDFs', async () => {
      const here = await world()
      const without = here.mirrorOf({ documents: 'none' })
      await here.subscribe(without)
      const { referral, result } = await completeOrder(here, without)
      await without.stop()
      const mirror = here.mirrorOf({
        documents: 'database',
        sweep: { recent: false, open: false, everything: false, centres: false },
      })
      await mirror.start()
      for (const owner of [
        { kind: 'referral', uuid: referral },
        { kind: 'result', uuid: result },
      ] as const) {
        await expect.poll(() => mirror.documents.bytes(owner)).toBeInstanceOf(Uint8Array)
      }
    })

    it('PDFs of records that were stored without them are due one after another, at the pace of requestsPerSecond', async () => {
      const here = await world()
      const without = here.mirrorOf({ documents: 'none' })
      await here.subscribe(without)
      for (let orders = 0; orders < 4; orders += 1) await here.order()
      await here.settle(without)
      await without.stop()
      const mirror = here.mirrorOf({
        documents: 'database',
        concurrency: 0,
        sweep: { centres: false, requestsPerSecond: 5 },
      })
      await mirror.start()
      const due = await here.rows(
        `SELECT round(EXTRACT(EPOCH FROM run_at - min(run_at) OVER ()) * 1000)::integer AS ms
         FROM {schema}.work WHERE kind = 'document:referral' ORDER BY run_at`,
      )
      expect(due).toEqual([{ ms: 0 }, { ms: 200 }, { ms: 400 }, { ms: 600 }])
    })

    it('an object store that rejects deletions is reported at the third failure', async () => {
      const here = await world()
      const store: ObjectStore = {
        ...memoryStore().store,
        delete: () => Promise.reject(new Error('denied')),
      }
      const mirror = here.mirrorOf({ documents: store })
      await here.subscribe(mirror)
      const uuid = await here.order()
      await here.settle(mirror)
      await mirror.erase({ uuid })
      for (const lines of [0, 0, 1, 1]) {
        await here.again(mirror)
        expect(here.logs.filter((line) => line.includes('did not delete a PDF'))).toHaveLength(lines)
      }
    })
  })
}
