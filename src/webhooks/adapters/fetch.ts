import type { RawBody } from '../raw-body.js'
import type { BodyBounds, ReceiverCore } from '../receiver/core.js'
import { WebhookVerificationError } from '../verification-error.js'
import { declaredLength } from './content-length.js'
import { readWebStream } from './read-web-stream.js'

/** The receiver as a fetch-style handler. */
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
  if (request.bodyUsed) {
    throw new WebhookVerificationError(
      'body-not-raw',
      'The request body was read before: hand the request over first, or a clone of it.',
    )
  }
  const declared = declaredLength(request.headers, bounds.maxBytes)
  return request.body === null ? '' : readWebStream(request.body, bounds, declared)
}
