import { isPrivateHost } from '../../common/private-addresses.js'
import type { ResolvedOptions } from '../call/request-options.js'
import type { InvalidResponseError } from '../errors/errors.js'
import { isLoopback } from '../transport/service-url.js'

/** `%PDF-` */
const MARK = [0x25, 0x50, 0x44, 0x46, 0x2d]

/** Number of bytes at the start within which the start mark must occur, as programs that read PDFs require. */
const MARK_WITHIN = 1_024

const END_MARK = '%%EOF'

/** Number of bytes at the end within which the end mark must occur. */
const END_MARK_WITHIN = 1_024

/** Rules for a document. */
export interface PdfRules {
  readonly limit: number
  readonly totalBytes: number | undefined
  /** `true` when the response declares neither its length nor its end: an interrupted download then looks complete. */
  readonly endless: boolean
  readonly fail: (reason: 'too-large' | 'not-pdf' | 'truncated') => InvalidResponseError
}

type Chunks = AsyncGenerator<Uint8Array, void, undefined>

/** Yields the chunks after it has found the mark `%PDF-`. It also checks the size and the end. */
export function checkPdf(body: AsyncIterable<Uint8Array>, rules: PdfRules): Chunks {
  const chunks = checkHead(body, rules)
  return rules.endless ? checkEnd(chunks, rules) : chunks
}

async function* checkHead(body: AsyncIterable<Uint8Array>, { limit, totalBytes, fail }: PdfRules): Chunks {
  if (totalBytes !== undefined && totalBytes > limit) throw fail('too-large')
  let head: Uint8Array | undefined = new Uint8Array(0)
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > limit) throw fail('too-large')
    if (head === undefined) {
      yield chunk
      continue
    }
    head = joined(head, chunk)
    if (hasMark(head)) {
      yield head
      head = undefined
    } else if (head.byteLength > MARK_WITHIN) {
      throw fail('not-pdf')
    }
  }
  if (head !== undefined) throw fail('not-pdf')
  if (totalBytes !== undefined && bytes < totalBytes) throw fail('truncated')
}

async function* checkEnd(chunks: Chunks, { fail }: PdfRules): Chunks {
  let tail = ''
  for await (const chunk of chunks) {
    tail = (tail + latin1(chunk)).slice(-END_MARK_WITHIN)
    yield chunk
  }
  if (!tail.includes(END_MARK)) throw fail('truncated')
}

/** Decodes the bytes that may contain the end mark. */
function latin1(bytes: Uint8Array): string {
  const end = bytes.subarray(-END_MARK_WITHIN)
  return Buffer.from(end.buffer, end.byteOffset, end.byteLength).toString('latin1')
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.byteLength + second.byteLength)
  joined.set(first)
  joined.set(second, first.byteLength)
  return joined
}

function hasMark(bytes: Uint8Array): boolean {
  const end = Math.min(bytes.byteLength, MARK_WITHIN + MARK.length)
  for (let start = 0; start + MARK.length <= end; start += 1) {
    if (MARK.every((byte, offset) => bytes[start + offset] === byte)) return true
  }
  return false
}

type AddressRules = Pick<ResolvedOptions, 'base' | 'documentHosts'>

/** Advice at the end of an error about a private host. */
export const ALLOW_HOST = "to permit it, add the host to the client's option documentHosts"

/**
 * Returns `true` when a document's host may be private: a host in the option `documentHosts`, or this machine if the
 * service runs on this machine.
 */
export function mayBePrivate(hostname: string, { base, documentHosts }: AddressRules): boolean {
  return documentHosts.has(hostname) || (base.loopback && isLoopback(hostname))
}

/** Returns the reason why a document's URL is not permitted, or `undefined`. */
export function unsafeReason(url: URL | undefined, rules: AddressRules): string | undefined {
  if (url === undefined) return 'it is not a URL'
  const local = rules.base.loopback && isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(local && url.protocol === 'http:')) return 'it does not use https'
  if (mayBePrivate(url.hostname, rules) || !isPrivateHost(url.hostname)) return undefined
  return `its host is private; ${ALLOW_HOST}`
}
