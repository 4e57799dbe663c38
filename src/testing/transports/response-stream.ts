import { errors } from 'undici/index.js'

import type { FakeResponse } from '../server/http.js'
import { sleep } from '../server/runtime.js'

/** Signals that end a response early. */
export interface EndSignals {
  /** Aborts when the client aborts the request. */
  readonly signal: AbortSignal
  /** Aborts when the fake closes. */
  readonly closed: AbortSignal
}

const CHUNK_BYTES = 64 * 1024

/** Returns whether the client receives the headers, waits without end, or gets an error. */
export function headersOutcome({ effect }: FakeResponse): 'arrive' | 'never' | Error {
  if (effect.kind === 'stall' && effect.when === 'headers') return 'never'
  if (effect.kind === 'reset' && effect.when === 'before') return resetError()
  if (effect.kind === 'garbage')
    return Object.assign(
      new errors.HTTPParserError('Response does not match the HTTP/1.1 protocol (Expected HTTP/)'),
      {
        code: 'HPE_INVALID_CONSTANT',
      },
    )
  return 'arrive'
}

/**
 * Yields a response's body as a client receives it: in chunks, slowly, or up to an error. The error equals undici's
 * error for the same fault on a socket.
 */
export async function* bodyChunks(response: FakeResponse, ends: EndSignals): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(response.body)
  const { effect } = response
  if (effect.kind === 'none') {
    yield* slices(bytes, CHUNK_BYTES)
    return
  }
  if (effect.kind === 'drip') {
    const either = AbortSignal.any([ends.signal, ends.closed])
    for (const slice of slices(bytes, effect.bytes)) {
      if (ends.closed.aborted) throw sideClosedError()
      yield slice
      await sleep(effect.everyMs, either)
    }
    return
  }
  yield* slices(bytes.subarray(0, Math.floor(bytes.byteLength / 2)), CHUNK_BYTES)
  if (effect.kind === 'reset') throw resetError()
  if (effect.kind === 'truncate') throw sideClosedError()
  await waitForEnd(ends)
}

/**
 * Waits until `signal` aborts. The wait keeps the process running, as an open socket does.
 *
 * @throws SocketError - The fake was closed first.
 */
export async function waitForEnd({ signal, closed }: EndSignals): Promise<void> {
  const either = AbortSignal.any([signal, closed])
  while (!either.aborted) await sleep(SLEEP_MS, either)
  if (!signal.aborted) throw sideClosedError()
}

/** Duration of one timer in a wait without a time limit, in milliseconds. */
const SLEEP_MS = 3_600_000

function* slices(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size)
}

/** Returns undici's error for a connection that the server has closed. */
export function sideClosedError(): Error {
  return new errors.SocketError('other side closed')
}

function resetError(): Error {
  return Object.assign(new Error('read ECONNRESET'), { errno: -104, code: 'ECONNRESET', syscall: 'read' })
}
