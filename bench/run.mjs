import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Progress } from './lib/progress.mjs'
import { plot, table } from './report.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

for (const [path, command] of [
  ['../dist/index.js', 'npm run build'],
  ['node_modules/stripe', 'npm ci --prefix bench'],
]) {
  if (!existsSync(here(path))) {
    console.error(`${path} is missing: run '${command}' first`)
    process.exit(2)
  }
}

/** @param {Record<string, string>} environment */
async function startServer(environment = {}) {
  const child = spawn(process.execPath, [here('server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  })
  const [line] = await once(child.stdout, 'data')
  return { base: String(line).trim(), stop: () => child.kill() }
}

/**
 * Runs a suite in its own process, so that the garbage of one suite does not slow down another. Returns its tables.
 * @param {string} suite
 * @param {string} base
 */
async function runSuite(suite, base) {
  progress.step(suite)
  const child = spawn(process.execPath, ['--import', 'tsx', '--expose-gc', here('suite.mjs'), suite, base], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of child.stdout) output += chunk
  return JSON.parse(output)
}

const COMPARISONS = ['requests', 'lists', 'compression', 'waiting', 'checking', 'webhooks', 'startUp']
const progress = new Progress(COMPARISONS.length + 4)
const server = await startServer()
const tables = {}
for (const suite of COMPARISONS) Object.assign(tables, await runSuite(suite, server.base))
const peaks = await runSuite('peakMemory', server.base)
const sizes = await runSuite('sizes', server.base)
const fake = await runSuite('fake', server.base)
server.stop()
const large = await startServer({ PAGES: '50000' })
const memory = await runSuite('memory', large.base)
large.stop()
progress.end()

const plain = (record) =>
  Object.entries(record)
    .map(([name, value]) => `| ${name} | ${value} |`)
    .join('\n')
const report = [
  '# Benchmarks',
  '',
  'This page compares the SDK with undici, `fetch` and other API clients. `npm run bench` writes this page. In each round the programs run one after another, and the times and ratios are medians of all rounds. The server is a separate process. CPU is the CPU time of the program, and time is the elapsed time, both per operation.',
  'A ratio compares a row with the first row of its table. In most tables the first row is a program without a client library. The repeated first row shows the measurement error: its true ratio is 1.00x.',
  `Node ${process.versions.node}, ${process.platform} ${process.arch}.`,
  '',
  '![CPU time per operation as a ratio to the first row](benchmarks.svg)',
  '',
  ...Object.entries(tables).map(([title, rows]) => table(title, rows)),
  '### one page of 5,900 collection centres, maximum memory of the process',
  '',
  '| Program | memory | ratio |',
  '|---|---|---|',
  ...peaks.map(
    ({ name, megabytes, ratio }) => `| ${name} | ${megabytes.toFixed(1)} MB | ${ratio.toFixed(2)}x |`,
  ),
  '',
  '### Bytes',
  '',
  'The bundle of this client does not contain its dependencies: undici, zod, jose and p-retry. The bundles of stripe and octokit contain their dependencies.',
  '',
  '| Code | bytes |',
  '|---|---|',
  ...Object.entries(sizes).map(([group, record]) =>
    plain(Object.fromEntries(Object.entries(record).map(([name, value]) => [`${name}, ${group}`, value]))),
  ),
  '',
  '### A list of a million records',
  '',
  '| records | heap after collection | CPU per record |',
  '|---|---|---|',
  ...memory.map(
    ({ records, megabytes, cpu }) => `| ${records} | ${megabytes.toFixed(1)} MB | ${cpu.toFixed(2)} µs |`,
  ),
  '',
  '### The fake',
  '',
  '| Request | requests a second |',
  '|---|---|',
  plain(fake),
  '',
].join('\n')
writeFileSync(here('../docs/benchmarks.md'), report)
writeFileSync(here('../docs/benchmarks.svg'), plot(tables))
console.log(report)
