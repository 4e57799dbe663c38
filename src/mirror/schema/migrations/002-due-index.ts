import type { Migration } from './migration.js'

/** Index with a part for each kind of work. A claim reads nothing of other kinds, however much of their work is due. */
export const dueIndex: Migration = {
  version: 2,
  name: 'due-index',
  sql: `
CREATE INDEX work_due ON {schema}.work (kind, run_at) WHERE NOT dead;
`,
}
