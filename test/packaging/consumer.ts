import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

export interface Outcome {
  readonly ok: boolean
  /** Standard output and standard error. */
  readonly output: string
}

/** Runs a program to its end. It never rejects. */
export async function attempt(
  command: string,
  args: readonly string[],
  cwd: string,
  env = process.env,
): Promise<Outcome> {
  const program = promisify(execFile)(command, args, { cwd, env, timeout: 300_000, maxBuffer: 2 ** 26 })
  try {
    const { stdout, stderr } = await program
    return { ok: true, output: stdout + stderr }
  } catch (error) {
    const { stdout, stderr, message } = Object(error)
    return { ok: false, output: `${stdout ?? ''}${stderr ?? ''}`.trim() || String(message) }
  }
}

/** Runs a program to its end and returns its output. Throws with the output when it fails. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env = process.env,
): Promise<string> {
  const { ok, output } = await attempt(command, args, cwd, env)
  if (!ok) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`)
  return output
}

/** Packs `dist/` as npm publishes it. Returns the path of the file. */
export async function pack(directory: string): Promise<string> {
  const output = await run('npm', ['pack', '--silent', '--pack-destination', directory], ROOT)
  return join(directory, output.trim().split('\n').at(-1) ?? '')
}

/** Makes an empty project and installs packages in it. */
export async function install(
  directory: string,
  packages: readonly string[],
  ...flags: readonly string[]
): Promise<Outcome> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'package.json'), '{ "name": "consumer", "private": true }\n')
  return attempt('npm', ['install', ...QUIET, ...flags, ...packages], directory)
}

/** Makes a user's project: the packages, and the files of `test/packaging/consumer`. */
export async function makeConsumer(directory: string, packages: readonly string[]): Promise<void> {
  const { ok, output } = await install(directory, packages, '--ignore-scripts')
  if (!ok) throw new Error(`The packages were not installed:\n${output}`)
  await cp(join(ROOT, 'test/packaging/consumer'), directory, { recursive: true })
}
