import type { ChangeHandlers } from 'pathology-sdk/mirror'

/** Statements that create the handler's own table, which belongs to the integrator. */
export const tableOfHandled = (schema: string): string =>
  `CREATE SCHEMA ${schema}_own; CREATE TABLE ${schema}_own.handled (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, position bigint, uuid text, group_key text)`

/** A handler that writes each change into its own table. */
export const handledIn = (schema: string): ChangeHandlers => ({
  '*': ({ position, uuid, group }, { tx }) =>
    tx.query(`INSERT INTO ${schema}_own.handled (position, uuid, group_key) VALUES ($1, $2, $3)`, [
      ...[String(position), uuid, group],
    ]),
})
