import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { exampleOrder } from '../../examples/support/orders.js'
import { bundle } from '../support/bundle.js'
import { detailsIn } from '../support/patient-details.js'
import { withPostgres } from '../support/postgres.js'
import { withRedis } from '../support/redis.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TIMEOUT_MS = 90_000

const folder = await mkdtemp(join(tmpdir(), 'examples-'))
// Postgres does not run as root: its user must be able to read its folder in this one.
await chmod(folder, 0o755)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Servers that the examples share. Alone, an example starts its own. */
const [postgres, redis] = await Promise.all([withPostgres(), withRedis()])
afterAll(() => Promise.all([postgres?.stop(), redis?.stop()]))

/** Creates a database, and returns the environment of an example that uses it. */
async function database(name: string): Promise<NodeJS.ProcessEnv> {
  const admin = new pg.Client({ connectionString: postgres?.url })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  await admin.end()
  return { DATABASE_URL: postgres?.url.replace(/[^/]+$/, name) }
}

const mainOf = (name: string): URL => new URL(`../../examples/${name}/main.ts`, import.meta.url)

/** Processes of examples start sooner from a bundle. */
const bundled = await bundle(
  ...['receivers', 'nightly-result-sweep', 'medicare-routing', 'opentelemetry'].map(mainOf),
  ...['centre-directory-postgres', 'queue-bullmq', 'queue-pg-boss'].map(mainOf),
  ...['mirror-pg-boss', 'mirror-graphile-worker'].map(mainOf),
)
afterAll(bundled.remove)

/** Runs a bundled example to its end. */
const runBundled = (name: string, args: readonly string[] = [], more: NodeJS.ProcessEnv = {}) =>
  runNode([bundled.pathOf(mainOf(name)), ...args], more)

/** Runs Node to its end, without the environment's own service. */
async function runNode(args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { PATHOLOGY_BASE_URL: _, DATABASE_URL: __, REDIS_URL: ___, VITEST: ____, ...env } = process.env
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    cwd: ROOT,
    env: { ...env, ...more, TMPDIR: folder },
    timeout: TIMEOUT_MS,
  })
  expect(detailsIn(stdout + stderr, PRIVATE), 'printed of a patient').toEqual([])
  return { stdout, stderr }
}

const { firstName, email, phone, address, dob } = exampleOrder()

/** Texts that no example may print: the patient's details, and the secrets of the fake. */
const PRIVATE = new Set([
  ...[firstName, email, phone, dob, address.addressLine1, 'Tired for three months', 'example-1'],
  ...['2123 45670', '2123456701', 'fake-client-secret', 'fake-signing-secret'],
])

describe('examples', { timeout: TIMEOUT_MS + 5_000, concurrent: true }, () => {
  it('the example order-flow gets a price, an order, its PDF and its results (§1)', async () => {
    const { stdout, stderr } = await runNode(['--import', 'tsx', 'examples/order-flow/main.ts'])

    expect(stderr).toBe('')
    expect(stdout).toMatch(/costs \d+\.\d\d dollars\nplaced 1 referral\n/)
    expect(stdout).toMatch(/the report has [1-9]\d* lines/)
    const path = /^saved (\S+\.pdf),/m.exec(stdout)?.[1] ?? ''
    expect((await readFile(path)).subarray(0, 5).toString()).toBe('%PDF-')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it.each(['node', 'express', 'fastify', 'hono', 'next', 'nestjs', 'lambda'])(
    'the example receiver for %s verifies, acknowledges a duplicate without handling it, and rejects a forgery (§6)',
    async (framework) => {
      const { stdout, stderr } = await runBundled('receivers', [framework])

      expect(stderr).toBe('')
      expect(stdout.match(/^referral\.issued: the referral is ISSUED$/gm)).toHaveLength(1)
      expect(stdout).toContain('responded with 401: refused')
      expect(stdout).toContain('statuses of the responses: 200, 200, 401')
    },
  )

  it('the example nightly-result-sweep finds new results, then changed ones (§4.2)', async () => {
    const { stdout, stderr } = await runBundled('nightly-result-sweep')

    expect(stderr).toBe('')
    expect(stdout).toMatch(/first night: .* [1-9]\d* new, 0 changed/)
    expect(stdout).toMatch(/second night: .* 1 new, 0 changed/)
    expect(stdout).toMatch(/third night: .* 0 new, 1 changed/)
    expect(stdout).toContain('the INCOMING result is COMPLETE')
  })

  it.skipIf(postgres === undefined)(
    'the example centre-directory-postgres makes a complete copy, a week of changes, the nearest centre (§4.5)',
    async () => {
      const { stdout, stderr } = await runBundled('centre-directory-postgres', [], await database('centres'))

      expect(stderr).toBe('')
      expect(stdout).toContain('first copy: 5900 centres')
      expect(stdout).toMatch(/a week later: 12 updated, 3 created, 5 missing; (19|20) written/)
      const distances = [...stdout.matchAll(/(\d+\.\d) km {2}/g)].map(([, km]) => Number(km))
      expect(distances).toHaveLength(5)
      expect(distances).toEqual(distances.toSorted((a, b) => a - b))
    },
  )

  it.for([
    ['bullmq', redis, async () => ({ REDIS_URL: redis?.url })],
    ['pg-boss', postgres, () => database('order_queue')],
  ] as const)(
    'two workers of the example queue-%s place each order once, repeat it after a 429, and park jobs that cannot succeed (§4.1)',
    async ([queue, server, environment], { skip }) => {
      skip(server === undefined, 'its server is not installed')
      const { stdout, stderr } = await runBundled(`queue-${queue}`, [], await environment())

      expect(stderr).toBe('')
      expect(stdout).toMatch(/^4 jobs, 2 referrals\nparked (?:drop )?order-3: .*dob must be a calendar date/)
    },
  )

  it.skipIf(postgres === undefined).each(['pg-boss', 'graphile-worker'])(
    'a worker of the example mirror-%s runs one job for each complete result, which the handler added in its transaction',
    async (queue) => {
      const own = await database(`mirror_${queue.replace('-', '_')}`)
      const output = await runBundled(`mirror-${queue}`, [], own)

      expect(output).toEqual({ stdout: '3 results, 3 jobs\n', stderr: '' })
    },
  )

  it('the example medicare-routing leads from the signature to connected laboratories (§3.3, §4.4)', async () => {
    const { stdout, stderr } = await runBundled('medicare-routing')

    expect(stderr).toBe('')
    expect(stdout).toContain('Dr Sam Example: has a signature: true')
    expect(stdout.match(/^requested: .* NOT_SUBMITTED$/gm)?.length).toBeGreaterThan(1)
    expect(stdout.match(/^submitted: .* PENDING_CONFIRMATION$/gm)?.length).toBeGreaterThan(1)
    expect(stdout).toMatch(/^responded: .* ACTION_NEEDED: The clinic address does not match$/m)
    expect(stdout).toMatch(/^commercial: 1 test; Medicare: 2 tests$/m)
    expect(stdout).toContain('not retired: PROVIDER_HAS_ACTIVE_ROUTING')
  })

  it('the example opentelemetry has a span for each call, and metrics by operation (§8)', async () => {
    const { stdout, stderr } = await runBundled('opentelemetry')

    expect(stderr).toBe('')
    expect(stdout).toContain('span pathology referrals.create: 200, success, 0 repeats')
    expect(stdout).toContain('span pathology vendors.list: 200, success, 1 repeats')
    expect(stdout).toContain('span pathology results.retrieve: 404, NotFoundError, 0 repeats')
    expect(stdout).toContain('metric pathology.client.duration: 3 series')
  })
})
