import type { IncomingMessage } from 'node:http'
import { ByteBuffer } from '../../common/byte-buffer.js'

const NO_BODY = new Uint8Array(0)

/** Headers in lower case, repeated ones joined. */
export function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return flat
}

/** The body; see {@link collect} for one that is too large. */
export async function bodyOf(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  const { headers } = incoming
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return NO_BODY
  return collect(incoming, limit, Number(headers['content-length'] ?? 0))
}

/** Reads a body to its end. Of one that is larger than `limit`, it keeps one byte more than that: enough to be refused. */
export async function collect(
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
