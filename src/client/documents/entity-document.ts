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

/** The fields of a record about its document. */
interface Attachment {
  readonly url: string | null
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
  const own = optionsSnapshot(`${owner}s.document`, options, CALL_OPTIONS)
  const { uuid, known } = stateOf(owner, given)
  const urlOf = (state: Attachment): string => {
    if (typeof state.url === 'string' && state.url !== '' && !isOlder(state, known)) return state.url
    throw responseError('no-document', {
      what: `the ${owner}'s document`,
      origin: api.context.options.base.origin,
      outcome: 'failed',
      attempts: 1,
      detail: statusSeen(state.status),
    })
  }
  const read = async (of: ApiClient, call: RequestOptions): Promise<string> =>
    urlOf(await attachmentOf(of, owner, uuid, call))
  const url = known === undefined ? await read(api, own) : urlOf(known)
  // The inner client, because a download in progress may renew its URL after close().
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
  const { uuid, status, updatedAt } = given
  const url: unknown = Reflect.get(given, `${owner}Attachment`)
  if (typeof uuid === 'string' && (url === null || typeof url === 'string')) {
    return { uuid, known: { url, status, updatedAt } }
  }
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

async function attachmentOf(
  api: ApiClient,
  owner: DocumentOwner,
  uuid: string,
  call: RequestOptions,
): Promise<Attachment> {
  const input = { path: { uuid }, operation: `${owner}s.document` }
  if (owner === 'referral') {
    const { referralAttachment, status, updatedAt } = await api.call(
      endpoints.referrals.retrieve,
      input,
      call,
    )
    return { url: referralAttachment, status, updatedAt }
  }
  const { resultAttachment, status, updatedAt } = await api.call(endpoints.results.retrieve, input, call)
  return { url: resultAttachment, status, updatedAt }
}
