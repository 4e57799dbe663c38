import { randomUUID } from 'node:crypto'
import { access, mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/pathology-sdk', import.meta.url))

/**
 * Returns the path of a tar archive of an empty database. An archive is kept for later runs, because `initdb` takes
 * seconds of CPU time.
 *
 * @param manifest - Path of the `package.json` of the database. Its name and version are part of the archive's name.
 * @param write - Writes a new archive to a path. Called only if there is no archive.
 */
export async function archiveOf(manifest: string, write: (path: string) => Promise<void>): Promise<string> {
  const { name, version }: Record<string, unknown> = Object(JSON.parse(await readFile(manifest, 'utf8')))
  const path = join(CACHE, `${String(name).replaceAll('/', '-')}-${String(version)}.tar`)
  const isKept = await access(path).then(
    () => true,
    () => false,
  )
  if (isKept) return path
  await mkdir(CACHE, { recursive: true })
  const part = join(CACHE, randomUUID())
  await write(part)
  await rename(part, path)
  return path
}
