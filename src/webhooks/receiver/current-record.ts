import { ConfigurationError, PathologyError } from '../../common/errors.js'
import type { WebhookEvent } from '../../contract/events.js'
import { fieldOf } from '../../contract/read.js'
import type { Referral, Result } from '../../contract/types.js'

/** Reader of records of one kind. */
export interface RecordReader<T> {
  /** Returns the record with this UUID in its present state. */
  retrieve(uuid: string, options?: { readonly signal?: AbortSignal | undefined }): PromiseLike<T>
}

/** Reader of the present state of referrals and results. `PathologyClient` implements this interface. */
export interface RecordClient {
  /** Reads referrals. */
  readonly referrals: RecordReader<Referral>
  /** Reads results. */
  readonly results: RecordReader<Result>
}

export function isRecordClient(value: unknown): value is RecordClient {
  return [fieldOf(value, 'referrals'), fieldOf(value, 'results')].every(
    (part) => typeof fieldOf(part, 'retrieve') === 'function',
  )
}

/** Reads the referral or the result of an event. Resolves with `undefined` for any other event. */
export async function currentRecord(
  client: RecordClient | undefined,
  event: WebhookEvent,
  signal: AbortSignal,
): Promise<Referral | Result | undefined> {
  if (client === undefined)
    throw new ConfigurationError('context.retrieve() requires the option client of createWebhookReceiver')
  const [kind] = event.eventName.split('.')
  if (kind !== 'referral' && kind !== 'result') return undefined
  const uuid = fieldOf(event.data, 'uuid')
  if (typeof uuid !== 'string')
    throw new PathologyError(
      `The data of the event does not contain a uuid, so its ${kind} cannot be retrieved. Check event.data.uuid before you call retrieve().`,
      {
        code: 'WEBHOOK_EVENT_WITHOUT_UUID',
      },
    )
  return (kind === 'referral' ? client.referrals : client.results).retrieve(uuid, { signal })
}
