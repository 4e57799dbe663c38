import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ByteBuffer } from '../../common/byte-buffer.js'
import { ignore } from '../../common/errors.js'
import type { InvalidResponseError } from '../errors/errors.js'

const MARK = '%PDF-'

/** Number of bytes at the start within which the start mark must occur, as programs that read PDFs require. */
const MARK_WITHIN = 1_024

const END_MARK = '%%EOF'

/** Number of bytes at the end within which the end mark must occur. */
const END_MARK_WITHIN = 1_024

export interface PdfRules {
  readonly limit: number
  readonly totalBytes: number | undefined
  /** `true` when the response declares neither its length nor its end: an interrupted download then looks complete. */
  readonly endless: boolean
  readonly fail: (reason: 'too-large' | 'not-pdf' | 'truncated') => InvalidResponseError
}

export type Chunks = AsyncGenerator<Uint8Array, void, undefined>

/**
 * Checks the start mark `%PDF-` and the size of a PDF, and the end mark `%%EOF` if the response does not declare its
 * end. Yields the chunks, the first only after the start mark.
 */
export function checkPdf(body: AsyncIterable<Uint8Array>, rules: PdfRules): Chunks {
  const chunks = checkHead(body, rules)
  return rules.endless ? checkEnd(chunks, rules) : chunks
}

async function* checkHead(body: AsyncIterable<Uint8Array>, { limit, totalBytes, fail }: PdfRules): Chunks {
  if (totalBytes !== undefined && totalBytes > limit) throw fail('too-large')
  const head = new ByteBuffer(limit)
  let hasMark = false
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > limit) throw fail('too-large')
    if (hasMark) {
      yield chunk
      continue
    }
    head.add(chunk)
    hasMark = latin1(head.bytes.subarray(0, MARK_WITHIN)).includes(MARK)
    if (hasMark) yield head.bytes
    else if (bytes >= MARK_WITHIN) throw fail('not-pdf')
  }
  if (!hasMark) throw fail('not-pdf')
  if (totalBytes !== undefined && bytes < totalBytes) throw fail('truncated')
}

async function* checkEnd(chunks: Chunks, { fail }: PdfRules): Chunks {
  let tail = ''
  for await (const chunk of chunks) {
    tail = (tail + latin1(chunk.subarray(-END_MARK_WITHIN))).slice(-END_MARK_WITHIN)
    yield chunk
  }
  if (!tail.includes(END_MARK)) throw fail('truncated')
}

/** Decodes each byte to one character. */
function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

/** Options for sending a document to a browser. */
export interface DocumentResponseOptions {
  /**
   * `inline` shows the document in the browser, `attachment` saves it.
   * @defaultValue `'inline'`
   */
  readonly disposition?: 'inline' | 'attachment' | undefined
  /**
   * Name of the file for the browser. Do not use personal data: browsers and proxies store the name.
   * @defaultValue `'document.pdf'`
   */
  readonly filename?: string | undefined
}

/** A response of `node:http`, Express or similar. */
export interface DocumentTarget {
  /** Sets a header of the response. */
  setHeader(name: string, value: string): unknown
  /** Writes a chunk. Returns `false` when the caller must wait for `drain`. */
  write(chunk: Uint8Array): boolean
  /** Ends the response. */
  end(): unknown
  /** Adds a listener. */
  on(event: string, listener: () => void): unknown
}

/** Characters of a file name that are replaced in the quoted form of the header. */
const UNSAFE = /[^\w .()-]/g

/** Returns the headers of a patient's document, so that no cache stores it and no browser guesses another type. */
export function documentHeaders({
  disposition = 'inline',
  filename = 'document.pdf',
}: DocumentResponseOptions): Readonly<Record<string, string>> {
  // A half of a surrogate pair cannot be encoded.
  const name = String(filename).replace(/\p{Surrogate}/gu, '_')
  const plain = name.replace(UNSAFE, '_')
  const encoded = plain === name ? '' : `; filename*=UTF-8''${encodeURIComponent(name)}`
  return {
    'content-type': 'application/pdf',
    'content-disposition': `${disposition}; filename="${plain}"${encoded}`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  }
}

/** Sends a document whose first chunk was read, and ends the response. */
export async function sendTo(
  target: DocumentTarget,
  chunks: AsyncIterable<Uint8Array>,
  options: DocumentResponseOptions,
): Promise<void> {
  for (const [name, value] of Object.entries(documentHeaders(options))) target.setHeader(name, value)
  // A response of Node is a Writable. The interface declares only a part, so that its users need no types of Node.
  await pipeline(Readable.from(chunks), target as unknown as Writable)
}

/** Returns chunks as a stream. The cancellation of the stream ends the download. */
export function streamOf(chunks: Chunks, abort: AbortController): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        // Aborts first: otherwise a generator that waits for a chunk returns only after this chunk.
        abort.abort()
        await chunks.return(undefined).catch(ignore)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Reads the first chunk, so that an error occurs before the response starts, and returns all chunks. */
export async function withFirstChunk(chunks: Chunks): Promise<Chunks> {
  const first = await chunks.next()
  return (async function* () {
    try {
      if (first.done !== true) yield first.value
      yield* chunks
    } finally {
      await chunks.return(undefined)
    }
  })()
}

/** Permissions of a patient's document: only its owner reads and writes it. */
export const OWNER_ONLY = 0o600

/** Writes chunks to a temporary file and renames it when it is complete. */
export async function saveStream(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  mode: number,
): Promise<{ readonly path: string; readonly bytes: number }> {
  // The temporary name does not contain the name of the file, which may already have the maximum length.
  const temporary = join(dirname(path), `.${randomUUID()}.part`)
  const file = await open(temporary, 'wx', mode)
  let bytes = 0
  try {
    for await (const chunk of chunks) {
      await file.writeFile(chunk)
      bytes += chunk.byteLength
    }
    await flush(file)
    await file.close()
    await rename(temporary, path)
    return { path, bytes }
  } catch (error) {
    await file.close().catch(ignore)
    await rm(temporary, { force: true })
    throw error
  }
}

/** Error codes that mean that a file system, or another implementation of `node:fs`, cannot flush a file. */
const NO_FLUSH = /^(ENOSYS|ENOTSUP|EOPNOTSUPP|EINVAL|ERR_METHOD_NOT_IMPLEMENTED)$/

/** Flushes a file to disk. Does nothing if flushing is not supported, such as in Yarn's patched `fs`. */
async function flush(file: Partial<Pick<FileHandle, 'sync'>>): Promise<void> {
  try {
    await file.sync?.()
  } catch (error) {
    if (!isNotImplemented(error)) throw error
  }
}

function isNotImplemented(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code: unknown = Reflect.get(error, 'code')
  return code === undefined ? /not (implemented|supported)/i.test(error.message) : NO_FLUSH.test(String(code))
}
