import { ByteBuffer } from '../../common/byte-buffer.js'
import { ConfigurationError, ignore } from '../../common/errors.js'
import { isRecord, withSet } from '../../common/known-options.js'
import { waitWithin } from '../../common/time-limit.js'
import { endpoints } from '../../contract/endpoints.js'
import { fieldIssue } from '../../contract/issues.js'
import type { Referral, Result } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { oneOf, optionsSnapshot, timeOf } from '../core/caller-input.js'
import type { SharedSignals } from '../core/deadline.js'
import { responseError, statusSeen } from '../errors/error-texts.js'
import { InvalidRequestError } from '../errors/errors.js'
import { DOCUMENT_OPTIONS, type DocumentOptions, documentOptions, OWNER, PdfSource } from './download.js'
import {
  type DocumentResponseOptions,
  type DocumentTarget,
  documentHeaders,
  OWNER_ONLY,
  saveStream,
  sendTo,
  streamOf,
  withFirstChunk,
} from './pdf-stream.js'

const ALL_PERMISSIONS = 0o777

/** Options for saving a document. */
export interface SaveOptions extends DocumentOptions {
  /**
   * Permissions of the file, less the process's umask. On Windows, only the owner's write permission has an effect.
   * @defaultValue `0o600`: only the owner reads and writes
   */
  readonly mode?: number | undefined
}

/**
 * PDF of a referral or a result, downloaded on use. Its signed URL expires soon. Each attempt of a download renews an
 * expired URL once, by a new request for the record. The request for the PDF never contains the access token.
 *
 * A download fails with the errors of a call, or with an `InvalidResponseError` with one of these reasons:
 *
 * - `not-pdf`: the content is not a PDF.
 * - `too-large`: the PDF is larger than the client's `maxDocumentBytes`.
 * - `truncated`: the download is incomplete.
 * - `redirect`: the host redirects.
 * - `no-document`: at the renewal of the URL, the record has no PDF.
 * - `unsafe-url`: the URL does not use https, or its host is private (see the client option `documentHosts`).
 */
export class PdfDocument {
  readonly #source: PdfSource

  constructor(source: PdfSource) {
    this.#source = source
  }

