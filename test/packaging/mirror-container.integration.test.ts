import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withPostgres } from '../support/postgres.js'
import { freePort } from '../support/server-process.js'
import { attempt, pack, ROOT, run } from './consumer.js'

const server = await withPostgres()

let directory = ''
let fake: FakePathologyService
let dockerfile = ''

/** The words of an instruction whose value is a JSON array. */
function words(instruction: RegExp): string[] {
  const [, text = '[]'] = instruction.exec(dockerfile) ?? []
  const value: unknown = JSON.parse(text)
  return Array.isArray(value) ? value.map(String) : []
}

/** Runs the RUN instruction with the packed tarball instead of the published version. */
async function installAsInImage(): Promise<void> {
  const [, instruction = ''] = /^RUN (.+)$/m.exec(dockerfile) ?? []
  const tarball = await pack(directory)
  const steps = instruction
    .split(' && ')
    .map((step) => step.replaceAll('"', '').replace(/pathology-sdk@\$\{VERSION\}/, tarball))
    .filter((step) => !step.startsWith('npm cache'))
  for (const step of steps) {
    const [command = '', ...args] = step.split(' ')
    const quiet = args[0] === 'install' ? ['--no-audit', '--no-fund', '--prefer-offline'] : []
    await run(command, [...args, ...quiet], directory)
  }
}

beforeAll(async () => {
  dockerfile = await readFile(join(ROOT, 'examples/mirror-container/Dockerfile'), 'utf8')
  directory = await mkdtemp(join(tmpdir(), 'mirror-container-'))
  fake = await FakePathologyService.start({ seedReferrals: 3, centreCount: 10 })
  await installAsInImage()
}, 180_000)

afterAll(async () => {
  await fake.close()
  await server?.stop()
  await rm(directory, { recursive: true, force: true })
})

function start(database: string, port: number): { child: ChildProcess; text: () => string } {
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  const [entry = '', ...args] = words(/^ENTRYPOINT (.+)$/m)
  const child = spawn(join(directory, entry), args, {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      PATHOLOGY_BASE_URL: baseUrl,
      PATHOLOGY_AUTH_URL: authUrl,
      PATHOLOGY_CLIENT_ID: clientId,
      PATHOLOGY_CLIENT_SECRET: clientSecret,
      PATHOLOGY_WEBHOOK_SECRET: fake.signingSecret,
      PATHOLOGY_MIRROR_DATABASE: database,
      PATHOLOGY_MIRROR_PORT: String(port),
    },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => {
      text += bytes.toString()
    })
  return { child, text: () => text }
}

it.skipIf(server === undefined)(
  'the container of the mirror starts with its start command, is healthy by its health check, and exits with 0 on SIGTERM',
  async () => {
    expect(existsSync(join(ROOT, 'dist/pathology.cjs')), 'run npm run build first').toBe(true)
    const port = await freePort()
    const { child, text } = start(server?.url ?? '', port)
    const [command = '', ...args] = words(/^HEALTHCHECK .*? CMD (.+)$/m)
    const check = args.map((arg) => arg.replace('127.0.0.1:8080', `127.0.0.1:${port}`))
    expect(check).not.toEqual(args)
    let isHealthy = false
    for (let n = 0; n < 40 && !isHealthy && child.exitCode === null; n += 1) {
      isHealthy = (await attempt(command, check, directory)).ok
      if (!isHealthy) await sleep(200)
    }
    expect({ isHealthy, text: text() }).toEqual({
      isHealthy: true,
      // The number of copied records follows, if the backfill ends first.
      text: expect.stringContaining(
        `The mirror listens at http://127.0.0.1:${port}: /webhooks, /healthz, /readyz, /metrics and /\n`,
      ),
    })
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
  },
)

it('the container of the mirror names the driver that is not installed', async () => {
  const { child, text } = start('copy', await freePort())
  expect((await once(child, 'exit'))[0]).toBe(2)
  expect(text()).toContain(
    'the package @electric-sql/pglite could not be loaded; no database was opened. Install it: npm install @electric-sql/pglite',
  )
})
