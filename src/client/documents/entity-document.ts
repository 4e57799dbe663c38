import { isRecord, withSet } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import { fieldIssue } from '../../contract/issues.js'
import type { Referral, Result } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { timeOf } from '../core/option-values.js'
import { optionsSnapshot } from '../core/snapshot.js'
import { InvalidRequestError } from '../errors/errors.js'
import { statusSeen } from '../errors/redact.js'
import { responseError } from '../errors/sentences.js'
import { DocumentPromise, PdfDocument } from './document.js'
import { PdfSource } from './download.js'

/** Record that has a document. */
export type DocumentOwner = 'referral' | 'result'

const ROWS = { referral: endpoints.referrals.retrieve, result: endpoints.results.retrieve } as const

/** The fields of a record about its document. */
interface Attachment {
  readonly url: unknown
  readonly status: unknown
  readonly updatedAt: unknown
}

/** Opens the document of a record. For a UUID, reads the record first. */
export function entityDocument(
  api: ApiClient,
  owner: DocumentOwner,
  record: string | Referral | Result,
  options: RequestOptions = {},
): DocumentPromise {
  return DocumentPromise.of(openDocument(api, owner, record, options), api.context.signals)
}

async function openDocument(
  api: ApiClient,
  owner: DocumentOwner,
  given: string | Referral | Result,
  options: RequestOptions,
): Promise<PdfDocument> {
  const operation = `${owner}s.document`
  const own = optionsSnapshot(operation, options, CALL_OPTIONS)
  const { uuid, known } = stateOf(owner, given)
  const urlOf = (state: Attachment): string => {
    const wasRead = state !== known
    if (typeof state.url === 'string' && state.url !== '' && !isOlder(state, known)) return state.url
    throw responseError('no-document', {
      what: `the ${owner}'s document`,
      origin: api.context.options.base.origin,
      outcome: wasRead ? 'failed' : 'not-sent',
      attempts: wasRead ? 1 : 0,
      detail: statusSeen(state.status),
    })
  }
  const read = async (of: ApiClient, call: RequestOptions): Promise<string> =>
    urlOf(attachmentOf(owner, await of.call(ROWS[owner], { path: { uuid }, operation }, call)))
  const url = known === undefined ? await read(api, own) : urlOf(known)
  // Uses the inner client, because a download in progress may renew its URL after close().
  const refresh = (signal: AbortSignal | undefined): Promise<string> =>
    read(api.inner, withSet(own, { signal }))
  return new PdfDocument(new PdfSource(api.context, { url, refresh, signal: own.signal }))
}

/** Returns the UUID, and the state of a record that the caller has read. */
function stateOf(
  owner: DocumentOwner,
  given: string | Referral | Result,
): { readonly uuid: string; readonly known: Attachment | undefined } {
  if (typeof given === 'string' || !isRecord(given)) return { uuid: given, known: undefined }
  const { uuid } = given
  const known = attachmentOf(owner, given)
  if (typeof uuid === 'string' && (known.url === null || typeof known.url === 'string'))
    return { uuid, known }
  const rule = `must be a UUID, or a ${owner} as the service returned it`
  throw new InvalidRequestError(`${owner}s.document`, [fieldIssue(['uuid'], rule)], 'INVALID_PARAMETER')
}

/**
 * Returns `true` when a record is older than the caller's. A replica of the service can return an older record and
 * document.
 */
function isOlder({ updatedAt }: Attachment, than: Attachment | undefined): boolean {
  return timeOf(updatedAt) < timeOf(than?.updatedAt)
}

function attachmentOf(owner: DocumentOwner, record: Referral | Result): Attachment {
  const { status, updatedAt } = record
  return { url: Reflect.get(record, `${owner}Attachment`), status, updatedAt }
}
