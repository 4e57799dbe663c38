import type { Migration } from './migration.js'

/** Index for claims without deliveries. Its condition is a condition of these claims. */
export const dueIndex: Migration = {
  version: 2,
  name: 'due-index',
  sql: `
CREATE INDEX work_due_other ON {schema}.work (run_at) WHERE NOT dead AND kind NOT LIKE 'deliver:%';
`,
}
