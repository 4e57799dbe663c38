import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ignore } from '../../common/errors.js'
import type { DocumentResponseOptions } from './document-options.js'
import type { Chunks } from './pdf.js'

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
  const encoded = plain === name ? '' : `; filename*=UTF-8''${percentEncoded(name)}`
  return {
    'content-type': 'application/pdf',
    'content-disposition': `${disposition}; filename="${plain}"${encoded}`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  }
}

/** Encodes a text for a header, as RFC 8187 requires: `encodeURIComponent` leaves four characters too many. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Sends a document whose first chunk was read, and ends the response. */
export async function sendTo(
  target: DocumentTarget,
  chunks: AsyncIterable<Uint8Array>,
  options: DocumentResponseOptions,
): Promise<void> {
  for (const [name, value] of Object.entries(documentHeaders(options))) target.setHeader(name, value)
  // A response of Node is a Writable. The interface declares only a part, so that its users need no types of Node.
  await pipeline(chunks, target as unknown as Writable)
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

/** Codes of a file system that cannot flush. An implementation of `node:fs` that cannot has another code, or none. */
const NO_FLUSH: ReadonlySet<unknown> = new Set(['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'])

/** Flushes a file to disk, where that is possible: some file systems, and Yarn's patched `fs`, cannot flush. */
async function flush(file: Partial<Pick<FileHandle, 'sync'>>): Promise<void> {
  try {
    await file.sync?.()
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code')
    // Only an error of the system (`EIO`, `ENOSPC`, `ESTALE`, ...) can mean that the file is not on the disk.
    if (/^E[A-Z0-9]+$/.test(String(code)) && !NO_FLUSH.has(code)) throw error
  }
}
