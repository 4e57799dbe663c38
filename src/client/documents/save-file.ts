import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Permissions of a patient's document: its owner alone reads and writes it. */
export const OWNER_ONLY = 0o600

/** Writes chunks to a file that appears under its name only when it is complete. */
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
    await file.sync()
    await file.close()
    await rename(temporary, path)
    return { path, bytes }
  } catch (error) {
    await file.close()
    await rm(temporary, { force: true })
    throw error
  }
}
