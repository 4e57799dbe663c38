import { errors } from 'undici/index.js'

import type { FakeAnswer } from '../server/http.js'
import { sleep } from '../server/runtime.js'

/** What ends an exchange that would go on for ever. */
export interface Ends {
  /** The client gives up. */
  readonly signal: AbortSignal
  /** The fake stops. */
  readonly stopped: AbortSignal
}

const CHUNK_BYTES = 64 * 1024

/** Whether an answer's headers ever arrive; otherwise the error there is in their place, or silence. */
export function headersFate(answer: FakeAnswer): 'arrive' | 'never' | Error {
  const { wire } = answer
  if (wire.kind === 'stall' && wire.when === 'headers') return 'never'
  if (wire.kind === 'reset' && wire.when === 'before') return resetError()
  if (wire.kind === 'garbage')
    return Object.assign(
      new errors.HTTPParserError('Response does not match the HTTP/1.1 protocol (Expected HTTP/)'),
      {
        code: 'HPE_INVALID_CONSTANT',
      },
    )
  return 'arrive'
}

/**
 * The body of an answer as a client would receive it: in chunks, slowly, or breaking off with the error that
 * undici gives for the same fault on a socket.
 */
export async function* bodyChunks(answer: FakeAnswer, ends: Ends): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(answer.body)
  const { wire } = answer
  if (wire.kind === 'none') {
    yield* slices(bytes, CHUNK_BYTES)
    return
  }
  if (wire.kind === 'drip') {
    for (const slice of slices(bytes, wire.bytes)) {
      yield slice
      await sleep(wire.everyMs, ends.signal)
    }
    return
  }
  yield* slices(bytes.subarray(0, Math.floor(bytes.byteLength / 2)), CHUNK_BYTES)
  if (wire.kind === 'reset') throw resetError()
  if (wire.kind === 'truncate') throw new errors.SocketError('other side closed')
  await silence(ends)
}

/**
 * Says nothing until `signal` aborts; holds the process alive meanwhile, as an open socket does.
 *
 * @throws SocketError - The fake was stopped first.
 */
export async function silence({ signal, stopped }: Ends): Promise<void> {
  const either = AbortSignal.any([signal, stopped])
  while (!either.aborted) await sleep(A_LONG_TIME_MS, either)
  if (!signal.aborted) throw new errors.SocketError('other side closed')
}

const A_LONG_TIME_MS = 3_600_000

function* slices(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size)
}

function resetError(): Error {
  return Object.assign(new Error('read ECONNRESET'), { errno: -104, code: 'ECONNRESET', syscall: 'read' })
}
