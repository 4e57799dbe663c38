import { ByteBuffer } from '../../common/byte-buffer.js'
import type { Clock } from '../../common/clock.js'
import { PathologyError } from '../../common/errors.js'
import { isBytes } from '../../contract/realms.js'
import type { BodyBounds } from '../receiver/core.js'
import { tooLarge } from '../verification/raw-body.js'
import { WebhookVerificationError } from '../verification/verification-error.js'

type Listener = (value: unknown) => void

/** The part of Node's `Readable` that reads a request's body. */
export interface NodeBodyStream {
  /** `true` when the body was read completely. */
  readonly readableEnded?: boolean | undefined
  /** `true` when the stream was destroyed, for example by a closed connection. */
  readonly destroyed?: boolean | undefined
  on(event: string, listener: Listener): unknown
  off(event: string, listener: Listener): unknown
  pause(): unknown
  resume(): unknown
  destroy(): unknown
}

/**
 * Reads a stream to its end, within the limits. Afterwards, the stream is paused and keeps only a listener for
 * errors.
 */
export function readNodeStream(
  stream: NodeBodyStream,
  { maxBytes, signal }: BodyBounds,
  declared?: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const body = new ByteBuffer(maxBytes, declared)
    const onClose = (): void => stop(new PathologyError('The connection closed before the body ended.'))
    const listeners: Readonly<Record<string, Listener>> = {
      data(chunk) {
        if (!isBytes(chunk)) return stop(new WebhookVerificationError('body-not-raw'))
        if (!body.add(chunk)) stop(tooLarge(maxBytes))
      },
      end: () => stop(undefined),
      error: (error) => stop(error),
      // A stream that is destroyed without an error emits only `close`.
      close: onClose,
    }
    const onAbort = (): void => stop(signal.reason)
    const stop = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort)
      for (const [event, listener] of Object.entries(listeners)) {
        // Without a listener, a later stream error would end the process.
        if (event !== 'error') stream.off(event, listener)
      }
      stream.pause()
      if (error === undefined) resolve(body.bytes)
      else reject(error)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener)
    if (stream.destroyed === true) onClose()
  })
}

/**
 * Discards the unread rest of a body, so that the sender can read the response. Closes the connection if the body does
 * not end within `timeoutMs`.
 */
export function discardRest(stream: NodeBodyStream, clock: Clock, timeoutMs: number): void {
  // A destroyed stream may emit no further event, so nothing would cancel the timer.
  if (stream.readableEnded === true || stream.destroyed === true) return
  const timer = clock.schedule(() => stream.destroy(), timeoutMs)
  const done = (): void => timer.cancel()
  stream.on('end', done)
  stream.on('close', done)
  stream.on('error', done)
  stream.resume()
}
