import type { ChangeHandlers } from 'pathology-sdk/mirror'

/** Name of the task. */
export const NOTIFY = 'notify_doctor'

/** SQL that adds a job. The key of the job contains the change's position, so that a change never has two waiting jobs. */
const ADD_JOB = `SELECT graphile_worker.add_job('${NOTIFY}', json_build_object('uuid', $1::text), job_key => $2)`

/** Adds a job for each change after which a result is COMPLETE. The job exists if and only if the change was handled. */
export const enqueueResults: ChangeHandlers = {
  result: async ({ uuid, position, status }, { tx }) => {
    if (status.after === 'COMPLETE') await tx.query(ADD_JOB, [uuid, `change-${position}`])
  },
}