  /**
   * Returns the content as a stream. Read the stream to its end, or cancel it. Reading the stream throws the errors of
   * the download. An interrupted download is not repeated after the response has started.
   */
  stream(options: DocumentOptions = {}): ReadableStream<Uint8Array> {
    const abort = new AbortController()
    // The reader of the stream gets the error of an invalid option.
    const own = (async () => documentOptions(options))()
    own.catch(ignore)
    return streamOf(this.#source.read(own, abort), abort)
  }

  /**
   * Returns a response for Next.js, Hono, Bun, Deno or Workers, with the headers of a private PDF. Rejects if the
   * document cannot be read, so that you can respond with an error. A failure after the first chunk ends the body with
   * an error.
   */
  async toResponse(options: SendOptions = {}): Promise<Response> {
    const own = sendOptions(options)
    const abort = new AbortController()
    const chunks = await withFirstChunk(this.#source.read(own, abort))
    return new Response(streamOf(chunks, abort), { headers: documentHeaders(own) })
  }

  /**
   * Sends the document as the response of `node:http`, Express or similar, with the headers of a private PDF, and ends
   * the response. When `pipe` rejects while `response.headersSent` is `false`, you can respond with an error. A later
   * failure destroys the response. A browser that disconnects ends the download, and `pipe` rejects.
   */
  async pipe(response: DocumentTarget, options: SendOptions = {}): Promise<void> {
    const own = sendOptions(options)
    const abort = new AbortController()
    response.on('close', () => abort.abort())
    // A response that has closed already emits no further event.
    if (Reflect.get(response, 'destroyed') === true) abort.abort()
    try {
      const chunks = await withFirstChunk(this.#source.read(own, abort))
      await sendTo(response, chunks, own)
    } finally {
      // Ends a download that was not read to its end, for example because the headers were already sent.
      abort.abort()
    }
  }

  /** Returns the complete content. Repeats an interrupted download within the client's retries. */
  async bytes(options: DocumentOptions = {}): Promise<Uint8Array> {
    return this.#source.retrying(documentOptions(options), async (chunks) => {
      // No limit is needed here, because the source enforces the client's limit.
      const content = new ByteBuffer(Number.POSITIVE_INFINITY)
      for await (const chunk of chunks) content.add(chunk)
      return new Uint8Array(content.bytes)
    })
  }

  /**
   * Writes the content to a file, and replaces an existing file. The content first goes to a temporary file in the same
   * directory, so the path never has an incomplete file. The temporary file is removed after a failure. By default only
   * the owner can read the file; on Windows, the permissions of the directory apply.
   *
   * Name the file by the `uuid` that you requested. Other text of the service, such as `reference`, is not checked, so
   * it can contain a path such as `../`.
   *
   * @returns The path, and the size in bytes.
   * @throws {@link ConfigurationError} for a `path` that is not a string, a `mode` that is not an integer from 0 to
   * 0o777, or an unknown option.
   * @throws The file system error of Node, such as `ENOENT`, `EACCES` or `ENOSPC`.
   */
  async saveTo(
    path: string,
    options: SaveOptions = {},
  ): Promise<{
    /** Path as passed. */
    readonly path: string
    /** Size in bytes. */
    readonly bytes: number
  }> {
    if (typeof path !== 'string') throw new ConfigurationError('saveTo needs the path of a file, as a string')
    const own = saveOptions(options)
    const { mode = OWNER_ONLY } = own
    if (!Number.isInteger(mode) || mode < 0 || mode > ALL_PERMISSIONS) {
      throw new ConfigurationError('mode must be an integer from 0 to 0o777, such as 0o600')
    }
    return this.#source.retrying(own, (chunks) => saveStream(path, chunks, mode))
  }
}

/** Options of `toResponse` and `pipe`. */
export interface SendOptions extends DocumentOptions, DocumentResponseOptions {}

const SAVE_OPTIONS = new Set([...DOCUMENT_OPTIONS, 'mode'])

const SEND_OPTIONS = new Set([...DOCUMENT_OPTIONS, 'disposition', 'filename'])

function sendOptions(options: SendOptions): SendOptions {
  const own = optionsSnapshot(OWNER, options, SEND_OPTIONS)
  oneOf('disposition', own.disposition, ['inline', 'attachment'], 'inline')
  return own
}

function saveOptions(options: SaveOptions): SaveOptions {
  return optionsSnapshot(OWNER, options, SAVE_OPTIONS)
}

/**
 * Promise of a document. It has the document's methods. The `signal` of a method also ends the wait of this method for
 * the document's URL. The request for the URL continues, and other methods still wait for it.
 */
export class DocumentPromise extends Promise<PdfDocument> {
  #signals: SharedSignals | undefined

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static of(document: Promise<PdfDocument>, signals: SharedSignals): DocumentPromise {
    const promise = new DocumentPromise((resolve) => resolve(document))
    promise.#signals = signals
    return promise
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
    try {
      const own = check(given)
      const document = await waitWithin(this, { signal: this.#signals?.of(own.signal) })
      return { document, own }
    } catch (error) {
      // The caller gets only this error. A later rejection of this promise must not count as unhandled.
      this.catch(ignore)
      throw error
    }
  }
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
  const url = known === undefined ? await read(api, own) : urlOf(known)
  // Uses the inner client, because a download in progress may renew its URL after close().
  const refresh = (signal: AbortSignal | undefined): Promise<string> =>
    read(api.inner, withSet(own, { signal }))
  return new PdfDocument(new PdfSource(api.context, { url, refresh, signal: own.signal }))
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
