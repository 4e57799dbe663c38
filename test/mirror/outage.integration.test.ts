import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Mirror } from 'pathology-sdk/mirror'
import pg from 'pg'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { withPostgres } from '../support/postgres.js'
import { startTcpProxy } from '../support/tcp-proxy.js'
import { bundleMachine } from './soak/fleet.js'
import { tableOfHandled } from './soak/handled.js'
import type { MachineOrder } from './soak/machine.js'
import { createWorld, poolDatabase } from './world.js'

const server = await withPostgres()
const pool = new pg.Pool({ connectionString: server?.url, max: 12 })
// A restart of the server closes idle connections.
pool.on('error', () => undefined)

afterAll(async () => {
  await pool.end()
  await server?.stop()
})

const URL_OF_SERVER = server?.url ?? ''

const world = () => createWorld(poolDatabase(pool))

type World = Awaited<ReturnType<typeof world>>

const deliver = (here: World, mirror: Mirror, uuid: string): Promise<number> =>
  here.announce(mirror, { uuid })

const until = (isTrue: () => Promise<boolean> | boolean, timeout = 20_000) =>
  vi.waitUntil(isTrue, { timeout, interval: 20 })

const hasCopy = async ({ rows }: World, uuid: string): Promise<boolean> =>
  (await rows('SELECT 1 FROM {schema}.referral WHERE uuid = $1', [uuid])).length === 1

const isIdle = async ({ rows }: World): Promise<boolean> =>
  (await rows('SELECT 1 FROM {schema}.work')).length === 0

async function proxyTo() {
  const proxy = await startTcpProxy(URL_OF_SERVER)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  return proxy
}

