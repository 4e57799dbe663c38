import { withSet } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import type { ApiClient } from '../call/api-client.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { optionsSnapshot } from '../core/snapshot.js'
import { statusSeen } from '../errors/redact.js'
import { responseError } from '../errors/sentences.js'
import { DocumentPromise, PdfDocument } from './document.js'
import { PdfSource } from './download.js'

/** Record that has a document. */
export type DocumentOwner = 'referral' | 'result'

/** Reads the URL of a record's document at once. */
export function entityDocument(
  api: ApiClient,
  owner: DocumentOwner,
  uuid: string,
  options: RequestOptions = {},
): DocumentPromise {
  return DocumentPromise.of(openDocument(api, owner, uuid, options), api.context.signals)
}

async function openDocument(
  api: ApiClient,
  owner: DocumentOwner,
  uuid: string,
  options: RequestOptions,
): Promise<PdfDocument> {
  const own = optionsSnapshot(`${owner}s.document`, options, CALL_OPTIONS)
  const address = async (of: ApiClient, call: RequestOptions): Promise<string> => {
    const { url, status } = await attachmentOf(of, owner, uuid, call)
    if (typeof url === 'string' && url !== '') return url
    throw responseError('no-document', {
      what: `the ${owner}'s document`,
      origin: api.context.options.base.origin,
      outcome: 'failed',
      attempts: 1,
      detail: statusSeen(status),
    })
  }
  const url = await address(api, own)
  // A download in progress may renew its URL after close().
  const refresh = (of: AbortSignal | undefined): Promise<string> =>
    address(api.inner, withSet(own, { signal: of }))
  return new PdfDocument(new PdfSource(api.context, { url, refresh, signal: own.signal }))
}

async function attachmentOf(
  api: ApiClient,
  owner: DocumentOwner,
  uuid: string,
  call: RequestOptions,
): Promise<{ readonly url: string | null; readonly status: string }> {
  const input = { path: { uuid }, operation: `${owner}s.document` }
  if (owner === 'referral') {
    const { referralAttachment: url, status } = await api.call(endpoints.referrals.retrieve, input, call)
    return { url, status }
  }
  const { resultAttachment: url, status } = await api.call(endpoints.results.retrieve, input, call)
  return { url, status }
}
