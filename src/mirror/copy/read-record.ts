import { isPathologyError } from '../../common/errors.js'
import type { Organisation } from '../core/context.js'
import type { RecordKind } from './record-kinds.js'

/** Reads a record by UUID; `undefined` if the service does not have it. */
export async function readRecord(
  { client }: Organisation,
  kind: RecordKind,
  uuid: string,
  signal: AbortSignal | undefined,
): Promise<object | undefined> {
  const options = signal === undefined ? {} : { signal }
  try {
    return kind === 'referral'
      ? await client.referrals.retrieve(uuid, options)
      : await client.results.retrieve(uuid, options)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Whether the service has no such record. A 404 without this code can come from an invalid base URL. */
function isNotFound(error: unknown): boolean {
  return isPathologyError(error, 'REFERRAL_NOT_FOUND') || isPathologyError(error, 'RESULT_NOT_FOUND')
}