describe.skipIf(server === undefined)('a Postgres server that is unavailable', { timeout: 60_000 }, () => {
  it('start() waits for an unavailable server with one warning, events get a 503 within 2.5 s, and work resumes by itself', async () => {
    const here = await world()
    const proxy = await proxyTo()
    proxy.cut()
    const mirror = here.mirrorOf({ database: proxy.url })
    const uuid = await here.order()
    let isStarted = false
    const starting = mirror.start().then(() => {
      isStarted = true
    })
    starting.catch(() => undefined)
    for (const _ of [1, 2]) expect(await deliver(here, mirror, uuid)).toBe(503)
    expect(here.logs.filter((line) => line.includes('could not be stored'))).toHaveLength(1)
    await expect(mirror.status()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true })
    await sleep(1_200)
    expect(isStarted).toBe(false)
    const warnings = () => here.logs.filter((line) => /does not respond .*start is repeated/.test(line))
    expect(warnings()).toHaveLength(1)
    proxy.restore()
    await starting
    expect(await deliver(here, mirror, uuid)).toBe(200)
    await until(() => hasCopy(here, uuid))
    expect(warnings()).toHaveLength(1)
    expect(
      here.logs.filter((line) => line.includes('storing events works again. 2 deliveries')),
    ).toHaveLength(1)
  })

  it('stop() and a signal end the wait of start() for an unavailable server', async () => {
    const here = await world()
    const proxy = await proxyTo()
    proxy.cut()
    const stopped = here.mirrorOf({ database: proxy.url })
    const aborted = here.mirrorOf({ database: proxy.url })
    const starts = Promise.allSettled([stopped.start(), aborted.start({ signal: AbortSignal.timeout(100) })])
    await sleep(100)
    await stopped.stop()
    const ends = await starts
    expect(ends).toMatchObject([{ reason: { code: 'MIRROR_STOPPED' } }, { reason: { name: 'TimeoutError' } }])
  })

  it('start() rejects at once if the server rejects the database or the user', async () => {
    const here = await world()
    const other = new URL(URL_OF_SERVER)
    other.pathname = '/none'
    await expect(here.mirrorOf({ database: other.href }).start()).rejects.toMatchObject({
      code: 'DATABASE_NOT_OPENED',
      message: expect.stringContaining('the server has no database of this name (error 3D000)'),
    })
  })

  it('a pool needs three connections more than concurrency; a pool from a URL has them', async () => {
    const here = await world()
    const own = here.mirrorOf({ concurrency: 10 })
    await expect(own.start()).rejects.toMatchObject({
      code: 'POOL_TOO_SMALL',
      message: expect.stringContaining('at most 12 connections, and concurrency 10 requires at least 13'),
    })
    const started = here.mirrorOf({ database: URL_OF_SERVER, concurrency: 20 })
    await started.start()
    await started.stop()
  })

  const underLoad = async (fault: 'cut' | 'holdAnswers' | 'freeze'): Promise<void> => {
    const here = await world()
    const proxy = await proxyTo()
    const handled: number[] = []
    const attempts: number[] = []
    const mirror = here.mirrorOf({
      database: proxy.url,
      // The response to a claim can be lost. Its work then waits for the end of the lease.
      lease: 2_000,
      on: {
        '*': ({ position }, { attempt }) => {
          handled.push(position)
          attempts.push(attempt)
        },
      },
    })
    await mirror.start()
    const uuids: string[] = []
    for (let n = 0; n < 6; n += 1) uuids.push(await here.order())
    await Promise.all(uuids.map((uuid) => deliver(here, mirror, uuid)))
    proxy[fault]()
    const during = await Promise.all(uuids.map((uuid) => deliver(here, mirror, uuid)))
    expect(during).toEqual(uuids.map(() => 503))
    proxy.restore()
    await until(async () => (await deliver(here, mirror, uuids[0] ?? '')) === 200)
    await until(() => isIdle(here))
    for (const uuid of uuids) expect(await hasCopy(here, uuid)).toBe(true)
    const changes = await here.rows('SELECT position::int AS position FROM {schema}.change ORDER BY 1')
    expect([...new Set(handled)].sort((a, b) => a - b)).toEqual(changes.map(({ position }) => position))
    expect(new Set(attempts)).toEqual(new Set([1]))
  }

  it('on a network that is cut, delays responses or stops under load, events get a 503 within 2.5 s, nothing is lost, no attempt is counted', async () => {
    await Promise.all([underLoad('cut'), underLoad('holdAnswers'), underLoad('freeze')])
  })

  it('on a slow network to the database an event gets its response within 2.5 s, and the copy is complete', async () => {
    const here = await world()
    const proxy = await proxyTo()
    const mirror = here.mirrorOf({ database: proxy.url })
    await mirror.start()
    const uuid = await here.order()
    proxy.slow(100)
    expect(await deliver(here, mirror, uuid)).toBe(200)
    await until(() => hasCopy(here, uuid))
    proxy.slow(1_200)
    expect(await deliver(here, mirror, uuid)).toBe(503)
    proxy.cut()
  })

  it('a process that is stopped for longer than its lease commits nothing afterwards', async () => {
    const here = await world()
    const machine = await bundleMachine()
    onTestFinished(machine.remove)
    const own = `${here.schema}_own`
    await pool.query(tableOfHandled(here.schema))
    onTestFinished(async () => void (await pool.query(`DROP SCHEMA ${own} CASCADE`)))
    const { baseUrl, authUrl, clientId, clientSecret } = here.fake.clientOptions()
    const order: MachineOrder = {
      ...{ database: URL_OF_SERVER, schema: here.schema, secret: here.fake.signingSecret },
      client: { baseUrl, authUrl, clientId, clientSecret },
      ...{ probability: 0, points: [], lease: 1_000, isSweeping: false },
    }
    const child = fork(machine.path, [JSON.stringify(order)], { execArgv: [], silent: true })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child, 'message')
    await until(() => isIdle(here))
    const uuid = await here.order()
    // The late read looks newer than any other. So only the lost lease prevents that it is stored.
    const late = { ...here.fake.referrals.all()[0], status: 'LATE', updatedAt: '2100-01-01T00:00:00.000Z' }
    here.fake.faults.next('GET /v1/referrals/{uuid}', {
      ...{ status: 200, body: JSON.stringify(late), latencyMs: 2_000 },
    })
    await deliver(here, here.mirrorOf({ concurrency: 0 }), uuid)
    const reads = () => here.fake.requests.filter(({ path }) => path === `/v1/referrals/${uuid}`).length
    const claimed = "SELECT 1 FROM {schema}.work WHERE kind = 'referral' AND lease IS NOT NULL"
    await until(async () => (await here.rows(claimed)).length === 1)
    // Time for its request, whose response takes much longer.
    await sleep(300)
    child.kill('SIGSTOP')
    const mirror = here.mirrorOf({ sweep: { recent: false, open: false, everything: false, centres: false } })
    await until(async () => {
      await mirror.drain()
      return hasCopy(here, uuid)
    })
    child.kill('SIGCONT')
    await until(async () => {
      const { rows } = await pool.query(`SELECT 1 FROM ${own}.handled`)
      return rows.length === 1 && (await isIdle(here))
    })
    // Time for the late read and its commit.
    await until(() => reads() === 2)
    await sleep(500)
    expect(await here.rows("SELECT uuid FROM {schema}.change WHERE status_after = 'LATE'")).toEqual([])
    expect(await here.rows('SELECT uuid, status FROM {schema}.referral')).toEqual([
      { uuid, status: here.fake.referrals.all()[0]?.status },
    ])
    child.send('stop')
    expect((await once(child, 'exit'))[0]).toBe(0)
  })

  it('a role that may not create tables: the error names the migrations and the command that prints them', async () => {
    const here = await world()
    const role = `${here.schema}_role`
    await pool.query(`CREATE ROLE ${role} LOGIN`)
    onTestFinished(async () => void (await pool.query(`DROP ROLE ${role}`)))
    const url = new URL(URL_OF_SERVER)
    url.username = role
    await expect(here.mirrorOf({ database: url.href }).start()).rejects.toMatchObject({
      code: 'MIGRATIONS_MISSING',
      message: expect.stringMatching(
        /1 \(tables\), 2 \(due-index\), and the database role may not change the schema.*migrate --print/,
      ),
    })
  })

  it('listen: true wakes another machine by NOTIFY, also after a restart of the server', async () => {
    const here = await world()
    const worker = here.mirrorOf({ database: URL_OF_SERVER, listen: true, poll: 3_600_000 })
    const web = here.mirrorOf({ database: URL_OF_SERVER, listen: true, concurrency: 0 })
    await worker.start()
    await web.start()
    await until(() => isIdle(here))
    const isRead = async (): Promise<void> => {
      const uuid = await here.order()
      await until(async () => (await deliver(here, web, uuid)) === 200)
      await until(() => hasCopy(here, uuid), 5_000)
    }
    await isRead()
    await server?.restart()
    await until(async () => {
      const { rows } = await pool.query("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN %'")
      return rows.length === 2
    })
    await isRead()
  })
})
