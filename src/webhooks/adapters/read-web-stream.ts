import { tooLarge } from '../raw-body.js'
import type { BodyBounds } from '../receiver/core.js'
import { joinBytes } from './join-bytes.js'

const ignore = (): void => undefined

/** Reads a web stream to its end, within bounds; cancels it when they are passed. */
export async function readWebStream(
  stream: ReadableStream<Uint8Array>,
  { maxBytes, signal }: BodyBounds,
): Promise<Uint8Array> {
  const reader = stream.getReader()
  const cancel = (): void => void reader.cancel().catch(ignore)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const chunks: Uint8Array[] = []
    let size = 0
    while (size <= maxBytes) {
      const { done, value } = await reader.read()
      if (done) return joinBytes(chunks, size)
      chunks.push(value)
      size += value.byteLength
    }
    cancel()
    throw tooLarge(maxBytes)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
