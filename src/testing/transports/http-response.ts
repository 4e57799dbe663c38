import type { IncomingMessage, ServerResponse } from 'node:http'

import type { FakeAnswer } from '../server/http.js'
import { sleep } from '../server/runtime.js'

const HALF_READ_MS = 20

/** Sends an answer over a socket, with whatever is to go wrong on the way. */
export async function writeAnswer(
  incoming: IncomingMessage,
  response: ServerResponse,
  answer: FakeAnswer,
  stopped: AbortSignal,
): Promise<void> {
  const { wire } = answer
  const { socket } = incoming
  switch (wire.kind) {
    case 'none':
      response.writeHead(answer.status, answer.headers).end(answer.body)
      return
    case 'reset':
      if (wire.when === 'mid-body') await writeHalf(response, answer)
      socket.resetAndDestroy()
      return
    case 'truncate':
      await writeHalf(response, answer)
      socket.end()
      return
    case 'garbage':
      socket.end('NOT HTTP AT ALL\r\n\r\n')
      return
    case 'stall':
      // The connection stays open until the client gives up or the fake stops.
      if (wire.when === 'body') await writeHalf(response, answer)
      return
    case 'drip':
      await drip(response, answer, wire, stopped)
  }
}

async function writeHalf(response: ServerResponse, answer: FakeAnswer): Promise<void> {
  const bytes = Buffer.from(answer.body)
  response.writeHead(answer.status, answer.headers).flushHeaders()
  await write(response, bytes.subarray(0, Math.floor(bytes.byteLength / 2)))
  // A reset overtakes what the client has not read yet.
  await sleep(HALF_READ_MS)
}

async function drip(
  response: ServerResponse,
  answer: FakeAnswer,
  { bytes: size, everyMs }: { readonly bytes: number; readonly everyMs: number },
  stopped: AbortSignal,
): Promise<void> {
  const bytes = Buffer.from(answer.body)
  response.writeHead(answer.status, answer.headers)
  for (let at = 0; at < bytes.byteLength && !response.destroyed && !stopped.aborted; at += size) {
    await write(response, bytes.subarray(at, at + size))
    await sleep(everyMs, stopped)
  }
  response.end()
}

function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (bytes.byteLength === 0) return Promise.resolve()
  return new Promise((resolve) => {
    response.write(bytes, () => resolve())
  })
}
