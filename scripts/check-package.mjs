import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { BUDGETS, checkBudgets } from './budgets.mjs'
import { makeConsumer, pack, ROOT, run } from './consumer.mjs'
import { loadedAtImport } from './loaded-at-import.mjs'

/** What a user adds to node_modules beyond the four dependencies, at most, in bytes. */
const UNPACKED_LIMIT = 1_215_000

/** Node's own modules and packages that each entry may load at import; the rest loads when first needed. */
const allowedAtImport = {
  'index.js': /^(node:|p-retry$)/,
  'webhooks.js': /^(?!)/,
}

/** Run like a Node release that cannot `require()` an ES module, the oldest kind we support. */
const withoutRequireOfEsm = process.allowedNodeEnvironmentFlags.has('--experimental-require-module')
  ? ['--no-experimental-require-module']
  : []

/** @param {string} name */
const tool = (name) => join(ROOT, 'node_modules', '.bin', name)

function checkImportWeight() {
  for (const [entry, allowed] of Object.entries(allowedAtImport)) {
    const { packages } = loadedAtImport(join(ROOT, 'dist', entry))
    const heavy = [...packages].filter((name) => !allowed.test(name))
    if (heavy.length > 0) throw new Error(`dist/${entry} loads ${heavy.join(', ')} at import`)
    console.log(`${entry} loads nothing heavy at import`)
  }
}

/** @param {string} directory */
function smoke(directory) {
  run(process.execPath, ['esm.mjs'], directory)
  console.log('ES modules: every entry works')
  run(process.execPath, [...withoutRequireOfEsm, 'commonjs.cjs'], directory)
  console.log('CommonJS: every entry works')
  const help = run(join(directory, 'node_modules/.bin/pathology-fake'), ['--help'], directory)
  if (!help.includes('--port')) throw new Error('pathology-fake --help does not describe --port')
  console.log('pathology-fake: runs')
}

/**
 * After `warmUp()` the client needs none of its files any more.
 *
 * @param {string} directory
 */
function withoutFiles(directory) {
  for (const kind of ['esm', 'commonjs']) run(process.execPath, ['without-files.mjs', kind], directory)
  console.log('after warmUp(): both kinds work without node_modules')
}

/**
 * A bundle of both formats, the ES module with the banner that the guide to webhooks gives for Lambda.
 *
 * @param {string} directory
 */
async function bundled(directory) {
  const require =
    "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"
  const formats = /** @type {const} */ ([
    ['cjs', ''],
    ['esm', require],
  ])
  for (const [format, banner] of formats) {
    const outfile = join(directory, 'bundles', format === 'cjs' ? 'bundle.cjs' : 'bundle.mjs')
    await build({
      entryPoints: [join(directory, 'bundled.mjs')],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format,
      banner: { js: banner },
      logLevel: 'warning',
    })
    run(process.execPath, [outfile], directory)
  }
  console.log('bundled by esbuild: both formats work')
}

/** @param {string} directory */
function compileTypes(directory) {
  const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes']
  const language = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,esnext.disposable']
  const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node']
  copyFileSync(join(directory, 'surface.mts'), join(directory, 'surface.cts'))
  run(tool('tsc'), [...flags, ...language, ...types, 'surface.mts', 'surface.cts'], directory)
  console.log('types: both kinds of consumer compile')
  symlinkSync(join(ROOT, 'node_modules/msw'), join(directory, 'node_modules/msw'))
  copyFileSync(join(directory, 'msw.mts'), join(directory, 'msw.cts'))
  run(tool('tsc'), [...flags, '--skipLibCheck', ...language, ...types, 'msw.mts', 'msw.cts'], directory)
  console.log('types: both kinds take the handlers for MSW')
}

/**
 * An error that nobody catches shows the line it came from, not the whole of a file.
 *
 * @param {string} directory
 */
function uncaught(directory) {
  const { stderr } = spawnSync(process.execPath, ['uncaught.mjs'], { cwd: directory, encoding: 'utf8' })
  if (!stderr.includes('ConfigurationError: baseUrl')) throw new Error(`uncaught.mjs printed: ${stderr}`)
  const longest = Math.max(...stderr.split('\n').map((line) => line.length))
  if (longest > 500) throw new Error(`an uncaught error prints a line of ${longest} characters`)
  console.log('an uncaught error: a few short lines')
}

async function main() {
  if (!existsSync(join(ROOT, 'dist'))) throw new Error('Nothing is built yet: run npm run build first')
  const directory = mkdtempSync(join(tmpdir(), 'pathology-sdk-package-'))
  try {
    const { tarball, files, size, unpackedSize } = pack(directory)
    console.log(`packed ${files} files, ${size} bytes`)
    checkImportWeight()
    const unpacked = {
      name: 'unpacked package',
      limit: UNPACKED_LIMIT,
      unit: 'bytes',
      measure: () => unpackedSize,
    }
    await checkBudgets([...BUDGETS, unpacked])
    console.log(run(tool('publint'), ['run', tarball, '--strict'], ROOT).trim())
    console.log(run(tool('attw'), [tarball, '--profile', 'node16', '--no-emoji'], ROOT).trim())
    makeConsumer(directory, [tarball])
    smoke(directory)
    withoutFiles(directory)
    uncaught(directory)
    await bundled(directory)
    compileTypes(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

try {
  await main()
} catch (error) {
  if (error instanceof Error && 'stdout' in error) console.error(String(error.stdout))
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
