import type { Migration } from './migration.js'

/** Partial index for claims without deliveries. These claims repeat its condition, so that Postgres uses the index. */
export const dueIndex: Migration = {
  version: 2,
  name: 'due-index',
  sql: `
CREATE INDEX work_due_other ON {schema}.work (run_at) WHERE NOT dead AND kind NOT LIKE 'deliver:%';
`,
}
