import { errors } from 'undici/index.js'

import type { FakeResponse } from '../server/http.js'
import { sleep } from '../server/runtime.js'

/** Signals that end a response which would never end by itself. */
export interface EndSignals {
  /** Aborts when the client gives up. */
  readonly signal: AbortSignal
  /** Aborts when the fake closes. */
  readonly closed: AbortSignal
}

const CHUNK_BYTES = 64 * 1024

/** Whether a response's headers arrive, never arrive, or an error arrives instead. */
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
 * Yields a response's body as a client would receive it: in chunks, slowly, or ending with the error that undici
 * throws for the same fault on a socket.
 */
export async function* bodyChunks(response: FakeResponse, ends: EndSignals): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(response.body)
  const { effect } = response
  if (effect.kind === 'none') {
    yield* slices(bytes, CHUNK_BYTES)
    return
  }
  if (effect.kind === 'drip') {
    for (const slice of slices(bytes, effect.bytes)) {
      yield slice
      await sleep(effect.everyMs, ends.signal)
    }
    return
  }
  yield* slices(bytes.subarray(0, Math.floor(bytes.byteLength / 2)), CHUNK_BYTES)
  if (effect.kind === 'reset') throw resetError()
  if (effect.kind === 'truncate') throw new errors.SocketError('other side closed')
  await waitForEnd(ends)
}

/**
 * Waits until `signal` aborts. Keeps the process running meanwhile, as an open socket does.
 *
 * @throws SocketError - The fake was closed first.
 */
export async function waitForEnd({ signal, closed }: EndSignals): Promise<void> {
  const either = AbortSignal.any([signal, closed])
  while (!either.aborted) await sleep(SLEEP_MS, either)
  if (!signal.aborted) throw new errors.SocketError('other side closed')
}

/** Length of one sleep of a wait that only a signal ends. */
const SLEEP_MS = 3_600_000

function* slices(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size)
}

function resetError(): Error {
  return Object.assign(new Error('read ECONNRESET'), { errno: -104, code: 'ECONNRESET', syscall: 'read' })
}
