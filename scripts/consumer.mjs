import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/**
 * Packs what is built, as it would be published.
 *
 * @param {string} directory where the file goes
 */
export function pack(directory) {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', directory], ROOT))
  return {
    tarball: join(directory, packed.filename),
    files: Number(packed.entryCount),
    size: Number(packed.size),
    unpackedSize: Number(packed.unpackedSize),
  }
}

/**
 * Makes a project of its own that has these packages installed, and the files of `test/packaging/consumer`.
 *
 * @param {string} directory
 * @param {readonly string[]} packages
 * @param {{ scripts?: boolean }} [options] whether the packages may run scripts as they are installed
 */
export function makeConsumer(directory, packages, { scripts = false } = {}) {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{ "name": "consumer", "private": true }\n')
  run('npm', ['install', ...QUIET, ...(scripts ? [] : ['--ignore-scripts']), ...packages], directory)
  cpSync(join(ROOT, 'test/packaging/consumer'), directory, { recursive: true })
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/**
 * What a command says, and whether it ended well; it never throws.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, timeoutMs?: number }} options
 */
export async function attempt(command, args, { cwd, timeoutMs = 300_000 }) {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, timeout: timeoutMs })
    return { ok: true, output: stdout + stderr }
  } catch (error) {
    const {
      stdout = '',
      stderr = '',
      message,
    } = /** @type {Error & { stdout?: string, stderr?: string }} */ (error)
    return { ok: false, output: `${stdout}${stderr}`.trim() || message }
  }
}
