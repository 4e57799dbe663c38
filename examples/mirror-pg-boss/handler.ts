import type { ChangeHandlers, HandlerTransaction } from 'pathology-sdk/mirror'
import type PgBoss from 'pg-boss'

/** Queue of the jobs. */
export const NOTIFY = 'notify-doctor'

/** Data of a job. A queue must not contain the patient's details: the worker reads them from the copy by the UUID. */
export interface NotifyJob {
  readonly uuid: string
  readonly position: number
}

/** Enqueues a job for each change after which a result is COMPLETE. The job exists if and only if the change was handled. */
export function enqueueResults(boss: PgBoss): ChangeHandlers {
  return {
    result: async ({ uuid, position, status }, { tx }) => {
      if (status.after !== 'COMPLETE') return
      await boss.send(NOTIFY, { uuid, position } satisfies NotifyJob, { db: databaseOf(tx) })
    },
  }
}

/** Converts the handler's transaction to the database interface of pg-boss. */
function databaseOf(tx: HandlerTransaction): PgBoss.Db {
  return {
    executeSql: async (text, values) => ({ rows: [...(await tx.query(text, values)).rows] }),
  }
}
