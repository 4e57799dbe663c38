// The packed declarations under several compilers: npm run check:types-matrix
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attempt, makeConsumer, pack } from './consumer.mjs'

/** The oldest that we support, the one that the project uses, and the newest there is. */
const COMPILERS = ['5.2', '5.9', 'latest']

/** Every way in which a user's project can find the package, and the files compiled that way. */
const PROJECTS = [
  { name: 'node16', options: { module: 'node16' }, files: ['surface.mts', 'surface.cts'] },
  { name: 'nodenext', options: { module: 'nodenext' }, files: ['surface.mts', 'surface.cts'] },
  {
    name: 'bundler',
    options: { module: 'esnext', moduleResolution: 'bundler' },
    files: ['surface.mts'],
  },
  {
    name: "bundler, without Node's types",
    options: { module: 'esnext', moduleResolution: 'bundler', types: [], lib: ['es2022', 'dom'] },
    files: ['worker.mts'],
  },
  {
    // Reads no exports, so package.json has typesVersions for it; many a CommonJS project still has it. Gone in 7.
    name: 'node10',
    options: { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true },
    files: ['surface.cts'],
    before: 6,
  },
]

const OPTIONS = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  target: 'es2022',
  lib: ['es2023'],
  types: ['node'],
}

/** @param {string} version */
const alias = (version) => `typescript-${version.replace('.', '-')}`

/**
 * One compiler over one project. Problems in other packages' declarations are theirs, and only counted.
 *
 * @param {string} directory
 * @param {string} compiler
 * @param {typeof PROJECTS[number]} project
 */
async function compile(directory, compiler, { options, files }) {
  const tsconfig = { compilerOptions: { ...OPTIONS, ...options }, files }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = join('node_modules', compiler, 'bin', 'tsc')
  const { ok, output } = await attempt(process.execPath, [tsc, '-p', '.'], { cwd: directory })
  const problems = output.split('\n').filter((line) => /error TS\d+/.test(line))
  const ours = problems.filter(
    (line) => !line.startsWith('node_modules/') || line.includes('/pathology-sdk/'),
  )
  return {
    ok: ours.length === 0 && (ok || problems.length > 0),
    ours,
    theirs: problems.length - ours.length,
    output,
  }
}

/** @param {string} directory @param {string} compiler @returns {string} */
function versionOf(directory, compiler) {
  return JSON.parse(readFileSync(join(directory, 'node_modules', compiler, 'package.json'), 'utf8')).version
}

/**
 * Compiles every project with one compiler, and says line by line how that went.
 *
 * @param {string} directory
 * @param {string} compiler
 */
async function compileAll(directory, compiler) {
  const version = versionOf(directory, compiler)
  let failures = 0
  for (const project of PROJECTS) {
    if (project.before !== undefined && Number.parseInt(version, 10) >= project.before) continue
    const { ok, ours, theirs, output } = await compile(directory, compiler, project)
    const note = theirs > 0 ? ` (${theirs} problems in declarations of other packages)` : ''
    console.log(`TypeScript ${version}, ${project.name}: ${ok ? 'compiles' : 'FAILS'}${note}`)
    if (ok) continue
    failures += 1
    console.error(ours.length > 0 ? ours.slice(0, 10).join('\n') : output)
  }
  return failures
}

const directory = mkdtempSync(join(tmpdir(), 'pathology-sdk-types-'))
try {
  console.log(`installing the package and TypeScript ${COMPILERS.join(', ')}`)
  const compilers = COMPILERS.map((version) => `${alias(version)}@npm:typescript@${version}`)
  makeConsumer(directory, [pack(directory).tarball, '@types/node@20', ...compilers])
  copyFileSync(join(directory, 'surface.mts'), join(directory, 'surface.cts'))
  for (const compiler of COMPILERS.map(alias)) {
    if ((await compileAll(directory, compiler)) > 0) process.exitCode = 1
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
