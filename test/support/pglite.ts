import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { archiveOf } from './database-archive.js'

/** Fills a directory with an empty PGlite, so that PGlite opens it much sooner. Returns the path of the directory. */
export async function createPGliteFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await promisify(execFile)('tar', ['-xf', await emptyDatabase(), '-C', folder])
  return folder
}

function emptyDatabase(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  return archiveOf(join(dirname(entry), '..', 'package.json'), async (path) => {
    const pglite = await PGlite.create()
    const archive = await pglite.dumpDataDir('none')
    await pglite.close()
    await writeFile(path, new Uint8Array(await archive.arrayBuffer()))
  })
}

async function openPGlite(): Promise<PGlite> {
  return PGlite.create({ loadDataDir: new Blob([await readFile(await emptyDatabase())]) })
}

let shared: Promise<PGlite> | undefined

/** Returns a PGlite in memory. All test files of a worker share it, because its start is slow. Use your own schema. */
export function sharedPGlite(): Promise<PGlite> {
  shared ??= openPGlite()
  return shared
}

let schemas = 0

/** Returns the name of a schema that other tests of this process do not use. */
export function freshSchema(): string {
  schemas += 1
  return `mirror_${process.pid}_${schemas}`
}
