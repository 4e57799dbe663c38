import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { importsOf } from './import-rules.mjs'

/**
 * What a built ES module loads when it is imported, through its chunks: the files, itself included, and every package
 * and Node module.
 *
 * @param {string} file
 * @param {{ files: Set<string>, packages: Set<string> }} [loaded]
 */
export function loadedAtImport(file, loaded = { files: new Set(), packages: new Set() }) {
  loaded.files.add(file)
  for (const { specifier, lazy } of importsOf(file, readFileSync(file, 'utf8'))) {
    const target = join(dirname(file), specifier)
    if (lazy || loaded.files.has(target)) continue
    if (specifier.startsWith('.')) loadedAtImport(target, loaded)
    else loaded.packages.add(specifier)
  }
  return loaded
}
