import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ignore } from '../../common/errors.js'

/** Options for sending a document to a browser. */
export interface DocumentResponseOptions {
  /**
   * `inline` shows the document in the browser, `attachment` saves it.
   * @defaultValue `'inline'`
   */
  readonly disposition?: 'inline' | 'attachment' | undefined
  /**
   * Name of the file for the browser. Use no personal data: browsers and proxies store it.
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

/** Characters of a file name that the quoted form of the header replaces. */
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
    'content-disposition': `${disposition === 'attachment' ? 'attachment' : 'inline'}; filename="${plain}"${encoded}`,
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

/** Reads the first chunk, so that an error occurs before the response starts, and returns all chunks. */
export async function withFirstChunk(
  chunks: AsyncGenerator<Uint8Array, void, undefined>,
): Promise<AsyncGenerator<Uint8Array, void, undefined>> {
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
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`)
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

/** Error codes for a file that cannot be flushed: of a file system, or of another implementation of `node:fs`. */
const NO_FLUSH: ReadonlySet<unknown> = new Set([
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EINVAL',
  'ERR_METHOD_NOT_IMPLEMENTED',
])

/** Flushes a file to disk; skips it where that is not supported, such as in Yarn's patched `fs`. */
async function flush(file: Partial<Pick<FileHandle, 'sync'>>): Promise<void> {
  if (typeof file.sync !== 'function') return
  try {
    await file.sync()
  } catch (error) {
    if (!isNotImplemented(error)) throw error
  }
}

function isNotImplemented(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code: unknown = Reflect.get(error, 'code')
  return NO_FLUSH.has(code) || (code === undefined && /not (implemented|supported)/i.test(error.message))
}
