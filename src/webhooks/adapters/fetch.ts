import { ByteBuffer } from '../../common/byte-buffer.js'
import { ignore } from '../../common/errors.js'
import { isBytes } from '../../contract/realms.js'
import type { BodyBounds, ReceiverCore } from '../receiver/core.js'
import { declaredLength, type RawBody, tooLarge } from '../verification/raw-body.js'
import { WebhookVerificationError } from '../verification/verification-error.js'

/** The receiver as a handler that takes a `Request` and returns a `Response`. */
export type FetchReceiver = (request: Request) => Promise<Response>

export function fetchAdapter(core: ReceiverCore): FetchReceiver {
  return async (request) => {
    const { status, headers, body } = await core.receive({
      method: request.method,
      headers: request.headers,
      readBody: (bounds) => readRequest(request, bounds),
    })
    return new Response(body, { status, headers })
  }
}

function readRequest(request: Request, bounds: BodyBounds): RawBody | Promise<RawBody> {
  if (request.bodyUsed || request.body?.locked) {
    throw new WebhookVerificationError(
      'body-not-raw',
      'The request body was already read: call the receiver first, or pass a clone of the request.',
    )
  }
  const declared = declaredLength(request.headers, bounds.maxBytes)
  return request.body === null ? '' : readWebStream(request.body, bounds, declared)
}

/** Reads a web stream completely. Cancels the stream after any error, and when the signal aborts. */
async function readWebStream(
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
      // A stream that a program has created may contain text instead of bytes.
      if (!isBytes(value)) throw new WebhookVerificationError('body-not-raw')
      if (!body.add(value)) throw tooLarge(maxBytes)
    }
  } catch (error) {
    cancel()
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
