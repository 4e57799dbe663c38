import { PathologyClient } from 'pathology-sdk'
import { postgresOrderLedger } from 'pathology-sdk/postgres'
import { redisOrderLedger } from 'pathology-sdk/redis'
import { FakePathologyService } from 'pathology-sdk/testing'
import pg from 'pg'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withPostgres } from '../../support/postgres.js'
import { withRedis } from '../../support/redis.js'
import { order } from '../../support/samples.js'
import { environmentOf, runCommand } from '../run-command.js'

const HOUR_MS = 3_600_000

const postgres = await withPostgres()
const redis = await withRedis()
afterAll(async () => {
  await postgres?.stop()
  await redis?.stop()
})

/** Opens the ledger as a program does, in its own table or with its own prefix. */
async function openPostgres(store?: string) {
  const pool = new pg.Pool({ connectionString: postgres?.url })
  const ledger = postgresOrderLedger(pool, { table: store })
  await ledger.setup()
  return { ledger, close: () => pool.end() }
}

async function openRedis(prefix?: string) {
  const client = createClient({ url: redis?.url ?? '' })
  await client.connect()
  return { ledger: redisOrderLedger(client, { prefix }), close: async () => client.destroy() }
}

describe.each([
  { name: 'Postgres', url: postgres?.url, open: openPostgres },
  { name: 'Redis', url: redis?.url, open: openRedis },
])('an unknown order in $name, by the commands of the guide', ({ url = '', open }) => {
  let fake: FakePathologyService
  let program: Awaited<ReturnType<typeof open>>
  let client: PathologyClient
  let env: Record<string, string>

  beforeAll(async () => {
    if (url === '') return
    fake = await FakePathologyService.start({ port: 0, centreCount: 1, seedReferrals: 0 })
    program = await open()
    client = new PathologyClient({
      ...{ ...fake.clientOptions(), orderLedger: program.ledger },
      ...{ orderRecoveryTimeout: 0, maxRetries: 0 },
    })
    env = { ...environmentOf(fake), PATHOLOGY_LEDGER_URL: url }
    return async () => {
      await client.close()
      await program.close()
      await fake.close()
    }
  })

  const ledger = (words: string, input: { now?: number; isTTY?: boolean } = {}) =>
    runCommand(['ledger', ...words.split(' ')], { env, ...input })

  /** The service places the order or not; its response is lost, and the order cannot be looked up afterwards. */
  async function loseOrder(key: string, isPlaced: boolean): Promise<void> {
    fake.faults.next('POST /v1/referrals', isPlaced ? { loseResponse: true } : { status: 503 })
    fake.faults.next('GET /v1/referrals', { status: 503 }, { nth: 2, times: Number.POSITIVE_INFINITY })
    const placing = client.referrals.create(order({ tests: ['full-blood-count'] }), { orderKey: key })
    await expect(placing).rejects.toMatchObject({ name: 'OrderOutcomeUnknownError' })
    fake.faults.clear()
  }

  /** The command in the advice of `ledger show` that begins with some words. */
  const advised = (advice: string, start: string): string[] => {
    const line = advice.split('npx pathology ').find((text) => text.startsWith(start)) ?? ''
    return line.split('\n')[0]?.split(' ') ?? []
  }

  it.skipIf(url === '')(
    'an unknown order that the service has placed: find it, record its UUID, run the job again',
    async () => {
      await loseOrder('visit-1001', true)
      const listed = await ledger('list', { isTTY: true })
      expect(listed).toMatchObject({ code: 3, stderr: '' })
      expect(listed.stdout).toMatch(/visit-1001\s+unknown\s+20\d\d-/)

      const shown = await ledger('show visit-1001')
      expect(JSON.parse(shown.stdout)).toMatchObject({ key: 'visit-1001', state: 'unknown', referrals: [] })
      const found = await runCommand([...advised(shown.stderr, 'referrals find'), '--json'], { env })
      const [{ uuid }] = JSON.parse(found.stdout)

      const resolve = advised(shown.stderr, 'ledger resolve visit-1001 --placed').map((word) =>
        word === 'UUID' ? uuid : word,
      )
      const resolved = await runCommand(resolve, { env })
      expect(resolved).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse(resolved.stdout)).toMatchObject({ state: 'placed', referrals: [uuid] })
      expect(await ledger('list --json')).toMatchObject({ code: 0, stdout: '[]\n' })

      const again = await client.referrals.create(order({ tests: ['full-blood-count'] }), {
        orderKey: 'visit-1001',
      })
      expect(again).toMatchObject({ recovered: true, referrals: [{ uuid }] })
    },
  )

  it.skipIf(url === '')(
    'an unknown order that the service has not placed: wait an hour, record it, run the job again',
    async () => {
      await loseOrder('visit-1002', false)
      const find = ['referrals', 'find', '--key', 'visit-1002', '--since', '7d']
      expect(await runCommand(find, { env })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no referral with this order key was found'),
      })
      const early = await ledger('resolve visit-1002 --not-placed')
      expect(early).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/nothing was recorded. Wait until 20\d\d-/),
      })
      expect((await ledger('list --before 1h --json')).stdout).toBe('[]\n')

      const now = Date.now() + HOUR_MS + 1_000
      expect((await ledger('list --before 1h --json', { now })).stdout).toContain('visit-1002')
      expect((await ledger('show visit-1002', { now })).stderr).not.toContain('wait until')
      expect(await ledger('resolve visit-1002 --not-placed', { now })).toMatchObject({ code: 0 })
      const placed = await client.referrals.create(order({ tests: ['full-blood-count'] }), {
        orderKey: 'visit-1002',
      })
      expect(placed.recovered).toBe(false)
      expect((await ledger('show visit-1002')).stderr).toContain('was placed')
    },
  )

  it.skipIf(url === '')('an unknown order is not recorded with the referral of another order', async () => {
    const other = await client.referrals.create(order({ tests: ['full-blood-count'] }), {
      orderKey: 'visit-1003',
    })
    await loseOrder('visit-1004', false)
    const words = `resolve visit-1004 --placed ${other.referrals[0].uuid}`
    expect(await ledger(words)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another order key'),
    })
    const missing = '00000000-0000-4000-8000-000000000000'
    expect(await ledger(`resolve visit-1004 --placed ${missing}`)).toMatchObject({ code: 1 })
    expect(await ledger('resolve visit-1004 --placed visit-1004')).toMatchObject({ code: 2 })
    expect((await ledger('list --json')).stdout).toContain('visit-1004')
    expect(await ledger(`${words} --yes`)).toMatchObject({ code: 0 })
    expect(await ledger('resolve visit-1004 --not-placed --yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('final'),
    })
  })

  it.skipIf(url === '')(
    'an unknown order is not settled while a call is placing it, or without its namespace if several have the key',
    async () => {
      const claim = { leaseMs: 60_000, fingerprint: { keyId: 'k', hash: 'h' } }
      await program.ledger.claim(
        { namespace: 'one', key: 'visit-1005' },
        { token: crypto.randomUUID(), ...claim },
      )
      expect(await ledger('resolve visit-1005 --not-placed --yes')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/a call is placing this order.*nothing was recorded/),
      })
      await program.ledger.claim(
        { namespace: "clinic's", key: 'visit-1005' },
        { token: crypto.randomUUID(), ...claim },
      )
      const { code, stderr } = await ledger('show visit-1005')
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("--namespace 'clinic'\\''s'"),
      })
      expect((await ledger('show visit-1005 --namespace one')).stderr).toContain('Look again after')
    },
  )

  it.skipIf(url === '')('ledger list and prune take other states and a store of its own', async () => {
    const own = await open('own')
    const name = { namespace: 'n', key: 'visit-1006' }
    const token = crypto.randomUUID()
    await own.ledger.claim(name, { token, leaseMs: 1_000, fingerprint: { keyId: 'k', hash: 'h' } })
    await own.ledger.record(name, { token, outcome: 'not-placed' })
    await own.close()
    const listed = await ledger('list --store own --state not-placed --limit 1')
    expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining('There may be older orders') })
    expect(listed.stdout).toMatch(
      /^key,state,firstSentAt,lastSentAt,claimEndsAt,referrals,namespace\r\nvisit-1006,not-placed,,,20/,
    )
    const pruned = await ledger('prune --store own --before now --json', { now: Date.now() + 1_000 })
    expect(JSON.parse(pruned.stdout)).toEqual({ deleted: 1 })
    expect((await ledger('show --store own visit-1006')).stderr).toContain(
      'the ledger has no order with this key',
    )
  })

  it.skipIf(url === '')(
    'a ledger whose database does not answer is an error without the password',
    async () => {
      const { protocol } = new URL(url)
      const wrong = { PATHOLOGY_LEDGER_URL: `${protocol}//someone:secret@127.0.0.1:9/1` }
      const { code, stderr } = await runCommand(['ledger', 'list'], { env: wrong })
      expect(code).toBe(1)
      expect(stderr).toBe(
        'pathology: the database of the ledger failed (ECONNREFUSED); see PATHOLOGY_LEDGER_URL\n',
      )
    },
  )
})
