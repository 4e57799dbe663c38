import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ignore } from '../../common/errors.js'

/** Permissions of a patient's document: only its owner reads and writes it. */
export const OWNER_ONLY = 0o600

/** Writes chunks to a temporary file and renames it when it is complete. */
export async function saveStream(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  mode: number,
): Promise<{ readonly path: string; readonly bytes: number }> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`)
  const file = await open(temporary, 'wx', mode)
  let bytes = 0
  try {
    for await (const chunk of chunks) {
      await file.writeFile(chunk)
      bytes += chunk.byteLength
    }
    await flush(file)
    await file.close()
    await rename(temporary, path)
    return { path, bytes }
  } catch (error) {
    await file.close().catch(ignore)
    await rm(temporary, { force: true })
    throw error
  }
}

/** Error codes of file systems, and of replacements for them, that cannot flush a file. */
const NO_FLUSH: ReadonlySet<unknown> = new Set([
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EINVAL',
  'ERR_METHOD_NOT_IMPLEMENTED',
])

/** Flushes a file to disk; skips it where that is not supported, such as in Yarn's patched `fs`. */
async function flush(file: Partial<Pick<FileHandle, 'sync'>>): Promise<void> {
  if (typeof file.sync !== 'function') return
  try {
    await file.sync()
  } catch (error) {
    if (!isNotImplemented(error)) throw error
  }
}

function isNotImplemented(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code: unknown = Reflect.get(error, 'code')
  return NO_FLUSH.has(code) || (code === undefined && /not (implemented|supported)/i.test(error.message))
}
