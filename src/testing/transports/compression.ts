import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import type { FakeResponse, FakeServer } from '../server/http.js'

/** Minimum size of a body to compress. Compression does not make a smaller body much shorter. */
const MIN_BYTES = 1_024

/** Sets `signal` explicitly. Otherwise gzip would read a `signal` that a program has added to `Object.prototype`. */
const OPTIONS = { level: 6, signal: undefined }

const inGzip = promisify(gzip)

/** Matches an Accept-Encoding header that contains `gzip` with a weight above 0. */
const ACCEPTS_GZIP = /(^|,)\s*(x-)?gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[\d.]+\s*)?(,|$)/i

/**
 * Compresses JSON with gzip, if the client accepts gzip and no fault has changed the encoding or the length. The
 * in-process `fetch` does not call this, because a `fetch` returns decoded bodies.
 */
export async function compressed(
  { options }: Pick<FakeServer, 'options'>,
  requestHeaders: Readonly<Record<string, string>>,
  response: FakeResponse,
): Promise<FakeResponse> {
  const { headers, body } = response
  const isJson = headers['content-type']?.startsWith('application/json') === true
  const bytes = Buffer.byteLength(body)
  const isOfFault = headers['content-encoding'] !== undefined || headers['content-length'] !== String(bytes)
  if (!options.compression || !isJson || isOfFault || bytes < MIN_BYTES) return response
  if (!ACCEPTS_GZIP.test(requestHeaders['accept-encoding'] ?? '')) return response
  const zipped = await inGzip(body, OPTIONS)
  const changed = {
    'content-encoding': 'gzip',
    'content-length': String(zipped.byteLength),
    vary: headers['vary'] === undefined ? 'accept-encoding' : `${headers['vary']}, accept-encoding`,
  }
  return { ...response, headers: { ...headers, ...changed }, body: zipped }
}
