import type { IncomingMessage, ServerResponse } from 'node:http'

import type { FakeResponse } from '../server/http.js'
import { sleep } from '../server/runtime.js'

const HALF_READ_MS = 20

/** Sends a response over a socket and applies its transport effect. */
export async function writeResponse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: FakeResponse,
  closed: AbortSignal,
): Promise<void> {
  const { effect } = response
  const { socket } = incoming
  switch (effect.kind) {
    case 'none':
      outgoing.writeHead(response.status, response.headers).end(response.body)
      return
    case 'reset':
      if (effect.when === 'mid-body') await writeHalf(outgoing, response)
      socket.resetAndDestroy()
      return
    case 'truncate':
      await writeHalf(outgoing, response)
      socket.end()
      return
    case 'garbage':
      socket.end('NOT HTTP AT ALL\r\n\r\n')
      return
    case 'stall':
      // The connection stays open until the client aborts the request or the fake closes.
      if (effect.when === 'body') await writeHalf(outgoing, response)
      return
    case 'drip':
      await drip(outgoing, response, effect, closed)
  }
}

async function writeHalf(outgoing: ServerResponse, response: FakeResponse): Promise<void> {
  const bytes = Buffer.from(response.body)
  outgoing.writeHead(response.status, response.headers).flushHeaders()
  await write(outgoing, bytes.subarray(0, Math.floor(bytes.byteLength / 2)))
  // A reset would discard the data that the client has not read, so the client gets time to read.
  await sleep(HALF_READ_MS)
}

async function drip(
  outgoing: ServerResponse,
  response: FakeResponse,
  { bytes: size, everyMs }: { readonly bytes: number; readonly everyMs: number },
  closed: AbortSignal,
): Promise<void> {
  const bytes = Buffer.from(response.body)
  outgoing.writeHead(response.status, response.headers)
  for (let at = 0; at < bytes.byteLength && !outgoing.destroyed && !closed.aborted; at += size) {
    await write(outgoing, bytes.subarray(at, at + size))
    await sleep(everyMs, closed)
  }
  outgoing.end()
}

function write(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (bytes.byteLength === 0) return Promise.resolve()
  return new Promise((resolve) => {
    outgoing.write(bytes, () => resolve())
  })
}
