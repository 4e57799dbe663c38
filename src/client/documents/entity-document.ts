import type { Endpoint } from '../../contract/endpoint.js'
import type { Pipeline } from '../call/pipeline.js'
import { statusSeen } from '../call/wait.js'
import type { RequestOptions } from '../client-options.js'
import { responseError } from '../errors/failures.js'
import { PdfDocument } from './document.js'
import { PdfSource } from './document-source.js'

/** What has a document, and how its address is read. */
export interface DocumentOwner {
  readonly kind: 'referral' | 'result'
  /** How the owner is read. */
  readonly row: Endpoint
  readonly uuid: string
  readonly read: (
    options: RequestOptions,
  ) => Promise<{ readonly url: string | null; readonly status: string }>
}

/** The document of a referral or a result. */
export async function entityDocument(
  api: Pipeline,
  owner: DocumentOwner,
  options: RequestOptions,
): Promise<PdfDocument> {
  const address = async (call: RequestOptions): Promise<string> => {
    const { url, status } = await owner.read(call)
    if (typeof url === 'string' && url !== '') return url
    throw responseError('no-document', {
      what: `the ${owner.kind}'s document`,
      origin: api.parts.options.base.origin,
      outcome: 'failed',
      attempts: 1,
      detail: statusSeen(status),
    })
  }
  const url = await address(options).catch(async (error: unknown) => {
    // What was wrong with the arguments is told in the name of the method that was called.
    await api.check(owner.row, { path: { uuid: owner.uuid }, operation: `${owner.kind}s.document` }, options)
    throw error
  })
  const { signal } = options
  const refresh = (of: AbortSignal | undefined): Promise<string> => address({ ...options, signal: of })
  return new PdfDocument(new PdfSource(api.parts, { url, refresh, signal }))
}
