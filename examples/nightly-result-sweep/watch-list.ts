import { readFile, rename, writeFile } from 'node:fs/promises'

/** What the sweep remembers from one night to the next. A table would do as well as this file. */
export interface WatchList {
  /** The newest result seen so far was created then, ISO 8601; empty before the first sweep. */
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

/** Under its own name the file is always complete. It lists patients' results, so only its owner can read it. */
export async function writeWatchList(path: string, list: WatchList): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(list, undefined, 2), { mode: 0o600 })
  await rename(`${path}.new`, path)
}
