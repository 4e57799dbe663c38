import type { ReceiverCore } from '../receiver/core.js'
import { declaredLength } from '../verification/raw-body.js'
import { WebhookVerificationError } from '../verification/verification-error.js'
import { discardRest, type NodeBodyStream, readNodeStream } from './read-node-stream.js'

/** The part of a Fastify request that the plugin uses. */
export interface FastifyRequestLike {
  /** The HTTP method. */
  readonly method: string
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The unread stream of the body, as the plugin's own parser passes it on; `undefined` without a body. */
  readonly body: unknown
}

/** The part of a Fastify reply that the plugin uses. */
export interface FastifyReplyLike {
  code(status: number): unknown
  headers(headers: Record<string, string>): unknown
  send(body: string): unknown
}

/** The part of a Fastify instance that the plugin uses. */
export interface FastifyLike {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: (error: Error | null, body: unknown) => void) => void,
  ): unknown
  route(options: {
    method: string[]
    url: string
    handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>
  }): unknown
}

/** Options of the Fastify plugin. */
export interface FastifyReceiverOptions {
  /**
   * The path of the endpoint, relative to the plugin's `prefix`.
   * @defaultValue `'/'`
   */
  readonly path?: string | undefined
}

/** The receiver as a Fastify plugin: `app.register(receiver.fastify, { path: '/webhooks' })`. */
export type FastifyReceiver = (instance: FastifyLike, options: FastifyReceiverOptions) => Promise<void>

export function fastifyAdapter(core: ReceiverCore): FastifyReceiver {
  return async (instance, options) => {
    const { path = '/' } = options
    // Fastify applies the changed content type parsers only to this plugin: other routes still parse JSON.
    instance.removeAllContentTypeParsers()
    instance.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    instance.route({
      method: ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'],
      url: path,
      handler: (request, reply) => handle(core, request, reply),
    })
  }
}

async function handle(
  core: ReceiverCore,
  request: FastifyRequestLike,
  reply: FastifyReplyLike,
): Promise<unknown> {
  const { status, headers, body } = await core.receive({
    method: request.method,
    headers: request.headers,
    readBody: (bounds) => {
      if (request.body === undefined) return ''
      if (!isStream(request.body) || request.body.readableEnded === true)
        throw new WebhookVerificationError('body-not-raw')
      const declared = declaredLength(request.headers, bounds.maxBytes)
      return readNodeStream(request.body, bounds, declared)
    },
  })
  reply.code(status)
  reply.headers({ ...headers })
  reply.send(body)
  if (isStream(request.body)) discardRest(request.body, core.options.clock, core.options.timeoutMs)
  return reply
}

function isStream(value: unknown): value is NodeBodyStream {
  return typeof value === 'object' && value !== null && 'on' in value && 'resume' in value
}
