import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMPILER = join(ROOT, 'node_modules/typescript-7/bin/tsc')

/**
 * Type-checks with the given arguments of the TypeScript compiler. Returns the first line of each error, as
 * `path(line,column): error TS1234: text` with the path relative to `folder`.
 */
export async function typeErrors(folder: string, ...args: readonly string[]): Promise<string[]> {
  const all = [COMPILER, '--noEmit', '--pretty', 'false', ...args]
  try {
    await promisify(execFile)(process.execPath, all, { cwd: folder })
    return []
  } catch (failed) {
    const lines = String(Reflect.get(Object(failed), 'stdout')).split('\n')
    const errors = lines.filter((line) => line.includes('error TS'))
    if (errors.length === 0) throw failed
    return errors
  }
}
