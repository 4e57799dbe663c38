import { ByteBuffer } from '../../common/byte-buffer.js'
import type { Clock } from '../../common/clock.js'
import { PathologyError } from '../../common/errors.js'
import { tooLarge } from '../raw-body.js'
import type { BodyBounds } from '../receiver/core.js'
import { WebhookVerificationError } from '../verification-error.js'

type Listener = (value: unknown) => void

/** What is used of a Node stream of a request's body. */
export interface NodeBodyStream {
  /** Whether the body was read to its end. */
  readonly readableEnded?: boolean | undefined
  on(event: string, listener: Listener): unknown
  off(event: string, listener: Listener): unknown
  pause(): unknown
  resume(): unknown
  destroy(): unknown
}

/** Reads a stream to its end, within bounds. Afterwards it is paused, and no timer or reader is left on it. */
export function readNodeStream(
  stream: NodeBodyStream,
  { maxBytes, signal }: BodyBounds,
  declared?: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const body = new ByteBuffer(maxBytes, declared)
    const listeners: Readonly<Record<string, Listener>> = {
      data(chunk) {
        if (!(chunk instanceof Uint8Array)) return stop(new WebhookVerificationError('body-not-raw'))
        if (!body.add(chunk)) stop(tooLarge(maxBytes))
      },
      end: () => stop(undefined),
      error: (error) => stop(error),
      // A connection that breaks off emits nothing else.
      close: () => stop(new PathologyError('The connection closed before the body ended.')),
    }
    const onAbort = (): void => stop(signal.reason)
    const stop = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort)
      for (const [event, listener] of Object.entries(listeners)) {
        // A stream that fails later, with nobody listening, would end the process.
        if (event !== 'error') stream.off(event, listener)
      }
      stream.pause()
      if (error === undefined) resolve(body.bytes)
      else reject(error)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener)
  })
}

/**
 * Lets the rest of an unwanted body run out, so that the sender gets to read the answer; cuts the connection
 * when there is still more after a while.
 */
export function discardRest(stream: NodeBodyStream, clock: Clock, patienceMs: number): void {
  if (stream.readableEnded === true) return
  const timer = clock.schedule(() => stream.destroy(), patienceMs)
  const done = (): void => timer.cancel()
  stream.on('end', done)
  stream.on('close', done)
  stream.on('error', done)
  stream.resume()
}
