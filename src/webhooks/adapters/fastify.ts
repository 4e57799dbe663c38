import { ownFields } from '../../common/known-options.js'
import type { ReceiverCore } from '../receiver/core.js'
import { WebhookVerificationError } from '../verification-error.js'
import { declaredLength } from './content-length.js'
import { discardRest, type NodeBodyStream, readNodeStream } from './read-node-stream.js'

/** What is used of a Fastify request. */
export interface FastifyRequestLike {
  /** The HTTP method. */
  readonly method: string
  /** Headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The stream that the plugin's own parser hands on. */
  readonly body: unknown
}

/** What is used of a Fastify reply. */
export interface FastifyReplyLike {
  code(status: number): unknown
  headers(headers: Record<string, string>): unknown
  send(body: string): unknown
}

/** What is used of a Fastify instance. */
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

/** Where the receiver answers. */
export interface FastifyReceiverOptions {
  /**
   * The path, below the plugin's own `prefix`.
   * @defaultValue `'/'`
   */
  readonly path?: string | undefined
}

/** The receiver as a Fastify plugin: `app.register(receiver.fastify, { path: '/webhooks' })`. */
export type FastifyReceiver = (instance: FastifyLike, options: FastifyReceiverOptions) => Promise<void>

export function fastifyAdapter(core: ReceiverCore): FastifyReceiver {
  return async (instance, options) => {
    const { path = '/' } = ownFields(options)
    // Both stay within the plugin's scope: the rest of the application goes on parsing JSON.
    instance.removeAllContentTypeParsers()
    instance.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    instance.route({
      method: ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'],
      url: path,
      handler: (request, reply) => answer(core, request, reply),
    })
  }
}

async function answer(
  core: ReceiverCore,
  request: FastifyRequestLike,
  reply: FastifyReplyLike,
): Promise<unknown> {
  const { status, headers, body } = await core.receive({
    method: request.method,
    headers: request.headers,
    readBody: (bounds) => {
      if (request.body === undefined) return ''
      if (!isStream(request.body)) throw new WebhookVerificationError('body-not-raw')
      const declared = declaredLength(request.headers, bounds.maxBytes)
      return readNodeStream(request.body, bounds, declared)
    },
  })
  reply.code(status)
  reply.headers({ ...headers })
  reply.send(body)
  if (isStream(request.body)) discardRest(request.body, core.settings.clock, core.settings.deadlineMs)
  return reply
}

function isStream(value: unknown): value is NodeBodyStream {
  return typeof value === 'object' && value !== null && 'on' in value && 'resume' in value
}
