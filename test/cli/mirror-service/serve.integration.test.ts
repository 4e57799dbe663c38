import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { PathologyClient } from 'pathology-sdk'
import { signWebhook } from 'pathology-sdk/webhooks'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMirror } from '../../../src/mirror/mirror.js'
import { type Bundle, bundle } from '../../support/bundle.js'
import { withPostgres } from '../../support/postgres.js'
import { freePort } from '../../support/server-process.js'
import { startTcpProxy } from '../../support/tcp-proxy.js'
import { orderOverApi, startFake } from '../../testing/support.js'
import { environmentOf, folderWith, runCommand } from '../run-command.js'

const server = await withPostgres()
const pool = new pg.Pool({ connectionString: server?.url, max: 4 })
const main = new URL('../../../src/cli/main.ts', import.meta.url)
let program: Bundle

beforeAll(async () => {
  program = await bundle(main)
})

afterAll(async () => {
  await program.remove()
  await pool.end()
  await server?.stop()
})

/** Thousands of centres take time that these tests do not need. */
const SMALL = { seedReferrals: 0, centreCount: 10 }

type Fake = Awaited<ReturnType<typeof startFake>>

let schemas = 0

/** Variables of a mirror with a schema and a port of its own. */
async function settings(database = server?.url ?? ''): Promise<Record<string, string> & { url: string }> {
  schemas += 1
  const port = await freePort()
  return {
    PATHOLOGY_MIRROR_DATABASE: database,
    PATHOLOGY_MIRROR_SCHEMA: `serve_${schemas}`,
    PATHOLOGY_MIRROR_DOCUMENTS: 'none',
    PATHOLOGY_MIRROR_PORT: String(port),
    url: `http://127.0.0.1:${port}`,
  }
}

const statusOf = async (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  )

const until = (isTrue: () => Promise<boolean>) => vi.waitUntil(isTrue, { timeout: 30_000, interval: 25 })

/** Delivers one event, and returns the status. */
async function deliver(fake: Fake, url: string, uuid: string): Promise<number> {
  const event = { version: '1.0', eventName: 'referral.updated', eventUuid: randomUUID(), data: { uuid } }
  const body = JSON.stringify(event)
  const signature = { 'x-svc-hmac-sha256': await signWebhook(body, fake.signingSecret) }
  const headers = { 'content-type': 'application/json', ...signature }
  return (await fetch(url, { method: 'POST', body, headers })).status
}

async function uuidsOf(
  { PATHOLOGY_MIRROR_SCHEMA: schema }: Record<string, string>,
  organisation = 'default',
) {
  const { rows } = await pool.query<{ uuid: string }>(
    `SELECT uuid FROM ${schema}.referral WHERE organisation = $1`,
    [organisation],
  )
  return new Set(rows.map(({ uuid }) => uuid))
}

/** Runs `mirror serve` in this process until the test ends. */
async function serve(env: Record<string, string>) {
  const stop = new AbortController()
  const cwd = await folderWith({})
  const serving = runCommand(['mirror', 'serve'], { env, cwd, signal: stop.signal })
  onTestFinished(() => stop.abort())
  return async () => {
    stop.abort()
    return serving
  }
}

