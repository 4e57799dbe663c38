import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { postgresOrderLedger } from 'pathology-sdk/postgres'
import { FakePathologyService } from 'pathology-sdk/testing'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startConnectProxy } from '../support/connect-proxy.js'
import { createPGliteFolder } from '../support/pglite.js'
import { withPostgres } from '../support/postgres.js'
import { withRedis } from '../support/redis.js'
import { order, referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { makeConsumer, pack, ROOT, run } from './consumer.js'

/** Drivers that users install beside the package. */
const DRIVERS = ['pg', 'redis', 'ioredis', '@electric-sql/pglite']

/** Drivers of the ledger that the command line loads, and the variable with the database of each. */
const COMMANDS = [
  ['pg', 'DATABASE'],
  ['redis', 'REDIS'],
  ['ioredis', 'REDIS'],
] as const

/** Ways to load an entry in a program of its own. */
const FORMATS = {
  'ES modules': (program: string) => [
    '--input-type=module',
    '--eval',
    `const load = (name) => import(name)\n${program}`,
  ],
  CommonJS: (program: string) => [
    '--input-type=commonjs',
    '--eval',
    `const load = async (name) => require(name)\nvoid (async () => {\n${program}\n})()`,
  ],
} as const

/** A program with a client. */
const CLIENT = `const { PathologyClient } = await load('pathology-sdk')\n`
const LIST = `if ((await client.referrals.list().toArray()).length < 50) throw new Error('too few')
await client.close()`

const MIRROR = `${CLIENT}const { createMirror } = await load('pathology-sdk/mirror')
const mirror = createMirror({ database: process.env.DATABASE, secret: 'a-signing-secret', client: new PathologyClient() })
`

/** Programs that import nothing but entries of the package, and the variables of each. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'its own connections, gzip and the decoder of tokens': `${CLIENT}const client = new PathologyClient()\n${LIST}`,
  proxy: `${CLIENT}const client = new PathologyClient({ proxy: process.env.PROXY })\n${LIST}`,
  'proxy from the environment': `${CLIENT}const client = new PathologyClient({ proxy: 'env' })\n${LIST}`,
  fetch: `${CLIENT}const client = new PathologyClient({ fetch })\n${LIST}`,
  warmUp: `${CLIENT}const client = new PathologyClient({ proxy: process.env.PROXY })
await client.warmUp()\n${LIST}`,
  'jose, and shared tokens': `const { encryptedTokenStore } = await load('pathology-sdk')
const entries = new Map()
${CLIENT}const client = new PathologyClient({ tokenStore: encryptedTokenStore(entries, new Uint8Array(32)) })
${LIST}
if (entries.size === 0) throw new Error('no token was stored')`,
  'checks of orders': `${CLIENT}const client = new PathologyClient()
const { name } = await client.referrals.create({ tests: 7 }).catch((error) => error)
if (name !== 'InvalidRequestError') throw new Error(name)
await client.close()`,
  'an order ledger': `const { memoryOrderLedger } = await load('pathology-sdk')
${CLIENT}const client = new PathologyClient({ orderLedger: memoryOrderLedger() })
const order = JSON.parse(process.env.ORDER)
const since = new Date()
await client.referrals.create(order, { orderKey: 'visit-1', since })
if (!(await client.referrals.create(order, { orderKey: 'visit-1', since })).recovered) throw new Error('twice')
await client.close()`,
  'a lookup by order key': `${CLIENT}const client = new PathologyClient()
if ((await client.referrals.findByOrderKey('visit-0')) !== undefined) throw new Error('found')
await client.close()`,
  'checks of a form': `${CLIENT}const client = new PathologyClient()
const order = JSON.parse(process.env.ORDER)
await client.referrals.validate(order, { catalogue: true })
const unlikely = client.referrals.validate({ ...order, dob: '1800-01-01' }, { plausible: true })
const { name } = await unlikely.catch((error) => error)
if (name !== 'InvalidRequestError') throw new Error(name)
await client.close()`,
  'a wait for a referral': `${CLIENT}const client = new PathologyClient()
for await (const { uuid } of client.referrals.list()) {
  await client.referrals.waitFor(uuid, { until: () => true })
  break
}
await client.close()`,
  'the lookup of a lost write': `${CLIENT}const client = new PathologyClient()
const { deletedAt } = await client.referrals.delete('${UUID}')
if (deletedAt === null) throw new Error('not deleted')
await client.close()`,
  'documents that are stored compressed': `${CLIENT}const client = new PathologyClient()
const bytes = await client.referrals.document('${UUID}').bytes()
if (bytes.length < 9) throw new Error('no document')
await client.close()`,
  zod: `const { FakePathologyService } = await load('pathology-sdk/testing')
${CLIENT}const fake = new FakePathologyService()
const client = new PathologyClient(fake.clientOptions())
await client.referrals.create(JSON.parse(process.env.ORDER))
await client.close()`,
  webhooks: `const { verifyWebhook } = await load('pathology-sdk/webhooks')
const { name } = await verifyWebhook('{}', '0'.repeat(64), 'a-signing-secret').catch((error) => error)
if (name !== 'WebhookVerificationError') throw new Error(name)`,
  pg: `${MIRROR}await mirror.start()
const { read } = await mirror.backfill()
if (read < 50) throw new Error('too few')
await mirror.stop()`,
  PGlite: `${MIRROR}const { referrals } = await mirror.status()
if (referrals !== 0) throw new Error('not empty')
await mirror.stop()`,
}

/** Programs that use {@link startService} in place of the fake. */
const OF_SERVICE: readonly string[] = ['the lookup of a lost write', 'documents that are stored compressed']

let directory = ''
let env: NodeJS.ProcessEnv = {}
const ends: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pathology-sdk-parts-'))
  ends.push(() => rm(directory, { recursive: true, force: true }))
  await makeConsumer(directory, [await pack(directory)])
  await Promise.all(DRIVERS.map(addDriver))
  const [postgres, redis] = [await withPostgres(), await withRedis()]
  if (postgres !== undefined) await addTable(postgres.url)
  for (const server of [postgres, redis]) if (server !== undefined) ends.push(() => server.stop())
  const fake = await FakePathologyService.start()
  ends.push(() => fake.close())
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  env = {
    PATH: process.env['PATH'],
    PATHOLOGY_BASE_URL: baseUrl,
    PATHOLOGY_AUTH_URL: authUrl,
    PATHOLOGY_CLIENT_ID: clientId,
    PATHOLOGY_CLIENT_SECRET: clientSecret,
    DATABASE: postgres?.url,
    REDIS: redis?.url,
    ORDER: JSON.stringify(order({ tests: ['ferritin'] })),
  }
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

/** Makes a driver available to the programs, as if they had installed it. */
async function addDriver(name: string): Promise<void> {
  const path = join(directory, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(ROOT, 'node_modules', name), path)
}

describe.each(Object.entries(FORMATS))('in %s', (_, argumentsOf) => {
  it.for(Object.entries(PROGRAMS))(
    'a part that is loaded on first use works in a process that imports nothing else: %s',
    async ([name, program], { skip }) => {
      skip(name === 'pg' && env['DATABASE'] === undefined)
      const proxy = await startConnectProxy()
      const variables: NodeJS.ProcessEnv = { ...env, PROXY: proxy.url }
      // A new database takes PGlite many seconds; a copy of a ready one takes none.
      if (name === 'PGlite') variables['DATABASE'] = await copyOfPGlite()
      if (name === 'proxy from the environment') variables['HTTP_PROXY'] = proxy.url
      if (OF_SERVICE.includes(name)) {
        const { origin } = await startService()
        Object.assign(variables, { PATHOLOGY_BASE_URL: origin, PATHOLOGY_AUTH_URL: origin })
      }
      await run(process.execPath, argumentsOf(program), directory, variables)
      expect(proxy.targets.length > 0).toBe(program.includes('proxy:'))
    },
  )
})

it.for(COMMANDS)('the command line reads a ledger with %s alone', async ([driver, database], { skip }) => {
  skip(env[database] === undefined)
  const others = DRIVERS.filter((name) => name !== driver)
  for (const name of others) await rm(join(directory, 'node_modules', name))
  onTestFinished(async () => void (await Promise.all(others.map(addDriver))))
  const variables = { ...env, PATHOLOGY_LEDGER_URL: env[database] }
  const command = join(directory, 'node_modules/.bin/pathology')
  expect(await run(command, ['ledger', 'list', '--json'], directory, variables)).toBe('[]\n')
})

async function copyOfPGlite(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pathology-sdk-pglite-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await createPGliteFolder(folder)
  return folder
}

async function addTable(connectionString: string): Promise<void> {
  const pool = new Pool({ connectionString })
  await postgresOrderLedger(pool).setup()
  await pool.end()
}

/** A service with one referral, whose deletion loses its response, and whose document is stored compressed. */
async function startService(): Promise<ScriptedServer> {
  const service = await ScriptedServer.start()
  const json = referral({
    referralAttachment: `${service.origin}/files/1`,
    deletedAt: '2026-03-02T08:10:00.000Z',
  })
  const gone = { error: true, code: 'REFERRAL_NOT_FOUND', message: 'none', errorList: [] }
  return service
    .on(`GET /v1/referrals/${UUID}`, { json })
    .on(`DELETE /v1/referrals/${UUID}`, { reset: 'before' }, { status: 404, json: gone })
    .on('GET /files/*', {
      bytes: brotliCompressSync('%PDF-1.7\n%%EOF\n'),
      headers: { 'content-type': 'application/pdf', 'content-encoding': 'br' },
    })
}
