import { ByteBuffer } from '../../common/byte-buffer.js'
import { tooLarge } from '../raw-body.js'
import type { BodyBounds } from '../receiver/core.js'

const ignore = (): void => undefined

/** Reads a web stream to its end, within bounds; cancels it when they are passed. */
export async function readWebStream(
  stream: ReadableStream<Uint8Array>,
  { maxBytes, signal }: BodyBounds,
  declared?: number,
): Promise<Uint8Array> {
  const reader = stream.getReader()
  const cancel = (): void => void reader.cancel().catch(ignore)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const body = new ByteBuffer(maxBytes, declared)
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return body.bytes
      if (!body.add(value)) break
    }
    cancel()
    throw tooLarge(maxBytes)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
