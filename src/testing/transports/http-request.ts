import type { IncomingMessage } from 'node:http'

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

/** The body. Of one that is larger than `limit`, a little more than that: enough to be refused. */
export async function bodyOf(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  const { headers } = incoming
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return NO_BODY
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (size <= limit) chunks.push(chunk)
    size += chunk.byteLength
  }
  return chunks.length === 1 ? (chunks[0] ?? NO_BODY) : Buffer.concat(chunks)
}
