import { cpSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { attempt, ROOT } from '../consumer.mjs'
import { bundledWorker } from './bundles.mjs'

/**
 * Where the package must run. `packages` bring the runtime into a folder of its own, and `version` is the one of them
 * that tells its version.
 *
 * @typedef {{ title: string, problem?: string }} Outcome
 * @typedef {{ folder: string, project: string, tarball: string }} Places
 * @typedef {(places: Places) => Promise<Outcome[]>} Run
 * @typedef {{ name: string, version: string, packages: string[], esm?: Run, cjs?: Run }} Runtime
 */

const MSW_3 = ['msw@3', '@mswjs/interceptors@0.45']

/**
 * A runtime that takes a file on its command line.
 *
 * @param {string} name
 * @param {string} spec the npm package that holds it
 * @param {readonly string[]} [args]
 * @returns {Runtime}
 */
function program(name, spec, args = []) {
  const binary = spec.split('@', 1)[0] ?? spec
  /** @param {string} file @returns {Run} */
  const run =
    (file) =>
    async ({ folder, project }) => {
      const command = join(folder, 'node_modules/.bin', binary)
      const { ok, output } = await attempt(command, [...args, file], { cwd: project })
      return outcomesIn(output) ?? [{ title: file, problem: ok ? `no outcome: ${output}` : output }]
    }
  return {
    name,
    version: binary,
    packages: [spec],
    esm: run('run.mjs'),
    cjs: run('run.cjs'),
  }
}

/** @param {string} output @returns {Outcome[] | undefined} */
function outcomesIn(output) {
  const line = output.split('\n').find((text) => text.startsWith('[{'))
  return line === undefined ? undefined : JSON.parse(line)
}

/** @type {Run} */
async function jest({ folder, project }) {
  const command = join(folder, 'node_modules/.bin/jest')
  const { output } = await attempt(
    command,
    ['--json', '--rootDir', project, '--config', '{"transform":{}}'],
    {
      cwd: project,
    },
  )
  const line = output.split('\n').find((text) => text.startsWith('{"'))
  if (line === undefined) return [{ title: 'jest', problem: output }]
  /** @type {{ assertionResults: { title: string, status: string, failureMessages: string[] }[], message: string }[]} */
  const files = JSON.parse(line).testResults
  const outcomes = files.flatMap(({ assertionResults }) =>
    assertionResults.map(({ title, status, failureMessages }) =>
      status === 'passed' ? { title } : { title, problem: failureMessages.join('\n') },
    ),
  )
  return outcomes.length > 0
    ? outcomes
    : [{ title: 'jest', problem: files.map(({ message }) => message).join() }]
}

/** @type {Run} */
async function worker({ folder, project }) {
  const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare')
  const host = new Miniflare({
    modules: true,
    script: await bundledWorker(project),
    compatibilityDate: '2025-01-01',
  })
  try {
    const answer = await host.dispatchFetch('http://localhost/')
    return await answer.json()
  } finally {
    await host.dispose()
  }
}

/** @param {string} node @returns {Runtime} */
function msw3(node) {
  /** @type {Run} */
  const example = async ({ folder, tarball }) => {
    cpSync(join(ROOT, 'examples/msw-3/main.mjs'), join(folder, 'main.mjs'))
    const title = 'examples/msw-3: the client as it is, through the socket interceptor'
    const installed = await attempt('npm', ['install', '--no-audit', '--no-fund', tarball, ...MSW_3], {
      cwd: folder,
    })
    if (!installed.ok) return [{ title, problem: installed.output }]
    const { ok, output } = await attempt(join(folder, 'node_modules/.bin/node'), ['main.mjs'], {
      cwd: folder,
    })
    return [ok && output.includes('requests went through MSW') ? { title } : { title, problem: output }]
  }
  return { name: `MSW 3 on Node ${node}`, version: 'msw', packages: [`node@${node}`, ...MSW_3], esm: example }
}

/** @type {readonly Runtime[]} */
export const RUNTIMES = [
  program('Node 20', 'node@20'),
  program('Node 20, the oldest', 'node@20.18.1'),
  program('Node 22', 'node@22'),
  program('Node 24', 'node@24'),
  program('Node 26', 'node@26'),
  program('Bun', 'bun'),
  program('Deno', 'deno', ['run', '--allow-all', '--quiet']),
  { name: 'Jest', version: 'jest', packages: ['jest'], cjs: jest },
  {
    name: 'Workers (workerd), `./webhooks` alone',
    version: 'workerd',
    packages: ['miniflare@4'],
    esm: worker,
  },
  ...['22', '24', '26'].map(msw3),
]
