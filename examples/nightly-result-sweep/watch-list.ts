import { readFile, rename, writeFile } from 'node:fs/promises'

/** State of the sweep between two nights. A database table can replace this file. */
export interface WatchList {
  /** Creation time of the newest known result, ISO 8601; empty before the first sweep. */
  newestCreatedAt: string
  /** Results that can still change, by uuid. */
  watched: Record<string, { readonly updatedAt: string; readonly since: string }>
}

export async function readWatchList(path: string): Promise<WatchList> {
  try {
    const { newestCreatedAt, watched } = JSON.parse(await readFile(path, 'utf8'))
    return { newestCreatedAt, watched }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { newestCreatedAt: '', watched: {} }
    }
    throw error
  }
}

/**
 * Writes the list to a new file and renames this file, so that the list on the disk is always complete. Only the owner can read
 * the file, because it lists results.
 */
export async function writeWatchList(path: string, list: WatchList): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(list, undefined, 2), { mode: 0o600 })
  await rename(`${path}.new`, path)
}
