import { PathologyError } from '../../common/errors.js'
import type { RawBody } from '../raw-body.js'
import type { BodyBounds, ReceiverCore } from '../receiver/core.js'
import { WebhookVerificationError } from '../verification-error.js'
import { declaredLength } from './content-length.js'
import { discardRest, type NodeBodyStream, readNodeStream } from './read-node-stream.js'

/** What is used of Node's `IncomingMessage`, Express's and Connect's requests included. */
export interface NodeRequest extends NodeBodyStream {
  /** The HTTP method. */
  readonly method?: string | undefined
  /** Headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Whether the stream was destroyed, as it is when the connection closes. */
  readonly destroyed?: boolean | undefined
  /** Whether anything was read from the request before. */
  readonly readableDidRead?: boolean | undefined
  /** The bytes that a body parser kept. */
  readonly rawBody?: unknown
  /** What a body parser made of the body. */
  readonly body?: unknown
}

/** What is used of Node's `ServerResponse`. */
export interface NodeResponse {
  /** Whether something else has answered already. */
  readonly headersSent: boolean
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body: string): unknown
}

/** The receiver as a handler of `node:http`, Express and Connect. */
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
    discardRest(request, core.settings.clock, core.settings.deadlineMs)
  }
}

function readRequest(request: NodeRequest, bounds: BodyBounds): RawBody | Promise<RawBody> {
  const { rawBody } = request
  if (isRaw(rawBody)) return rawBody
  const wasRead = request.readableDidRead === true || request.readableEnded === true
  if (!wasRead) {
    if (request.destroyed === true)
      throw new PathologyError('The connection closed before the body was read.')
    const declared = declaredLength(request.headers, bounds.maxBytes)
    return readNodeStream(request, bounds, declared)
  }
  const { body } = request
  if (isRaw(body)) return body
  throw new WebhookVerificationError(
    'body-not-raw',
    'A body parser read this request before the receiver did. Mount the receiver ahead of it, or keep the bytes: express.json({ verify: (request, response, bytes) => { request.rawBody = bytes } }).',
  )
}

function isRaw(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || value instanceof Uint8Array
}
