import { ByteBuffer } from '../../common/byte-buffer.js'
import { ConfigurationError, ignore } from '../../common/errors.js'
import {
  type DocumentOptions,
  documentOptions,
  type SaveOptions,
  type SendOptions,
  saveOptions,
  sendOptions,
} from './document-options.js'
import { PdfSource } from './download.js'
import { type DocumentTarget, documentHeaders, OWNER_ONLY, saveStream, sendTo, streamOf } from './output.js'
import { begin } from './pdf.js'

export { PdfSource }

const ALL_PERMISSIONS = 0o777

/**
 * PDF of a referral or a result, downloaded on use. Its signed URL expires soon. Each attempt of a download renews an
 * expired URL once, by a new request for the record. The request for the PDF never contains the access token.
 *
 * A download fails with the errors of a call, or with an `InvalidResponseError` with one of these reasons:
 *
 * - `not-pdf`: the content is not a PDF.
 * - `encoding`: the content is compressed, but not with gzip, br or deflate.
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
    // An error occurs before the response starts.
    const { chunks } = await begin(this.#source.read(own, abort), 1)
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
      const { chunks } = await begin(this.#source.read(own, abort), 1)
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
