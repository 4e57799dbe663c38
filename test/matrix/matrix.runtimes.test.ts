import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { attempt, install, pack, ROOT, run } from '../packaging/consumer.js'
import { withPostgres } from '../support/postgres.js'
import { workerScript, writeChecks } from './bundles.js'
import type { CheckOutcome } from './check.js'

/** Runtimes that run a file from the command line, and the npm package of each. */
const PROGRAMS: readonly (readonly [name: string, spec: string, ...args: readonly string[]])[] = [
  ['Node 20', 'node@20'],
  ['Node 20, the oldest supported release', 'node@20.18.1'],
  ['Node 22', 'node@22'],
  ['Node 24', 'node@24'],
  ['Node 26', 'node@26'],
  ['Bun', 'bun'],
  ['Deno', 'deno', 'run', '--allow-all', '--quiet'],
]
const MSW = ['msw@3', '@mswjs/interceptors@0.45']

let directory = ''
let tarball = ''
/** A project that has the package installed, with the checks in it. */
let project = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pathology-sdk-matrix-'))
  tarball = await pack(directory)
  project = join(directory, 'project')
  expect(await install(project, [tarball])).toMatchObject({ ok: true })
  await writeChecks(project)
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Installs packages in a separate folder. The test is skipped where they cannot be downloaded. */
async function download(test: TestContext, ...packages: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(directory, 'runtime-'))
  const { ok, output } = await install(folder, packages)
  if (!ok) test.skip(`${packages.join(', ')} cannot be installed here: ${output.slice(0, 500)}`)
  const [name = ''] = (packages[0] ?? '').split('@', 1)
  const { version } = JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
  await test.annotate(`${name} ${version}`)
  return folder
}

/** Outcomes that a program printed. Fails when it printed none. */
function outcomesIn(output: string): CheckOutcome[] {
  const line = output.split('\n').find((text) => text.startsWith('[{'))
  if (line === undefined) throw new Error(`The program printed no outcomes: ${output}`)
  return JSON.parse(line)
}

function expectAllToPass(outcomes: readonly CheckOutcome[]): void {
  expect(outcomes.length).toBeGreaterThan(5)
  expect(outcomes.filter(({ problem }) => problem !== undefined)).toEqual([])
}

describe('the packed package passes its checks', () => {
  it.for(PROGRAMS)(
    'the packed package works in %s, as ES module and as CommonJS',
    async ([, spec, ...args], test) => {
      const folder = await download(test, spec)
      const command = join(folder, 'node_modules/.bin', spec.split('@', 1)[0] ?? spec)
      for (const file of ['run.mjs', 'run.cjs']) {
        const { output } = await attempt(command, [...args, file], project)
        expectAllToPass(outcomesIn(output))
      }
    },
  )

  it('the package works in Jest', async (test) => {
    const folder = await download(test, 'jest@30')
    const args = ['--json', '--rootDir', project, '--config', '{"transform":{}}']
    const { output } = await attempt(join(folder, 'node_modules/.bin/jest'), args, project)
    const report = JSON.parse(output.split('\n').find((line) => line.startsWith('{"')) ?? '{}')
    expect(report, output).toMatchObject({ success: true, numFailedTests: 0 })
    expect(report.numPassedTests).toBeGreaterThan(5)
  })

  it.for(['node', './environment.cjs'])(
    'the package works in Jest with the environment %s',
    async (environment, test) => {
      const folder = await download(test, 'jest@30', 'jest-environment-jsdom@30', tarball)
      await cp(join(ROOT, 'examples/testing-jest-jsdom'), folder, { recursive: true })
      const config = JSON.stringify({
        transform: {},
        testMatch: ['**/*.test.cjs'],
        testEnvironment: environment,
      })
      const { output } = await attempt(
        join(folder, 'node_modules/.bin/jest'),
        ['--json', '--config', config],
        folder,
      )
      const report = JSON.parse(output.split('\n').find((line) => line.startsWith('{"')) ?? '{}')
      expect(report, output).toMatchObject({ success: true, numPassedTests: 3 })
    },
  )

  it('the package works in Workers (workerd): `./webhooks` alone', async (test) => {
    const folder = await download(test, 'miniflare@4')
    const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare')
    const script = await workerScript(project)
    const host = new Miniflare({ modules: true, script, compatibilityDate: '2025-01-01' })
    try {
      expectAllToPass(await (await host.dispatchFetch('http://localhost/')).json())
    } finally {
      await host.dispose()
    }
  })

  it.for(['22', '24', '26'])(
    'the package works under MSW 3 on Node %s, through its socket interceptor',
    async (node, test) => {
      const folder = await download(test, ...MSW, `node@${node}`, tarball)
      await cp(join(ROOT, 'examples/msw-3/main.mjs'), join(folder, 'main.mjs'))
      const output = await run(join(folder, 'node_modules/.bin/node'), ['main.mjs'], folder)
      expect(output).toContain('requests went through MSW')
    },
  )

  it.for(['22', '24'])('the package works in jobs of pg-boss 12 on Node %s', async (node, test) => {
    await using postgres = await withPostgres()
    if (postgres === undefined) return test.skip('Postgres cannot start here')
    const folder = await download(test, 'pg-boss@12', 'pg@8', `node@${node}`, tarball)
    await cp(join(ROOT, 'examples/queue-pg-boss-12/main.mjs'), join(folder, 'main.mjs'))
    const program = [`DATABASE_URL=${postgres.url}`, join(folder, 'node_modules/.bin/node'), 'main.mjs']
    const output = await run('env', program, folder)
    expect(output).toMatch(/^drop order-3: .*dob must be a calendar date.*\n2 referrals\n$/)
  })
})
