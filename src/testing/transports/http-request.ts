import type { IncomingMessage } from 'node:http'

import { ByteBuffer } from '../../common/byte-buffer.js'

const NO_BODY = new Uint8Array(0)

/**
 * Returns the headers with names in lower case. Node.js joins most repeated headers, and keeps only the first of some,
 * such as Authorization.
 */
export function readHeaders({ headers }: IncomingMessage): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return flat
}

/** Reads the body of an HTTP request, at most `limit + 1` bytes: see {@link collectBody}. */
export async function readRequestBody(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  const { headers } = incoming
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return NO_BODY
  return collectBody(incoming, limit, Number(headers['content-length'] ?? 0))
}

/**
 * Reads a body to its end. Returns only the first `limit + 1` bytes of a longer body, so that the server rejects the
 * request.
 */
export async function collectBody(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
  declared?: number,
): Promise<Uint8Array> {
  const body = new ByteBuffer(limit + 1, declared)
  for await (const chunk of chunks) {
    if (!body.add(chunk)) body.add(chunk.subarray(0, limit + 1 - body.bytes.byteLength))
  }
  return body.bytes
}
