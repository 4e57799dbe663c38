import groups from './mutation-groups.json' with { type: 'json' }

/** @type {Readonly<Record<string, { readonly mutate: readonly string[], readonly tests: readonly string[] }>>} */
const GROUPS = groups

/** Returns the group of this run, for stryker.config.mjs and vitest.mutation.config.ts. */
export function groupOfRun() {
  const name = process.env['MUTATION_GROUP'] ?? ''
  const group = GROUPS[name]
  if (group === undefined)
    throw new RangeError(`MUTATION_GROUP must be one of ${Object.keys(GROUPS).join(', ')}`)
  return { name, ...group }
}
