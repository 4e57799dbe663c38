import { PGlite } from '@electric-sql/pglite'

let shared: Promise<PGlite> | undefined

/** A PGlite in memory, shared by all files of a worker because its start is slow. Use a schema of your own. */
export function sharedPGlite(): Promise<PGlite> {
  shared ??= PGlite.create()
  return shared
}

let schemas = 0

/** A name for a schema that no other test of this process uses. */
export function freshSchema(): string {
  schemas += 1
  return `mirror_${process.pid}_${schemas}`
}
