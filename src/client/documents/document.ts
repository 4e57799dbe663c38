import { ByteBuffer } from '../../common/byte-buffer.js'
import { ConfigurationError } from '../../common/configuration-error.js'
import { ignore } from '../../common/ignore.js'
import { without } from '../../common/known-options.js'
import { type SharedSignals, untilAborted } from '../core/abort.js'
import { optionsLater, optionsSnapshot } from '../core/snapshot.js'
import type { DocumentOptions, PdfSource } from './download.js'
import { OWNER_ONLY, saveStream } from './save-file.js'

const ALL_PERMISSIONS = 0o777

/** How to save a document. */
export interface SaveOptions extends DocumentOptions {
  /**
   * Permissions of the file, less the process's umask. Windows ignores them.
   * @defaultValue `0o600`: its owner reads and writes it, nobody else
   */
  readonly mode?: number | undefined
}

/**
 * The PDF of a referral or a result (§2.4, §2.5). Nothing is downloaded before it is asked for. Its address is signed
 * and short-lived: when it has expired, a fresh one is got once. The access token is never sent there.
 *
 * Every way of reading throws what the client's calls throw, and a `InvalidResponseError` with reason `not-pdf` when the
 * content is no PDF, `too-large` beyond the client's `maxDocumentBytes`, `truncated` when it broke off.
 */
export class PdfDocument {
  readonly #source: PdfSource

  constructor(source: PdfSource) {
    this.#source = source
  }

  /** The content piece by piece. Cancel it, or read it to its end. */
  stream(options: DocumentOptions = {}): ReadableStream<Uint8Array> {
    const abort = new AbortController()
    const chunks = this.#source.read(optionsLater(OWNER, options, DOCUMENT_OPTIONS), abort)
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await chunks.next()
          if (done === true) controller.close()
          else controller.enqueue(value)
        },
        async cancel() {
          // A generator that waits for the next piece does not hear of its return before that has come.
          abort.abort()
          await chunks.return(undefined).catch(ignore)
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** The whole content. A download that broke off is begun again, within the client's retries. */
  async bytes(options: DocumentOptions = {}): Promise<Uint8Array> {
    return this.#source.retrying(documentOptions(options), async (chunks) => {
      // The source ends at the client's own limit.
      const content = new ByteBuffer(Number.POSITIVE_INFINITY)
      for await (const chunk of chunks) content.add(chunk)
      return new Uint8Array(content.bytes)
    })
  }

  /**
   * Writes the content to a file. It appears under its name only when it is complete: until then it has a temporary
   * name beside it, which is removed when anything fails. Only the owner can read the file, unless `mode` says otherwise.
   *
   * Name the file by the `uuid` that you asked for, never by another text of the service, such as `reference`: only the
   * form of a UUID is checked.
   *
   * @returns The path and the size in bytes.
   * @throws What the file system says, as Node has it: `ENOENT` where there is no such directory, `EACCES`, `ENOSPC`.
   */
  async saveTo(
    path: string,
    options: SaveOptions = {},
  ): Promise<{
    /** The file's path, as it was given. */
    readonly path: string
    /** The file's size, in bytes. */
    readonly bytes: number
  }> {
    if (typeof path !== 'string') throw new ConfigurationError('saveTo takes the path of a file, as a string')
    const own = saveOptions(options)
    const { mode = OWNER_ONLY } = own
    if (!Number.isInteger(mode) || mode < 0 || mode > ALL_PERMISSIONS) {
      throw new ConfigurationError('mode must be file permissions, such as 0o600')
    }
    return this.#source.retrying(without(own, 'mode'), (chunks) => saveStream(path, chunks, mode))
  }
}

const OWNER = 'a document'

const DOCUMENT_OPTIONS: ReadonlySet<string> = new Set<keyof DocumentOptions>(['signal', 'onProgress'])

function documentOptions(options: DocumentOptions): DocumentOptions {
  return optionsSnapshot(OWNER, options, DOCUMENT_OPTIONS)
}

const SAVE_OPTIONS = new Set([...DOCUMENT_OPTIONS, 'mode'])

function saveOptions(options: SaveOptions): SaveOptions {
  return optionsSnapshot(OWNER, options, SAVE_OPTIONS)
}

/**
 * The promise of a document, on which the document's methods can be called at once. Their `signal` ends the wait for the
 * document's address too; the address is still read for others who wait for it.
 */
export class DocumentPromise extends Promise<PdfDocument> {
  #signals: SharedSignals | undefined

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static of(document: Promise<PdfDocument>, signals: SharedSignals): DocumentPromise {
    const promise = new DocumentPromise((resolve, reject) => {
      document.then(resolve, reject)
    })
    promise.#signals = signals
    return promise
  }

  /** See {@link PdfDocument.bytes}. */
  async bytes(options: DocumentOptions = {}): Promise<Uint8Array> {
    const own = documentOptions(options)
    return (await this.#within(own)).bytes(own)
  }

  /** See {@link PdfDocument.saveTo}. */
  async saveTo(
    path: string,
    options: SaveOptions = {},
  ): Promise<{
    /** The file's path, as it was given. */
    readonly path: string
    /** The file's size, in bytes. */
    readonly bytes: number
  }> {
    const own = saveOptions(options)
    return (await this.#within(own)).saveTo(path, own)
  }

  /** See {@link PdfDocument.stream}. */
  async stream(options: DocumentOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const own = documentOptions(options)
    return (await this.#within(own)).stream(own)
  }

  #within({ signal }: DocumentOptions): Promise<PdfDocument> {
    return untilAborted(this, this.#signals?.of(signal))
  }
}
