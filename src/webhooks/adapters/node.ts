import { isBytes } from '../../contract/realms.js'
import type { BodyBounds, ReceiverCore } from '../receiver/core.js'
import { declaredLength, type RawBody } from '../verification/raw-body.js'
import { WebhookVerificationError } from '../verification/verification-error.js'
import { discardRest, type NodeBodyStream, readNodeStream } from './read-node-stream.js'

/** The part of Node's `IncomingMessage` that the handler uses. Requests of Express and Connect have this part too. */
export interface NodeRequest extends NodeBodyStream {
  /** The HTTP method. */
  readonly method?: string | undefined
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** `true` when any part of the body was already read. */
  readonly readableDidRead?: boolean | undefined
  /** The exact body as bytes or text, if a body parser stored it. */
  readonly rawBody?: unknown
  /** The body as a body parser has converted it. */
  readonly body?: unknown
}

/** The part of Node's `ServerResponse` that the handler uses. */
export interface NodeResponse {
  /** `true` when other code has already sent a response. */
  readonly headersSent: boolean
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body: string): unknown
}

/** The receiver as a handler for `node:http`, Express and Connect. */
export type NodeReceiver = (request: NodeRequest, response: NodeResponse) => Promise<void>

export function nodeAdapter(core: ReceiverCore): NodeReceiver {
  return async (request, response) => {
    const { status, headers, body } = await core.receive({
      method: request.method,
      headers: request.headers,
      readBody: (bounds) => readRequest(request, bounds),
    })
    if (!response.headersSent) {
      response.writeHead(status, { ...headers })
      response.end(body)
    }
    discardRest(request, core.options.clock, core.options.timeoutMs)
  }
}

function readRequest(request: NodeRequest, bounds: BodyBounds): RawBody | Promise<RawBody> {
  const { rawBody } = request
  const wasRead = request.readableDidRead === true || request.readableEnded === true
  // Some frameworks set an empty `rawBody` before they read the body.
  if (isRaw(rawBody) && (wasRead || rawBody.length > 0)) return rawBody
  if (!wasRead) {
    const declared = declaredLength(request.headers, bounds.maxBytes)
    return readNodeStream(request, bounds, declared)
  }
  const { body } = request
  if (isRaw(body)) return body
  throw new WebhookVerificationError(
    'body-not-raw',
    'A body parser read this request before the receiver. Mount the receiver before the parser, or store the bytes: express.json({ verify: (request, response, bytes) => { request.rawBody = bytes } }).',
  )
}

function isRaw(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || isBytes(value)
}
