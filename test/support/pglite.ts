import { PGlite } from '@electric-sql/pglite'

let shared: Promise<PGlite> | undefined

/** Returns a PGlite in memory. All test files of a worker share it, because its start is slow. Use your own schema. */
export function sharedPGlite(): Promise<PGlite> {
  shared ??= PGlite.create()
  return shared
}

let schemas = 0

/** Returns the name of a schema that other tests of this process do not use. */
export function freshSchema(): string {
  schemas += 1
  return `mirror_${process.pid}_${schemas}`
}