describe.skipIf(server === undefined)('mirror serve on Postgres', { timeout: 90_000 }, () => {
  it('mirror serve starts before its database: /healthz and webhooks get a 503, then work resumes by itself', async () => {
    const fake = await startFake(SMALL)
    const uuid = await orderOverApi(fake)
    const proxy = await startTcpProxy(server?.url ?? '')
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    proxy.freeze()
    const { url, ...env } = await settings(proxy.url)
    const stop = await serve({ ...environmentOf(fake), ...env })
    await until(async () => (await statusOf(`${url}/`)) === 200)
    const [health, status] = await Promise.all([
      statusOf(`${url}/healthz`),
      deliver(fake, `${url}/webhooks`, uuid),
    ])
    expect({ health, status }).toEqual({ health: 503, status: 503 })
    proxy.restore()
    await until(async () => (await statusOf(`${url}/healthz`)) === 200)
    await until(async () => (await deliver(fake, `${url}/webhooks`, uuid)) === 200)
    await until(async () => (await uuidsOf(env)).has(uuid))
    expect(await stop()).toMatchObject({ code: 0 })
  })

  it('mirror serve keeps the copies of several organisations, each with its own variables and webhook path', async () => {
    const north = await startFake(SMALL)
    const south = await startFake({ ...SMALL, signingSecret: 'a-secret-of-the-south' })
    const uuids = { north: await orderOverApi(north), south: await orderOverApi(south) }
    const { url, ...env } = await settings()
    const named = (name: string, fake: Fake) =>
      Object.entries(environmentOf(fake)).map(([key, value]) => [
        key.replace('PATHOLOGY_', `PATHOLOGY_${name}_`),
        value,
      ])
    const all: Record<string, string> = {
      ...Object.fromEntries([...named('NORTH', north), ...named('SOUTH', south)]),
      ...{ ...env, PATHOLOGY_ORGANISATIONS: 'north, south' },
    }
    const stop = await serve(all)
    await until(async () => (await statusOf(`${url}/healthz`)) === 200)
    expect(await deliver(north, `${url}/webhooks/north`, uuids.north)).toBe(200)
    expect(await deliver(south, `${url}/webhooks/south`, uuids.south)).toBe(200)
    expect(await deliver(south, `${url}/webhooks/north`, uuids.south)).toBe(401)
    expect(await deliver(north, `${url}/webhooks`, uuids.north)).toBe(404)
    await until(async () => (await uuidsOf(env, 'north')).has(uuids.north))
    await until(async () => (await uuidsOf(env, 'south')).has(uuids.south))
    const { code, stderr } = await stop()
    expect(code).toBe(0)
    expect(stderr).toContain(': /webhooks/north, /webhooks/south, /healthz, /readyz, /metrics and /\n')
    const cwd = await folderWith({})
    const status = await runCommand(['mirror', 'status', '--json'], { env: all, cwd })
    expect(JSON.parse(status.stdout)).toMatchObject({ referrals: 2 })
  })

  it('mirror remove-consumer removes a consumer that no machine has in its code', async () => {
    const fake = await startFake(SMALL)
    const { url: _, ...env } = await settings()
    const client = new PathologyClient(fake.clientOptions())
    const mirror = createMirror({
      ...{ database: pool, schema: env['PATHOLOGY_MIRROR_SCHEMA'], client },
      consumers: { billing: { on: { '*': () => undefined } } },
      sweep: { centres: false },
    })
    await mirror.drain()
    await mirror.stop()
    await client.close()
    const input = { env: { ...environmentOf(fake), ...env }, cwd: await folderWith({}) }
    const remove = () => runCommand(['mirror', 'remove-consumer', 'billing'], input)
    expect(await remove()).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await remove()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^pathology: no consumer has this name; nothing was removed\. npx .+\n$/),
    })
  })

  it('a mirror serve that gets SIGTERM during its work stops within the lease, and no work is lost', async () => {
    const fake = await startFake({ ...SMALL, seedReferrals: 10 })
    const { url, ...own } = await settings()
    const env = { ...environmentOf(fake), ...own, PATHOLOGY_MIRROR_LEASE_MS: '5000' }
    const cwd = await folderWith({})
    const start = async (): Promise<ChildProcess> => {
      const child = spawn(process.execPath, [program.pathOf(main), 'mirror', 'serve'], {
        ...{ cwd, stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env['PATH'] ?? '', ...env } },
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      await until(async () => (await statusOf(`${url}/healthz`)) === 200)
      return child
    }
    const first = await start()
    // Each read of a record takes long enough to be in progress at the signal.
    const slow = fake.faults.next(
      'GET /v1/referrals/{uuid}',
      { latencyMs: 300 },
      { times: Number.POSITIVE_INFINITY },
    )
    const uuids: string[] = []
    for (let n = 0; n < 12; n += 1) uuids.push(await orderOverApi(fake))
    const acknowledged: string[] = []
    const sent = uuids.map(async (uuid, n) => {
      await sleep(n * 40)
      const status = await deliver(fake, `${url}/webhooks`, uuid).catch(() => 0)
      if (status === 200) acknowledged.push(uuid)
    })
    await sleep(300)
    first.kill('SIGTERM')
    const [code] = await once(first, 'exit')
    expect(code).toBe(0)
    await Promise.all(sent)
    expect(acknowledged.length).toBeGreaterThan(0)
    const schema = own['PATHOLOGY_MIRROR_SCHEMA']
    const { rows } = await pool.query(`SELECT 1 FROM ${schema}.work WHERE lease IS NOT NULL`)
    expect(rows).toEqual([])
    const kept = await uuidsOf(own)
    const { rows: due } = await pool.query(`SELECT key FROM ${schema}.work WHERE kind = 'referral'`)
    for (const { key } of due) kept.add(String(key))
    for (const uuid of acknowledged) expect(kept).toContain(uuid)

    fake.faults.remove(slow)
    const second = await start()
    await until(async () => {
      const copied = await uuidsOf(own)
      return acknowledged.every((uuid) => copied.has(uuid))
    })
    second.kill('SIGTERM')
    expect((await once(second, 'exit'))[0]).toBe(0)
  })
})
