import { ignore, isPathologyError, withTraceOf } from '../../common/errors.js'
import { isRecord } from '../../common/known-options.js'
import { loaded } from '../../common/lazy-import.js'
import { follow, waitWithin } from '../../common/time-limit.js'
import { endpoints } from '../../contract/endpoints.js'
import { fieldIssue } from '../../contract/issues.js'
import type { Referral, Result } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { optionsCopy, timeOf } from '../core/caller-input.js'
import { checkedSignal } from '../core/deadline.js'
import { responseError, statusSeen } from '../errors/error-texts.js'
import { InvalidRequestError } from '../errors/errors.js'
import type { PdfDocument } from './document.js'
import {
  type DocumentOptions,
  documentOptions,
  type SaveOptions,
  type SendOptions,
  saveOptions,
  sendOptions,
} from './document-options.js'
import type { DocumentTarget } from './output.js'

/**
 * Promise of a document. It has the document's methods. The `signal` of a method also ends the wait of this method for
 * the document's URL, and the request for the URL when nothing else waits for it.
 */
export class DocumentPromise extends Promise<PdfDocument> {
  #opening: Opening | undefined
  /** Number of methods, and of `await`, that wait for the document. */
  #waiting = 0

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static of(opening: Opening): DocumentPromise {
    const promise = new DocumentPromise((resolve) => resolve(opening.document))
    promise.#opening = opening
    return promise
  }

  // biome-ignore lint/suspicious/noThenProperty: an `await` waits for the document without an end.
  override then<R = PdfDocument, E = never>(
    onDocument?: ((document: PdfDocument) => R | PromiseLike<R>) | null,
    onError?: ((error: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    this.#waiting += 1
    return super.then(onDocument, onError)
  }

  /** Returns the complete content; see {@link PdfDocument.bytes}. */
  async bytes(options: DocumentOptions = {}): Promise<Uint8Array> {
    const { document, own } = await this.#open(documentOptions, options)
    return document.bytes(own)
  }

  /** Writes the content to a file; see {@link PdfDocument.saveTo}. */
  async saveTo(
    path: string,
    options: SaveOptions = {},
  ): Promise<{
    /** Path as passed. */
    readonly path: string
    /** Size in bytes. */
    readonly bytes: number
  }> {
    const { document, own } = await this.#open(saveOptions, options)
    return document.saveTo(path, own)
  }

  /** Returns the content as a stream; see {@link PdfDocument.stream}. */
  async stream(options: DocumentOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const { document, own } = await this.#open(documentOptions, options)
    return document.stream(own)
  }

  /** Returns a response with the document; see {@link PdfDocument.toResponse}. */
  async toResponse(options: SendOptions = {}): Promise<Response> {
    const { document, own } = await this.#open(sendOptions, options)
    return document.toResponse(own)
  }

  /** Sends the document as a response of Node; see {@link PdfDocument.pipe}. */
  async pipe(response: DocumentTarget, options: SendOptions = {}): Promise<void> {
    const { document, own } = await this.#open(sendOptions, options)
    return document.pipe(response, own)
  }

  /** Checks the options of a method, and waits for the document until the method's signal aborts. */
  async #open<T extends DocumentOptions>(check: (given: T) => T, given: T) {
    this.#waiting += 1
    try {
      const own = check(given)
      const signal = checkedSignal(own.signal)
      const document = await waitWithin(this.#opening?.document ?? this, { signal })
      return { document, own }
    } catch (error) {
      // The caller gets only this error. A later rejection of this promise must not count as unhandled.
      super.then(undefined, ignore)
      this.#waiting -= 1
      if (this.#waiting === 0) this.#opening?.abort.abort(error)
      throw isPathologyError(error) ? withTraceOf(this.#open, error) : error
    }
  }
}

/** A document whose record is being read. */
interface Opening {
  readonly document: Promise<PdfDocument>
  /** Ends the read of the record. */
  readonly abort: AbortController
}

/** Record that has a document. */
type DocumentOwner = 'referral' | 'result'

const ROWS = { referral: endpoints.referrals.retrieve, result: endpoints.results.retrieve } as const

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
  const abort = new AbortController()
  const document = openDocument(api, owner, record, options, abort)
  return DocumentPromise.of({ document, abort })
}

async function openDocument(
  api: ApiClient,
  owner: DocumentOwner,
  given: string | Referral | Result,
  options: RequestOptions,
  abort: AbortController,
): Promise<PdfDocument> {
  const operation = `${owner}s.document`
  const own = optionsCopy(operation, options, CALL_OPTIONS)
  const { uuid, known } = stateOf(owner, given)
  const urlOf = (state: Attachment): string => {
    const wasRead = state !== known
    // A replica of the service can return an older record and document than the caller's.
    const isOld = timeOf(state.updatedAt) < timeOf(known?.updatedAt)
    if (typeof state.url === 'string' && state.url !== '' && !isOld) return state.url
    throw responseError('no-document', {
      what: `the ${owner}'s document`,
      origin: api.context.options.base.origin,
      outcome: wasRead ? 'failed' : 'not-sent',
      attempts: wasRead ? 1 : 0,
      detail: statusSeen(state.status),
    })
  }
  const read = async (of: ApiClient, withOptions: RequestOptions): Promise<string> =>
    urlOf(attachmentOf(owner, await of.call(ROWS[owner], { path: { uuid }, operation }, withOptions)))
  // Uses the inner client, because a download in progress may renew its URL after close().
  const refresh = (signal: AbortSignal | undefined): Promise<string> => read(api.inner, { ...own, signal })
  const stop = follow(abort, checkedSignal(own.signal))
  const { signal } = abort
  try {
    const [url, { PdfDocument, PdfSource }] = await Promise.all([
      known === undefined ? read(api, { ...own, signal }) : urlOf(known),
      loaded(import('./document.js')),
    ])
    return new PdfDocument(new PdfSource(api.context, { url, refresh, signal: own.signal }))
  } finally {
    stop()
  }
}

/** Returns the UUID, and the state of a record that the caller has read. */
function stateOf(owner: DocumentOwner, given: string | Referral | Result) {
  if (!isRecord(given)) return { uuid: given, known: undefined }
  const { uuid } = given
  const known = attachmentOf(owner, given)
  if (typeof uuid === 'string' && (known.url === null || typeof known.url === 'string'))
    return { uuid, known }
  const rule = `must be a UUID, or a ${owner} as the service returned it`
  throw new InvalidRequestError(`${owner}s.document`, [fieldIssue(['uuid'], rule)], 'INVALID_PARAMETER')
}

function attachmentOf(owner: DocumentOwner, record: Referral | Result): Attachment {
  const { status, updatedAt } = record
  return { url: Reflect.get(record, `${owner}Attachment`), status, updatedAt }
}
