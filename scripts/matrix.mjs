// The packed package in every runtime that can be had here: npm run matrix. Needs npm run build before.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attempt, pack, ROOT } from './consumer.mjs'
import { writeChecks } from './matrix/bundles.mjs'
import { NOT_AVAILABLE, page, table } from './matrix/page.mjs'
import { RUNTIMES } from './matrix/runtimes.mjs'
import { Progress } from './progress.mjs'

const KINDS = /** @type {const} */ (['esm', 'cjs'])
const PAGE = join(ROOT, 'docs/runtimes.md')

/**
 * A folder with packages installed in it; what npm said when it could not.
 *
 * @param {string} folder
 * @param {readonly string[]} packages
 */
async function install(folder, packages) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const { ok, output } = await attempt('npm', ['install', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
  })
  return ok ? undefined : output
}

/**
 * @param {import('./matrix/runtimes.mjs').Runtime} runtime
 * @param {import('./matrix/runtimes.mjs').Places} places
 * @param {Progress} progress
 * @returns {Promise<import('./matrix/page.mjs').Row>}
 */
async function tried(runtime, places, progress) {
  const { name, packages, version } = runtime
  progress.step(`${name}: installing`)
  const missing = await install(places.folder, packages)
  if (missing !== undefined) {
    for (const _ of KINDS.filter((kind) => runtime[kind])) progress.step(`${name}: ${NOT_AVAILABLE}`)
    return { name, version: undefined }
  }
  /** @type {import('./matrix/page.mjs').Row} */
  const row = { name, version: versionIn(places.folder, version) }
  for (const kind of KINDS) {
    const run = runtime[kind]
    if (run === undefined) continue
    progress.step(`${name}: ${kind === 'esm' ? 'ES modules' : 'CommonJS'}`)
    row[kind] = await run(places).catch((error) => [{ title: 'starts', problem: String(error) }])
  }
  return row
}

/** @param {string} folder @param {string} name @returns {string} */
function versionIn(folder, name) {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
}

/** @param {string} directory */
async function prepare(directory) {
  const { tarball } = pack(directory)
  const project = join(directory, 'project')
  const problem = await install(project, [tarball])
  if (problem !== undefined) throw new Error(`the package cannot be installed: ${problem}`)
  await writeChecks(project)
  return { tarball, project }
}

const wanted = process.argv.slice(2)
const runtimes = RUNTIMES.filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.toLowerCase().includes(part.toLowerCase())),
)
const steps = runtimes.flatMap((runtime) => ['install', ...KINDS.filter((kind) => runtime[kind])])
const progress = new Progress(steps.length + 1)
const directory = mkdtempSync(join(tmpdir(), 'pathology-sdk-matrix-'))
try {
  progress.step('packing the package and installing it')
  const { tarball, project } = await prepare(directory)
  const rows = []
  for (const [index, runtime] of runtimes.entries()) {
    const folder = join(directory, String(index))
    rows.push(await tried(runtime, { folder, project, tarball }, progress))
    rmSync(folder, { recursive: true, force: true })
  }
  progress.end()
  const failures = rows.flatMap(({ name, esm = [], cjs = [] }) =>
    [...esm, ...cjs].flatMap(({ title, problem }) =>
      problem === undefined ? [] : [`${name}: ${title}\n${problem}`],
    ),
  )
  console.log([table(rows), ...failures].join('\n\n'))
  process.exitCode = failures.length === 0 ? 0 : 1
  if (wanted.length === 0) writeFileSync(PAGE, page(rows))
} finally {
  rmSync(directory, { recursive: true, force: true })
}
