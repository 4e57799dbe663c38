import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { ByteBuffer } from '../../common/byte-buffer.js'
import { ignore } from '../../common/errors.js'
import type { InvalidResponseError } from '../errors/errors.js'
import { encodingOf } from '../transport/body.js'
import { type ResponseHeaders, type StreamedResponse, TransportFailure } from '../transport/transport.js'

export type Chunks = AsyncGenerator<Uint8Array, void, undefined>

export interface PdfRules {
  /** Maximum size in bytes, of the decoded PDF too. */
  readonly limit: number
  readonly fail: (reason: 'too-large' | 'not-pdf' | 'truncated' | 'encoding') => InvalidResponseError
}

/** Number of bytes at the start within which the start mark must occur, as programs that read PDFs require. */
const MARK_WITHIN = 1_024

const END_MARK = '%%EOF'

/** Number of bytes at the end within which the end mark must occur. */
const END_MARK_WITHIN = 1_024

/**
 * Reads the PDF in a response. Decodes it, and checks its start mark and its size, and its end mark if the response does
 * not declare its end. Yields the chunks, the first only after the check of the start mark.
 */
export async function* readPdf(response: StreamedResponse, { limit, fail }: PdfRules): Chunks {
  const totalBytes = declaredBytes(response.headers)
  if (totalBytes !== undefined && totalBytes > limit) throw fail('too-large')
  const encoding = encodingOf(response.headers)
  const { head, chunks } = await begin(await decodedBody(response.body, encoding, fail), MARK_WITHIN)
  const start = latin1(head.subarray(0, MARK_WITHIN))
  if (!START.test(start)) throw fail(encoding === '' || decoderOf(encoding) ? 'not-pdf' : 'encoding')
  let [bytes, tail] = [0, '']
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > limit) throw fail('too-large')
    tail = (tail + latin1(chunk.subarray(-END_MARK_WITHIN))).slice(-END_MARK_WITHIN)
    yield chunk
  }
  const isShort = totalBytes !== undefined && bytes < totalBytes
  if (isShort || (isEndless(response.headers) && !tail.includes(END_MARK))) throw fail('truncated')
}

/**
 * The start of a PDF. Before the start mark, only text or the commands of a printer are permitted, and no HTML: the
 * bytes of other files, such as archives, can contain the mark.
 */
const START = /^(\xef\xbb\xbf|.%-12345X)?(?!\s*<)[\t-\r -~]*%PDF-/

/** Returns the declared size of the PDF in bytes; `undefined` if it is unknown or is the size of an encoded body. */
export function declaredBytes(headers: ResponseHeaders): number | undefined {
  const declared = Number(headers['content-length'] ?? Number.NaN)
  return encodingOf(headers) !== '' || Number.isNaN(declared) ? undefined : declared
}

/** Returns `true` when the response declares neither its size nor its end: a cut body then looks complete. */
function isEndless(headers: ResponseHeaders): boolean {
  const coding = String(headers['transfer-encoding'] ?? '')
  // Only `chunked` marks the end of a body. With any other coding, the body ends with its connection.
  return declaredBytes(headers) === undefined && !/(?:^|,)\s*chunked\s*$/i.test(coding)
}

const MARK = '%PDF-'

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
])

/** Object stores keep `aws-chunked`, the encoding of an upload, beside the encoding of the object. */
function decoderOf(encoding: string): (() => Transform) | undefined {
  return DECODERS.get(encoding.replace(/^aws-chunked\s*,\s*|\s*,\s*aws-chunked$/g, ''))
}

/**
 * Decodes a body. Ignores an encoding that the body does not have: some hosts declare one for a plain PDF, and a `fetch`
 * has decoded the body already.
 */
async function decodedBody(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
  fail: PdfRules['fail'],
): Promise<AsyncIterable<Uint8Array>> {
  const decoder = decoderOf(encoding)
  if (decoder === undefined) return body
  const { head, chunks } = await begin(body, MARK.length)
  const isPlain =
    decoder === createGunzip ? head[0] !== 0x1f || head[1] !== 0x8b : latin1(head).startsWith(MARK)
  if (isPlain) return chunks
  // Some hosts send deflate without the header of zlib.
  const isRaw = decoder === createInflate && ((head[0] ?? 0) & 0x0f) !== 8
  return decoded(chunks, isRaw ? createInflateRaw() : decoder(), fail)
}

async function* decoded(chunks: Chunks, decoder: Transform, fail: PdfRules['fail']): Chunks {
  // The reader of the decoder gets every error.
  pipeline(chunks, decoder).catch(ignore)
  let hasContent = false
  try {
    for await (const chunk of decoder) {
      hasContent = true
      yield chunk
    }
  } catch (error) {
    if (error instanceof TransportFailure) throw error
    throw fail(hasContent || Reflect.get(Object(error), 'code') === 'Z_BUF_ERROR' ? 'truncated' : 'encoding')
  }
}

/** Reads the first bytes of a body, at least `size` unless the body is shorter. Also returns all its chunks. */
export async function begin(
  body: AsyncIterable<Uint8Array>,
  size: number,
): Promise<{ readonly head: Uint8Array; readonly chunks: Chunks }> {
  const source = body[Symbol.asyncIterator]()
  const head = new ByteBuffer(Number.POSITIVE_INFINITY)
  while (head.bytes.byteLength < size) {
    const { done, value } = await source.next()
    if (done === true) break
    head.add(value)
  }
  const chunks = async function* (): Chunks {
    try {
      if (head.bytes.byteLength > 0) yield head.bytes
      yield* { [Symbol.asyncIterator]: () => source }
    } finally {
      await source.return?.()
    }
  }
  return { head: head.bytes, chunks: chunks() }
}

/** Decodes each byte to one character. */
function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}
